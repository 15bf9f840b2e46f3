/* Lattice Runtime for C: everything the C++ interface (lattice.hpp) can do, with opaque handles.
 *
 * Errors: functions that can fail return a lattice_code; LATTICE_OK is 0. If the last argument is not NULL, an
 * error object is stored there on failure (and NULL on success), to be freed with lattice_error_free. No C++
 * exception crosses this interface, nothing is printed, nothing aborts.
 * Strings: UTF-8, ended by a zero byte. Those that a function returns belong to the handle they come from and
 * live as long as it does. Sizes of text and memory are in bytes.
 * Memory: inputs stay the caller's and are only read during the call. Outputs belong to a lattice_outputs.
 * Threads: programs and topologies may be used from any number of threads at once, a session by one at a time.
 * Every handle may be freed with NULL. Structs that may grow begin with struct_size = sizeof(the struct), which the
 * caller sets; where there is a lattice_*_init function, it sets that and the default values. A smaller size is an
 * older struct: fields past it are neither read nor written. The other structs never change. */
#ifndef LATTICE_LATTICE_H
#define LATTICE_LATTICE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define LATTICE_C_API __attribute__((visibility("default")))
#else
#define LATTICE_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Grows when a function or a field is added; never shrinks. */
#define LATTICE_C_VERSION 1
LATTICE_C_API int32_t lattice_c_version(void);      /* of the library at run time */
LATTICE_C_API const char* lattice_version(void);    /* "0.1.0" */

typedef enum lattice_code {
  LATTICE_OK = 0,
  LATTICE_IO = 1,          /* a file could not be opened, read or written */
  LATTICE_ARTIFACT = 2,    /* the artifact is not valid */
  LATTICE_INPUT = 3,       /* an input of a run is missing, unexpected or not what the signature says */
  LATTICE_UNSUPPORTED = 4, /* valid, but not offered by this build or device */
  LATTICE_MEMORY = 5,      /* the memory limit, or the system, refused an allocation */
  LATTICE_DEVICE = 6,      /* a device is missing or failed */
  LATTICE_USAGE = 7,       /* an argument of a call is wrong */
  LATTICE_INTERNAL = 8,    /* a fault of the library itself */
  LATTICE_INTERRUPTED = 9  /* the caller asked the run to stop */
} lattice_code;
LATTICE_C_API const char* lattice_code_name(lattice_code code); /* "artifact", "input", ... */

typedef enum lattice_dtype {
  LATTICE_F16 = 5,
  LATTICE_U32 = 7,
  LATTICE_I32 = 8,
  LATTICE_F32 = 9
} lattice_dtype;

typedef enum lattice_role {
  LATTICE_ROLE_TENSOR = 0,
  LATTICE_ROLE_SPARSE_COORDS = 1,
  LATTICE_ROLE_SPARSE_FEATURES = 2,
  LATTICE_ROLE_SPARSE_ACTIVE = 3,
  LATTICE_ROLE_SPARSE_TENSOR = 4
} lattice_role;

typedef struct lattice_error lattice_error;
typedef struct lattice_program lattice_program;
typedef struct lattice_topology lattice_topology;
typedef struct lattice_session lattice_session;
typedef struct lattice_outputs lattice_outputs;
typedef struct lattice_stop lattice_stop;
typedef struct lattice_text lattice_text;

/* ---- errors: one code, one or more diagnostics with the place each is about ---- */

typedef struct lattice_diagnostic {
  const char* message;
  const char* file; /* "" when unknown */
  const char* key;  /* the tensor of the weights file, or "" */
  int64_t line;     /* from 1; 0 when unknown */
  int64_t column;
} lattice_diagnostic;

LATTICE_C_API lattice_code lattice_error_code(const lattice_error* error);
LATTICE_C_API const char* lattice_error_message(const lattice_error* error); /* all diagnostics, a line each */
LATTICE_C_API size_t lattice_error_count(const lattice_error* error);
/* index < count; false (0) otherwise and *out is left alone. */
LATTICE_C_API int lattice_error_diagnostic(const lattice_error* error, size_t index, lattice_diagnostic* out);
/* What was added to a diagnostic: other places that have to do with it. */
LATTICE_C_API size_t lattice_error_note_count(const lattice_error* error, size_t index);
LATTICE_C_API int lattice_error_note(const lattice_error* error, size_t index, size_t note, lattice_diagnostic* out);
LATTICE_C_API void lattice_error_free(lattice_error* error);

/* ---- text that a function makes ---- */

