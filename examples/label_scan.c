/* label_scan NETWORK SCAN.bin OUT.label [VOXEL_SIZE], in C: a KITTI scan (f32 x, y, z, intensity a
 * point) in, one uint32 label a point out. The same as label_scan.cpp, through lattice.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lattice/lattice.h"

typedef struct scan_point {
  int32_t cell[4]; /* batch, x, y, z */
  int64_t index;   /* of the point in the file */
} scan_point;

/* By voxel; points of one voxel in the order of the file. */
static int compare(const void* left, const void* right) {
  const scan_point* a = left;
  const scan_point* b = right;
  for (int axis = 1; axis < 4; ++axis) {
    if (a->cell[axis] != b->cell[axis]) return a->cell[axis] < b->cell[axis] ? -1 : 1;
  }
  return a->index < b->index ? -1 : a->index > b->index;
}

static int fail(const char* what, lattice_error* error) {
  fprintf(stderr, "%s: %s\n", what, error != NULL ? lattice_error_message(error) : "failed");
  lattice_error_free(error);
  return 1;
}

/* All points of a file, or NULL. */
static float* read_points(const char* path, int64_t* count) {
  FILE* file = fopen(path, "rb");
  float* points = NULL;
  if (file != NULL && fseek(file, 0, SEEK_END) == 0) {
    const long bytes = ftell(file);
    rewind(file);
    if (bytes >= 16) points = malloc((size_t)bytes);
    *count = bytes / 16;
    if (points != NULL && fread(points, 16, (size_t)*count, file) != (size_t)*count) {
      free(points);
      points = NULL;
    }
  }
  if (file != NULL) fclose(file);
  return points;
}

int main(int argc, char** argv) {
  if (argc < 4)
    return fprintf(stderr, "usage: label_scan NETWORK SCAN.bin OUT.label [VOXEL_SIZE]\n"), 64;
  const float size = argc > 4 ? strtof(argv[4], NULL) : 0.05f;
  int64_t count = 0;
  float* points = read_points(argv[2], &count);
  if (points == NULL) return fail(argv[2], NULL);

  scan_point* order = malloc((size_t)count * sizeof(scan_point));
  int32_t* coords = malloc((size_t)count * 4 * sizeof(int32_t));
  float* features = malloc((size_t)count * 4 * sizeof(float));
  int64_t* voxel_of_point = malloc((size_t)count * sizeof(int64_t));
  uint32_t* labels = malloc((size_t)count * sizeof(uint32_t));
  if (!order || !coords || !features || !voxel_of_point || !labels) return fail("memory", NULL);
  for (int64_t i = 0; i < count; ++i) {
    order[i].cell[0] = 0;
    order[i].index = i;
    for (int axis = 0; axis < 3; ++axis)
      order[i].cell[axis + 1] = (int32_t)floorf(points[i * 4 + axis] / size);
  }
  qsort(order, (size_t)count, sizeof(scan_point), compare);

  /* A voxel takes the values of its first point. */
  int64_t rows = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (i == 0 || memcmp(order[i].cell, order[i - 1].cell, sizeof(order[i].cell)) != 0) {
      memcpy(coords + rows * 4, order[i].cell, 4 * sizeof(int32_t));
      memcpy(features + rows * 4, points + order[i].index * 4, 4 * sizeof(float));
      ++rows;
    }
    voxel_of_point[order[i].index] = rows - 1;
  }

  lattice_program* program = NULL;
  lattice_session* session = NULL;
  lattice_outputs* outputs = NULL;
  lattice_error* error = NULL;
  const int64_t shape[2] = {rows, 4};
  lattice_input input;
  lattice_input_init(&input);
  input.kind = LATTICE_INPUT_SPARSE;
  input.coords = (lattice_tensor){LATTICE_I32, 2, shape, coords};
  input.features = (lattice_tensor){LATTICE_F32, 2, shape, features};
  if (lattice_program_load(argv[1], NULL, &program, &error) != LATTICE_OK ||
      lattice_session_new(program, &session, &error) != LATTICE_OK ||
      lattice_session_run(session, NULL, &input, 1, NULL, &outputs, &error) != LATTICE_OK) {
    return fail(argv[1], error);
  }

  /* A result on the voxels of the input keeps their row order. */
  lattice_output output;
  if (!lattice_outputs_get(outputs, 0, &output) || !output.is_sparse)
    return fail("no sparse result", NULL);
  const int64_t classes = output.features.shape[1];
  for (int64_t i = 0; i < count; ++i) {
    const float* scores = (const float*)output.features.data + voxel_of_point[i] * classes;
    labels[i] = 0;
    for (int64_t label = 1; label < classes; ++label) {
      if (scores[label] > scores[labels[i]]) labels[i] = (uint32_t)label;
    }
  }
  FILE* file = fopen(argv[3], "wb");
  if (file == NULL || fwrite(labels, sizeof(uint32_t), (size_t)count, file) != (size_t)count ||
      fclose(file) != 0) {
    return fail(argv[3], NULL);
  }
  printf("%lld points, %lld voxels\n", (long long)count, (long long)rows);
  lattice_outputs_free(outputs);
  lattice_session_free(session);
  lattice_program_free(program);
  free(points);
  free(order);
  free(coords);
  free(features);
  free(voxel_of_point);
  free(labels);
  return 0;
}
