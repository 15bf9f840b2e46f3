// Convolutions: forward, submanifold, transposed and generative, with and without a target.
// Included by LatticeOps.td only.

def Conv3dOp : Lattice_Op<"conv3d"> {
  let summary = "forward convolution";
  let description = [{
    Output o takes the input at `o * stride + offset - padding`; odd kernels are centred. The
    result lives on the input's rows if stride is 1 and padding 0, else on the distinct floor(in /
    stride).

    - C2: kernel_size, stride, padding, dilation. C3: a conv3d weight and, if given, a bias
      weight. C4: accumulation.
    - C5: the result has the input's float type. C6: the weight's Cin is the input's channels, its
      Cout the bias's length.

    ```mlir
    %y = lattice.conv3d %x, %w, %b
           {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 1, 1, 1>,
           padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>,
           accumulation = "canonical_f32"}
           : (!sp, !lattice.weight<conv3d, f32>, !lattice.weight<bias, f32>) -> !sp
    ```
  }];
  let arguments = (ins Lattice_SparseTensor:$input, ConvWeight:$weight,
                       Optional<BiasWeight>:$bias, DenseI64ArrayAttr:$kernel_size,
                       DenseI64ArrayAttr:$stride, DenseI64ArrayAttr:$padding,
                       DenseI64ArrayAttr:$dilation, StrAttr:$accumulation);
  let results = (outs Lattice_SparseTensor:$result);
}

def SubmConv3dOp : Lattice_Op<"subm_conv3d"> {
  let summary = "submanifold convolution";
  let description = [{
    A forward convolution with stride 1 and padding 0 on the input's own rows.

    - C2: kernel_size (odd), dilation; no stride, no padding. C3: a conv3d weight and, if given, a
      bias weight. C4: accumulation.
    - C5: the result has the input's float type. C6: the weight's Cin is the input's channels, its
      Cout the bias's length.

    ```mlir
    %y = lattice.subm_conv3d %x, %w, %b
           {kernel_size = array<i64: 3, 3, 3>, dilation = array<i64: 1, 1, 1>,
           accumulation = "canonical_f32"}
           : (!sp, !lattice.weight<conv3d, f32>, !lattice.weight<bias, f32>) -> !sp
    ```
  }];
  let arguments = (ins Lattice_SparseTensor:$input, ConvWeight:$weight,
                       Optional<BiasWeight>:$bias, DenseI64ArrayAttr:$kernel_size,
                       DenseI64ArrayAttr:$dilation, StrAttr:$accumulation);
  let results = (outs Lattice_SparseTensor:$result);
}

def NormalizedSubmConv3dOp : Lattice_Op<"normalized_subm_conv3d"> {
  let summary = "submanifold convolution divided by the norm of the weights it used";
  let description = [{
    num / sqrt(den + eps) + bias, where den sums the squares of the weights over the edges
    present.

    - C2: kernel_size (odd), dilation; no stride, no padding. C3: a conv3d weight, dense, and, if
      given, a bias weight. C4: accumulation, eps finite and > 0.
    - C5: the result has the input's float type. C6: the weight's Cin is the input's channels, its
      Cout the bias's length.

    ```mlir
    %y = lattice.normalized_subm_conv3d %x, %w, %b
           {kernel_size = array<i64: 3, 3, 3>, dilation = array<i64: 1, 1, 1>,
           eps = 1.0e-6 : f32, accumulation = "canonical_f32"}
           : (!sp, !lattice.weight<conv3d, f32>, !lattice.weight<bias, f32>) -> !sp
    ```
  }];
  let arguments = (ins Lattice_SparseTensor:$input, ConvWeight:$weight,
                       Optional<BiasWeight>:$bias, DenseI64ArrayAttr:$kernel_size,
                       DenseI64ArrayAttr:$dilation, Real:$eps, StrAttr:$accumulation);
  let results = (outs Lattice_SparseTensor:$result);
}

