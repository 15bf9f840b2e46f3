// Facts about loading a directory: which files are read, that all errors come back and none is
// printed, and that no damaged text ends the process.
#include "artifact/load.h"

#include <random>

#include <sys/stat.h>
#include <unistd.h>

#include "artifact/guard.h"
#include "artifact/test_graphs.h"
#include "base/file.h"

namespace lattice::test {
namespace {

namespace fs = std::filesystem;

class ArtifactDirectory : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "lattice_load_test_XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    fs::create_directory(folder_ / "model");
    ASSERT_TRUE(write_file_atomically(folder_ / "model/graph.mlir", good_graph));
    ASSERT_TRUE(
        write_file_atomically(folder_ / "model/weights.safetensors", good_weights().bytes()));
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string load(const ArtifactOptions& options = {}) const {
    const auto artifact = load_artifact(folder_ / "model", options);
    return artifact ? "ok" : artifact.error().text();
  }

  fs::path folder_;
};

TEST_F(ArtifactDirectory, GoodOneLoadsAndMoves) {
  auto artifact = load_artifact(folder_ / "model");
  ASSERT_TRUE(artifact) << artifact.error().text();
  Artifact moved = *std::move(artifact);
  moved = load_artifact(folder_ / "model").value();
  EXPECT_EQ(moved.forward().getSymName(), "forward");
  EXPECT_EQ(moved.weights.infos.size(), 2u);
}

TEST_F(ArtifactDirectory, AFileIsNoDirectory) {
  const auto file = load_artifact(folder_ / "model/graph.mlir");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code(), Code::io);
  EXPECT_TRUE(
      contains(file.error().text(),
               "is no directory, expected one that holds graph.mlir and weights.safetensors"));
  EXPECT_TRUE(
      contains(load_artifact(folder_ / "absent").error().text(), "No such file or directory"));
  EXPECT_FALSE(load_artifact(""));
}

TEST_F(ArtifactDirectory, MissingFilesAreNamed) {
  fs::remove(folder_ / "model/weights.safetensors");
  EXPECT_TRUE(contains(load(), "model/weights.safetensors: cannot be opened: No such file"));
  fs::remove(folder_ / "model/graph.mlir");
  EXPECT_TRUE(contains(load(), "model/graph.mlir: cannot be opened: No such file"));
}

// A missing weights file does not hide what is wrong with the graph.
TEST_F(ArtifactDirectory, BothFilesAreJudged) {
  fs::remove(folder_ / "model/weights.safetensors");
  ASSERT_TRUE(write_file_atomically(folder_ / "model/graph.mlir",
                                    replaced(good_graph, "ir_version = 2", "ir_version = 3")));
  const auto artifact = load_artifact(folder_ / "model");
  ASSERT_FALSE(artifact);
  EXPECT_EQ(artifact.error().code(), Code::artifact);
  EXPECT_TRUE(contains(artifact.error().text(), "weights.safetensors: cannot be opened"));
  EXPECT_TRUE(contains(artifact.error().text(), "lattice.ir_version is 3"));
}

TEST_F(ArtifactDirectory, PipesLoopsAndFoldersAreRefused) {
  const fs::path graph = folder_ / "model/graph.mlir";
  fs::remove(graph);
  ASSERT_EQ(::mkfifo(graph.c_str(), 0600), 0);
  EXPECT_TRUE(contains(load(), "is a pipe"));
  fs::remove(graph);
  fs::create_symlink("graph.mlir", graph);
  EXPECT_TRUE(contains(load(), "symbolic links")) << load();
  fs::remove(graph);
  fs::create_directory(graph);
  EXPECT_TRUE(contains(load(), "is a directory"));
}

// No file outside the directory is read unless the caller allows links.
TEST_F(ArtifactDirectory, LinksOutOfTheDirectoryAreRefused) {
  const fs::path graph = folder_ / "model/graph.mlir";
  fs::rename(graph, folder_ / "outside.mlir");
  fs::create_symlink(folder_ / "outside.mlir", graph);
  EXPECT_TRUE(contains(load(), "graph.mlir: is a link to a file outside the artifact directory"));
  ArtifactOptions options;
  options.follow_links = true;
  EXPECT_EQ(load(options), "ok");
  fs::remove(graph);
  fs::rename(folder_ / "outside.mlir", folder_ / "model/inside.mlir");
  fs::create_symlink("inside.mlir", graph);
  EXPECT_EQ(load(), "ok");
}

