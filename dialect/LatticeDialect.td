// The dialect, its two types, its attributes and the constraints the operations share.
// The operations themselves are in LatticeOps.td.
#ifndef LATTICE_DIALECT_TD
#define LATTICE_DIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/OpAsmInterface.td"

def Lattice_Dialect : Dialect {
  let name = "lattice";
  let cppNamespace = "::lattice::ir";
  let summary = "trained sparse 3D networks";
  let description = [{
    A graph of the `lattice` dialect is a trained sparse 3D network: coordinates and features come in,
    weights are named by their key in a safetensors file, features or sparse values go out.

    A sparse value is a set of rows `batch x y z` with one row of features each, an active row count and
    a stride. Coordinates of arguments and results are physical; inside, logical = physical / stride.

    Every attribute listed for an operation is required, and no other unprefixed one is allowed. Triples
    are in the order x, y, z. Floating-point attributes are f32, voxel sizes and origins are f64.

    The labels name the kinds of constraint:

    - **C1** types: rank 3, `batch_x_y_z`, `row_channel`; a coord_order equal to that of the type.
    - **C2** triples: 3 values; kernel_size, stride and dilation >= 1, padding >= 0, none above 2^31-1;
      odd kernel sizes in a submanifold operation.
    - **C3** weights: the family the operation expects, the one layout of that family, packing on
      conv3d and linear alone, dense weights on normalized operations, unique names, a storage_key.
    - **C4** numbers: finite and in their range, choices out of their list.
    - **C5** float types: a result has the float type of its input.
    - **C6** shapes: statically declared dimensions agree wherever one operation can tell.

    In the examples `!sp` stands for
    `!lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    // Adds every operation of the .td, so that a generic `<{...}>` with an unknown attribute is refused.
    void add_operations();
  }];
}

// Attributes: one word out of a list. The word is kept as written, so that a graph with a wrong one still
// parses and all its faults are reported together; the verifiers compare with the list given here.

class Lattice_Choice<string name, string keyword, list<string> words, string text>
    : AttrDef<Lattice_Dialect, name> {
  let mnemonic = keyword;
  let summary = text # ": " # !interleave(words, ", ");
  let description = "`#lattice." # keyword # "<" # !interleave(words, "|") # ">`";
  let parameters = (ins StringRefParameter<>:$value);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    static ::llvm::ArrayRef<::llvm::StringLiteral> allowed() {
      static constexpr ::llvm::StringLiteral words[] = {"}] # !interleave(words, "\", \"") # [{"};
      return words;
    }
  }];
}

def Lattice_Coord : Lattice_Choice<"Coord", "coord", ["batch_x_y_z"], "coordinate convention">;
def Lattice_FeatureLayout
    : Lattice_Choice<"FeatureLayout", "feature_layout", ["row_channel"], "feature convention">;
def Lattice_WeightLayout
    : Lattice_Choice<"WeightLayout", "weight_layout",
                     ["conv3d_o_xyz_i", "linear_o_i", "embedding_n_c", "channel_c", "bias_c"],
                     "order of the axes">;
def Lattice_ActivationKind
    : Lattice_Choice<"ActivationKind", "activation",
                     ["relu", "sigmoid", "gelu", "silu", "leaky_relu", "tanh", "softplus"], "activation">;
def Lattice_GeluApprox
    : Lattice_Choice<"GeluApprox", "gelu_approx", ["none", "precise", "tanh", "fast"], "GELU formula">;
def Lattice_Join
    : Lattice_Choice<"Join", "join", ["inner", "left", "right", "outer"], "rows that a join keeps">;
def Lattice_BinaryKind
    : Lattice_Choice<"BinaryKind", "binary_op", ["add", "sub", "mul", "maximum", "minimum"],
                     "operation on two values">;
def Lattice_PoolMode : Lattice_Choice<"PoolMode", "pool_mode", ["sum", "max", "avg"], "reduction of a pool">;
def Lattice_VoxelReduction
    : Lattice_Choice<"VoxelReduction", "voxel_reduction", ["sum", "mean"],
                     "reduction of the points of a voxel">;
def Lattice_PointInterpolation
    : Lattice_Choice<"PointInterpolation", "point_interpolation", ["nearest", "linear"],
                     "how a point reads voxels">;

