// Facts about the contract: each rule of spec 1 broken once, with the message that says so.
#include "artifact/contract.h"

#include "artifact/test_graphs.h"

namespace lattice::test {
namespace {

#define EXPECT_REFUSAL(actual, part) EXPECT_PRED2(contains, actual, std::string_view(part))

std::string without(std::string_view line) { return refusal(replaced(good_graph, line, "")); }
std::string with(std::string_view from, std::string_view to) {
  return refusal(replaced(good_graph, from, to));
}

TEST(Contract, GoodGraphGivesItsSignature) {
  const auto artifact = load_artifact_text(good_graph, good_weights().file());
  ASSERT_TRUE(artifact) << artifact.error().text();
  const Signature& signature = artifact->signature;
  ASSERT_EQ(signature.arguments.size(), 4u);
  EXPECT_EQ(signature.arguments[0].name, "x_coords");
  EXPECT_EQ(signature.arguments[0].role, Role::sparse_coords);
  EXPECT_EQ(signature.arguments[0].dtype, DType::i32);
  EXPECT_EQ(signature.arguments[0].shape, (Shape{-1, 4}));
  EXPECT_EQ(signature.arguments[2].group, 0);
  EXPECT_EQ(signature.arguments[3].group, -1);
  ASSERT_EQ(signature.groups.size(), 1u);
  EXPECT_EQ(signature.groups[0].name, "x");
  EXPECT_EQ(signature.groups[0].first, 0);
  ASSERT_EQ(signature.outputs.size(), 2u);
  EXPECT_EQ(signature.outputs[0].role, Role::sparse_tensor);
  EXPECT_EQ(signature.outputs[1].name, "logits");
  EXPECT_EQ(signature.outputs[1].shape, (Shape{-1, 3}));
  EXPECT_EQ(signature.contract, "0.6.0 to 0.6.3");
}

TEST(Contract, IrVersionIsTwoOfAnyWidth) {
  for (const char* two :
       {"2 : i8", "2 : i32", "2 : si64", "2 : ui16", "2 : i128", "2 : index", "0x2 : i64"}) {
    EXPECT_EQ(with("ir_version = 2", std::string("ir_version = ") + two), "accepted") << two;
  }
  EXPECT_REFUSAL(
      with("ir_version = 2", "ir_version = 1"),
      "graph.mlir:1:1: module attribute lattice.ir_version is 1, expected the integer 2");
  EXPECT_REFUSAL(with("ir_version = 2", "ir_version = 3"), "is 3, expected the integer 2");
  EXPECT_REFUSAL(with("ir_version = 2", "ir_version = -2"), "is -2, expected the integer 2");
  EXPECT_REFUSAL(with("ir_version = 2", "ir_version = \"2\""),
                 "is the string \"2\", expected the integer 2");
  EXPECT_REFUSAL(with("ir_version = 2", "ir_version = 2.0 : f32"), "is a floating-point number");
  EXPECT_REFUSAL(with("ir_version = 2", "ir_version = 18446744073709551618 : i128"),
                 "is 18446744073709551618");
  EXPECT_REFUSAL(without("lattice.ir_version = 2,"), "lattice.ir_version is missing");
}

TEST(Contract, DigestIsOfTheTable) {
  const std::string unknown = replaced(good_graph, "f82072ad\"", "f82072ae\"");
  EXPECT_REFUSAL(refusal(unknown), "f82072ae\", expected one of "
                                   "\"1380f1e819fc0eb1af587202ecec3c14ec2c981d249333c5061f0263f8207"
                                   "2ad\" (contract 0.6.0 to 0.6.3)");
  EXPECT_REFUSAL(with("schema_digest = \"1380f1e8", "other = \"1380f1e8"),
                 "lattice.schema_digest is missing");
  EXPECT_REFUSAL(with("\"1380f1e819fc0eb1af587202ecec3c14ec2c981d249333c5061f0263f82072ad\"", "1"),
                 "lattice.schema_digest is 1");
  ArtifactOptions options;
  options.allow_unknown_digest = true;
  EXPECT_EQ(refusal(unknown, good_weights().file(), options), "accepted");
  for (const ContractRelease& known : accepted_contracts()) EXPECT_EQ(known.digest.size(), 64u);
}

TEST(Contract, WeightFileHasOneName) {
  EXPECT_REFUSAL(
      with("= \"weights.safetensors\"", "= \"w.safetensors\""),
      "lattice.weight_file is the string \"w.safetensors\", expected \"weights.safetensors\"");
  EXPECT_REFUSAL(with("weight_file", "weight_files"), "lattice.weight_file is missing");
}

TEST(Contract, OtherModuleAttributesAreIgnored) {
  EXPECT_EQ(
      with("lattice.ir_version", "lattice.note = \"x\", other.thing = #foo<1>, lattice.ir_version"),
      "accepted");
}

TEST(Contract, OneNameAndRoleAnArgument) {
  EXPECT_REFUSAL(with(", \"extra\"]", "]"),
                 "lattice.input_names has 3 entries, @forward has 4 arguments");
  EXPECT_REFUSAL(with("\"sparse_active\", \"tensor\"]", "\"sparse_active\"]"),
                 "lattice.input_roles has 3 entries, @forward has 4 arguments");
  EXPECT_REFUSAL(with("[\"out\", \"logits\"]", "[\"out\"]"),
                 "lattice.output_names has 1 entries, @forward has 2 results");
  EXPECT_REFUSAL(with("[\"sparse_tensor\", \"tensor\"]", "[]"),
                 "lattice.output_roles has 0 entries, @forward has 2 results");
  EXPECT_REFUSAL(with("\"extra\"]", "7]"),
                 "entry 3 of module attribute lattice.input_names is 7, expected a string");
  EXPECT_REFUSAL(with("[\"out\", \"logits\"]", "\"out\""),
                 "lattice.output_names is the string \"out\", expected a list of strings");
  EXPECT_REFUSAL(with("output_roles", "output_role"), "lattice.output_roles is missing");
}

TEST(Contract, NamesAreUniqueAndNotEmpty) {
  EXPECT_REFUSAL(with("\"extra\"", "\"\""), "graph.mlir:14:5: input name 3 is empty");
  EXPECT_REFUSAL(with("\"extra\"", "\"x_active\""), "input name \"x_active\" is used twice");
  EXPECT_REFUSAL(with("\"extra\"", "\"\\FF\""), "input name 3 is not valid UTF-8");
  EXPECT_REFUSAL(with("\"logits\"", "\"\""), "output name 1 is empty");
  EXPECT_REFUSAL(with("\"logits\"", "\"out\""), "output name \"out\" is used twice");
  for (const char* part : {"coords", "features", "active"}) {
    EXPECT_REFUSAL(with("\"logits\"", "\"out." + std::string(part) + "\""),
                   "is also a part of the sparse output \"out\"");
  }
}

TEST(Contract, RolesAreOfTheList) {
  EXPECT_REFUSAL(with("\"tensor\"],", "\"dense\"],"),
                 "argument 3 \"extra\" has the role \"dense\"");
  EXPECT_REFUSAL(with("\"tensor\"],", "\"sparse_tensor\"],"),
                 "argument 3 \"extra\" has the role \"sparse_tensor\"");
  EXPECT_REFUSAL(with("[\"sparse_tensor\", \"tensor\"]", "[\"sparse_tensor\", \"sparse_coords\"]"),
                 "result 1 \"logits\" has the role \"sparse_coords\"");
}

// One graph whose arguments are handed through: roles and types without any operation.
std::string pass_through(std::string_view names, std::string_view roles, std::string_view types) {
  std::string arguments, list(types);
  size_t count = 0;
  for (size_t at = 0; at <= list.size(); ++count) {
    const size_t end = std::min(list.find(';', at), list.size());
    arguments += (count > 0 ? ", %" : "%") + ("a" + std::to_string(count)) + ": " +
                 list.substr(at, end - at);
    at = end + 1;
  }
  const std::string first = list.substr(0, list.find(';'));
  return R"(module attributes {lattice.ir_version = 2, lattice.schema_digest = "1380f1e819fc0eb1af587202ecec3c14ec2c981d249333c5061f0263f82072ad", lattice.weight_file = "weights.safetensors", lattice.output_names = ["y"], lattice.output_roles = ["tensor"], lattice.input_names = [)" +
         std::string(names) + "], lattice.input_roles = [" + std::string(roles) +
         "]} {\nfunc.func @forward(" + arguments + ") -> " + first + " {\nreturn %a0 : " + first +
         "\n}\n}\n";
}

std::string sparse(std::string_view names, std::string_view coords = "tensor<?x4xi32>",
                   std::string_view features = "tensor<?x2xf16>",
                   std::string_view active = "tensor<1xi32>") {
  return refusal(
      pass_through(names, R"("sparse_coords", "sparse_features", "sparse_active")",
                   std::string(coords) + ";" + std::string(features) + ";" + std::string(active)));
}

TEST(Contract, RoleAndTypeAgree) {
  const char* names = R"("coords", "features", "active")";
  EXPECT_EQ(sparse(names), "accepted");
  EXPECT_EQ(sparse(names, "tensor<5x4xi32>", "tensor<5x2xf32>"), "accepted");
  EXPECT_REFUSAL(sparse(names, "tensor<?x3xi32>"),
                 "argument 0 \"coords\" has the role sparse_coords and the type tensor<?x3xi32>, "
                 "expected tensor<?x4xi32>");
  EXPECT_REFUSAL(sparse(names, "tensor<?x4xf32>"), "has the role sparse_coords");
  EXPECT_REFUSAL(sparse(names, "tensor<?x?xi32>"), "has the role sparse_coords");
  EXPECT_REFUSAL(sparse(names, "tensor<4xi32>"), "has the role sparse_coords");
  EXPECT_REFUSAL(sparse(names, "tensor<?x4xi32>", "tensor<?x2xi32>"),
                 "has the role sparse_features");
  EXPECT_REFUSAL(sparse(names, "tensor<?x4xi32>", "tensor<?xf32>"), "has the role sparse_features");
  EXPECT_REFUSAL(sparse(names, "tensor<?x4xi32>", "tensor<?x2xf32>", "tensor<i32>"),
                 "has the role sparse_active");
  EXPECT_REFUSAL(sparse(names, "tensor<?x4xi32>", "tensor<?x2xf32>", "tensor<2xi32>"),
                 "has the role sparse_active");
  EXPECT_REFUSAL(sparse(names, "tensor<?x4xi32>", "tensor<?x2xf32>", "tensor<?xi32>"),
                 "has the role sparse_active");
  EXPECT_REFUSAL(sparse(names, "tensor<5x4xi32>", "tensor<6x2xf32>"),
                 "has 5 rows of coordinates and 6 of features");
  EXPECT_REFUSAL(with("[\"sparse_tensor\", \"tensor\"]", "[\"tensor\", \"sparse_tensor\"]"),
                 "result 0 \"out\" has the role tensor and is a !lattice.sparse_tensor, expected a "
                 "ranked tensor");
  EXPECT_REFUSAL(with("[\"sparse_tensor\", \"tensor\"]", "[\"tensor\", \"sparse_tensor\"]"),
                 "result 1 \"logits\" has the role sparse_tensor and is tensor<?x3xf32>");
}

TEST(Contract, ArgumentsAreTensorsOfThreeTypes) {
  const auto one = [](const char* type) {
    return refusal(pass_through("\"a\"", "\"tensor\"", type));
  };
  for (const char* type : {"tensor<f32>", "tensor<?x0x3xf16>", "tensor<7xi32>"})
    EXPECT_EQ(one(type), "accepted") << type;
  for (const char* type : {"f32", "tensor<3xi64>", "tensor<3xui32>", "tensor<3xbf16>",
                           "tensor<*xf32>", "vector<3xf32>", "memref<3xf32>", "tensor<3xf32, 7>",
                           "!lattice.weight<bias, f32>", "!foo<bar>"}) {
    EXPECT_REFUSAL(one(type), "graph.mlir:2:20: argument 0 \"a\" is") << type;
  }
}

TEST(Contract, SparseInputIsThreeArgumentsInOrder) {
  const auto roles = [](std::string_view list,
                        const char* types = "tensor<?x4xi32>;tensor<?x2xf32>;tensor<1xi32>") {
    return refusal(pass_through(R"("x_coords", "x_features", "x_active")", list, types));
  };
  EXPECT_REFUSAL(roles(R"("sparse_coords", "sparse_features", "tensor")"),
                 "argument 0 \"x_coords\" has the role sparse_coords outside a group");
  EXPECT_REFUSAL(roles(R"("tensor", "sparse_features", "sparse_active")"),
                 "argument 1 \"x_features\" has the role sparse_features outside a group");
  EXPECT_REFUSAL(roles(R"("tensor", "tensor", "sparse_active")"),
                 "argument 2 \"x_active\" has the role sparse_active outside a group");
  EXPECT_REFUSAL(roles(R"("sparse_features", "sparse_coords", "sparse_active")",
                       "tensor<?x2xf32>;tensor<?x4xi32>;tensor<1xi32>"),
                 "outside a group");
}

TEST(Contract, SparseInputNames) {
  EXPECT_EQ(sparse(R"("a_coords", "a_features", "a_active")"), "accepted");
  EXPECT_EQ(sparse(R"("coords_coords", "coords_features", "coords_active")"), "accepted");
  for (const char* names :
       {R"("a_coords", "b_features", "a_active")", R"("a", "b", "c")",
        R"("coords", "x_features", "x_active")", R"("_coords", "_features", "_active")",
        R"("x_coords", "x_features", "active")"}) {
    EXPECT_REFUSAL(sparse(names), "name no sparse input, expected NAME_coords") << names;
  }
}

TEST(Contract, GroupNameMeansNothingElse) {
  EXPECT_REFUSAL(with("\"extra\"", "\"x\""), "sparse input \"x\" has the name of another argument");
  const std::string twice = pass_through(
      R"("coords", "features", "active", "input_coords", "input_features", "input_active")",
      R"("sparse_coords", "sparse_features", "sparse_active", "sparse_coords", "sparse_features", "sparse_active")",
      "tensor<?x4xi32>;tensor<?x2xf32>;tensor<1xi32>;tensor<?x4xi32>;tensor<?x2xf32>;tensor<"
      "1xi32>");
  EXPECT_REFUSAL(refusal(twice), "two sparse inputs are named \"input\"");
}

TEST(Contract, ModuleHoldsOneFunction) {
  EXPECT_REFUSAL(with("@forward", "@main"),
                 "graph.mlir:10:3: the function is \"main\", expected @forward");
  EXPECT_REFUSAL(with("  func.func @forward", "  func.func private @other()\n  func.func @forward"),
                 "a second function \"forward\"");
  EXPECT_REFUSAL(
      with("  func.func @forward", "  module {}\n  func.func @forward"),
      "graph.mlir:10:3: the module holds builtin.module, expected only func.func @forward");
  EXPECT_REFUSAL(refusal("module {}"), "the module holds no function");
  EXPECT_REFUSAL(refusal("module {} module {}"), "a second module");
  EXPECT_REFUSAL(refusal("func.func private @forward()"), "func.func outside the module");
  EXPECT_REFUSAL(refusal("\"builtin.module\"() : () -> ()"), "the module has no body");
  EXPECT_REFUSAL(refusal("module { func.func private @forward() }"),
                 "@forward is only declared, expected a body");
  EXPECT_REFUSAL(refusal("module { func.func @forward() { return } }"), "@forward returns nothing");
}

TEST(Contract, BodyIsOneBlockOfLatticeOperations) {
  EXPECT_REFUSAL(
      with("    return",
           "    %q = builtin.unrealized_conversion_cast %e : tensor<?x2xf32> to i32\n    return"),
      "graph.mlir:21:10: operation builtin.unrealized_conversion_cast in @forward");
  EXPECT_REFUSAL(with("    return", "    \"arith.nop\"() : () -> ()\n    return"),
                 "operation arith.nop in @forward");
  EXPECT_REFUSAL(with("    return", "    func.call @f() : () -> ()\n    return"),
                 "operation func.call in @forward");
  EXPECT_REFUSAL(with("    return", "    \"lattice.nop\"() : () -> ()\n    return"),
                 "operation lattice.nop in @forward");
  EXPECT_REFUSAL(
      with("    return", "    %q = arith.addf %e, %e : tensor<?x2xf32>\n    return"),
      "graph.mlir:21:10: operation arith.addf, expected only lattice operations and func.return");
  EXPECT_REFUSAL(
      with("  }\n}\n",
           "  ^other:\n    return %x, %z : !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, "
           "feature = row_channel, dtype = f32>, tensor<?x3xf32>\n  }\n}\n"),
      "has 2 blocks, expected one");
}

// All that is wrong is said at once: contract, operations, weights.
TEST(Contract, AllErrorsAreReported) {
  std::string graph = replaced(good_graph, "ir_version = 2", "ir_version = 3");
  graph = replaced(graph, "\"extra\"", "\"\"");
  graph = replaced(graph, "dilation = array<i64: 1, 1, 1>", "dilation = array<i64: 0, 1, 1>");
  graph = replaced(graph, "%x = lattice.sparse.make %c, %f, %n {stride = array<i64: 1, 1, 1>",
                   "%x = lattice.sparse.make %c, %f, %n {stride = array<i64: 1, 1>");
  const auto artifact =
      load_artifact_text(graph, WeightsBuilder().add("fc", DType::f16, {3, 2}).file());
  ASSERT_FALSE(artifact);
  const std::string text = artifact.error().text();
  for (const char* part :
       {"lattice.ir_version is 3", "input name 3 is empty", "graph.mlir:16:", "graph.mlir:18:",
        "weights.safetensors: conv: no such tensor", "weights.safetensors: fc: stored as f16"}) {
    EXPECT_TRUE(contains(text, part)) << part << "\nnot in\n" << text;
  }
}

} // namespace
} // namespace lattice::test