def TargetConv3dOp : Lattice_Op<"target_conv3d"> {
  let summary = "forward convolution on the rows of a target";
  let description = [{
    The forward relation on the target's rows, in the target's order. The target's features play
    no part.

    - C2: kernel_size, stride, padding, dilation. C3: a conv3d weight and, if given, a bias
      weight. C4: accumulation.
    - C5: the result has the input's float type. C6: the weight's Cin is the input's channels, its
      Cout the bias's length; the target's stride is the input's times stride.

    ```mlir
    %y = lattice.target_conv3d %x, %target, %w, %b
           {kernel_size = array<i64: 2, 2, 2>, stride = array<i64: 2, 2, 2>,
           padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>,
           accumulation = "canonical_f32"}
           : (!sp, !sp, !lattice.weight<conv3d, f32>, !lattice.weight<bias, f32>) -> !sp
    ```
  }];
  let arguments = (ins Lattice_SparseTensor:$input, Lattice_SparseTensor:$target,
                       ConvWeight:$weight, Optional<BiasWeight>:$bias,
                       DenseI64ArrayAttr:$kernel_size, DenseI64ArrayAttr:$stride,
                       DenseI64ArrayAttr:$padding, DenseI64ArrayAttr:$dilation,
                       StrAttr:$accumulation);
  let results = (outs Lattice_SparseTensor:$result);
}

def ConvTranspose3dOp : Lattice_Op<"conv_transpose3d"> {
  let summary = "transposed convolution";
  let description = [{
    Input i reaches output `i * stride + index * dilation - padding`, never centred. The result
    lives on the distinct outputs.

    - C2: kernel_size, stride, padding, dilation. C3: a conv3d weight and, if given, a bias
      weight. C4: accumulation.
    - C5: the result has the input's float type. C6: the weight's Cin is the input's channels, its
      Cout the bias's length; stride divides the input's.

    ```mlir
    %y = lattice.conv_transpose3d %x, %w, %b
           {kernel_size = array<i64: 2, 2, 2>, stride = array<i64: 2, 2, 2>,
           padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>,
           accumulation = "canonical_f32"}
           : (!sp, !lattice.weight<conv3d, f32>, !lattice.weight<bias, f32>) -> !sp
    ```
  }];
  let arguments = (ins Lattice_SparseTensor:$input, ConvWeight:$weight,
                       Optional<BiasWeight>:$bias, DenseI64ArrayAttr:$kernel_size,
                       DenseI64ArrayAttr:$stride, DenseI64ArrayAttr:$padding,
                       DenseI64ArrayAttr:$dilation, StrAttr:$accumulation);
  let results = (outs Lattice_SparseTensor:$result);
}

def TargetConvTranspose3dOp : Lattice_Op<"target_conv_transpose3d"> {
  let summary = "transposed convolution on the rows of a target";
  let description = [{
    The transposed relation on the target's rows, in the target's order; rows that nothing reaches
    hold the bias, or 0.

    - C2: kernel_size, stride, padding, dilation. C3: a conv3d weight and, if given, a bias
      weight. C4: accumulation.
    - C5: the result has the input's float type. C6: the weight's Cin is the input's channels, its
      Cout the bias's length; the target's stride is the input's divided by stride.

    ```mlir
    %y = lattice.target_conv_transpose3d %x, %target, %w, %b
           {kernel_size = array<i64: 2, 2, 2>, stride = array<i64: 2, 2, 2>,
           padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>,
           accumulation = "canonical_f32"}
           : (!sp, !sp, !lattice.weight<conv3d, f32>, !lattice.weight<bias, f32>) -> !sp
    ```
  }];
  let arguments = (ins Lattice_SparseTensor:$input, Lattice_SparseTensor:$target,
                       ConvWeight:$weight, Optional<BiasWeight>:$bias,
                       DenseI64ArrayAttr:$kernel_size, DenseI64ArrayAttr:$stride,
                       DenseI64ArrayAttr:$padding, DenseI64ArrayAttr:$dilation,
                       StrAttr:$accumulation);
  let results = (outs Lattice_SparseTensor:$result);
}

def NormalizedConvTranspose3dOp : Lattice_Op<"normalized_conv_transpose3d"> {
  let summary = "transposed convolution divided by the norm of the weights it used";
  let description = [{
    As `conv_transpose3d`, with num / sqrt(den + eps) + bias.

    - C2: kernel_size, stride, padding, dilation. C3: a conv3d weight, dense, and, if given, a
      bias weight. C4: accumulation, eps finite and > 0.
    - C5: the result has the input's float type. C6: the weight's Cin is the input's channels, its
      Cout the bias's length; stride divides the input's.

    ```mlir
    %y = lattice.normalized_conv_transpose3d %x, %w, %b
           {kernel_size = array<i64: 2, 2, 2>, stride = array<i64: 2, 2, 2>,
           padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, eps = 1.0e-6 : f32,
           accumulation = "canonical_f32"}
           : (!sp, !lattice.weight<conv3d, f32>, !lattice.weight<bias, f32>) -> !sp
    ```
  }];
  let arguments = (ins Lattice_SparseTensor:$input, ConvWeight:$weight,
                       Optional<BiasWeight>:$bias, DenseI64ArrayAttr:$kernel_size,
                       DenseI64ArrayAttr:$stride, DenseI64ArrayAttr:$padding,
                       DenseI64ArrayAttr:$dilation, Real:$eps, StrAttr:$accumulation);
  let results = (outs Lattice_SparseTensor:$result);
}

