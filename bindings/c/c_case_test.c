/* A case of the conformance set, run through lattice.h. The little reader of safetensors files
 * knows only how that set is written. */
#include <math.h>
#include <string.h>

#include "bindings/c/c_test.h"

typedef struct case_file {
  char* bytes;
  size_t size;
} case_file;

static case_file read_case(const char* directory, const char* name) {
  case_file file = {NULL, 0};
  char path[1024];
  FILE* stream;
  long size;
  snprintf(path, sizeof(path), "%s/conv3d_k2_s1_even/%s", directory, name);
  stream = fopen(path, "rb");
  REQUIRE(stream != NULL && fseek(stream, 0, SEEK_END) == 0);
  size = ftell(stream);
  REQUIRE(size > 8);
  rewind(stream);
  file.size = (size_t)size;
  file.bytes = malloc(file.size);
  REQUIRE(file.bytes != NULL && fread(file.bytes, 1, file.size, stream) == file.size);
  fclose(stream);
  return file;
}

/* A tensor of rank 2 of a safetensors file; its header entries are those the set is written with.
 */
static lattice_tensor case_tensor(const case_file* file, const char* name, int64_t* shape) {
  const size_t header = (unsigned char)file->bytes[0] + 256u * (unsigned char)file->bytes[1];
  char text[1024];
  char key[64];
  const char* entry;
  long rows, columns, begin, end;
  char type;
  REQUIRE(header < sizeof(text) && 8 + header <= file->size);
  memcpy(text, file->bytes + 8, header);
  text[header] = 0;
  snprintf(key, sizeof(key), "\"%s\":", name);
  entry = strstr(text, key);
  REQUIRE(entry != NULL);
  REQUIRE(sscanf(entry + strlen(key),
                 "{\"dtype\":\"%c32\",\"shape\":[%ld,%ld],\"data_offsets\":[%ld,%ld]}", &type,
                 &rows, &columns, &begin, &end) == 5);
  REQUIRE(8 + header + (size_t)end <= file->size && end - begin == rows * columns * 4);
  shape[0] = rows;
  shape[1] = columns;
  return (lattice_tensor){type == 'F' ? LATTICE_F32 : LATTICE_I32, 2, shape,
                          file->bytes + 8 + header + begin};
}

void test_case(const char* directory) {
  const case_file inputs = read_case(directory, "inputs.safetensors");
  const case_file expected = read_case(directory, "expected.safetensors");
  int64_t shapes[4][2];
  lattice_tensor want_coords, want_features;
  lattice_input input;
  lattice_program* program = NULL;
  lattice_session* session = NULL;
  lattice_outputs* outputs = NULL;
  lattice_error* error = NULL;
  lattice_output output;
  char path[1024];
  int64_t row, other, channel, matched = 0;

  snprintf(path, sizeof(path), "%s/conv3d_k2_s1_even", directory);
  REQUIRE(lattice_program_load(path, NULL, &program, &error) == LATTICE_OK && error == NULL);
  REQUIRE(lattice_session_new(program, &session, NULL) == LATTICE_OK);
  lattice_input_init(&input);
  input.kind = LATTICE_INPUT_SPARSE;
  input.coords = case_tensor(&inputs, "x_coords", shapes[0]);
  input.features = case_tensor(&inputs, "x_features", shapes[1]);
  {
    /* x_active is the four bytes between the two others. */
    const char* active = (const char*)input.coords.data - sizeof(int32_t);
    int32_t count;
    memcpy(&count, active, sizeof(count));
    input.active = count;
  }
  REQUIRE(lattice_session_run(session, NULL, &input, 1, NULL, &outputs, NULL) == LATTICE_OK);
  REQUIRE(lattice_outputs_get(outputs, 0, &output) && output.is_sparse);
  want_coords = case_tensor(&expected, "output.coords", shapes[2]);
  want_features = case_tensor(&expected, "output.features", shapes[3]);
  CHECK(output.features.shape[0] == shapes[3][0] && output.features.shape[1] == shapes[3][1]);
  for (row = 0; row < shapes[2][0]; ++row) {
    for (other = 0; other < output.coords.shape[0]; ++other) {
      if (memcmp((const char*)want_coords.data + row * 16,
                 (const char*)output.coords.data + other * 16, 16) != 0)
        continue;
      ++matched;
      for (channel = 0; channel < shapes[3][1]; ++channel) {
        float want, got;
        memcpy(&want, (const char*)want_features.data + (row * shapes[3][1] + channel) * 4, 4);
        memcpy(&got, (const char*)output.features.data + (other * shapes[3][1] + channel) * 4, 4);
        CHECK(fabsf(got - want) <= 1e-5f + 1e-4f * fabsf(want));
      }
    }
  }
  CHECK(matched == shapes[2][0]);
  lattice_outputs_free(outputs);
  lattice_session_free(session);
  lattice_program_free(program);
  free(inputs.bytes);
  free(expected.bytes);
}
