// Words and choices that are refused.
// RUN: %lattice-opt %s -split-input-file -verify-diagnostics

// C4: reduction.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%p: tensor<?x3xf32>, %v: tensor<?x2xf32>, %i: tensor<?xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{voxelize: reduction is "max", expected one of sum, mean}}
  %y = lattice.voxelize %p, %v, %i, %n {voxel_size = array<f64: 0.5, 0.5, 0.5>, origin = array<f64: 0.0, 0.0, 0.0>, reduction = #lattice.voxel_reduction<max>, stride = array<i64: 1, 1, 1>} : (tensor<?x3xf32>, tensor<?x2xf32>, tensor<?xi32>, tensor<1xi32>) -> !sp
  return
}

// -----

// C4: interpolation.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%p: tensor<?x3xf32>, %x: !sp, %i: tensor<?xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{devoxelize: interpolation is "cubic", expected one of nearest, linear}}
  %y = lattice.devoxelize %p, %x, %i, %n {voxel_size = array<f64: 0.5, 0.5, 0.5>, origin = array<f64: 0.0, 0.0, 0.0>, interpolation = #lattice.point_interpolation<cubic>} : (tensor<?x3xf32>, !sp, tensor<?xi32>, tensor<1xi32>) -> tensor<?x2xf32>
  return
}

// -----

// C4: kind of activation.
func.func @f(%x: tensor<?x2xf32>) {
  // expected-error @+1 {{activation: kind is "elu", expected one of relu, sigmoid, gelu, silu, leaky_relu, tanh, softplus}}
  %y = lattice.activation %x {kind = #lattice.activation<elu>, approximate = #lattice.gelu_approx<none>, alpha = 0.01 : f32, beta = 1.0 : f32, threshold = 20.0 : f32} : (tensor<?x2xf32>) -> tensor<?x2xf32>
  return
}

// -----

// C4: approximate.
func.func @f(%x: tensor<?x2xf32>) {
  // expected-error @+1 {{activation: approximate is "erf", expected one of none, precise, tanh, fast}}
  %y = lattice.activation %x {kind = #lattice.activation<relu>, approximate = #lattice.gelu_approx<erf>, alpha = 0.01 : f32, beta = 1.0 : f32, threshold = 20.0 : f32} : (tensor<?x2xf32>) -> tensor<?x2xf32>
  return
}

// -----

// C4: kind of elementwise.
func.func @f(%x: tensor<?x2xf32>) {
  // expected-error @+1 {{elementwise: kind is "log", expected one of exp, round}}
  %y = lattice.elementwise %x {kind = "log"} : (tensor<?x2xf32>) -> tensor<?x2xf32>
  return
}

// -----

// C4: axis of softmax.
func.func @f(%x: tensor<?x2xf32>) {
  // expected-error @+1 {{softmax: axis is 0, expected one of -1, 1}}
  %y = lattice.softmax %x {axis = 0} : (tensor<?x2xf32>) -> tensor<?x2xf32>
  return
}

// -----

// C4: axis of softmax.
func.func @f(%x: tensor<?x2xf32>) {
  // expected-error @+1 {{softmax: axis is 2, expected one of -1, 1}}
  %y = lattice.softmax %x {axis = 2} : (tensor<?x2xf32>) -> tensor<?x2xf32>
  return
}

// -----

// C4: axis of softmax.
func.func @f(%x: tensor<?x2xf32>) {
  // expected-error @+1 {{softmax: axis is -2, expected one of -1, 1}}
  %y = lattice.softmax %x {axis = -2} : (tensor<?x2xf32>) -> tensor<?x2xf32>
  return
}

// -----

// C4: mode of global_pool.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%x: !sp) {
  // expected-error @+1 {{global_pool: mode is "median", expected one of sum, max, avg}}
  %y = lattice.global_pool %x {mode = #lattice.pool_mode<median>, batch_size = 2} : (!sp) -> tensor<?x3xf32>
  return
}

// -----

// C4: mode of pool3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%x: !sp) {
  // expected-error @+1 {{pool3d: mode is "mean", expected one of sum, max, avg}}
  %y = lattice.pool3d %x {mode = #lattice.pool_mode<mean>, kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>} : (!sp) -> !sp
  return
}

// -----

// C4: op of sparse.binary.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%x: !sp, %t: !sp) {
  // expected-error @+1 {{sparse.binary: op is "div", expected one of add, sub, mul, maximum, minimum}}
  %y = lattice.sparse.binary %x, %t {op = #lattice.binary_op<div>, join = #lattice.join<outer>, lhs_fill = 0.0 : f32, rhs_fill = 0.0 : f32} : (!sp, !sp) -> !sp
  return
}

// -----

// C4: join of sparse.binary.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%x: !sp, %t: !sp) {
  // expected-error @+1 {{sparse.binary: join is "full", expected one of inner, left, right, outer}}
  %y = lattice.sparse.binary %x, %t {op = #lattice.binary_op<add>, join = #lattice.join<full>, lhs_fill = 0.0 : f32, rhs_fill = 0.0 : f32} : (!sp, !sp) -> !sp
  return
}

// -----

// C4: join of sparse.cat.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%x: !sp, %t: !sp) {
  // expected-error @+1 {{sparse.cat: join is "full", expected one of inner, left, right, outer}}
  %y = lattice.sparse.cat %x, %t {join = #lattice.join<full>} : (!sp, !sp) -> !sp
  return
}

// -----

// C4: accumulation of conv3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{conv3d: accumulation is "f16", expected canonical_f32}}
  %y = lattice.conv3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "f16"} : (!sp, !cw) -> !sp
  return
}