def TargetNormalizedConvTranspose3dOp : Lattice_Op<"target_normalized_conv_transpose3d"> {
  let summary = "normalized transposed convolution on the rows of a target";
  let description = [{
    As `target_conv_transpose3d`, with num / sqrt(den + eps) + bias.

    - C2: kernel_size, stride, padding, dilation. C3: a conv3d weight, dense, and, if given, a
      bias weight. C4: accumulation, eps finite and > 0.
    - C5: the result has the input's float type. C6: the weight's Cin is the input's channels, its
      Cout the bias's length; the target's stride is the input's divided by stride.

    ```mlir
    %y = lattice.target_normalized_conv_transpose3d %x, %target, %w, %b
           {kernel_size = array<i64: 2, 2, 2>, stride = array<i64: 2, 2, 2>,
           padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, eps = 1.0e-6 : f32,
           accumulation = "canonical_f32"}
           : (!sp, !sp, !lattice.weight<conv3d, f32>, !lattice.weight<bias, f32>) -> !sp
    ```
  }];
  let arguments = (ins Lattice_SparseTensor:$input, Lattice_SparseTensor:$target,
                       ConvWeight:$weight, Optional<BiasWeight>:$bias,
                       DenseI64ArrayAttr:$kernel_size, DenseI64ArrayAttr:$stride,
                       DenseI64ArrayAttr:$padding, DenseI64ArrayAttr:$dilation, Real:$eps,
                       StrAttr:$accumulation);
  let results = (outs Lattice_SparseTensor:$result);
}

def GenerativeConvTranspose3dOp : Lattice_Op<"generative_conv_transpose3d"> {
  let summary = "transposed convolution that makes new rows";
  let description = [{
    Transposed with padding 0 and dilation 1; overlapping outputs are merged into one row that
    sums all its edges.

    - C2: kernel_size, stride; no padding, no dilation. C3: a conv3d weight and, if given, a bias
      weight. C4: accumulation.
    - C5: the result has the input's float type. C6: the weight's Cin is the input's channels, its
      Cout the bias's length; stride divides the input's.

    ```mlir
    %y = lattice.generative_conv_transpose3d %x, %w, %b
           {kernel_size = array<i64: 2, 2, 2>, stride = array<i64: 2, 2, 2>,
           accumulation = "canonical_f32"}
           : (!sp, !lattice.weight<conv3d, f32>, !lattice.weight<bias, f32>) -> !sp
    ```
  }];
  let arguments = (ins Lattice_SparseTensor:$input, ConvWeight:$weight,
                       Optional<BiasWeight>:$bias, DenseI64ArrayAttr:$kernel_size,
                       DenseI64ArrayAttr:$stride, StrAttr:$accumulation);
  let results = (outs Lattice_SparseTensor:$result);
}

def NormalizedGenerativeConvTranspose3dOp : Lattice_Op<"normalized_generative_conv_transpose3d"> {
  let summary = "generative transposed convolution divided by the norm of the weights it used";
  let description = [{
    As `generative_conv_transpose3d`, with num / sqrt(den + eps) + bias.

    - C2: kernel_size, stride; no padding, no dilation. C3: a conv3d weight, dense, and, if given,
      a bias weight. C4: accumulation, eps finite and > 0.
    - C5: the result has the input's float type. C6: the weight's Cin is the input's channels, its
      Cout the bias's length; stride divides the input's.

    ```mlir
    %y = lattice.normalized_generative_conv_transpose3d %x, %w, %b
           {kernel_size = array<i64: 2, 2, 2>, stride = array<i64: 2, 2, 2>,
           eps = 1.0e-6 : f32, accumulation = "canonical_f32"}
           : (!sp, !lattice.weight<conv3d, f32>, !lattice.weight<bias, f32>) -> !sp
    ```
  }];
  let arguments = (ins Lattice_SparseTensor:$input, ConvWeight:$weight,
                       Optional<BiasWeight>:$bias, DenseI64ArrayAttr:$kernel_size,
                       DenseI64ArrayAttr:$stride, Real:$eps, StrAttr:$accumulation);
  let results = (outs Lattice_SparseTensor:$result);
}