LATTICE_C_API const char* lattice_text_data(const lattice_text* text);
LATTICE_C_API size_t lattice_text_size(const lattice_text* text); /* without the zero byte */
LATTICE_C_API void lattice_text_free(lattice_text* text);

/* ---- tensors ---- */

/* Row-major, contiguous, at any address. `shape` has `rank` entries. */
typedef struct lattice_tensor {
  lattice_dtype dtype;
  int32_t rank;
  const int64_t* shape;
  const void* data; /* may be NULL when the tensor is empty */
} lattice_tensor;

/* ---- programs ---- */

typedef struct lattice_load_options {
  size_t struct_size;
  const char* device;       /* NULL or "cpu"; "reference" */
  const char* simd;         /* NULL or "": the best there is; "scalar", "avx2", "avx512" */
  int allow_unknown_digest; /* 0 or 1 */
} lattice_load_options;
LATTICE_C_API void lattice_load_options_init(lattice_load_options* options);

/* options may be NULL. */
LATTICE_C_API lattice_code lattice_program_load(const char* directory, const lattice_load_options* options,
                                                lattice_program** program, lattice_error** error);
LATTICE_C_API lattice_code lattice_program_load_memory(const char* graph, size_t graph_size, const void* weights,
                                                       size_t weights_size, const lattice_load_options* options,
                                                       lattice_program** program, lattice_error** error);
/* Another handle of the same program. */
LATTICE_C_API lattice_code lattice_program_share(const lattice_program* program, lattice_program** copy,
                                                 lattice_error** error);
LATTICE_C_API void lattice_program_free(lattice_program* program);

LATTICE_C_API const char* lattice_program_device(const lattice_program* program);

typedef struct lattice_argument {
  const char* name;     /* ABI name */
  lattice_role role;
  lattice_dtype dtype;
  int32_t rank;
  const int64_t* shape; /* rank entries; -1: any size */
  const char* group;    /* the sparse input it belongs to, or NULL */
} lattice_argument;
LATTICE_C_API size_t lattice_program_argument_count(const lattice_program* program);
LATTICE_C_API int lattice_program_argument(const lattice_program* program, size_t index, lattice_argument* out);

typedef struct lattice_group {
  const char* name;
  int64_t first;     /* index of its coordinates argument; features and active follow */
  int64_t stride[3]; /* x, y, z; zeros when the graph makes no sparse value of it */
} lattice_group;
LATTICE_C_API size_t lattice_program_group_count(const lattice_program* program);
LATTICE_C_API int lattice_program_group(const lattice_program* program, size_t index, lattice_group* out);

typedef struct lattice_output_info {
  const char* name;
  lattice_role role; /* LATTICE_ROLE_TENSOR or LATTICE_ROLE_SPARSE_TENSOR */
  lattice_dtype dtype;
  int32_t rank;
  const int64_t* shape; /* -1 where only a run knows; sparse: (-1, channels) */
  int64_t stride[3];
} lattice_output_info;
LATTICE_C_API size_t lattice_program_output_count(const lattice_program* program);
LATTICE_C_API int lattice_program_output(const lattice_program* program, size_t index, lattice_output_info* out);

/* Digest of the contract the artifact was written for, and the releases that share it ("" when unknown). */
LATTICE_C_API const char* lattice_program_schema_digest(const lattice_program* program);
LATTICE_C_API const char* lattice_program_contract(const lattice_program* program);

/* Arguments on which the topology depends. */
LATTICE_C_API size_t lattice_program_topology_input_count(const lattice_program* program);
LATTICE_C_API const char* lattice_program_topology_input(const lattice_program* program, size_t index); /* or NULL */

typedef enum lattice_format { LATTICE_FORMAT_TEXT = 0, LATTICE_FORMAT_JSON = 1, LATTICE_FORMAT_DOT = 2 } lattice_format;
LATTICE_C_API lattice_code lattice_program_inspect(const lattice_program* program, lattice_format format,
                                                   lattice_text** text, lattice_error** error);
LATTICE_C_API lattice_code lattice_program_explain(const lattice_program* program, lattice_text** text,
                                                   lattice_error** error);

/* ---- inputs ---- */

typedef enum lattice_input_kind { LATTICE_INPUT_TENSOR = 0, LATTICE_INPUT_SPARSE = 1 } lattice_input_kind;

/* One argument of a run. */
typedef struct lattice_input {
  size_t struct_size;
  const char* name;        /* NULL or "": positional */
  lattice_input_kind kind;
  lattice_tensor tensor;   /* kind tensor */
  lattice_tensor coords;   /* kind sparse: (N, 4) i32, physical batch x y z */
  lattice_tensor features; /* kind sparse: (N, C) */
  int64_t active;          /* kind sparse: rows that count; -1: all */
  int64_t stride[3];       /* kind sparse */
} lattice_input;
LATTICE_C_API void lattice_input_init(lattice_input* input); /* positional, tensor, active -1, stride 1 */

