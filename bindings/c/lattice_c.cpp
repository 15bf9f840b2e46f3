// The C interface of include/lattice/lattice.h: programs, topologies, runs. Handles own copies of
// C++ values; nothing thrown gets past `guarded`. Strings and shapes that calls return live in the
// handles.
#include "lattice/lattice.h"

#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "bindings/c/handles.h"

using lattice::Code;
using lattice::Error;

// Codes and enums of the two interfaces are the same numbers.
static_assert(LATTICE_IO == static_cast<int>(Code::io) &&
              LATTICE_INTERRUPTED == static_cast<int>(Code::interrupted));
static_assert(LATTICE_F16 == static_cast<int>(lattice::DType::f16) &&
              LATTICE_I32 == static_cast<int>(lattice::DType::i32));
static_assert(LATTICE_U32 == static_cast<int>(lattice::DType::u32) &&
              LATTICE_F32 == static_cast<int>(lattice::DType::f32));
static_assert(LATTICE_ROLE_SPARSE_TENSOR == static_cast<int>(lattice::Role::sparse_tensor));
static_assert(LATTICE_FORMAT_DOT == static_cast<int>(lattice::InspectFormat::dot));

namespace {

// What a caller has written into an enum of C: any number, which C++ does not let one read as the enum.
template <class Enum>
int32_t number_of(const Enum& value) {
  static_assert(sizeof(Enum) == sizeof(int32_t));
  int32_t number = 0;
  std::memcpy(&number, &value, sizeof(number));
  return number;
}

lattice_code give(Error error, lattice_error** out) {
  const auto code = static_cast<lattice_code>(error.code());
  if (out != nullptr) *out = new (std::nothrow) lattice_error{std::move(error)};
  return code;
}

lattice_code wrong_use(const char* what, lattice_error** error) {
  return give(Error(Code::usage, what), error);
}

// Runs body, which returns a lattice_code and may throw. The outer try is for the case that there
// is not even the memory to describe a fault: then there is a code without an error object.
template <class F>
lattice_code guarded(lattice_error** error, F&& body) noexcept {
  if (error != nullptr) *error = nullptr;
  try {
    try {
      return body();
    } catch (const Error& caught) {
      return give(caught, error);
    } catch (const std::bad_alloc&) {
      return give(Error(Code::memory, "out of memory"), error);
    } catch (const std::exception& caught) {
      return give(Error(Code::internal, caught.what()), error);
    } catch (...) {
      return give(Error(Code::internal, "unexpected failure"), error);
    }
  } catch (...) {
    return LATTICE_MEMORY;
  }
}

lattice_diagnostic c_diagnostic(const lattice::Diagnostic& diagnostic) {
  return {diagnostic.message.c_str(), diagnostic.where.file.c_str(), diagnostic.where.key.c_str(),
          diagnostic.where.line, diagnostic.where.column};
}

// The part of a caller's struct that it has; what it lacks keeps its default.
template <class T>
T fields_of(const T* given, T defaults) {
  if (given == nullptr) return defaults;
  const size_t size = given->struct_size < sizeof(T) ? given->struct_size : sizeof(T);
  std::memcpy(&defaults, given, size);
  return defaults;
}

// Fills as much of a caller's struct as it has, which is at least its struct_size.
template <class T>
void fill(T* out, const T& values) {
  const size_t size = out->struct_size < sizeof(T) ? out->struct_size : sizeof(T);
  const size_t given = out->struct_size;
  std::memcpy(out, &values, size);
  out->struct_size = given;
}

lattice::LoadOptions load_options(const lattice_load_options* options) {
  lattice_load_options defaults;
  lattice_load_options_init(&defaults);
  const lattice_load_options fields = fields_of(options, defaults);
  lattice::LoadOptions load;
  if (fields.device != nullptr) load.device = fields.device;
  if (fields.simd != nullptr) load.simd = fields.simd;
  load.allow_unknown_digest = fields.allow_unknown_digest != 0;
  return load;
}

lattice::RunOptions run_options(const lattice_run_options* options) {
  lattice_run_options defaults;
  lattice_run_options_init(&defaults);
  const lattice_run_options fields = fields_of(options, defaults);
  lattice::RunOptions run;
  run.threads = fields.threads;
  run.max_memory = fields.max_memory;
  run.trusted = fields.trusted != 0;
  if (fields.stop != nullptr) run.stop = &fields.stop->requested;
  return run;
}

bool is_dtype(int32_t value) {
  return value >= 0 && value <= static_cast<int32_t>(lattice::DType::f8_e5m2);
}

lattice::TensorView view_of(const lattice_tensor& tensor) {
  if (tensor.rank < 0 || tensor.rank > 64 || (tensor.rank > 0 && tensor.shape == nullptr)) {
    throw Error(Code::usage, "a tensor needs a rank of 0 to 64 and a shape");
  }
  const int32_t dtype = number_of(tensor.dtype);
  if (!is_dtype(dtype)) throw Error(Code::usage, "a tensor has an unknown dtype");
  return {static_cast<lattice::DType>(dtype),
          lattice::Shape(tensor.shape, tensor.shape + tensor.rank), tensor.data};
}

lattice::Inputs inputs_of(const lattice_input* inputs, size_t count) {
  if (inputs == nullptr && count > 0) throw Error(Code::usage, "inputs is NULL");
  lattice::Inputs list;
  // Entries lie struct_size apart: a caller of an older header has shorter ones.
  const auto* bytes = reinterpret_cast<const unsigned char*>(inputs);
  for (size_t i = 0; i < count; ++i) {
    const auto* given = reinterpret_cast<const lattice_input*>(bytes);
    if (given->struct_size < offsetof(lattice_input, tensor))
      throw Error(Code::usage, "an input has no struct_size");
    lattice_input defaults;
    lattice_input_init(&defaults);
    const lattice_input fields = fields_of(given, defaults);
    bytes += given->struct_size;
    const std::string name = fields.name != nullptr ? fields.name : "";
    const int32_t kind = number_of(fields.kind);
    if (kind == LATTICE_INPUT_TENSOR) {
      list.emplace_back(name, view_of(fields.tensor));
    } else if (kind == LATTICE_INPUT_SPARSE) {
      list.emplace_back(
          name, lattice::SparseView{view_of(fields.coords),
                                    view_of(fields.features),
                                    fields.active,
                                    {fields.stride[0], fields.stride[1], fields.stride[2]}});
    } else {
      throw Error(Code::usage, "an input has an unknown kind");
    }
  }
  return list;
}

lattice_tensor c_tensor(const lattice::Tensor& tensor) {
  return {static_cast<lattice_dtype>(tensor.dtype), static_cast<int32_t>(tensor.shape.size()),
          tensor.shape.data(), tensor.data()};
}

void copy_triple(const lattice::Triple& from, int64_t* to) {
  for (size_t axis = 0; axis < 3; ++axis) to[axis] = from[axis];
}

lattice_code make_program(lattice::Program program, lattice_program** out) {
  *out = new lattice_program{std::move(program), {}};
  (*out)->topology_inputs = (*out)->program.topology_inputs();
  return LATTICE_OK;
}

lattice_code make_text(std::string text, lattice_text** out) {
  *out = new lattice_text{std::move(text)};
  return LATTICE_OK;
}

} // namespace

