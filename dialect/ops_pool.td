// Pools and upsampling.
// Included by LatticeOps.td only.

def Pool3dOp : Lattice_Op<"pool3d"> {
  let summary = "sum, maximum or average over a window";
  let description = [{
    Over the forward relation of `conv3d`; avg divides by the number of edges; a row without an
    edge holds 0.

    - C2: kernel_size, stride, padding, dilation. C4: mode. C5: the result has the input's float
      type.

    ```mlir
    %y = lattice.pool3d %x {mode = #lattice.pool_mode<max>, kernel_size = array<i64: 2, 2, 2>,
           stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>,
           dilation = array<i64: 1, 1, 1>} : (!sp) -> !sp
    ```
  }];
  let arguments = (ins Lattice_SparseTensor:$input, Lattice_PoolMode:$mode,
                       DenseI64ArrayAttr:$kernel_size, DenseI64ArrayAttr:$stride,
                       DenseI64ArrayAttr:$padding, DenseI64ArrayAttr:$dilation);
  let results = (outs Lattice_SparseTensor:$result);
}

def PoolTranspose3dOp : Lattice_Op<"pool_transpose3d"> {
  let summary = "average of the inputs that reach each output of a transposed window";
  let description = [{
    Over the transposed relation of `conv_transpose3d`, or on the target's rows; unmatched rows
    hold 0.

    - C2: kernel_size, stride, padding, dilation. C5: the result has the input's float type.
    - C6: stride divides the input's; a target has the input's stride divided by stride.

    ```mlir
    %y = lattice.pool_transpose3d %x, %target {kernel_size = array<i64: 2, 2, 2>,
           stride = array<i64: 2, 2, 2>,
           padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>} : (!sp, !sp) -> !sp
    ```
  }];
  let arguments = (ins Lattice_SparseTensor:$input, Optional<Lattice_SparseTensor>:$target,
                       DenseI64ArrayAttr:$kernel_size, DenseI64ArrayAttr:$stride,
                       DenseI64ArrayAttr:$padding, DenseI64ArrayAttr:$dilation);
  let results = (outs Lattice_SparseTensor:$result);
}

def TrilinearUpsample3dOp : Lattice_Op<"trilinear_upsample3d"> {
  let summary = "trilinear interpolation onto a finer grid";
  let description = [{
    The transposed relation with kernel 2 * stride - 1, padding stride - 1, dilation 1, or on the
    target's rows; weighted mean of the inputs present, 0 where there are none.

    - C2: stride. C5: the result has the input's float type.
    - C6: stride divides the input's; a target has the input's stride divided by stride.

    ```mlir
    %y = lattice.trilinear_upsample3d %x {stride = array<i64: 2, 2, 2>} : (!sp) -> !sp
    ```
  }];
  let arguments = (ins Lattice_SparseTensor:$input, Optional<Lattice_SparseTensor>:$target,
                       DenseI64ArrayAttr:$stride);
  let results = (outs Lattice_SparseTensor:$result);
}

def GlobalPoolOp : Lattice_Op<"global_pool"> {
  let summary = "one row per batch";
  let description = [{
    batch_size -1 takes 1 + the largest active batch index. An empty batch gives 0 for sum and avg
    and is an error for max.

    - C4: mode; batch_size >= -1. C5: the result has the input's float type.
    - C6: a declared number of batches is batch_size.

    ```mlir
    %y = lattice.global_pool %x {mode = #lattice.pool_mode<avg>, batch_size = 4}
           : (!sp) -> tensor<4x64xf32>
    ```
  }];
  let arguments = (ins Lattice_SparseTensor:$input, Lattice_PoolMode:$mode, I64Attr:$batch_size);
  let results = (outs Features:$result);
}
