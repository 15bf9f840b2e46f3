/* Everything of lattice.h once, from C99: a network in memory whose answers can be worked out by
 * hand, and one case of the conformance set read from its directory (the only argument). Not a test
 * of the operations. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/c/c_test.h"

int failures = 0;

#define SPARSE                                                                                     \
  "!lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>"
static const char graph[] =
    "module attributes {\n"
    "  lattice.ir_version = 2,\n"
    "  lattice.schema_digest = "
    "\"1380f1e819fc0eb1af587202ecec3c14ec2c981d249333c5061f0263f82072ad\",\n"
    "  lattice.input_names = [\"x_coords\", \"x_features\", \"x_active\"],\n"
    "  lattice.input_roles = [\"sparse_coords\", \"sparse_features\", \"sparse_active\"],\n"
    "  lattice.output_names = [\"output\"],\n"
    "  lattice.output_roles = [\"sparse_tensor\"],\n"
    "  lattice.weight_file = \"weights.safetensors\"\n"
    "} {\n"
    "  func.func @forward(%x_coords: tensor<?x4xi32>, %x_features: tensor<?x1xf32>, %x_active: "
    "tensor<1xi32>) -> " SPARSE " {\n"
    "    %x = lattice.sparse.make %x_coords, %x_features, %x_active {stride = array<i64: 1, 1, 1>, "
    "coord_order = "
    "#lattice.coord<batch_x_y_z>} : (tensor<?x4xi32>, tensor<?x1xf32>, tensor<1xi32>) -> " SPARSE
    "\n"
    "    %w = lattice.weight @w {storage_key = \"w\", layout = "
    "#lattice.weight_layout<conv3d_o_xyz_i>, packing = "
    "#lattice.packing<dense>} : !lattice.weight<conv3d, f32>\n"
    "    %y = lattice.subm_conv3d %x, %w {kernel_size = array<i64: 3, 1, 1>, dilation = array<i64: "
    "1, 1, 1>, "
    "accumulation = \"canonical_f32\"} : (" SPARSE ", !lattice.weight<conv3d, f32>) -> " SPARSE "\n"
    "    return %y : " SPARSE "\n"
    "  }\n"
    "}\n";

/* A safetensors file with the one tensor w = 1, 2, 3 along x. */
static size_t make_weights(unsigned char* out) {
  const char header[] =
      "{\"w\":{\"dtype\":\"F32\",\"shape\":[1,3,1,1,1],\"data_offsets\":[0,12]}}  ";
  const float w[3] = {1, 2, 3};
  const size_t size = (strlen(header) / 8) * 8;
  memset(out, 0, 8);
  out[0] = (unsigned char)size;
  memcpy(out + 8, header, size);
  memcpy(out + 8 + size, w, sizeof(w));
  return 8 + size + sizeof(w);
}

static lattice_program* load_line(const lattice_load_options* options) {
  unsigned char weights[256];
  const size_t size = make_weights(weights);
  lattice_program* program = NULL;
  lattice_error* error = NULL;
  if (lattice_program_load_memory(graph, strlen(graph), weights, size, options, &program, &error) !=
      LATTICE_OK) {
    fprintf(stderr, "%s\n", lattice_error_message(error));
  }
  REQUIRE(program != NULL && error == NULL);
  return program;
}

static const int32_t two_coords[8] = {0, 0, 0, 0, 0, 1, 0, 0};
static const float two_features[2] = {1, 10};
static const int64_t coords_shape[2] = {2, 4};
static const int64_t features_shape[2] = {2, 1};

static lattice_tensor tensor(lattice_dtype dtype, const int64_t* shape, const void* data) {
  lattice_tensor view;
  view.dtype = dtype;
  view.rank = 2;
  view.shape = shape;
  view.data = data;
  return view;
}