// -----

// C4: accumulation of subm_conv3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{subm_conv3d: accumulation is "f16", expected canonical_f32}}
  %y = lattice.subm_conv3d %x, %w {kernel_size = array<i64: 3, 3, 3>, dilation = array<i64: 1, 1, 1>, accumulation = "f16"} : (!sp, !cw) -> !sp
  return
}

// -----

// C4: accumulation of normalized_subm_conv3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{normalized_subm_conv3d: accumulation is "f16", expected canonical_f32}}
  %y = lattice.normalized_subm_conv3d %x, %w {kernel_size = array<i64: 3, 3, 3>, dilation = array<i64: 1, 1, 1>, eps = 1.0e-6 : f32, accumulation = "f16"} : (!sp, !cw) -> !sp
  return
}

// -----

// C4: accumulation of target_conv3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %t: !sp, %w: !cw) {
  // expected-error @+1 {{target_conv3d: accumulation is "f16", expected canonical_f32}}
  %y = lattice.target_conv3d %x, %t, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "f16"} : (!sp, !sp, !cw) -> !sp
  return
}

// -----

// C4: accumulation of conv_transpose3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{conv_transpose3d: accumulation is "f16", expected canonical_f32}}
  %y = lattice.conv_transpose3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "f16"} : (!sp, !cw) -> !sp
  return
}

// -----

// C4: accumulation of target_conv_transpose3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %t: !sp, %w: !cw) {
  // expected-error @+1 {{target_conv_transpose3d: accumulation is "f16", expected canonical_f32}}
  %y = lattice.target_conv_transpose3d %x, %t, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "f16"} : (!sp, !sp, !cw) -> !sp
  return
}

// -----

// C4: accumulation of normalized_conv_transpose3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{normalized_conv_transpose3d: accumulation is "f16", expected canonical_f32}}
  %y = lattice.normalized_conv_transpose3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, eps = 1.0e-6 : f32, accumulation = "f16"} : (!sp, !cw) -> !sp
  return
}

// -----

// C4: accumulation of target_normalized_conv_transpose3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %t: !sp, %w: !cw) {
  // expected-error @+1 {{target_normalized_conv_transpose3d: accumulation is "f16", expected canonical_f32}}
  %y = lattice.target_normalized_conv_transpose3d %x, %t, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, eps = 1.0e-6 : f32, accumulation = "f16"} : (!sp, !sp, !cw) -> !sp
  return
}

// -----

// C4: accumulation of generative_conv_transpose3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{generative_conv_transpose3d: accumulation is "f16", expected canonical_f32}}
  %y = lattice.generative_conv_transpose3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, accumulation = "f16"} : (!sp, !cw) -> !sp
  return
}

// -----

// C4: accumulation of normalized_generative_conv_transpose3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{normalized_generative_conv_transpose3d: accumulation is "f16", expected canonical_f32}}
  %y = lattice.normalized_generative_conv_transpose3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, eps = 1.0e-6 : f32, accumulation = "f16"} : (!sp, !cw) -> !sp
  return
}
