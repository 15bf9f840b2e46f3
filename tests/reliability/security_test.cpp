// What docs/security.md promises of artifacts from strangers, where the rooms' own tests do not
// show it already.
#include <chrono>
#include <fstream>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "author/test_folder.h"
#include "base/file.h"
#include "tests/reliability/graphs.h"

namespace lattice::reliability {
namespace {

namespace fs = std::filesystem;

Graph good_graph() {
  return graph_of(2, [](GraphBuilder& b, Value x) {
    return must(b.conv3d(x, conv_weight(b, "w", {2, 2, 2, 2, 2}, {0.5f}), {}, {2, 2, 2}));
  });
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("the graph does not hold " + from);
  return text.replace(at, from.size(), to);
}

void write_artifact(const fs::path& folder, const Graph& graph) {
  fs::create_directories(folder);
  must(write_file_atomically(folder / "graph.mlir", graph.text));
  const std::span<const std::byte> part(graph.weights);
  must(write_file_atomically(folder / "weights.safetensors", std::span(&part, 1)));
}

// Names of the files in `folder` that are opened while one of these lives.
class OpenedFiles {
 public:
  explicit OpenedFiles(const fs::path& folder)
      : descriptor_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    watched_ = descriptor_ >= 0 && inotify_add_watch(descriptor_, folder.c_str(), IN_OPEN) >= 0;
  }
  ~OpenedFiles() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  bool watched() const { return watched_; }
  std::vector<std::string> names() {
    std::vector<std::string> list;
    alignas(inotify_event) char buffer[4096];
    for (ssize_t size = 0; (size = read(descriptor_, buffer, sizeof(buffer))) > 0;) {
      for (const char* at = buffer; at < buffer + size;) {
        const auto* event = reinterpret_cast<const inotify_event*>(at);
        if (event->len > 0 && (event->mask & IN_ISDIR) == 0) list.emplace_back(event->name);
        at += sizeof(inotify_event) + event->len;
      }
    }
    return list;
  }

 private:
  int descriptor_;
  bool watched_ = false;
};

// Whatever a graph names, only graph.mlir and weights.safetensors of its directory are opened.
TEST(Security, OnlyTheTwoFilesOfTheArtifactAreOpened) {
  const TestFolder folder;
  const fs::path artifact = folder.path() / "artifact",
                 secret = folder.path() / "secret.safetensors";
  const Graph good = good_graph();
  write_artifact(artifact, good);
  fs::copy_file(artifact / "weights.safetensors", secret);
  fs::copy_file(artifact / "weights.safetensors", artifact / "more.safetensors");
  OpenedFiles outside(folder.path()), inside(artifact);
  if (!outside.watched() || !inside.watched()) GTEST_SKIP() << "this system does not watch files";
  std::ifstream(secret).get();
  ASSERT_EQ(outside.names(), std::vector<std::string>{"secret.safetensors"})
      << "what the watch sees when a file is opened";

  const std::string path = secret.string();
  const std::pair<const char*, std::string> hostile[] = {
      {"weight file above",
       replaced(good.text, "\"weights.safetensors\"", "\"../secret.safetensors\"")},
      {"weight file by path", replaced(good.text, "\"weights.safetensors\"", "\"" + path + "\"")},
      {"other weight file inside",
       replaced(good.text, "\"weights.safetensors\"", "\"more.safetensors\"")},
      {"key that is a path",
       replaced(good.text, "storage_key = \"w\"", "storage_key = \"../secret.safetensors\"")},
      {"place in another file", "#loc = loc(\"" + path + "\":1:1)\n" + good.text},
      {"resource", good.text + "\n{-#\n  dialect_resources: {\n    builtin: {\n      blob: "
                               "\"0x08000000010000000000000002000000\"\n    }\n  }\n#-}\n"},
      {"inclusion", "include \"" + path + "\"\n" + good.text},
      {"good", good.text},
  };
  for (const auto& [what, text] : hostile) {
    must(write_file_atomically(artifact / "graph.mlir", text));
    (void)outside.names();
    (void)inside.names();
    (void)Program::try_load(artifact);
    EXPECT_EQ(outside.names(), std::vector<std::string>{}) << what;
    for (const std::string& name : inside.names()) {
      EXPECT_TRUE(name == "graph.mlir" || name == "weights.safetensors")
          << what << " opens " << name;
    }
  }
}

// A link that stays inside is followed, one that leads out is not, for either file.
TEST(Security, LinksThatLeadOutAreRefused) {
  const TestFolder folder;
  const fs::path artifact = folder.path() / "artifact";
  for (const char* file : {"graph.mlir", "weights.safetensors"}) {
    write_artifact(artifact, good_graph());
    fs::rename(artifact / file, artifact / "kept");
    fs::create_symlink("kept", artifact / file);
    EXPECT_TRUE(Program::try_load(artifact)) << file;
    fs::remove(artifact / file);
    fs::rename(artifact / "kept", folder.path() / "outside");
    for (const fs::path& target :
         {folder.path() / "outside", fs::path("../outside"), fs::path("../artifact/../outside")}) {
      fs::create_symlink(target, artifact / file);
      const auto program = Program::try_load(artifact);
      ASSERT_FALSE(program) << file << " to " << target;
      EXPECT_NE(program.error().text().find("outside the artifact directory"), std::string::npos)
          << program.error().text();
      fs::remove(artifact / file);
    }
    fs::remove_all(artifact);
  }
}

// A tensor that the header declares but the file does not hold costs no memory.
TEST(Security, MemoryIsTakenForBytesThatAreThere) {
  const Graph good = good_graph();
  const std::string header =
      R"({"w":{"dtype":"F32","shape":[1099511627776],"data_offsets":[0,4398046511104]}})";
  std::vector<std::byte> bytes(8 + header.size());
  const uint64_t length = header.size();
  std::memcpy(bytes.data(), &length, 8);
  std::memcpy(bytes.data() + 8, header.data(), header.size());
  const int64_t before = resident_bytes();
  const auto program = Program::try_load_memory(good.text, bytes);
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().code(), Code::artifact) << program.error().text();
  EXPECT_LT(resident_bytes() - before, int64_t{64} << 20);
}