static lattice_input two_voxels(void) {
  lattice_input input;
  lattice_input_init(&input);
  input.name = "x";
  input.kind = LATTICE_INPUT_SPARSE;
  input.coords = tensor(LATTICE_I32, coords_shape, two_coords);
  input.features = tensor(LATTICE_F32, features_shape, two_features);
  return input;
}

/* The value in the row at x = `x` of the only output, or NaN. */
static float value_at(const lattice_outputs* outputs, int32_t x) {
  lattice_output output;
  int64_t row;
  if (lattice_outputs_count(outputs) != 1 || !lattice_outputs_get(outputs, 0, &output) ||
      !output.is_sparse)
    return NAN;
  for (row = 0; row < output.coords.shape[0]; ++row) {
    if (((const int32_t*)output.coords.data)[row * 4 + 1] == x)
      return ((const float*)output.features.data)[row];
  }
  return NAN;
}

static void test_signature(const lattice_program* program) {
  lattice_argument argument;
  lattice_group group;
  lattice_output_info output;
  lattice_text* text = NULL;
  int format;

  CHECK(strcmp(lattice_program_device(program), "cpu") == 0);
  CHECK(lattice_program_argument_count(program) == 3);
  CHECK(lattice_program_argument(program, 1, &argument));
  CHECK(strcmp(argument.name, "x_features") == 0 && strcmp(argument.group, "x") == 0);
  CHECK(argument.role == LATTICE_ROLE_SPARSE_FEATURES && argument.dtype == LATTICE_F32);
  CHECK(argument.rank == 2 && argument.shape[0] == -1 && argument.shape[1] == 1);
  CHECK(!lattice_program_argument(program, 3, &argument));
  CHECK(lattice_program_group_count(program) == 1);
  CHECK(lattice_program_group(program, 0, &group));
  CHECK(strcmp(group.name, "x") == 0 && group.first == 0 && group.stride[0] == 1 &&
        group.stride[2] == 1);
  CHECK(!lattice_program_group(program, 1, &group));
  CHECK(lattice_program_output_count(program) == 1);
  CHECK(lattice_program_output(program, 0, &output));
  CHECK(strcmp(output.name, "output") == 0 && output.role == LATTICE_ROLE_SPARSE_TENSOR);
  CHECK(output.rank == 2 && output.shape[0] == -1 && output.shape[1] == 1 && output.stride[1] == 1);
  CHECK(!lattice_program_output(program, 1, &output));
  CHECK(strncmp(lattice_program_schema_digest(program), "1380f1e8", 8) == 0);
  CHECK(strlen(lattice_program_contract(program)) > 0);
  CHECK(lattice_program_topology_input_count(program) == 2);
  CHECK(strcmp(lattice_program_topology_input(program, 0), "x_coords") == 0);
  CHECK(lattice_program_topology_input(program, 2) == NULL);

  for (format = LATTICE_FORMAT_TEXT; format <= LATTICE_FORMAT_DOT; ++format) {
    CHECK(lattice_program_inspect(program, (lattice_format)format, &text, NULL) == LATTICE_OK);
    CHECK(lattice_text_size(text) > 0 &&
          strlen(lattice_text_data(text)) == lattice_text_size(text));
    CHECK(strstr(lattice_text_data(text), "subm_conv3d") != NULL);
    lattice_text_free(text);
  }
  CHECK(lattice_program_explain(program, &text, NULL) == LATTICE_OK);
  CHECK(strstr(lattice_text_data(text), "subm_conv3d") != NULL);
  lattice_text_free(text);
}

