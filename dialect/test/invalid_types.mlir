// Conventions and float types that are refused.
// RUN: %lattice-opt %s -split-input-file -verify-diagnostics

// C1: rank 3.
func.func @f(%c: tensor<?x4xi32>, %v: tensor<?x2xf32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{sparse.make: rank 2 in !lattice.sparse_tensor<rank = 2, coord = batch_x_y_z, feature = row_channel, dtype = f32>, expected 3}}
  %y = lattice.sparse.make %c, %v, %n {stride = array<i64: 1, 1, 1>, coord_order = #lattice.coord<batch_x_y_z>} : (tensor<?x4xi32>, tensor<?x2xf32>, tensor<1xi32>) -> !lattice.sparse_tensor<rank = 2, coord = batch_x_y_z, feature = row_channel, dtype = f32>
  return
}

// -----

// C1: the coordinate convention of the type, and of coord_order beside it.
func.func @f(%c: tensor<?x4xi32>, %v: tensor<?x2xf32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{sparse.make: coord is "x_y_z_batch", expected batch_x_y_z}}
  %y = lattice.sparse.make %c, %v, %n {stride = array<i64: 1, 1, 1>, coord_order = #lattice.coord<x_y_z_batch>} : (tensor<?x4xi32>, tensor<?x2xf32>, tensor<1xi32>) -> !lattice.sparse_tensor<rank = 3, coord = x_y_z_batch, feature = row_channel, dtype = f32>
  return
}

// -----

// C1: the feature convention.
func.func @f(%c: tensor<?x4xi32>, %v: tensor<?x2xf32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{sparse.make: feature is "channel_row", expected row_channel}}
  %y = lattice.sparse.make %c, %v, %n {stride = array<i64: 1, 1, 1>, coord_order = #lattice.coord<batch_x_y_z>} : (tensor<?x4xi32>, tensor<?x2xf32>, tensor<1xi32>) -> !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = channel_row, dtype = f32>
  return
}

// -----

// C1: f32 or f16.
func.func @f(%c: tensor<?x4xi32>, %v: tensor<?x2xf32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{sparse.make: dtype is "bf16", expected one of f32, f16}}
  %y = lattice.sparse.make %c, %v, %n {stride = array<i64: 1, 1, 1>, coord_order = #lattice.coord<batch_x_y_z>} : (tensor<?x4xi32>, tensor<?x2xf32>, tensor<1xi32>) -> !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = bf16>
  return
}

// -----

// C1: a coord_order that is none of the format.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%c: tensor<?x4xi32>, %v: tensor<?x2xf32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{sparse.make: coord_order is "x_y_z_batch", expected batch_x_y_z}}
  %y = lattice.sparse.make %c, %v, %n {stride = array<i64: 1, 1, 1>, coord_order = #lattice.coord<x_y_z_batch>} : (tensor<?x4xi32>, tensor<?x2xf32>, tensor<1xi32>) -> !sp
  return
}

// -----

// C1: types of arguments are checked where they are used.
func.func @f(%x: !lattice.sparse_tensor<rank = 4, coord = batch_x_y_z, feature = row_channel, dtype = f32>) {
  // expected-error @+1 {{sparse.decompose: rank 4 in}}
  %c, %v, %n = lattice.sparse.decompose %x : !lattice.sparse_tensor<rank = 4, coord = batch_x_y_z, feature = row_channel, dtype = f32> -> (tensor<?x4xi32>, tensor<?x2xf32>, tensor<1xi32>)
  return
}

// -----

// C1: a weight is f32 or f16.
func.func @f() {
  // expected-error @+1 {{weight: dtype is "f64", expected one of f32, f16}}
  %w = lattice.weight @w {storage_key = "k", layout = #lattice.weight_layout<conv3d_o_xyz_i>, packing = #lattice.packing<dense>} : !lattice.weight<conv3d, f64>
  return
}

// -----

// C5: the features of sparse.make.
!sph = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f16>
func.func @f(%c: tensor<?x4xi32>, %v: tensor<?x2xf32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{sparse.make: result is f16, expected f32, the type of the features}}
  %y = lattice.sparse.make %c, %v, %n {stride = array<i64: 1, 1, 1>, coord_order = #lattice.coord<batch_x_y_z>} : (tensor<?x4xi32>, tensor<?x2xf32>, tensor<1xi32>) -> !sph
  return
}

// -----

// C5: the features of sparse.decompose.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%x: !sp) {
  // expected-error @+1 {{sparse.decompose: features is f16, expected f32, the type of the input}}
  %c, %v, %n = lattice.sparse.decompose %x : !sp -> (tensor<?x4xi32>, tensor<?x2xf16>, tensor<1xi32>)
  return
}

// -----

// C5: the features of sparse.with_features.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%x: !sp, %v: tensor<?x2xf16>) {
  // expected-error @+1 {{sparse.with_features: features is f16, expected f32, the type of the input}}
  %y = lattice.sparse.with_features %x, %v : (!sp, tensor<?x2xf16>) -> !sp
  return
}

