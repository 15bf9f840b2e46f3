// Faults of the machine, made on purpose: no memory, full disks, odd files, runs that are stopped.
// Every one is an error, and the library goes on.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <new>
#include <thread>

#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "artifact/parse.h"
#include "author/networks.h"
#include "author/test_folder.h"
#include "dialect/dialect.h"
#include "points/write.h"
#include "tests/cases.h"
#include "tests/reliability/every_op.h"

// ----------------------------------------------------------------------- operator new that can be
// told to fail

namespace {

std::atomic<int64_t> allocations_left{-1}; // -1: no limit
std::atomic<int64_t> failed_allocations{0};
// With one allocation in so many failing the count goes on, so that errors can still be put into
// words.
std::atomic<bool> fail_for_good{false};
// Inside MLIR, which is built without exceptions and ends the process when memory runs out
// (docs/security.md), nothing fails and nothing counts.
thread_local bool inside_mlir = false;

bool refuse() {
  if (inside_mlir) return false;
  int64_t left = allocations_left.load(std::memory_order_relaxed);
  while (left >= 0) {
    const int64_t next = left == 0 && fail_for_good.load() ? 0 : left - 1;
    if (!allocations_left.compare_exchange_weak(left, next)) continue;
    if (left != 0) return false;
    ++failed_allocations;
    return true;
  }
  return false;
}

void* allocate(std::size_t size, std::size_t alignment) {
  if (refuse()) return nullptr;
  if (size == 0) size = 1;
  if (alignment <= alignof(std::max_align_t)) return std::malloc(size);
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}
void* allocate_or_throw(std::size_t size, std::size_t alignment) {
  void* memory = allocate(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

} // namespace

[[gnu::noinline]] void* operator new(std::size_t size) { return allocate_or_throw(size, 1); }
[[gnu::noinline]] void* operator new[](std::size_t size) { return allocate_or_throw(size, 1); }
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t at) {
  return allocate_or_throw(size, static_cast<std::size_t>(at));
}
[[gnu::noinline]] void* operator new[](std::size_t size, std::align_val_t at) {
  return allocate_or_throw(size, static_cast<std::size_t>(at));
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size, 1);
}
[[gnu::noinline]] void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size, 1);
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t at,
                                     const std::nothrow_t&) noexcept {
  return allocate(size, static_cast<std::size_t>(at));
}
[[gnu::noinline]] void* operator new[](std::size_t size, std::align_val_t at,
                                       const std::nothrow_t&) noexcept {
  return allocate(size, static_cast<std::size_t>(at));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}

// The linker leads calls of the three functions in which loading is in MLIR's hands through these
// (--wrap).
#define LATTICE_PARSE_GRAPH                                                                        \
  "_ZN7lattice11parse_graphESt17basic_string_viewIcSt11char_traitsIcEERKNSt7__cxx1112basic_"       \
  "stringIcS2_SaIcEEERN4mlir11MLIRContextERNS_8FindingsE"
#define LATTICE_MAKE_CONTEXT "_ZN7lattice12make_contextEv"
#define LATTICE_VERIFY_ALL "_ZN7lattice2ir10verify_allEPN4mlir9OperationE"