static void test_run(const lattice_program* program) {
  lattice_session* session = NULL;
  lattice_outputs* outputs = NULL;
  lattice_error* error = NULL;
  lattice_input input = two_voxels();
  lattice_output output;
  lattice_report report;
  lattice_step step;
  lattice_thread_time at;

  REQUIRE(lattice_session_new(program, &session, &error) == LATTICE_OK);
  REQUIRE(lattice_session_run(session, NULL, &input, 1, NULL, &outputs, &error) == LATTICE_OK &&
          error == NULL);
  CHECK(value_at(outputs, 0) == 32.0f && value_at(outputs, 1) == 21.0f);
  REQUIRE(lattice_outputs_get(outputs, 0, &output));
  CHECK(strcmp(output.name, "output") == 0 && output.features.dtype == LATTICE_F32 &&
        output.stride[0] == 1);
  CHECK(output.coords.rank == 2 && output.coords.shape[0] == 2 && output.coords.shape[1] == 4);
  CHECK(!lattice_outputs_get(outputs, 1, &output));
  lattice_outputs_free(outputs);

  /* `active` leaves the second row out. */
  input.active = 1;
  REQUIRE(lattice_session_run(session, NULL, &input, 1, NULL, &outputs, NULL) == LATTICE_OK);
  CHECK(value_at(outputs, 0) == 2.0f && isnan(value_at(outputs, 1)));
  lattice_outputs_free(outputs);
  input.active = -1;

  /* The report, whole and as an older caller has it. */
  REQUIRE(lattice_session_run(session, NULL, &input, 1, NULL, &outputs, NULL) == LATTICE_OK);
  lattice_outputs_free(outputs);
  memset(&report, 0, sizeof(report));
  CHECK(!lattice_session_report(session, &report));
  report.struct_size = sizeof(report);
  CHECK(lattice_session_report(session, &report) && report.struct_size == sizeof(report));
  CHECK(report.voxels == 2 && report.pairs == 4 && report.total_ms > 0 && report.peak_bytes > 0 &&
        report.threads > 0);
  CHECK(strlen(report.simd) > 0);
  memset(&report, 0x55, sizeof(report));
  report.struct_size = offsetof(lattice_report, gflop);
  report.voxels = -5;
  CHECK(lattice_session_report(session, &report) && report.total_ms > 0 && report.voxels == -5);

  /* Steps, only while asked for. */
  step.struct_size = sizeof(step);
  CHECK(lattice_session_step_count(session) == 0 && !lattice_session_step(session, 0, &step));
  lattice_session_profile(session, 1);
  REQUIRE(lattice_session_run(session, NULL, &input, 1, NULL, &outputs, NULL) == LATTICE_OK);
  lattice_outputs_free(outputs);
  {
    /* The one convolution among the steps; those beside it bring rows into order. */
    size_t convolutions = 0;
    for (size_t i = 0; i < lattice_session_step_count(session); ++i) {
      step.struct_size = sizeof(step);
      REQUIRE(lattice_session_step(session, i, &step));
      CHECK(strlen(step.name) > 0 && strlen(step.kernel) > 0 && step.milliseconds >= 0 &&
            step.start_ms >= 0);
      CHECK(!lattice_session_step_thread(session, i, step.thread_count, &at));
      if (strstr(step.name, "subm_conv3d") == NULL) continue;
      ++convolutions;
      CHECK(strcmp(step.parameter, "w") == 0 && step.rows == 2 && step.pairs == 4 && step.line > 0);
      CHECK(step.thread_count > 0 && lattice_session_step_thread(session, i, 0, &at) &&
            at.milliseconds >= 0);
    }
    CHECK(convolutions == 1);
    CHECK(!lattice_session_step(session, lattice_session_step_count(session), &step));
    CHECK(!lattice_session_step_thread(session, lattice_session_step_count(session), 0, &at));
  }
  lattice_session_free(session);
}