// -----

// C5: the result of sparse.with_features.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!sph = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f16>
func.func @f(%x: !sp, %v: tensor<?x2xf32>) {
  // expected-error @+1 {{sparse.with_features: result is f16, expected f32, the type of the input}}
  %y = lattice.sparse.with_features %x, %v : (!sp, tensor<?x2xf32>) -> !sph
  return
}

// -----

// C5: the result of sparse.reindex.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!sph = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f16>
func.func @f(%x: !sp, %t: !sp) {
  // expected-error @+1 {{sparse.reindex: result is f16, expected f32, the type of the input}}
  %y = lattice.sparse.reindex %x, %t {fill = 0.0 : f32} : (!sp, !sp) -> !sph
  return
}

// -----

// C5: both sides of sparse.binary.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!sph = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f16>
func.func @f(%x: !sp, %t: !sph) {
  // expected-error @+1 {{sparse.binary: rhs is f16, expected f32, the type of the lhs}}
  %y = lattice.sparse.binary %x, %t {op = #lattice.binary_op<add>, join = #lattice.join<outer>, lhs_fill = 0.0 : f32, rhs_fill = 0.0 : f32} : (!sp, !sph) -> !sp
  return
}

// -----

// C5: the result of sparse.binary.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!sph = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f16>
func.func @f(%x: !sp, %t: !sp) {
  // expected-error @+1 {{sparse.binary: result is f16, expected f32, the type of the lhs}}
  %y = lattice.sparse.binary %x, %t {op = #lattice.binary_op<add>, join = #lattice.join<outer>, lhs_fill = 0.0 : f32, rhs_fill = 0.0 : f32} : (!sp, !sp) -> !sph
  return
}

// -----

// C5: both sides of sparse.cat.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!sph = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f16>
func.func @f(%x: !sp, %t: !sph) {
  // expected-error @+1 {{sparse.cat: rhs is f16, expected f32, the type of the lhs}}
  %y = lattice.sparse.cat %x, %t {join = #lattice.join<left>} : (!sp, !sph) -> !sp
  return
}

// -----

// C5: the result of sparse.cat.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!sph = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f16>
func.func @f(%x: !sp, %t: !sp) {
  // expected-error @+1 {{sparse.cat: result is f16, expected f32, the type of the lhs}}
  %y = lattice.sparse.cat %x, %t {join = #lattice.join<left>} : (!sp, !sp) -> !sph
  return
}

// -----

// C5: the result of conv3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!sph = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f16>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{conv3d: result is f16, expected f32, the type of the input}}
  %y = lattice.conv3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !cw) -> !sph
  return
}

// -----

// C5: the result of subm_conv3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!sph = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f16>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{subm_conv3d: result is f16, expected f32, the type of the input}}
  %y = lattice.subm_conv3d %x, %w {kernel_size = array<i64: 3, 3, 3>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !cw) -> !sph
  return
}

// -----

// C5: the result of normalized_subm_conv3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!sph = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f16>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{normalized_subm_conv3d: result is f16, expected f32, the type of the input}}
  %y = lattice.normalized_subm_conv3d %x, %w {kernel_size = array<i64: 3, 3, 3>, dilation = array<i64: 1, 1, 1>, eps = 1.0e-6 : f32, accumulation = "canonical_f32"} : (!sp, !cw) -> !sph
  return
}

// -----

// C5: the result of target_conv3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!sph = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f16>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %t: !sp, %w: !cw) {
  // expected-error @+1 {{target_conv3d: result is f16, expected f32, the type of the input}}
  %y = lattice.target_conv3d %x, %t, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !sp, !cw) -> !sph
  return
}

// -----

// C5: the result of conv_transpose3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!sph = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f16>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{conv_transpose3d: result is f16, expected f32, the type of the input}}
  %y = lattice.conv_transpose3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !cw) -> !sph
  return
}

// -----

// C5: the result of target_conv_transpose3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!sph = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f16>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %t: !sp, %w: !cw) {
  // expected-error @+1 {{target_conv_transpose3d: result is f16, expected f32, the type of the input}}
  %y = lattice.target_conv_transpose3d %x, %t, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !sp, !cw) -> !sph
  return
}

// -----

// C5: the result of normalized_conv_transpose3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!sph = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f16>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{normalized_conv_transpose3d: result is f16, expected f32, the type of the input}}
  %y = lattice.normalized_conv_transpose3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, eps = 1.0e-6 : f32, accumulation = "canonical_f32"} : (!sp, !cw) -> !sph
  return
}

// -----

// C5: the result of target_normalized_conv_transpose3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!sph = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f16>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %t: !sp, %w: !cw) {
  // expected-error @+1 {{target_normalized_conv_transpose3d: result is f16, expected f32, the type of the input}}
  %y = lattice.target_normalized_conv_transpose3d %x, %t, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, eps = 1.0e-6 : f32, accumulation = "canonical_f32"} : (!sp, !sp, !cw) -> !sph
  return
}

