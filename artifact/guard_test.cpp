// Facts about the guard: what lies in the file's place is named, limits hold, honest text passes.
#include "artifact/guard.h"

#include <gtest/gtest.h>

namespace lattice {
namespace {

std::string refusal(std::string_view text) {
  const Status status = guard_graph_text(text, "graph.mlir");
  return status ? "accepted" : status.error().text();
}

std::string repeat(std::string_view part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

TEST(Guard, NamesWhatIsNoGraph) {
  EXPECT_EQ(refusal(""), "graph.mlir:1:1: the file is empty, expected MLIR text");
  EXPECT_EQ(refusal(" \n\n"),
            "graph.mlir:1:1: the file holds only white space, expected MLIR text");
  EXPECT_EQ(refusal("// nothing\n"),
            "graph.mlir:1:1: the file holds only comments, expected MLIR text");
  EXPECT_EQ(refusal("ML\xefR\x01\x02"), "graph.mlir:1:1: is MLIR bytecode, expected MLIR text");
  EXPECT_NE(refusal("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n")
                .find("a Git LFS pointer"),
            std::string::npos);
  EXPECT_NE(refusal("<!doctype HTML>").find("a web page"), std::string::npos);
  EXPECT_EQ(refusal("\n{\"ir_version\": 2, \"ops\": []}"),
            "graph.mlir:2:1: is JSON, expected MLIR text that starts with module attributes {...}");
  EXPECT_NE(refusal("\xef\xbb\xbfmodule {}").find("byte order mark"), std::string::npos);
}

TEST(Guard, TextIsUtf8WithoutNul) {
  EXPECT_EQ(refusal("module {}\r\n// caf\xc3\xa9\r\n"), "accepted");
  EXPECT_EQ(refusal("module {\n  \xff"), "graph.mlir:2:3: byte 0xff is not valid UTF-8");
  EXPECT_EQ(refusal(std::string_view("module {\n\0}", 11)),
            "graph.mlir:2:1: a NUL byte, expected MLIR text");
}

TEST(Guard, SizeLimitIsExact) {
  std::string text = "module {}";
  text.resize(GraphLimits::bytes, '\n');
  EXPECT_EQ(refusal(text), "accepted");
  text.push_back('\n');
  EXPECT_EQ(refusal(text), "graph.mlir:1:1: the graph has 64000001 bytes, the limit is 64000000");
}

TEST(Guard, NestingLimitIsExactForEveryBracket) {
  for (const char* bracket : {"(", "[", "{", "<"}) {
    const char* closing = *bracket == '('   ? ")"
                          : *bracket == '[' ? "]"
                          : *bracket == '{' ? "}"
                                            : ">";
    EXPECT_EQ(refusal("a " + repeat(bracket, 256) + repeat(closing, 256)), "accepted");
    EXPECT_EQ(refusal("a " + repeat(bracket, 257)),
              "graph.mlir:1:259: brackets are nested more than 256 deep");
  }
  EXPECT_NE(refusal("a " + repeat("(", 100000)), "accepted");
  EXPECT_EQ(refusal("a " + repeat("()", 100000)), "accepted");
}

TEST(Guard, BracketsInStringsAndCommentsDoNotCount) {
  EXPECT_EQ(refusal("a \"" + repeat("(", 300) + "\" // " + repeat("<", 300) + "\nb"), "accepted");
  EXPECT_EQ(refusal("a \"\\\"" + repeat("(", 300) + "\\\\\" b"), "accepted");
  EXPECT_NE(refusal("a \"\\\\\"" + repeat("(", 300)), "accepted");
}

// An arrow closes nothing, also after a name that ends in a dash it does.
TEST(Guard, ArrowsAreNoBrackets) {
  EXPECT_NE(refusal("a " + repeat("<() -> ", 300)), "accepted");
  EXPECT_EQ(refusal("a " + repeat("<%x-> ", 300)), "accepted");
}

// MLIR scans the body of a dialect type without knowing comments: a bracket behind // counts there.
TEST(Guard, NoCommentHidesBracketsBehindADialectType) {
  EXPECT_NE(refusal("a = #x.y<//>, b = " + repeat("[", 300)), "accepted");
  EXPECT_NE(refusal("a = !x<//>, b = " + repeat("(", 300)), "accepted");
  EXPECT_EQ(refusal("a = #x.y<1>, b // " + repeat("[", 300)), "accepted");
}

TEST(Guard, AliasesCountWrittenOut) {
  std::string doubling = "!t0 = tuple<i1, i1>\n";
  for (int i = 1; i < 60; ++i) {
    doubling += "!t" + std::to_string(i) + " = tuple<!t" + std::to_string(i - 1) + ", !t" +
                std::to_string(i - 1) + ">\n";
  }
  EXPECT_NE(refusal(doubling).find("with its aliases written out"), std::string::npos)
      << refusal(doubling);

  std::string nested = "#a0 = [1]\n";
  for (int i = 1; i < 400; ++i)
    nested += "#a" + std::to_string(i) + " = [#a" + std::to_string(i - 1) + "]\n";
  EXPECT_EQ(refusal(nested), "graph.mlir:257:10: brackets are nested more than 256 deep");

  // A definition goes on over lines; what follows it is not part of it.
  std::string arrows = "!t0 = () -> i1\n";
  for (int i = 1; i < 60; ++i) {
    const std::string before = "(!t" + std::to_string(i - 1) + ")";
    arrows += "!t" + std::to_string(i) + " = " + before + " ->\n" + before + "\n";
  }
  EXPECT_NE(refusal(arrows).find("with its aliases written out"), std::string::npos);
  EXPECT_EQ(refusal("!t = i32\nmodule {" + repeat("\n f(!t) ", 100000) + "}"), "accepted");
}

TEST(Guard, NumbersAreBounded) {
  EXPECT_EQ(refusal("a = " + repeat("9", 1000)), "accepted");
  EXPECT_EQ(refusal("a = " + repeat("9", 1001)),
            "graph.mlir:1:5: a number of 1001 digits, the limit is 1000");
  EXPECT_NE(refusal("a = 0." + repeat("9", 1001)), "accepted");
  EXPECT_NE(refusal("a = 0x" + repeat("f", 1001)), "accepted");
  EXPECT_EQ(refusal("a = 2 : i1024, b = 3 : si64, c : tensor<4x?xi32>"), "accepted");
  EXPECT_EQ(refusal("a = 2 : i1025"), "graph.mlir:1:9: an integer type wider than 1024 bits");
  EXPECT_NE(refusal("a = 2 : ui16777215"), "accepted");
  EXPECT_NE(refusal("a : tensor<4xi16777215>"), "accepted");
  EXPECT_NE(refusal("a : tensor<?x4xsi99999999999999999999>"), "accepted");
}

// The parser adds result counts up in 64 bits without a look at overflow.
TEST(Guard, ResultCountsAreBounded) {
  EXPECT_EQ(refusal("%8:3 = f"), "accepted");
  EXPECT_EQ(refusal("%a:65536, %b = f"), "accepted");
  EXPECT_EQ(refusal("%a:18446744073709551615, %b:2 = f"),
            "graph.mlir:1:4: 18446744073709551615 results of one operation, the limit is 65536");
  EXPECT_NE(refusal("%a // x\n : // y\n 65537 = f"), "accepted");
  EXPECT_EQ(refusal("a = 70000 : i64, %x : tensor<70000xf32>"), "accepted");
}

// The parser makes room for as many results as the number of one says.
TEST(Guard, ResultNumbersAreBounded) {
  EXPECT_EQ(refusal("%y = f %x#65536, %8#1"), "accepted");
  EXPECT_EQ(refusal("%y = f %x#2147483647"),
            "graph.mlir:1:10: result number 2147483647, the limit is 65536");
  EXPECT_NE(refusal("%y = f %x // z\n #99999999999999999999"), "accepted");
  std::string uses;
  for (int i = 0; i < 255; ++i) uses += "f %x" + std::to_string(i) + "#65535\n";
  EXPECT_EQ(refusal(uses), "accepted");
  uses += "f %y#65535\nf %z#0";
  EXPECT_EQ(refusal(uses), "graph.mlir:257:5: result numbers that add up to more than 16777216");
}

TEST(Guard, AffineExpressionsAreBounded) {
  EXPECT_EQ(refusal("a = affine_map<(d0) -> (d0 + 1)>"), "accepted");
  EXPECT_NE(refusal("a = affine_map<(d0) -> (" + repeat("- ", 5000) + "d0)>")
                .find("an affine expression of more than"),
            std::string::npos);
  EXPECT_NE(refusal("a = affine_map // x\n <(d0) -> (d0" + repeat(" + d0", 5000) + ")>"),
            "accepted");
  EXPECT_EQ(refusal("a = affine_map<() -> ()>, b = [" + repeat("1, ", 5000) + "1]"), "accepted");
}

// A string attribute of 50 MB is text like any other.
TEST(Guard, LongStringsPass) {
  EXPECT_EQ(refusal("a = \"" + std::string(50'000'000, '(') + "\""), "accepted");
}

} // namespace
} // namespace lattice