def Lattice_Packing : AttrDef<Lattice_Dialect, "Packing"> {
  let mnemonic = "packing";
  let summary = "how a weight is stored: dense, or int4 or int8 codes with a scale and a bias per group";
  let description = [{
    `#lattice.packing<dense>` or `#lattice.packing<int8, group_size = 32, scale_dtype = f16, mode = affine>`
    with int4 or int8; group_size 32, 64 or 128; scale_dtype f16 or f32; mode affine.
  }];
  // group_size, scale_dtype and mode count only where `grouped` is true.
  let parameters = (ins StringRefParameter<>:$kind, "bool":$grouped, "int64_t":$group_size,
                        StringRefParameter<>:$scale_dtype, StringRefParameter<>:$mode);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    bool is_dense() const { return getKind() == "dense"; }
    int bits() const { return getKind() == "int4" ? 4 : 8; }  // of one code of a packed weight
  }];
}

// Types

class Lattice_Type<string name, string keyword> : TypeDef<Lattice_Dialect, name> {
  let mnemonic = keyword;
  let hasCustomAssemblyFormat = 1;
}

def Lattice_SparseTensor : Lattice_Type<"SparseTensor", "sparse_tensor"> {
  let summary = "sparse value";
  let description = [{
    `!lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>`

    Rows of coordinates with their features (f32 or f16). Stride and channels are not part of the type.
  }];
  let parameters = (ins "int64_t":$rank, StringRefParameter<>:$coord, StringRefParameter<>:$feature,
                        StringRefParameter<>:$dtype);
  let extraClassDeclaration = [{
    ::mlir::Type element_type() const;  // f32 or f16; null if dtype is neither
  }];
}

def Lattice_Weight : Lattice_Type<"Weight", "weight"> {
  let summary = "weight";
  let description = [{
    `!lattice.weight<conv3d, f32>`

    A parameter of one family (conv3d, linear, embedding, channel or bias), stored as f32 or f16.
  }];
  let parameters = (ins StringRefParameter<>:$family, StringRefParameter<>:$dtype);
  let extraClassDeclaration = [{
    ::mlir::Type element_type() const;  // f32 or f16; null if dtype is neither
  }];
}

// Constraints on operands and attributes

// A ranked tensor for which `test` holds; the text says which, in documentation and in errors.
class Lattice_TensorOf<string test, string text>
    : Type<And<[CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">,
                CPred<"::lattice::ir::" # test # "(::llvm::cast<::mlir::RankedTensorType>($_self))">]>,
           text, "::mlir::RankedTensorType">;

def Coords : Lattice_TensorOf<"is_coords", "coordinates, a (N, 4) tensor of i32">;
def Active : Lattice_TensorOf<"is_active", "an active row count, a (1) tensor of i32">;
def Points : Lattice_TensorOf<"is_points", "points, a (N, 3) tensor of f32 or f16">;
def Indices : Lattice_TensorOf<"is_indices", "indices, a (N) tensor of i32">;
def Features : Lattice_TensorOf<"is_features", "features, a (N, C) tensor of f32 or f16">;
def FloatTensor : Lattice_TensorOf<"is_float_tensor", "a tensor of f32 or f16">;

class Lattice_WeightOf<string family, string article = "a">
    : Type<And<[CPred<"::llvm::isa<::lattice::ir::WeightType>($_self)">,
                CPred<"::llvm::cast<::lattice::ir::WeightType>($_self).getFamily() == \"" # family # "\"">]>,
           article # " " # family # " weight", "::lattice::ir::WeightType">;

def ConvWeight : Lattice_WeightOf<"conv3d">;
def LinearWeight : Lattice_WeightOf<"linear">;
def EmbeddingWeight : Lattice_WeightOf<"embedding", "an">;
def ChannelWeight : Lattice_WeightOf<"channel">;
def BiasWeight : Lattice_WeightOf<"bias">;

def Real : FloatAttrBase<F32, "a number of type f32"> {
  let returnType = "float";
  let convertFromStorage = "$_self.getValue().convertToFloat()";
  let constBuilderCall = "$_builder.getF32FloatAttr($0)";
}

#endif