namespace wrapped {

using lattice::Findings;

class InsideMlir {
 public:
  InsideMlir() { inside_mlir = true; }
  ~InsideMlir() { inside_mlir = false; }
};

mlir::OwningOpRef<mlir::ModuleOp> real_parse_graph(std::string_view text, const std::string& file,
                                                   mlir::MLIRContext& context,
                                                   Findings& findings) //
    asm("__real_" LATTICE_PARSE_GRAPH);
std::unique_ptr<mlir::MLIRContext> real_make_context() asm("__real_" LATTICE_MAKE_CONTEXT);
mlir::LogicalResult real_verify_all(mlir::Operation* root) asm("__real_" LATTICE_VERIFY_ALL);

mlir::OwningOpRef<mlir::ModuleOp> parse_graph(std::string_view text, const std::string& file,
                                              mlir::MLIRContext& context, Findings& findings) //
    asm("__wrap_" LATTICE_PARSE_GRAPH);
std::unique_ptr<mlir::MLIRContext> make_context() asm("__wrap_" LATTICE_MAKE_CONTEXT);
mlir::LogicalResult verify_all(mlir::Operation* root) asm("__wrap_" LATTICE_VERIFY_ALL);

mlir::OwningOpRef<mlir::ModuleOp> parse_graph(std::string_view text, const std::string& file,
                                              mlir::MLIRContext& context, Findings& findings) {
  const InsideMlir inside;
  return real_parse_graph(text, file, context, findings);
}
std::unique_ptr<mlir::MLIRContext> make_context() {
  const InsideMlir inside;
  return real_make_context();
}
mlir::LogicalResult verify_all(mlir::Operation* root) {
  const InsideMlir inside;
  return real_verify_all(root);
}

} // namespace wrapped