static void test_topology(const lattice_program* program) {
  lattice_session* session = NULL;
  lattice_topology* topology = NULL;
  lattice_outputs* outputs = NULL;
  lattice_input input = two_voxels();
  lattice_input features;
  const float other[2] = {3, 5};

  REQUIRE(lattice_program_prepare(program, &input, 1, NULL, &topology, NULL) == LATTICE_OK);
  CHECK(lattice_topology_rows(topology) == 2 && lattice_topology_bytes(topology) > 0);
  REQUIRE(lattice_session_new(program, &session, NULL) == LATTICE_OK);
  lattice_input_init(&features);
  features.name = "x_features";
  features.tensor = tensor(LATTICE_F32, features_shape, other);
  REQUIRE(lattice_session_run(session, topology, &features, 1, NULL, &outputs, NULL) == LATTICE_OK);
  CHECK(value_at(outputs, 0) == 21.0f && value_at(outputs, 1) == 13.0f);
  lattice_outputs_free(outputs);
  lattice_topology_free(topology);
  lattice_session_free(session);
}

static void test_options(void) {
  lattice_load_options load;
  lattice_run_options run;
  lattice_program* program;
  lattice_program* copy = NULL;
  lattice_session* session = NULL;
  lattice_outputs* outputs = NULL;
  lattice_error* error = NULL;
  lattice_stop* stop = lattice_stop_new();
  lattice_input input = two_voxels();

  /* A caller whose struct ends before `simd`: what lies there is not looked at. */
  lattice_load_options_init(&load);
  load.device = "reference";
  load.simd = "no such level";
  load.struct_size = offsetof(lattice_load_options, simd);
  program = load_line(&load);
  CHECK(strcmp(lattice_program_device(program), "reference") == 0);

  REQUIRE(lattice_program_share(program, &copy, NULL) == LATTICE_OK);
  lattice_program_free(program);
  REQUIRE(lattice_session_new(copy, &session, NULL) == LATTICE_OK);
  lattice_program_free(copy);

  lattice_run_options_init(&run);
  run.stop = stop;
  run.threads = 1;
  lattice_stop_request(stop);
  CHECK(lattice_session_run(session, NULL, &input, 1, &run, &outputs, &error) ==
            LATTICE_INTERRUPTED &&
        outputs == NULL);
  CHECK(lattice_error_code(error) == LATTICE_INTERRUPTED);
  lattice_error_free(error);
  lattice_stop_reset(stop);
  REQUIRE(lattice_session_run(session, NULL, &input, 1, &run, &outputs, &error) == LATTICE_OK &&
          error == NULL);
  CHECK(value_at(outputs, 0) == 32.0f);
  lattice_outputs_free(outputs);

  run.max_memory = 1;
  CHECK(lattice_session_run(session, NULL, &input, 1, &run, &outputs, NULL) == LATTICE_MEMORY);
  run.struct_size = sizeof(size_t); /* no field at all: the limit is not seen */
  REQUIRE(lattice_session_run(session, NULL, &input, 1, &run, &outputs, NULL) == LATTICE_OK);
  lattice_outputs_free(outputs);
  lattice_stop_free(stop);
  lattice_session_free(session);
}