extern "C" {

int32_t lattice_c_version(void) { return LATTICE_C_VERSION; }
const char* lattice_version(void) { return lattice::version(); }

// -------------------------------------------------------------------------------------------
// errors

const char* lattice_code_name(lattice_code code) {
  return lattice::name_of(static_cast<Code>(code));
}

lattice_code lattice_error_code(const lattice_error* error) {
  return error == nullptr ? LATTICE_OK : static_cast<lattice_code>(error->error.code());
}
const char* lattice_error_message(const lattice_error* error) {
  return error == nullptr ? "" : error->error.what();
}
size_t lattice_error_count(const lattice_error* error) {
  return error == nullptr ? 0 : error->error.diagnostics().size();
}

int lattice_error_diagnostic(const lattice_error* error, size_t index, lattice_diagnostic* out) {
  if (error == nullptr || out == nullptr || index >= error->error.diagnostics().size()) return 0;
  *out = c_diagnostic(error->error.diagnostics()[index]);
  return 1;
}

size_t lattice_error_note_count(const lattice_error* error, size_t index) {
  return index < lattice_error_count(error) ? error->error.diagnostics()[index].notes.size() : 0;
}
int lattice_error_note(const lattice_error* error, size_t index, size_t note,
                       lattice_diagnostic* out) {
  if (out == nullptr || note >= lattice_error_note_count(error, index)) return 0;
  *out = c_diagnostic(error->error.diagnostics()[index].notes[note]);
  return 1;
}
void lattice_error_free(lattice_error* error) { delete error; }

const char* lattice_text_data(const lattice_text* text) {
  return text == nullptr ? "" : text->text.c_str();
}
size_t lattice_text_size(const lattice_text* text) {
  return text == nullptr ? 0 : text->text.size();
}
void lattice_text_free(lattice_text* text) { delete text; }

// -----------------------------------------------------------------------------------------
// programs

void lattice_load_options_init(lattice_load_options* options) {
  if (options != nullptr) *options = {sizeof(lattice_load_options), nullptr, nullptr, 0};
}

lattice_code lattice_program_load(const char* directory, const lattice_load_options* options,
                                  lattice_program** program, lattice_error** error) {
  return guarded(error, [&] {
    if (directory == nullptr || program == nullptr)
      return wrong_use("directory and program must not be NULL", error);
    *program = nullptr;
    return make_program(lattice::Program::load(directory, load_options(options)), program);
  });
}

lattice_code lattice_program_load_memory(const char* graph, size_t graph_size, const void* weights,
                                         size_t weights_size, const lattice_load_options* options,
                                         lattice_program** program, lattice_error** error) {
  return guarded(error, [&] {
    if (graph == nullptr || program == nullptr || (weights == nullptr && weights_size > 0)) {
      return wrong_use("graph, weights and program must not be NULL", error);
    }
    *program = nullptr;
    const std::span<const std::byte> bytes(static_cast<const std::byte*>(weights), weights_size);
    return make_program(
        lattice::Program::load_memory(std::string(graph, graph_size), bytes, load_options(options)),
        program);
  });
}

lattice_code lattice_program_share(const lattice_program* program, lattice_program** copy,
                                   lattice_error** error) {
  return guarded(error, [&] {
    if (program == nullptr || copy == nullptr)
      return wrong_use("program and copy must not be NULL", error);
    *copy = nullptr;
    return make_program(program->program, copy);
  });
}

void lattice_program_free(lattice_program* program) { delete program; }
const char* lattice_program_device(const lattice_program* program) {
  return program == nullptr ? "" : program->program.device().c_str();
}

size_t lattice_program_argument_count(const lattice_program* program) {
  return program == nullptr ? 0 : program->program.signature().arguments.size();
}

int lattice_program_argument(const lattice_program* program, size_t index, lattice_argument* out) {
  if (out == nullptr || index >= lattice_program_argument_count(program)) return 0;
  const lattice::Signature& signature = program->program.signature();
  const lattice::ArgumentInfo& argument = signature.arguments[index];
  const char* group = argument.group < 0
                          ? nullptr
                          : signature.groups[static_cast<size_t>(argument.group)].name.c_str();
  *out = {argument.name.c_str(),
          static_cast<lattice_role>(argument.role),
          static_cast<lattice_dtype>(argument.dtype),
          static_cast<int32_t>(argument.shape.size()),
          argument.shape.data(),
          group};
  return 1;
}

size_t lattice_program_group_count(const lattice_program* program) {
  return program == nullptr ? 0 : program->program.signature().groups.size();
}

int lattice_program_group(const lattice_program* program, size_t index, lattice_group* out) {
  if (out == nullptr || index >= lattice_program_group_count(program)) return 0;
  const lattice::SparseGroup& group = program->program.signature().groups[index];
  out->name = group.name.c_str();
  out->first = group.first;
  copy_triple(group.stride, out->stride);
  return 1;
}

size_t lattice_program_output_count(const lattice_program* program) {
  return program == nullptr ? 0 : program->program.signature().outputs.size();
}

int lattice_program_output(const lattice_program* program, size_t index, lattice_output_info* out) {
  if (out == nullptr || index >= lattice_program_output_count(program)) return 0;
  const lattice::OutputInfo& output = program->program.signature().outputs[index];
  *out = {output.name.c_str(),
          static_cast<lattice_role>(output.role),
          static_cast<lattice_dtype>(output.dtype),
          static_cast<int32_t>(output.shape.size()),
          output.shape.data(),
          {0, 0, 0}};
  copy_triple(output.stride, out->stride);
  return 1;
}

const char* lattice_program_schema_digest(const lattice_program* program) {
  return program == nullptr ? "" : program->program.signature().schema_digest.c_str();
}
const char* lattice_program_contract(const lattice_program* program) {
  return program == nullptr ? "" : program->program.signature().contract.c_str();
}

size_t lattice_program_topology_input_count(const lattice_program* program) {
  return program == nullptr ? 0 : program->topology_inputs.size();
}
const char* lattice_program_topology_input(const lattice_program* program, size_t index) {
  return index < lattice_program_topology_input_count(program)
             ? program->topology_inputs[index].c_str()
             : nullptr;
}

lattice_code lattice_program_inspect(const lattice_program* program, lattice_format format,
                                     lattice_text** text, lattice_error** error) {
  return guarded(error, [&] {
    if (program == nullptr || text == nullptr)
      return wrong_use("program and text must not be NULL", error);
    *text = nullptr;
    const int32_t chosen = number_of(format);
    if (chosen < LATTICE_FORMAT_TEXT || chosen > LATTICE_FORMAT_DOT)
      return wrong_use("unknown format", error);
    return make_text(program->program.inspect(static_cast<lattice::InspectFormat>(chosen)), text);
  });
}

lattice_code lattice_program_explain(const lattice_program* program, lattice_text** text,
                                     lattice_error** error) {
  return guarded(error, [&] {
    if (program == nullptr || text == nullptr)
      return wrong_use("program and text must not be NULL", error);
    *text = nullptr;
    return make_text(program->program.explain(), text);
  });
}

// --------------------------------------------------------------------------------- inputs and runs

void lattice_input_init(lattice_input* input) {
  if (input == nullptr) return;
  std::memset(input, 0, sizeof(*input));
  input->struct_size = sizeof(*input);
  input->tensor.dtype = input->features.dtype = LATTICE_F32;
  input->coords.dtype = LATTICE_I32;
  input->active = -1;
  for (int64_t& axis : input->stride) axis = 1;
}

void lattice_run_options_init(lattice_run_options* options) {
  if (options != nullptr) *options = {sizeof(lattice_run_options), 0, nullptr, 0, 0};
}

lattice_stop* lattice_stop_new(void) { return new (std::nothrow) lattice_stop; }
void lattice_stop_request(lattice_stop* stop) {
  if (stop != nullptr) stop->requested = true;
}
void lattice_stop_reset(lattice_stop* stop) {
  if (stop != nullptr) stop->requested = false;
}
void lattice_stop_free(lattice_stop* stop) { delete stop; }

lattice_code lattice_program_prepare(const lattice_program* program, const lattice_input* inputs,
                                     size_t input_count, const lattice_run_options* options,
                                     lattice_topology** topology, lattice_error** error) {
  return guarded(error, [&] {
    if (program == nullptr || topology == nullptr)
      return wrong_use("program and topology must not be NULL", error);
    *topology = nullptr;
    *topology = new lattice_topology{
        program->program.prepare(inputs_of(inputs, input_count), run_options(options))};
    return LATTICE_OK;
  });
}

int64_t lattice_topology_rows(const lattice_topology* topology) {
  return topology == nullptr ? 0 : topology->topology.rows();
}
int64_t lattice_topology_bytes(const lattice_topology* topology) {
  return topology == nullptr ? 0 : topology->topology.bytes();
}
void lattice_topology_free(lattice_topology* topology) { delete topology; }

lattice_code lattice_session_new(const lattice_program* program, lattice_session** session,
                                 lattice_error** error) {
  return guarded(error, [&] {
    if (program == nullptr || session == nullptr)
      return wrong_use("program and session must not be NULL", error);
    *session = nullptr;
    *session = new lattice_session{lattice::Session(program->program)};
    return LATTICE_OK;
  });
}
void lattice_session_free(lattice_session* session) { delete session; }

lattice_code lattice_session_run(lattice_session* session, const lattice_topology* topology,
                                 const lattice_input* inputs, size_t input_count,
                                 const lattice_run_options* options, lattice_outputs** outputs,
                                 lattice_error** error) {
  return guarded(error, [&] {
    if (session == nullptr || outputs == nullptr)
      return wrong_use("session and outputs must not be NULL", error);
    *outputs = nullptr;
    const lattice::Inputs given = inputs_of(inputs, input_count);
    const lattice::RunOptions run = run_options(options);
    lattice::Outputs results = topology == nullptr
                                   ? session->session.run(given, run)
                                   : session->session.run(topology->topology, given, run);
    *outputs = new lattice_outputs{std::move(results)};
    return LATTICE_OK;
  });
}

size_t lattice_outputs_count(const lattice_outputs* outputs) {
  return outputs == nullptr ? 0 : outputs->outputs.size();
}

int lattice_outputs_get(const lattice_outputs* outputs, size_t index, lattice_output* out) {
  if (out == nullptr || index >= lattice_outputs_count(outputs)) return 0;
  const lattice::Output& output = outputs->outputs[index];
  std::memset(out, 0, sizeof(*out));
  out->name = output.name.c_str();
  out->is_sparse = output.is_sparse() ? 1 : 0;
  for (int64_t& axis : out->stride) axis = 1;
  if (!output.is_sparse()) {
    out->tensor = c_tensor(output.tensor());
    return 1;
  }
  out->coords = c_tensor(output.sparse().coords);
  out->features = c_tensor(output.sparse().features);
  copy_triple(output.sparse().stride, out->stride);
  return 1;
}
void lattice_outputs_free(lattice_outputs* outputs) { delete outputs; }

int lattice_session_report(const lattice_session* session, lattice_report* out) {
  if (session == nullptr || out == nullptr || out->struct_size < sizeof(size_t)) return 0;
  const lattice::RunReport& report = session->session.report();
  fill(out,
       lattice_report{sizeof(lattice_report), report.topology_ms, report.features_ms,
                      report.total_ms, report.gflop, report.voxels, report.pairs, report.peak_bytes,
                      report.live_bytes, report.threads, report.simd.c_str()});
  return 1;
}

void lattice_session_profile(lattice_session* session, int each_step) {
  if (session != nullptr) session->session.profile(each_step != 0);
}

size_t lattice_session_step_count(const lattice_session* session) {
  return session == nullptr ? 0 : session->session.report().steps.size();
}

int lattice_session_step(const lattice_session* session, size_t index, lattice_step* out) {
  if (out == nullptr || out->struct_size < sizeof(size_t) ||
      index >= lattice_session_step_count(session))
    return 0;
  const lattice::StepTime& step = session->session.report().steps[index];
  fill(out, lattice_step{sizeof(lattice_step), step.name.c_str(), step.parameter.c_str(),
                         step.kernel.c_str(), step.where.file.c_str(), step.where.line,
                         step.where.column, step.rows, step.pairs, step.bytes, step.gflop,
                         step.milliseconds, step.start_ms, step.threads.size()});
  return 1;
}

int lattice_session_step_thread(const lattice_session* session, size_t index, size_t thread,
                                lattice_thread_time* out) {
  if (out == nullptr || index >= lattice_session_step_count(session)) return 0;
  const std::vector<lattice::ThreadTime>& threads = session->session.report().steps[index].threads;
  if (thread >= threads.size()) return 0;
  *out = {threads[thread].thread, threads[thread].start_ms, threads[thread].milliseconds};
  return 1;
}

// ------------------------------------------------------------------------------------------
// devices

size_t lattice_device_count(void) { return lattice::c::device_list().size(); }
const char* lattice_device_name(size_t index) {
  return index < lattice::c::device_list().size() ? lattice::c::device_list()[index].name.c_str()
                                                  : nullptr;
}
const char* lattice_device_description(size_t index) {
  return index < lattice::c::device_list().size()
             ? lattice::c::device_list()[index].description.c_str()
             : nullptr;
}

} // extern "C"