typedef struct lattice_run_options {
  size_t struct_size;
  int64_t max_memory;       /* bytes; 0: no limit */
  const lattice_stop* stop; /* or NULL */
  int32_t threads;          /* 0, or more than the process may use: as many as it may use */
  int trusted;              /* 1: inputs are known to be divisible and unique */
} lattice_run_options;
LATTICE_C_API void lattice_run_options_init(lattice_run_options* options);

/* A flag by which another thread ends a run at its next step, with LATTICE_INTERRUPTED. */
LATTICE_C_API lattice_stop* lattice_stop_new(void); /* NULL when out of memory */
LATTICE_C_API void lattice_stop_request(lattice_stop* stop);
LATTICE_C_API void lattice_stop_reset(lattice_stop* stop);
LATTICE_C_API void lattice_stop_free(lattice_stop* stop);

/* ---- topologies and runs ---- */

LATTICE_C_API lattice_code lattice_program_prepare(const lattice_program* program, const lattice_input* inputs,
                                                   size_t input_count, const lattice_run_options* options,
                                                   lattice_topology** topology, lattice_error** error);
LATTICE_C_API int64_t lattice_topology_rows(const lattice_topology* topology);
LATTICE_C_API int64_t lattice_topology_bytes(const lattice_topology* topology);
LATTICE_C_API void lattice_topology_free(lattice_topology* topology);

LATTICE_C_API lattice_code lattice_session_new(const lattice_program* program, lattice_session** session,
                                               lattice_error** error);
LATTICE_C_API void lattice_session_free(lattice_session* session);

/* topology NULL: built from these inputs. options may be NULL. */
LATTICE_C_API lattice_code lattice_session_run(lattice_session* session, const lattice_topology* topology,
                                               const lattice_input* inputs, size_t input_count,
                                               const lattice_run_options* options, lattice_outputs** outputs,
                                               lattice_error** error);

typedef struct lattice_output {
  const char* name;
  int is_sparse;
  lattice_tensor tensor;   /* not sparse */
  lattice_tensor coords;   /* sparse: (n, 4) i32, physical */
  lattice_tensor features; /* sparse: (n, C) */
  int64_t stride[3];
} lattice_output;
LATTICE_C_API size_t lattice_outputs_count(const lattice_outputs* outputs);
LATTICE_C_API int lattice_outputs_get(const lattice_outputs* outputs, size_t index, lattice_output* out);
LATTICE_C_API void lattice_outputs_free(lattice_outputs* outputs);

/* What the last successful run did. Set struct_size before the call. */
typedef struct lattice_report {
  size_t struct_size;
  double topology_ms, features_ms, total_ms;
  double gflop;
  int64_t voxels, pairs;
  int64_t peak_bytes, live_bytes;
  int32_t threads;
  const char* simd; /* until the next run */
} lattice_report;
LATTICE_C_API int lattice_session_report(const lattice_session* session, lattice_report* out);

/* Step times are taken while profiling is on. Strings live until the next run. struct_size as in lattice_report. */
typedef struct lattice_step {
  size_t struct_size;
  const char* name;
  const char* parameter;
  const char* kernel;
  const char* file;
  int64_t line, column;
  int64_t rows, pairs, bytes;
  double gflop, milliseconds;
  double start_ms;     /* after the end of the topology */
  size_t thread_count; /* threads at work in it; 0 where that is not measured */
} lattice_step;
typedef struct lattice_thread_time {
  int32_t thread;  /* its place in the pool, from 0 */
  double start_ms; /* after the start of the step */
  double milliseconds;
} lattice_thread_time;
LATTICE_C_API void lattice_session_profile(lattice_session* session, int each_step);
LATTICE_C_API size_t lattice_session_step_count(const lattice_session* session);
LATTICE_C_API int lattice_session_step(const lattice_session* session, size_t index, lattice_step* out);
LATTICE_C_API int lattice_session_step_thread(const lattice_session* session, size_t index, size_t thread,
                                              lattice_thread_time* out);

/* ---- devices ---- */

LATTICE_C_API size_t lattice_device_count(void);
LATTICE_C_API const char* lattice_device_name(size_t index);        /* or NULL */
LATTICE_C_API const char* lattice_device_description(size_t index); /* or NULL */

#ifdef __cplusplus
}
#endif

#endif