static void test_errors(const lattice_program* line) {
  unsigned char weights[256];
  const size_t size = make_weights(weights);
  char* broken = malloc(sizeof(graph));
  lattice_program* program = NULL;
  lattice_session* session = NULL;
  lattice_outputs* outputs = NULL;
  lattice_error* error = NULL;
  lattice_diagnostic diagnostic;
  lattice_load_options options;
  lattice_input inputs[2];

  /* An even submanifold kernel: one diagnostic, with its place. */
  REQUIRE(broken != NULL);
  memcpy(broken, graph, sizeof(graph));
  *strstr(broken, "3, 1, 1>, dilation") = '2';
  CHECK(lattice_program_load_memory(broken, strlen(broken), weights, size, NULL, &program,
                                    &error) == LATTICE_ARTIFACT);
  free(broken);
  CHECK(program == NULL && lattice_error_code(error) == LATTICE_ARTIFACT &&
        lattice_error_count(error) > 0);
  CHECK(lattice_error_diagnostic(error, 0, &diagnostic));
  CHECK(diagnostic.line == 13 && diagnostic.column > 0 &&
        strstr(diagnostic.file, "graph.mlir") != NULL);
  CHECK(strstr(diagnostic.message, "kernel_size") != NULL);
  CHECK(strstr(lattice_error_message(error), diagnostic.message) != NULL);
  CHECK(!lattice_error_diagnostic(error, lattice_error_count(error), &diagnostic));
  CHECK(!lattice_error_note(error, 0, lattice_error_note_count(error, 0), &diagnostic));
  lattice_error_free(error);

  /* Weights cut short. */
  CHECK(lattice_program_load_memory(graph, strlen(graph), weights, size - 4, NULL, &program,
                                    NULL) == LATTICE_ARTIFACT);
  CHECK(lattice_program_load_memory(graph, strlen(graph), NULL, 0, NULL, &program, NULL) ==
        LATTICE_ARTIFACT);
  CHECK(lattice_program_load("/nowhere/at all", NULL, &program, &error) == LATTICE_IO);
  CHECK(strstr(lattice_error_message(error), "/nowhere/at all") != NULL);
  lattice_error_free(error);
  lattice_load_options_init(&options);
  options.device = "abacus";
  CHECK(lattice_program_load_memory(graph, strlen(graph), weights, size, &options, &program,
                                    &error) == LATTICE_DEVICE);
  CHECK(strstr(lattice_error_message(error), "abacus") != NULL);
  lattice_error_free(error);

  /* Inputs. */
  REQUIRE(lattice_session_new(line, &session, NULL) == LATTICE_OK);
  CHECK(lattice_session_run(session, NULL, NULL, 0, NULL, &outputs, &error) == LATTICE_INPUT &&
        outputs == NULL);
  CHECK(strstr(lattice_error_message(error), "x") != NULL);
  lattice_error_free(error);
  CHECK(lattice_session_run(session, NULL, NULL, 1, NULL, &outputs, NULL) == LATTICE_USAGE);
  inputs[0] = two_voxels();
  inputs[1] = two_voxels();
  CHECK(lattice_session_run(session, NULL, inputs, 2, NULL, &outputs, NULL) == LATTICE_INPUT);
  inputs[0].struct_size = 0;
  CHECK(lattice_session_run(session, NULL, inputs, 1, NULL, &outputs, NULL) == LATTICE_USAGE);
  inputs[0] = two_voxels();
  inputs[0].kind = (lattice_input_kind)7;
  CHECK(lattice_session_run(session, NULL, inputs, 1, NULL, &outputs, NULL) == LATTICE_USAGE);
  inputs[0] = two_voxels();
  inputs[0].features.rank = -1;
  CHECK(lattice_session_run(session, NULL, inputs, 1, NULL, &outputs, NULL) == LATTICE_USAGE);
  inputs[0] = two_voxels();
  inputs[0].features.dtype = LATTICE_I32;
  CHECK(lattice_session_run(session, NULL, inputs, 1, NULL, &outputs, NULL) == LATTICE_INPUT);
  inputs[0] = two_voxels();
  inputs[0].features.data = NULL;
  CHECK(lattice_session_run(session, NULL, inputs, 1, NULL, &outputs, NULL) == LATTICE_INPUT);

  /* After all that the session works. */
  inputs[0] = two_voxels();
  REQUIRE(lattice_session_run(session, NULL, inputs, 1, NULL, &outputs, NULL) == LATTICE_OK);
  CHECK(value_at(outputs, 1) == 21.0f);
  lattice_outputs_free(outputs);
  lattice_session_free(session);
}

