// The C++ side of the dialect: verification that goes on, kernel geometry.
// What each operation refuses is tested in test/*.mlir.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dialect/dialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

namespace lattice::ir {
namespace {

// A graph parsed without verification, and what was said of it.
struct Graph {
  explicit Graph(const std::string& text)
      : context(registry(), mlir::MLIRContext::Threading::DISABLED) {
    context.printOpOnDiagnostic(false);
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic& diagnostic) {
      messages.push_back(diagnostic.str());
      return mlir::success();
    });
    module = mlir::parseSourceString<mlir::ModuleOp>(
        text, mlir::ParserConfig(&context, /*verifyAfterParse=*/false));
    if (module) good = mlir::succeeded(verify_all(module->getOperation()));
  }

  template <class Op>
  Op only() {
    Op found;
    module->walk([&](Op op) { found = op; });
    return found;
  }

  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry dialects;
    register_dialects(dialects);
    return dialects;
  }

  mlir::MLIRContext context;
  std::vector<std::string> messages;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  bool good = false;
};

const std::string sp =
    "!lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>";

std::string graph_of(const std::string& body) {
  return "!sp = " + sp + "\nfunc.func @forward(%x: !sp, %m: tensor<?x2xf32>) -> !sp {\n" + body +
         "return %x : !sp\n}\n";
}

// All errors of a graph are reported, not the first alone (spec 1).
TEST(VerifyAll, ReportsEveryFault) {
  Graph graph(graph_of(R"(
    %a = lattice.softmax %m {axis = 0} : (tensor<?x2xf32>) -> tensor<?x2xf32>
    %b = lattice.trilinear_upsample3d %x {stride = array<i64: 0, 1, 1>} : (!sp) -> !sp
    %c = lattice.elementwise %a {kind = "log"} : (tensor<?x2xf32>) -> tensor<?x3xf32>
  )"));
  EXPECT_FALSE(graph.good);
  EXPECT_EQ(graph.messages,
            (std::vector<std::string>{
                "softmax: axis is 0, expected one of -1, 1",
                "trilinear_upsample3d: stride is (0, 1, 1), expected values from 1 to 2147483647",
                "elementwise: kind is \"log\", expected one of exp, round",
                "elementwise: result is tensor<?x3xf32>, expected the shape of the input, "
                "tensor<?x2xf32>"}));
}

TEST(VerifyAll, AcceptsASoundGraph) {
  Graph graph(graph_of(""));
  EXPECT_TRUE(graph.good);
  EXPECT_TRUE(graph.messages.empty());
}

// func.return reads the type of its function; it must not be asked where that is missing.
TEST(VerifyAll, SkipsTheBodyOfAnUnsoundFunction) {
  Graph graph(R"("builtin.module"() ({
    "func.func"() <{sym_name = "forward"}> ({
    ^bb0(%x: tensor<1xf32>):
      "func.return"(%x) : (tensor<1xf32>) -> ()
    }) : () -> ()
  }) : () -> ()
  )");
  EXPECT_FALSE(graph.good);
  EXPECT_EQ(graph.messages.size(), 1u);
}

// What does not concern one operation alone is still MLIR's to judge.
TEST(VerifyAll, ChecksDominance) {
  Graph graph(R"("builtin.module"() ({
    "func.func"() <{function_type = (tensor<?x2xf32>) -> tensor<?x2xf32>, sym_name = "forward"}> ({
    ^bb0(%x: tensor<?x2xf32>):
      %a = "lattice.elementwise"(%b) <{kind = "exp"}> : (tensor<?x2xf32>) -> tensor<?x2xf32>
      %b = "lattice.elementwise"(%x) <{kind = "exp"}> : (tensor<?x2xf32>) -> tensor<?x2xf32>
      "func.return"(%a) : (tensor<?x2xf32>) -> ()
    }) : () -> ()
  }) : () -> ()
  )");
  EXPECT_FALSE(graph.good);
  ASSERT_EQ(graph.messages.size(), 1u);
  EXPECT_EQ(graph.messages[0], "operand #0 does not dominate this use");
}

using Triple = std::array<int64_t, 3>;

// What an operation does not carry has the value that its definition gives it (spec 4).
TEST(Geometry, FillsInWhatTheDefinitionGives) {
  Graph pool(graph_of(R"(
    %a = lattice.pool3d %x {mode = #lattice.pool_mode<sum>, kernel_size = array<i64: 1, 2, 3>, stride = array<i64: 4, 5, 6>,
           padding = array<i64: 7, 8, 9>, dilation = array<i64: 10, 11, 12>} : (!sp) -> !sp
  )"));
  ASSERT_TRUE(pool.good);
  const Geometry whole = geometry(pool.only<Pool3dOp>());
  EXPECT_EQ(whole.kernel_size, (Triple{1, 2, 3}));
  EXPECT_EQ(whole.stride, (Triple{4, 5, 6}));
  EXPECT_EQ(whole.padding, (Triple{7, 8, 9}));
  EXPECT_EQ(whole.dilation, (Triple{10, 11, 12}));

  Graph generative(graph_of(R"(
    %w = lattice.weight @w {storage_key = "w", layout = #lattice.weight_layout<conv3d_o_xyz_i>, packing = #lattice.packing<dense>} : <conv3d, f32>
    %a = lattice.generative_conv_transpose3d %x, %w {kernel_size = array<i64: 1, 2, 3>, stride = array<i64: 4, 5, 6>, accumulation = "canonical_f32"} : (!sp, !lattice.weight<conv3d, f32>) -> !sp
  )"));
  ASSERT_TRUE(generative.good);
  const Geometry generated = geometry(generative.only<GenerativeConvTranspose3dOp>());
  EXPECT_EQ(generated.stride, (Triple{4, 5, 6}));
  EXPECT_EQ(generated.padding, (Triple{0, 0, 0}));
  EXPECT_EQ(generated.dilation, (Triple{1, 1, 1}));
}

// Spec 5: K = 2S - 1, P = S - 1, D = 1.
TEST(Geometry, OfTrilinearUpsampling) {
  Graph graph(graph_of(
      "%a = lattice.trilinear_upsample3d %x {stride = array<i64: 1, 2, 4>} : (!sp) -> !sp\n"));
  ASSERT_TRUE(graph.good);
  const Geometry g = geometry(graph.only<TrilinearUpsample3dOp>());
  EXPECT_EQ(g.kernel_size, (Triple{1, 3, 7}));
  EXPECT_EQ(g.stride, (Triple{1, 2, 4}));
  EXPECT_EQ(g.padding, (Triple{0, 1, 3}));
  EXPECT_EQ(g.dilation, (Triple{1, 1, 1}));
}

} // namespace
} // namespace lattice::ir
