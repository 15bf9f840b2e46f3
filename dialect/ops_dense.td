// Operations on feature matrices, row by row.
// Included by LatticeOps.td only.

def LinearOp : Lattice_Op<"linear"> {
  let summary = "x times the transposed weight, plus bias";
  let description = [{
    - C3: a linear weight (O, I), dense or packed, and, if given, a bias weight (O).
    - C5: the result has the input's float type. C6: equally many rows; the weight's I is the
      input's channels, its O the result's.

    ```mlir
    %y = lattice.linear %x, %w, %b
           : (tensor<?x64xf32>, !lattice.weight<linear, f32>, !lattice.weight<bias,
           f32>) -> tensor<?x20xf32>
    ```
  }];
  let arguments = (ins Features:$input, LinearWeight:$weight, Optional<BiasWeight>:$bias);
  let results = (outs Features:$result);
}

def EmbeddingLookupOp : Lattice_Op<"embedding_lookup"> {
  let summary = "rows of a table";
  let description = [{
    An index out of range is an error when the graph runs. The result's float type is the declared
    one.

    - C3: an embedding weight (N, C). C6: one result row per index; the result's channels are the
      weight's.

    ```mlir
    %y = lattice.embedding_lookup %i, %w
           : (tensor<?xi32>, !lattice.weight<embedding, f16>) -> tensor<?x8xf16>
    ```
  }];
  let arguments = (ins Indices:$indices, EmbeddingWeight:$weight);
  let results = (outs Features:$result);
}

def ElementwiseOp : Lattice_Op<"elementwise"> {
  let summary = "exp, or round half to even, of every element";
  let description = [{
    - C4: kind is "exp" or "round". C5, C6: the result has the input's type.

    ```mlir
    %y = lattice.elementwise %x {kind = "exp"} : (tensor<?x3xf32>) -> tensor<?x3xf32>
    ```
  }];
  let arguments = (ins FloatTensor:$input, StrAttr:$kind);
  let results = (outs FloatTensor:$result);
}

def SoftmaxOp : Lattice_Op<"softmax"> {
  let summary = "exp(x - max) / sum over the channels";
  let description = [{
    - C4: axis is -1 or 1. C5, C6: the result has the input's type.

    ```mlir
    %y = lattice.softmax %x {axis = -1} : (tensor<?x20xf32>) -> tensor<?x20xf32>
    ```
  }];
  let arguments = (ins Features:$input, I64Attr:$axis);
  let results = (outs Features:$result);
}

def ActivationOp : Lattice_Op<"activation"> {
  let summary = "an activation function of every element";
  let description = [{
    alpha is the slope of leaky_relu; beta and threshold belong to softplus; approximate matters
    to gelu alone. All are always written.

    - C4: kind, approximate; alpha finite and >= 0, beta finite and > 0, threshold finite.
    - C5, C6: the result has the input's type.

    ```mlir
    %y = lattice.activation %x {kind = #lattice.activation<relu>,
           approximate = #lattice.gelu_approx<none>,
           alpha = 0.01 : f32, beta = 1.0 : f32, threshold = 20.0 : f32}
           : (tensor<?x16xf32>) -> tensor<?x16xf32>
    ```
  }];
  let arguments = (ins Features:$input, Lattice_ActivationKind:$kind,
                       Lattice_GeluApprox:$approximate, Real:$alpha, Real:$beta, Real:$threshold);
  let results = (outs Features:$result);
}

def BatchNormOp : Lattice_Op<"batch_norm"> {
  let summary = "normalization by stored statistics";
  let description = [{
    s = scale / sqrt(var + eps), t = fma(-mean, s, bias), y = fma(x, s, t).

    - C3: scale, mean and var are channel weights, bias is a bias weight; all of the input's
      channels.
    - C4: eps finite and > 0. C5, C6: the result has the input's type.

    ```mlir
    %y = lattice.batch_norm %x, %scale, %bias, %mean, %var {eps = 1.0e-5 : f32}
           : (tensor<?x16xf32>, !lattice.weight<channel, f32>, !lattice.weight<bias, f32>,
              !lattice.weight<channel, f32>, !lattice.weight<channel, f32>) -> tensor<?x16xf32>
    ```
  }];
  let arguments = (ins Features:$input, ChannelWeight:$scale, BiasWeight:$bias,
                       ChannelWeight:$mean, ChannelWeight:$var, Real:$eps);
  let results = (outs Features:$result);
}

def LayerNormOp : Lattice_Op<"layer_norm"> {
  let summary = "normalization of each row by its mean and population variance";
  let description = [{
    (x - mean) / sqrt(var + eps) * scale + bias.

    - C3: scale is a channel weight, bias a bias weight; both of the input's channels.
    - C4: eps finite and > 0. C5, C6: the result has the input's type.

    ```mlir
    %y = lattice.layer_norm %x, %scale, %bias {eps = 1.0e-5 : f32}
           : (tensor<?x16xf32>, !lattice.weight<channel, f32>, !lattice.weight<bias,
           f32>) -> tensor<?x16xf32>
    ```
  }];
  let arguments = (ins Features:$input, ChannelWeight:$scale, BiasWeight:$bias, Real:$eps);
  let results = (outs Features:$result);
}

def RmsNormOp : Lattice_Op<"rms_norm"> {
  let summary = "normalization of each row by its root mean square";
  let description = [{
    x / sqrt(mean(x * x) + eps) * scale.

    - C3: scale is a channel weight of the input's channels. C4: eps finite and > 0.
    - C5, C6: the result has the input's type.

    ```mlir
    %y = lattice.rms_norm %x, %scale {eps = 1.0e-5 : f32}
           : (tensor<?x16xf32>, !lattice.weight<channel, f32>) -> tensor<?x16xf32>
    ```
  }];
  let arguments = (ins Features:$input, ChannelWeight:$scale, Real:$eps);
  let results = (outs Features:$result);
}
