/* A stranger's program in C: loads the network that is its argument and runs two voxels. */
#include <stdio.h>

#include <lattice/lattice.h>

int main(int argc, char** argv) {
  static const int32_t coords[8] = {0, 10, -3, 7, 0, 11, -3, 7};
  static const float features[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  static const int64_t shape[2] = {2, 4};
  lattice_program* program = NULL;
  lattice_session* session = NULL;
  lattice_outputs* outputs = NULL;
  lattice_error* error = NULL;
  lattice_input input;
  lattice_output output;
  if (argc != 2) return 64;
  lattice_input_init(&input);
  input.kind = LATTICE_INPUT_SPARSE;
  input.coords.rank = input.features.rank = 2;
  input.coords.shape = input.features.shape = shape;
  input.coords.data = coords;
  input.features.data = features;
  if (lattice_program_load(argv[1], NULL, &program, &error) != LATTICE_OK ||
      lattice_session_new(program, &session, &error) != LATTICE_OK ||
      lattice_session_run(session, NULL, &input, 1, NULL, &outputs, &error) != LATTICE_OK) {
    fprintf(stderr, "%s\n", lattice_error_message(error));
    return 1;
  }
  if (!lattice_outputs_get(outputs, 0, &output) || output.features.shape[0] != 2) return 2;
  printf("%s: %lld x %lld\n", lattice_version(), (long long)output.features.shape[0],
         (long long)output.features.shape[1]);
  lattice_outputs_free(outputs);
  lattice_session_free(session);
  lattice_program_free(program);
  return lattice_program_load("/nowhere/at all", NULL, &program, NULL) == LATTICE_IO ? 0 : 3;
}