// Texts that a parser could spend itself on, each at or over a limit: an answer in bounded time and
// memory.
TEST(Security, HostileTextEndsSoon) {
  const Graph good = good_graph();
  std::string aliases = "!a0 = tuple<i1, i1>\n";
  for (int i = 1; i < 60; ++i)
    aliases += "!a" + std::to_string(i) + " = tuple<!a" + std::to_string(i - 1) + ", !a" +
               std::to_string(i - 1) + ">\n";
  std::string operations;
  for (int i = 0; i < 20'000; ++i)
    operations += "    %z" + std::to_string(i) + " = lattice.unknown %x : f32\n";
  const size_t body = good.text.rfind("    return");
  ASSERT_NE(body, std::string::npos);
  const std::pair<const char*, std::string> hostile[] = {
      {"doubling aliases",
       aliases + replaced(good.text, "attributes {", "attributes {test.t = !a59, ")},
      {"a number of a million digits",
       replaced(good.text, "ir_version = 2", "ir_version = " + std::string(1'000'000, '9'))},
      {"nesting", std::string(1'000'000, '<') + good.text},
      {"a very wide integer",
       replaced(good.text, "attributes {", "attributes {test.wide = 1 : i16777215, ")},
      {"many results", replaced(good.text, "attributes {",
                                "attributes {}\n%x:4294967295 = \"a.b\"() : () -> ()\n{")},
      {"thousands of unknown operations",
       good.text.substr(0, body) + operations + good.text.substr(body)},
      {"over 64,000,000 bytes", good.text + std::string(64'000'000, ' ')},
  };
  const auto start = std::chrono::steady_clock::now();
  const int64_t before = resident_bytes();
  for (const auto& [what, text] : hostile) {
    const auto program = Program::try_load_memory(text, good.weights);
    ASSERT_FALSE(program) << what;
    EXPECT_EQ(program.error().code(), Code::artifact) << what;
    EXPECT_LT(program.error().text().size(), size_t{1} << 20) << what;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(120));
  EXPECT_LT(resident_bytes() - before, int64_t{1} << 30);
  EXPECT_TRUE(good.try_load());
}

} // namespace
} // namespace lattice::reliability