static void test_null(void) {
  lattice_program* program = NULL;
  lattice_error* error = NULL;
  lattice_step step = {sizeof(step), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  CHECK(lattice_program_load(NULL, NULL, &program, &error) == LATTICE_USAGE && error != NULL);
  lattice_error_free(error);
  CHECK(lattice_program_load("x", NULL, NULL, NULL) == LATTICE_USAGE);
  CHECK(lattice_program_load_memory(NULL, 0, NULL, 0, NULL, &program, NULL) == LATTICE_USAGE);
  CHECK(lattice_program_share(NULL, &program, NULL) == LATTICE_USAGE);
  CHECK(lattice_program_inspect(NULL, LATTICE_FORMAT_TEXT, NULL, NULL) == LATTICE_USAGE);
  CHECK(lattice_program_explain(NULL, NULL, NULL) == LATTICE_USAGE);
  CHECK(lattice_program_prepare(NULL, NULL, 0, NULL, NULL, NULL) == LATTICE_USAGE);
  CHECK(lattice_session_new(NULL, NULL, NULL) == LATTICE_USAGE);
  CHECK(lattice_session_run(NULL, NULL, NULL, 0, NULL, NULL, NULL) == LATTICE_USAGE);
  CHECK(lattice_error_code(NULL) == LATTICE_OK && lattice_error_count(NULL) == 0);
  CHECK(strcmp(lattice_error_message(NULL), "") == 0 && !lattice_error_diagnostic(NULL, 0, NULL));
  CHECK(lattice_error_note_count(NULL, 0) == 0 && !lattice_error_note(NULL, 0, 0, NULL));
  CHECK(strcmp(lattice_text_data(NULL), "") == 0 && lattice_text_size(NULL) == 0);
  CHECK(lattice_program_argument_count(NULL) == 0 && !lattice_program_argument(NULL, 0, NULL));
  CHECK(lattice_program_group_count(NULL) == 0 && !lattice_program_group(NULL, 0, NULL));
  CHECK(lattice_program_output_count(NULL) == 0 && !lattice_program_output(NULL, 0, NULL));
  CHECK(strcmp(lattice_program_device(NULL), "") == 0 &&
        strcmp(lattice_program_contract(NULL), "") == 0);
  CHECK(strcmp(lattice_program_schema_digest(NULL), "") == 0 &&
        lattice_program_topology_input(NULL, 0) == NULL);
  CHECK(lattice_outputs_count(NULL) == 0 && !lattice_outputs_get(NULL, 0, NULL));
  CHECK(lattice_topology_rows(NULL) == 0 && lattice_topology_bytes(NULL) == 0);
  CHECK(!lattice_session_report(NULL, NULL) && !lattice_session_step(NULL, 0, &step));
  CHECK(!lattice_session_step_thread(NULL, 0, 0, NULL));
  lattice_session_profile(NULL, 1);
  lattice_load_options_init(NULL);
  lattice_run_options_init(NULL);
  lattice_input_init(NULL);
  lattice_stop_request(NULL);
  lattice_stop_reset(NULL);
  lattice_stop_free(NULL);
  lattice_error_free(NULL);
  lattice_text_free(NULL);
  lattice_program_free(NULL);
  lattice_topology_free(NULL);
  lattice_session_free(NULL);
  lattice_outputs_free(NULL);
}

static void test_library(void) {
  size_t i;
  int cpu = 0;
  CHECK(lattice_c_version() == LATTICE_C_VERSION);
  CHECK(strcmp(lattice_version(), LATTICE_TEST_VERSION) == 0);
  CHECK(strcmp(lattice_code_name(LATTICE_INPUT), "input") == 0 &&
        lattice_code_name((lattice_code)77) != NULL);
  for (i = 0; i < lattice_device_count(); ++i) {
    CHECK(lattice_device_description(i) != NULL);
    if (strcmp(lattice_device_name(i), "cpu") == 0) cpu = 1;
  }
  CHECK(cpu && lattice_device_name(i) == NULL && lattice_device_description(i) == NULL);
}

int main(int argc, char** argv) {
  lattice_program* program = load_line(NULL);
  REQUIRE(argc == 2);
  test_library();
  test_signature(program);
  test_run(program);
  test_topology(program);
  test_options();
  test_errors(program);
  test_null();
  test_case(argv[1]);
  lattice_program_free(program);
  return failures == 0 ? 0 : 1;
}