TEST_F(ArtifactDirectory, WeightLimitHolds) {
  ArtifactOptions options;
  options.max_weight_bytes = 47;
  EXPECT_TRUE(contains(load(options), "holds 48 bytes of tensors, the limit is 47"));
  options.max_weight_bytes = 48;
  EXPECT_EQ(load(options), "ok");
}

TEST_F(ArtifactDirectory, OversizedGraphIsRefused) {
  fs::resize_file(folder_ / "model/graph.mlir", GraphLimits::bytes + 1);
  EXPECT_TRUE(contains(load(), "the limit is 64000000"));
}

TEST_F(ArtifactDirectory, NothingIsPrinted) {
  ASSERT_TRUE(write_file_atomically(folder_ / "model/graph.mlir", good_graph.substr(0, 1500)));
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  EXPECT_NE(load(), "ok");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

// Where something stands in the text counts, not what its loc(...) claims.
TEST(GraphText, PlacesAreThoseOfTheText) {
  std::string graph =
      replaced(good_graph, "dilation = array<i64: 1, 1, 1>", "dilation = array<i64: 0, 1, 1>");
  graph = replaced(graph, "row_channel, dtype = f32>\n    %l",
                   "row_channel, dtype = f32> loc(\"secret.py\":7:7)\n    %l");
  const std::string text = refusal(graph);
  EXPECT_TRUE(text.starts_with("graph.mlir:18:10: subm_conv3d: ")) << text;
  EXPECT_FALSE(contains(text, "secret")) << text;

  const std::string argument = replaced(
      replaced(good_graph, "%e: tensor<?x2xf32>", "%e: tensor<?x2xf32> loc(\"secret.py\":7:7)"),
      "\"extra\"", "\"\"");
  EXPECT_TRUE(contains(refusal(argument), "graph.mlir:14:5: input name 3 is empty"))
      << refusal(argument);
}

TEST(GraphText, CrlfIsFine) {
  std::string graph = good_graph;
  for (size_t at = 0; (at = graph.find('\n', at)) != std::string::npos; at += 2)
    graph.replace(at, 1, "\r\n");
  EXPECT_EQ(refusal(graph), "accepted");
}

// An error has line and column, and a good artifact loads right after it.
TEST(GraphText, CutAnywhereIsAnErrorWithAPlace) {
  for (size_t size = 64; size < good_graph.size(); size += 64) {
    const std::string text = refusal(good_graph.substr(0, size));
    EXPECT_TRUE(text.starts_with("graph.mlir:")) << "cut at " << size << ": " << text;
  }
  EXPECT_EQ(refusal(good_graph), "accepted");
}

// A 50 MB string is read and, where it is a name, refused in a short message.
TEST(GraphText, HugeStringsGiveShortMessages) {
  const std::string huge(50'000'000, 'k');
  EXPECT_EQ(refusal(replaced(good_graph, "lattice.ir_version",
                             "lattice.note = \"" + huge + "\", lattice.ir_version")),
            "accepted");
  const std::string text =
      refusal(replaced(good_graph, "storage_key = \"conv\"", "storage_key = \"" + huge + "\""));
  EXPECT_TRUE(contains(text, "no such tensor"));
  EXPECT_LT(text.size(), 2000u);
}

TEST(GraphText, ErrorsAreCounted) {
  std::string body;
  for (int i = 0; i < 1500; ++i) body += "    \"x.y\"() : () -> ()\n";
  const auto artifact = load_artifact_text(replaced(good_graph, "    return", body + "    return"),
                                           good_weights().file());
  ASSERT_FALSE(artifact);
  EXPECT_EQ(artifact.error().diagnostics().size(), 1001u);
  EXPECT_EQ(artifact.error().diagnostics().back().message, "and 500 more errors");
}

// Operations in generic form may lack whatever the checks look at.
TEST(GraphText, IncompleteOperationsAreRefused) {
  const auto function = [](std::string_view inner) {
    return "\"builtin.module\"() ({\n" + std::string(inner) + "\n}) : () -> ()";
  };
  const std::string texts[] = {
      "\"builtin.module\"() : () -> ()",
      "\"builtin.module\"() ({}, {}) : () -> ()",
      "\"builtin.module\"() ({^a: ^b: }) : () -> ()",
      function("\"func.func\"() : () -> ()"),
      function("\"func.func\"() ({}) : () -> ()"),
      function("\"func.func\"() ({^bb0:}) {sym_name = \"forward\", function_type = () -> i1} : () "
               "-> ()"),
      function("\"func.func\"() ({^bb0(%a: i1):}) {sym_name = \"forward\", function_type = i1} : "
               "() -> ()"),
      function(
          "\"func.func\"() ({^bb0(%a: i1):}) {sym_name = 7, function_type = () -> ()} : () -> ()"),
      replaced(good_graph, "%z = lattice.linear",
               "\"lattice.weight\"() : () -> ()\n %z = lattice.linear"),
      replaced(good_graph, "%z = lattice.linear",
               "%q = \"lattice.weight\"() : () -> i1\n %z = lattice.linear"),
      replaced(good_graph, "%z = lattice.linear",
               "%q = \"lattice.weight\"() {storage_key = 1} : () -> !lattice.weight<bias, f32>\n "
               "%z = lattice.linear"),
      replaced(good_graph, "%z = lattice.linear",
               "%q:2 = \"lattice.linear\"() : () -> (i1, i2)\n %z = lattice.linear"),
      replaced(good_graph, "%z = lattice.linear",
               "\"lattice.conv3d\"() ({}) [^a] : () -> ()\n %z = lattice.linear"),
      replaced(good_graph, "return %y, %z", "return %y, %y"),
      replaced(good_graph, "    return %y", "    // return %y"),
      replaced(good_graph, "%e, %l :", "%later, %l :"),
  };
  for (const std::string& text : texts) {
    const std::string said = refusal(text);
    EXPECT_TRUE(said.starts_with("graph.mlir:")) << said << "\nof\n" << text;
  }
}

// Numbers that leave their types, and nonsense in their place.
TEST(GraphText, BadAttributesAreRefusedWhereTheyStand) {
  const auto convolution = [](std::string_view from, std::string_view to) {
    return refusal(replaced(good_graph, from, to));
  };
  constexpr std::string_view dilation = "dilation = array<i64: 1, 1, 1>";
  for (const char* bad :
       {"dilation = array<i64: 1099511627776, 1, 1>", "dilation = array<i64: 1, 1>",
        "dilation = array<i64>", "dilation = array<i32: 1, 1, 1>", "dilation = [1, 1, 1]",
        "dilation", "dilation = 18446744073709551616", "dilation = array<i64: nan, 1, 1>",
        "dilation = dense<1> : tensor<3xi64>"}) {
    EXPECT_TRUE(convolution(dilation, bad).starts_with("graph.mlir:18:"))
        << bad << ": " << convolution(dilation, bad);
  }
}

// Any bytes changed, swapped or repeated: an answer, never a crash.
TEST(GraphText, DamagedTextNeverCrashes) {
  std::mt19937 random(1);
  const SafetensorsFile weights = good_weights().file();
  const std::string_view pieces[] = {"<",
                                     ">",
                                     "{",
                                     "}",
                                     "(",
                                     ")",
                                     "\"",
                                     "#",
                                     "!",
                                     "%",
                                     "->",
                                     ":",
                                     "=",
                                     ",",
                                     "array<i64: 1>",
                                     "loc(unknown)",
                                     "\"lattice.linear\"",
                                     "18446744073709551616",
                                     "-1",
                                     "tensor<*xf32>",
                                     "!lattice.weight<bias, f32>",
                                     "affine_map<(d0) -> (d0)>",
                                     "dense<0> : tensor<2xi8>",
                                     "// x\n"};
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = good_graph;
    for (auto change = random() % 3; change < 3; ++change) {
      const size_t at = random() % text.size();
      switch (random() % 4) {
      case 0: text[at] = static_cast<char>(32 + random() % 95); break;
      case 1: text.erase(at, random() % 40); break;
      case 2: text.insert(at, pieces[random() % std::size(pieces)]); break;
      default: {
        const std::string part = text.substr(random() % text.size(), random() % 60);
        text.insert(at, part);
      }
      }
    }
    const auto artifact = load_artifact_text(text, weights);
    if (artifact) continue;
    ++refused;
    EXPECT_FALSE(artifact.error().diagnostics().empty());
    EXPECT_FALSE(artifact.error().diagnostics().front().message.empty());
  }
  EXPECT_GT(refused, 2000);
}

} // namespace
} // namespace lattice::test
