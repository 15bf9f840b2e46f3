// Weights, and operations that make, open and join sparse values.
// Included by LatticeOps.td only.

def WeightOp : Lattice_Op<"weight"> {
  let summary = "a named tensor of the weights file";
  let description = [{
    Names the tensor `storage_key` of the weights file. A packed weight is the three tensors
    `KEY.weight`, `KEY.scales` and `KEY.biases`.

    - C3: the layout is that of the family of the type; storage_key is not empty; sym_name is not
      repeated in the function; packing other than dense only on conv3d and linear; int4 or int8,
      group_size 32, 64 or 128, scale_dtype f16 or f32, mode affine.

    ```mlir
    %w = lattice.weight @enc1 {storage_key = "enc1.weight",
           layout = #lattice.weight_layout<conv3d_o_xyz_i>,
           packing = #lattice.packing<dense>} : !lattice.weight<conv3d, f32>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$storage_key,
                       Lattice_WeightLayout:$layout, Lattice_Packing:$packing);
  let results = (outs Lattice_Weight:$result);
  let assemblyFormat = "$sym_name custom<WeightAttributes>(attr-dict) `:` type($result)";
}

def SparseMakeOp : Lattice_Op<"sparse.make"> {
  let summary = "a sparse value from coordinates, features and an active row count";
  let description = [{
    Coordinates are physical: each spatial one must be divisible by the stride. Rows at and past
    `active` are padding. Two active rows with equal coordinates are an error when the graph runs.

    - C1: coord_order is that of the result type. C2: stride. C5: the features have the result's
      float type.
    - C6: coords and features have equally many rows.

    ```mlir
    %x = lattice.sparse.make %c, %f, %n {stride = array<i64: 1, 1, 1>,
           coord_order = #lattice.coord<batch_x_y_z>}
           : (tensor<?x4xi32>, tensor<?x16xf32>, tensor<1xi32>) -> !sp
    ```
  }];
  let arguments = (ins Coords:$coords, Features:$features, Active:$active,
                       DenseI64ArrayAttr:$stride, Lattice_Coord:$coord_order);
  let results = (outs Lattice_SparseTensor:$result);
}

def SparseDecomposeOp
    : Lattice_Op<"sparse.decompose", [DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "coordinates, features and active row count of a sparse value";
  let description = [{
    The tensors have exactly the active rows.

    - C5: the features have the float type of the sparse value. C6: coords and features have
      equally many rows; the declared channels are those of the value.

    ```mlir
    %c, %f, %n = lattice.sparse.decompose %x : !sp -> (tensor<?x4xi32>, tensor<?x16xf32>,
           tensor<1xi32>)
    ```
  }];
  let arguments = (ins Lattice_SparseTensor:$input);
  let results = (outs Coords:$coords, Features:$features, Active:$active);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` "
                       "`(` type($coords) `,` type($features) `,` type($active) `)`";
}

def SparseWithFeaturesOp : Lattice_Op<"sparse.with_features"> {
  let summary = "the same rows with other features";
  let description = [{
    Takes one feature row per active row, or per row of the sparse value, where those past the
    active ones are ignored. The channels are those of the features.

    - C5: input, features and result have one float type.

    ```mlir
    %y = lattice.sparse.with_features %x, %f : (!sp, tensor<?x32xf32>) -> !sp
    ```
  }];
  let arguments = (ins Lattice_SparseTensor:$input, Features:$features);
  let results = (outs Lattice_SparseTensor:$result);
}

def SparseReindexOp : Lattice_Op<"sparse.reindex"> {
  let summary = "a sparse value on the rows of another";
  let description = [{
    The target's rows in the target's order; rows absent from the input hold exactly `fill`.

    - C5: the result has the input's float type. C6: input and target have equal strides.

    ```mlir
    %y = lattice.sparse.reindex %x, %target {fill = 0.0 : f32} : (!sp, !sp) -> !sp
    ```
  }];
  let arguments = (ins Lattice_SparseTensor:$input, Lattice_SparseTensor:$target, Real:$fill);
  let results = (outs Lattice_SparseTensor:$result);
}

def SparseBinaryOp : Lattice_Op<"sparse.binary"> {
  let summary = "two sparse values joined by coordinate, then one operation on their features";
  let description = [{
    inner keeps the rows in both, left those of lhs, right those of rhs, outer all. lhs_fill
    stands where lhs is missing, rhs_fill where rhs is.

    - C4: op, join. C5: both sides and the result have one type. C6: equal strides and channels.

    ```mlir
    %y = lattice.sparse.binary %a, %b {op = #lattice.binary_op<add>, join = #lattice.join<outer>,
           lhs_fill = 0.0 : f32, rhs_fill = 0.0 : f32} : (!sp, !sp) -> !sp
    ```
  }];
  let arguments = (ins Lattice_SparseTensor:$lhs, Lattice_SparseTensor:$rhs,
                       Lattice_BinaryKind:$op, Lattice_Join:$join, Real:$lhs_fill,
                       Real:$rhs_fill);
  let results = (outs Lattice_SparseTensor:$result);
}

def SparseCatOp : Lattice_Op<"sparse.cat"> {
  let summary = "two sparse values joined by coordinate, their channels side by side";
  let description = [{
    The channels of lhs come first; a missing side holds 0.

    - C4: join. C5: both sides and the result have one type. C6: equal strides.

    ```mlir
    %y = lattice.sparse.cat %a, %b {join = #lattice.join<left>} : (!sp, !sp) -> !sp
    ```
  }];
  let arguments = (ins Lattice_SparseTensor:$lhs, Lattice_SparseTensor:$rhs, Lattice_Join:$join);
  let results = (outs Lattice_SparseTensor:$result);
}