// -----

// C5: the result of generative_conv_transpose3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!sph = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f16>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{generative_conv_transpose3d: result is f16, expected f32, the type of the input}}
  %y = lattice.generative_conv_transpose3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, accumulation = "canonical_f32"} : (!sp, !cw) -> !sph
  return
}

// -----

// C5: the result of normalized_generative_conv_transpose3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!sph = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f16>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{normalized_generative_conv_transpose3d: result is f16, expected f32, the type of the input}}
  %y = lattice.normalized_generative_conv_transpose3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, eps = 1.0e-6 : f32, accumulation = "canonical_f32"} : (!sp, !cw) -> !sph
  return
}

// -----

// C5: the result of pool3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!sph = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f16>
func.func @f(%x: !sp) {
  // expected-error @+1 {{pool3d: result is f16, expected f32, the type of the input}}
  %y = lattice.pool3d %x {mode = #lattice.pool_mode<sum>, kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>} : (!sp) -> !sph
  return
}

// -----

// C5: the result of pool_transpose3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!sph = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f16>
func.func @f(%x: !sp) {
  // expected-error @+1 {{pool_transpose3d: result is f16, expected f32, the type of the input}}
  %y = lattice.pool_transpose3d %x {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>} : (!sp) -> !sph
  return
}

// -----

// C5: the result of trilinear_upsample3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!sph = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f16>
func.func @f(%x: !sp) {
  // expected-error @+1 {{trilinear_upsample3d: result is f16, expected f32, the type of the input}}
  %y = lattice.trilinear_upsample3d %x {stride = array<i64: 2, 2, 2>} : (!sp) -> !sph
  return
}

// -----

// C5: the result of global_pool.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%x: !sp) {
  // expected-error @+1 {{global_pool: result is f16, expected f32, the type of the input}}
  %y = lattice.global_pool %x {mode = #lattice.pool_mode<sum>, batch_size = 2} : (!sp) -> tensor<?x3xf16>
  return
}

// -----

// C5: the result of linear.
!lw = !lattice.weight<linear, f32>
func.func @f(%x: tensor<?x2xf32>, %w: !lw) {
  // expected-error @+1 {{linear: result is f16, expected f32, the type of the input}}
  %y = lattice.linear %x, %w : (tensor<?x2xf32>, !lw) -> tensor<?x3xf16>
  return
}

// -----

// C5: the result of elementwise.
func.func @f(%x: tensor<?x2xf32>) {
  // expected-error @+1 {{elementwise: result is f16, expected f32, the type of the input}}
  %y = lattice.elementwise %x {kind = "exp"} : (tensor<?x2xf32>) -> tensor<?x2xf16>
  return
}

// -----

// C5: the result of softmax.
func.func @f(%x: tensor<?x2xf32>) {
  // expected-error @+1 {{softmax: result is f16, expected f32, the type of the input}}
  %y = lattice.softmax %x {axis = -1} : (tensor<?x2xf32>) -> tensor<?x2xf16>
  return
}

// -----

// C5: the result of activation.
func.func @f(%x: tensor<?x2xf32>) {
  // expected-error @+1 {{activation: result is f16, expected f32, the type of the input}}
  %y = lattice.activation %x {kind = #lattice.activation<relu>, approximate = #lattice.gelu_approx<none>, alpha = 0.01 : f32, beta = 1.0 : f32, threshold = 20.0 : f32} : (tensor<?x2xf32>) -> tensor<?x2xf16>
  return
}

// -----

// C5: the result of batch_norm.
!ch = !lattice.weight<channel, f32>
!b = !lattice.weight<bias, f32>
func.func @f(%x: tensor<?x2xf32>, %s: !ch, %b: !b) {
  // expected-error @+1 {{batch_norm: result is f16, expected f32, the type of the input}}
  %y = lattice.batch_norm %x, %s, %b, %s, %s {eps = 1.0e-5 : f32} : (tensor<?x2xf32>, !ch, !b, !ch, !ch) -> tensor<?x2xf16>
  return
}

// -----

// C5: the result of layer_norm.
!ch = !lattice.weight<channel, f32>
!b = !lattice.weight<bias, f32>
func.func @f(%x: tensor<?x2xf32>, %s: !ch, %b: !b) {
  // expected-error @+1 {{layer_norm: result is f16, expected f32, the type of the input}}
  %y = lattice.layer_norm %x, %s, %b {eps = 1.0e-5 : f32} : (tensor<?x2xf32>, !ch, !b) -> tensor<?x2xf16>
  return
}

// -----

// C5: the result of rms_norm.
!ch = !lattice.weight<channel, f32>
func.func @f(%x: tensor<?x2xf32>, %s: !ch) {
  // expected-error @+1 {{rms_norm: result is f16, expected f32, the type of the input}}
  %y = lattice.rms_norm %x, %s {eps = 1.0e-5 : f32} : (tensor<?x2xf32>, !ch) -> tensor<?x2xf16>
  return
}