namespace lattice::reliability {
namespace {

namespace fs = std::filesystem;

Graph network(const char* name) { return finish(must(author::make_network(name))); }

// Calls `attempt` with the first allocation failing, then the second, ..., until it succeeds
// without a failure; past the first `all` with growing steps. Each failure must come back as an
// error of memory.
template <class F>
void fail_every_allocation(F&& attempt, bool for_good, int64_t all) {
  for (int64_t count = 0; count < 2'000'000; count += 1 + std::max<int64_t>(count - all, 0) / 40) {
    failed_allocations = 0;
    fail_for_good = for_good;
    allocations_left = count;
    auto result = attempt();
    allocations_left = -1;
    if (failed_allocations == 0) {
      ASSERT_TRUE(result) << result.error().text();
      EXPECT_GT(count, 3) << "nothing was made to fail";
      return;
    }
    // Some memory is a hint (a cache, a hash table's second try): a result is right too.
    if (!result) {
      ASSERT_EQ(result.error().code(), Code::memory)
          << "allocation " << count << ": " << result.error().text();
      if (!for_good) {
        ASSERT_FALSE(result.error().text().empty()); // else there is no memory for words
      }
    }
  }
  FAIL() << "never succeeded";
}

class OutOfMemory : public testing::TestWithParam<const char*> {};

TEST_P(OutOfMemory, RunsAndTopologies) {
  const Rows x = random_rows(25, 4, 6, 1);
  const Inputs inputs = x.inputs();
  for (const char* name : {"tiny", "codec"}) {
    const Program program = network(name).load(GetParam());
    const Outputs expected = Session(program).run(inputs, {.threads = 1});
    for (const bool for_good : {false, true}) {
      fail_every_allocation([&] { return program.try_prepare(inputs, {.threads = 1}); }, for_good,
                            100);
      Session session(program);
      fail_every_allocation([&] { return session.try_run(inputs, {.threads = 1}); }, for_good, 100);
      EXPECT_EQ(cases::bit_difference(session.run(inputs), expected), "")
          << "the session can go on";
    }
  }
}

TEST_P(OutOfMemory, EveryOperation) {
  const OpInputs given(20, 5, DType::f32, 1);
  for (const OpGraph& each : graphs_of_every_op(DType::f32)) {
    SCOPED_TRACE(each.name);
    const Program program = each.graph.load(GetParam());
    Session session(program);
    const Inputs inputs = given.of(program);
    fail_every_allocation([&] { return session.try_run(inputs, {.threads = 1}); }, false, 2000);
  }
}

// Loading: reading, guard, contract, weights, lowering, fusion, packing; all but the three
// functions above.
TEST_P(OutOfMemory, Loading) {
  const TestFolder folder;
  const Rows x = random_rows(25, 4, 6, 1);
  const LoadOptions options{.device = GetParam()};
  for (const char* name : {"tiny", "codec"}) {
    const Graph graph = network(name);
    const fs::path path = folder.path() / name;
    must(must(author::make_network(name)).write(path));
    const Outputs expected = run(graph, x.inputs(), GetParam());
    for (const bool for_good : {false, true}) {
      fail_every_allocation([&] { return graph.try_load(options); }, for_good, 1000);
      fail_every_allocation([&] { return Program::try_load(path, options); }, for_good, 100);
    }
    EXPECT_EQ(cases::bit_difference(run(graph, x.inputs(), GetParam()), expected), "");
  }
}

// An artifact that is refused is refused, or there was no memory to say so.
TEST_P(OutOfMemory, LoadingWhatIsRefused) {
  Graph graph = network("tiny");
  graph.weights.resize(graph.weights.size() - 4);
  const auto attempt = [&]() -> Status {
    const auto program = graph.try_load({.device = GetParam()});
    if (program) return fail(Code::usage, "was loaded");
    return program.error().code() == Code::artifact ? Status()
                                                    : tl::make_unexpected(program.error());
  };
  for (const bool for_good : {false, true}) fail_every_allocation(attempt, for_good, 1000);
}

// With several threads the failing allocation may be on any of them.
TEST_P(OutOfMemory, OnWorkerThreads) {
  const Rows x = random_rows(3000, 4, 30, 1);
  const Inputs inputs = x.inputs();
  const Program program = network("tiny").load(GetParam());
  Session session(program);
  const Outputs expected = session.run(inputs);
  for (int64_t count = 0; count < 4000; count = count < 200 ? count + 7 : count + count / 5) {
    fail_for_good = false;
    allocations_left = count;
    const auto outputs = session.try_run(inputs, {.threads = 3});
    allocations_left = -1;
    if (!outputs) {
      ASSERT_EQ(outputs.error().code(), Code::memory) << outputs.error().text();
    }
    if (outputs) {
      ASSERT_EQ(cases::bit_difference(*outputs, expected), "");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, OutOfMemory, testing::Values("reference", "cpu"),
                         [](const auto& tested) { return std::string(tested.param); });

#if !defined(__SANITIZE_ADDRESS__) // which reserves terabytes of addresses
// The system refuses more than so many bytes of addresses: large requests fail, small ones may
// still be met.
TEST(OutOfAddresses, IsAnErrorOfMemory) {
  for (const char* device : {"reference", "cpu"}) {
    const Program program = network("codec").load(device);
    const Rows x = random_rows(std::string_view(device) == "cpu" ? 20000 : 3000, 4, 60, 1);
    const Outputs expected = Session(program).run(x.inputs(), {.threads = 1});
    int refused = 0;
    for (rlim_t more = 1 << 20; more < rlim_t{1} << 30; more *= 3) {
      rlimit before{};
      getrlimit(RLIMIT_AS, &before);
      std::ifstream file("/proc/self/statm");
      rlim_t pages = 0;
      file >> pages;
      const rlimit limit{pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + more,
                         before.rlim_max};
      setrlimit(RLIMIT_AS, &limit);
      const auto outputs = Session(program).try_run(x.inputs(), {.threads = 1});
      setrlimit(RLIMIT_AS, &before);
      if (outputs) {
        EXPECT_EQ(cases::bit_difference(*outputs, expected), "");
      } else {
        ++refused;
        EXPECT_EQ(outputs.error().code(), Code::memory) << outputs.error().text();
      }
    }
    EXPECT_GT(refused, 0) << device;
  }
}
#endif

// -------------------------------------------------------------------------------------------
// memory limits

TEST(MemoryLimit, AnyLimitIsAnErrorOrTheResult) {
  const Rows x = random_rows(120, 4, 14, 1);
  for (const char* device : {"reference", "cpu"}) {
    const Program program = network("codec").load(device);
    Session session(program);
    const Outputs expected = session.run(x.inputs());
    const int64_t callers =
        x.count() * (16 + 4 * 4) + 4; // inputs are in the report, not under the limit
    int64_t refused = 0, worked = 0;
    for (int64_t limit = 1; limit < (int64_t{1} << 28); limit += limit / 4 + 1) {
      const auto outputs = session.try_run(x.inputs(), {.max_memory = limit});
      if (outputs) {
        ++worked;
        EXPECT_EQ(cases::bit_difference(*outputs, expected), "");
        EXPECT_LE(session.report().peak_bytes - callers, limit) << device;
      } else {
        ++refused;
        EXPECT_EQ(worked, 0) << "a larger limit that fails where a smaller one was enough";
        EXPECT_EQ(outputs.error().code(), Code::memory) << outputs.error().text();
      }
    }
    EXPECT_GT(refused, 10);
    EXPECT_GT(worked, 10);
  }
}

// Generated supports can be far larger than the input: refused before the memory is taken.
TEST(MemoryLimit, ExplodingSupportsAreRefusedEarly) {
  const Graph graph = graph_of(1, {64, 64, 64}, DType::f32, [](GraphBuilder& b, Value x) {
    Value y = x;
    for (int i = 0; i < 3; ++i)
      y = must(b.conv_transpose3d(
          y, conv_weight(b, ("w" + std::to_string(i)).c_str(), {1, 15, 15, 15, 1}, {1}), {},
          {4, 4, 4}));
    return y;
  });
  std::vector<Row> coords;
  for (int32_t i = 0; i < 500; ++i) coords.push_back({0, i * 6400, 0, 0});
  const Rows x(coords, constant(500, 1), {64, 64, 64});
  for (const char* device : {"reference", "cpu"}) {
    const int64_t before = resident_bytes();
    const auto outputs = try_run(graph, x.inputs(), device, {.max_memory = int64_t{64} << 20});
    ASSERT_FALSE(outputs);
    EXPECT_EQ(outputs.error().code(), Code::memory) << outputs.error().text();
    EXPECT_LT(resident_bytes() - before, int64_t{256} << 20) << device;
  }
}

// -------------------------------------------------------------------------------------------
// options of a run

TEST(RunOptionsAtTheEdge, Threads) {
  const Rows x = random_rows(200, 4, 12, 1);
  const Program program = network("tiny").load();
  Session session(program);
  const Outputs expected = session.run(x.inputs(), {.threads = 1});
  for (const int32_t threads : {0, 2, 64, 1'000'000, std::numeric_limits<int32_t>::max()}) {
    EXPECT_EQ(cases::bit_difference(session.run(x.inputs(), {.threads = threads}), expected), "")
        << threads;
  }
  for (const int32_t threads : {-1, std::numeric_limits<int32_t>::min()}) {
    const auto outputs = session.try_run(x.inputs(), {.threads = threads});
    ASSERT_FALSE(outputs);
    EXPECT_EQ(outputs.error().code(), Code::usage);
    EXPECT_FALSE(program.try_prepare(x.inputs(), {.threads = threads}));
  }
  EXPECT_EQ(session.try_run(x.inputs(), {.max_memory = -1}).error().code(), Code::usage);
}

TEST(Interrupted, BeforeAndDuringTheRun) {
  const Rows x = random_rows(8000, 4, 40, 1);
  for (const char* device : {"reference", "cpu"}) {
    const Program program = network("tiny").load(device);
    Session session(program);
    const Outputs expected = session.run(x.inputs());
    std::atomic<bool> stop{true};
    for (int kept = 0; kept < 2; ++kept) {
      const auto outputs =
          kept == 1 ? session.try_run(program.prepare(x.inputs()), x.inputs(), {.stop = &stop})
                    : session.try_run(x.inputs(), {.stop = &stop});
      ASSERT_FALSE(outputs) << device;
      EXPECT_EQ(outputs.error().code(), Code::interrupted) << outputs.error().text();
    }
    int interrupted = 0;
    for (int i = 0; i < 8; ++i) {
      stop = false;
      std::thread other([&, i] {
        std::this_thread::sleep_for(std::chrono::milliseconds(i * 5));
        stop = true;
      });
      const auto outputs = session.try_run(x.inputs(), {.stop = &stop});
      other.join();
      if (outputs) {
        EXPECT_EQ(cases::bit_difference(*outputs, expected), "");
      } else {
        ++interrupted;
        EXPECT_EQ(outputs.error().code(), Code::interrupted);
      }
    }
    EXPECT_GT(interrupted, 0);
    EXPECT_EQ(cases::bit_difference(session.run(x.inputs()), expected), "")
        << "the session can go on";
  }
}

// -------------------------------------------------------------------------------------------------
// files

Code load_code(const fs::path& directory) {
  const auto program = Program::try_load(directory);
  return program ? Code::ok : program.error().code();
}

TEST(OddFiles, AreErrorsAndNothingWaits) {
  const TestFolder folder;
  const auto artifact = [&](const char* name) {
    const fs::path path = folder.path() / name;
    must(must(author::make_network("tiny")).write(path));
    EXPECT_EQ(load_code(path), Code::ok);
    return path;
  };
  EXPECT_EQ(load_code(folder.path() / "nothing"), Code::io);
  for (const char* file : {"graph.mlir", "weights.safetensors"}) {
    const fs::path path = artifact("artifact");
    const auto replace = [&](const std::function<void(const fs::path&)>& make) {
      fs::remove_all(path / file);
      make(path / file);
      return load_code(path);
    };
    EXPECT_EQ(replace([](const fs::path&) {}), Code::io) << "missing";
    EXPECT_EQ(replace([](const fs::path& at) { fs::create_directory(at); }), Code::io)
        << "a directory";
    EXPECT_EQ(replace([](const fs::path& at) { ASSERT_EQ(mkfifo(at.c_str(), 0600), 0); }), Code::io)
        << "a pipe";
    EXPECT_EQ(replace([](const fs::path& at) { fs::create_symlink(at, at); }), Code::io)
        << "a link to itself";
    EXPECT_EQ(replace([](const fs::path& at) { fs::create_symlink("/dev/zero", at); }), Code::io)
        << "a device";
    EXPECT_EQ(replace([](const fs::path& at) { fs::create_symlink("/proc/self/mem", at); }),
              Code::io)
        << "outside";
    EXPECT_EQ(replace([](const fs::path& at) { std::ofstream empty(at); }), Code::artifact)
        << "an empty file";
    fs::remove_all(path);
  }
  const fs::path itself = folder.path() / "graph_as_directory";
  std::ofstream(itself) << "text";
  EXPECT_EQ(load_code(itself), Code::io) << "a file in place of the directory";
  fs::create_symlink("loop", folder.path() / "loop");
  EXPECT_EQ(load_code(folder.path() / "loop"), Code::io);
}

// `body` in a process of its own, as a user who is not root; false where it says so or cannot be
// started.
bool holds_without_rights(const std::function<bool()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    constexpr uid_t nobody = 65534;
    if (geteuid() == 0 && (setgid(nobody) != 0 || setuid(nobody) != 0)) _exit(2);
    _exit(body() ? 0 : 1);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

TEST(OddFiles, NoPermission) {
  const TestFolder folder;
  const fs::path path = folder.path() / "artifact";
  must(must(author::make_network("tiny")).write(path));
  for (const fs::path& each : {folder.path(), path}) fs::permissions(each, fs::perms(0755));
  for (const char* file : {"graph.mlir", "weights.safetensors"})
    fs::permissions(path / file, fs::perms(0644));
  EXPECT_TRUE(holds_without_rights([&] { return load_code(path) == Code::ok; }));
  for (const char* file : {"graph.mlir", "weights.safetensors"}) {
    fs::permissions(path / file, fs::perms(0));
    EXPECT_TRUE(holds_without_rights([&] { return load_code(path) == Code::io; })) << file;
    fs::permissions(path / file, fs::perms(0644));
  }
  fs::permissions(path, fs::perms(0));
  EXPECT_TRUE(holds_without_rights([&] { return load_code(path) == Code::io; })) << "the directory";
  fs::permissions(path, fs::perms(0755));
}

// Weights cut short while or after the header was read, at any byte: an error, never a signal.
TEST(OddFiles, WeightsCutAnywhere) {
  const TestFolder folder;
  const fs::path path = folder.path() / "artifact";
  must(must(author::make_network("tiny")).write(path));
  const auto size = static_cast<int64_t>(fs::file_size(path / "weights.safetensors"));
  for (int64_t length = size - 1; length > 0; length = length * 2 / 3) {
    fs::resize_file(path / "weights.safetensors", static_cast<uintmax_t>(length));
    EXPECT_EQ(load_code(path), Code::artifact) << length << " bytes";
  }
}

TEST(OddFiles, WeightsThatChangeWhileTheyAreRead) {
  const TestFolder folder;
  const fs::path path = folder.path() / "artifact", weights = path / "weights.safetensors";
  must(must(author::make_network("tiny")).write(path));
  const auto size = fs::file_size(weights);
  std::atomic<bool> done{false};
  std::thread cutter([&] {
    while (!done) {
      fs::resize_file(weights, size / 2);
      fs::resize_file(weights, size);
    }
  });
  for (int i = 0; i < 40; ++i) {
    const Code code = load_code(path); // whole, cut, or with zeros: never a crash
    EXPECT_TRUE(code == Code::ok || code == Code::io || code == Code::artifact) << name_of(code);
  }
  done = true;
  cutter.join();
}

// ----------------------------------------------------------------------------------------- disks
// that are full

// Files of this process cannot grow past a size while one of these lives: write() fails as on a
// full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_{};
};

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(FullDisk, NothingIsHalfWritten) {
  const TestFolder folder;
  const std::vector<float> numbers(100'000, 1.5f);
  const std::vector<double> positions(30'000, 0.25);
  const std::vector<NamedTensor> tensors = {{"w", {DType::f32, {100'000}, numbers.data()}}};
  PlyPoints cloud;
  cloud.xyz = positions;
  const author::GraphBuilder tiny = must(author::make_network("tiny"));
  const std::pair<const char*, std::function<Status(const fs::path&)>> writers[] = {
      {"safetensors", [&](const fs::path& at) { return write_safetensors(at, tensors); }},
      {"ply", [&](const fs::path& at) { return write_ply(at.string(), cloud); }},
      {"npy",
       [&](const fs::path& at) {
         return write_npy(at.string(), {DType::f32, {100'000}, numbers.data()});
       }},
  };
  for (const auto& [name, write] : writers) {
    const fs::path at = folder.path() / (std::string("out.") + name);
    for (const bool had : {false, true}) {
      if (had) std::ofstream(at) << "what was there";
      for (const rlim_t limit : {rlim_t{0}, rlim_t{10}, rlim_t{4096}, rlim_t{100'000}}) {
        const FileSizeLimit full(limit);
        const Status status = write(at);
        ASSERT_FALSE(status) << name << ", " << limit;
        EXPECT_EQ(status.error().code(), Code::io);
      }
      EXPECT_EQ(fs::exists(at), had) << name;
      if (had) {
        EXPECT_EQ(bytes_of(at), "what was there") << name;
      }
    }
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator{}), 1)
        << name << ": no temporary file is left";
    EXPECT_TRUE(write(at)) << name << ": and then it works";
    fs::remove(at);
    for (const char* place : {"/dev/full", "/dev/null", "/nowhere/out", ""}) {
      EXPECT_FALSE(write(place)) << name << " to \"" << place << "\"";
    }
    EXPECT_FALSE(write(folder.path())) << name << ": a directory";
  }
  {
    const FileSizeLimit full(1000);
    EXPECT_FALSE(tiny.write(folder.path() / "artifact"));
  }
  EXPECT_FALSE(fs::exists(folder.path() / "artifact"));
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

} // namespace
} // namespace lattice::reliability
