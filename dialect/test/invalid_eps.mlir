// Values of eps that are refused.
// RUN: %lattice-opt %s -split-input-file -verify-diagnostics

// C4: eps of normalized_subm_conv3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{normalized_subm_conv3d: eps is 0, expected a finite number above 0}}
  %y = lattice.normalized_subm_conv3d %x, %w {kernel_size = array<i64: 3, 3, 3>, dilation = array<i64: 1, 1, 1>, eps = 0.0 : f32, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C4: eps of normalized_subm_conv3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{normalized_subm_conv3d: eps is -1e-05, expected a finite number above 0}}
  %y = lattice.normalized_subm_conv3d %x, %w {kernel_size = array<i64: 3, 3, 3>, dilation = array<i64: 1, 1, 1>, eps = -1.0e-5 : f32, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C4: eps of normalized_subm_conv3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{normalized_subm_conv3d: eps is nan, expected a finite number above 0}}
  %y = lattice.normalized_subm_conv3d %x, %w {kernel_size = array<i64: 3, 3, 3>, dilation = array<i64: 1, 1, 1>, eps = 0x7FC00000 : f32, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C4: eps of normalized_subm_conv3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{normalized_subm_conv3d: eps is inf, expected a finite number above 0}}
  %y = lattice.normalized_subm_conv3d %x, %w {kernel_size = array<i64: 3, 3, 3>, dilation = array<i64: 1, 1, 1>, eps = 0x7F800000 : f32, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C4: eps of normalized_conv_transpose3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{normalized_conv_transpose3d: eps is 0, expected a finite number above 0}}
  %y = lattice.normalized_conv_transpose3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, eps = 0.0 : f32, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C4: eps of normalized_conv_transpose3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{normalized_conv_transpose3d: eps is -1e-05, expected a finite number above 0}}
  %y = lattice.normalized_conv_transpose3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, eps = -1.0e-5 : f32, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C4: eps of normalized_conv_transpose3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{normalized_conv_transpose3d: eps is nan, expected a finite number above 0}}
  %y = lattice.normalized_conv_transpose3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, eps = 0x7FC00000 : f32, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C4: eps of normalized_conv_transpose3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{normalized_conv_transpose3d: eps is inf, expected a finite number above 0}}
  %y = lattice.normalized_conv_transpose3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, eps = 0x7F800000 : f32, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C4: eps of target_normalized_conv_transpose3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %t: !sp, %w: !cw) {
  // expected-error @+1 {{target_normalized_conv_transpose3d: eps is 0, expected a finite number above 0}}
  %y = lattice.target_normalized_conv_transpose3d %x, %t, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, eps = 0.0 : f32, accumulation = "canonical_f32"} : (!sp, !sp, !cw) -> !sp
  return
}

// -----

// C4: eps of target_normalized_conv_transpose3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %t: !sp, %w: !cw) {
  // expected-error @+1 {{target_normalized_conv_transpose3d: eps is -1e-05, expected a finite number above 0}}
  %y = lattice.target_normalized_conv_transpose3d %x, %t, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, eps = -1.0e-5 : f32, accumulation = "canonical_f32"} : (!sp, !sp, !cw) -> !sp
  return
}

// -----

// C4: eps of target_normalized_conv_transpose3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %t: !sp, %w: !cw) {
  // expected-error @+1 {{target_normalized_conv_transpose3d: eps is nan, expected a finite number above 0}}
  %y = lattice.target_normalized_conv_transpose3d %x, %t, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, eps = 0x7FC00000 : f32, accumulation = "canonical_f32"} : (!sp, !sp, !cw) -> !sp
  return
}

// -----

// C4: eps of target_normalized_conv_transpose3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %t: !sp, %w: !cw) {
  // expected-error @+1 {{target_normalized_conv_transpose3d: eps is inf, expected a finite number above 0}}
  %y = lattice.target_normalized_conv_transpose3d %x, %t, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, eps = 0x7F800000 : f32, accumulation = "canonical_f32"} : (!sp, !sp, !cw) -> !sp
  return
}

// -----

// C4: eps of normalized_generative_conv_transpose3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{normalized_generative_conv_transpose3d: eps is 0, expected a finite number above 0}}
  %y = lattice.normalized_generative_conv_transpose3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, eps = 0.0 : f32, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C4: eps of normalized_generative_conv_transpose3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{normalized_generative_conv_transpose3d: eps is -1e-05, expected a finite number above 0}}
  %y = lattice.normalized_generative_conv_transpose3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, eps = -1.0e-5 : f32, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C4: eps of normalized_generative_conv_transpose3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{normalized_generative_conv_transpose3d: eps is nan, expected a finite number above 0}}
  %y = lattice.normalized_generative_conv_transpose3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, eps = 0x7FC00000 : f32, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C4: eps of normalized_generative_conv_transpose3d.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{normalized_generative_conv_transpose3d: eps is inf, expected a finite number above 0}}
  %y = lattice.normalized_generative_conv_transpose3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, eps = 0x7F800000 : f32, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C4: eps of batch_norm.
!ch = !lattice.weight<channel, f32>
!b = !lattice.weight<bias, f32>
func.func @f(%x: tensor<?x2xf32>, %s: !ch, %b: !b) {
  // expected-error @+1 {{batch_norm: eps is 0, expected a finite number above 0}}
  %y = lattice.batch_norm %x, %s, %b, %s, %s {eps = 0.0 : f32} : (tensor<?x2xf32>, !ch, !b, !ch, !ch) -> tensor<?x2xf32>
  return
}

// -----

// C4: eps of batch_norm.
!ch = !lattice.weight<channel, f32>
!b = !lattice.weight<bias, f32>
func.func @f(%x: tensor<?x2xf32>, %s: !ch, %b: !b) {
  // expected-error @+1 {{batch_norm: eps is -0.5, expected a finite number above 0}}
  %y = lattice.batch_norm %x, %s, %b, %s, %s {eps = -0.5 : f32} : (tensor<?x2xf32>, !ch, !b, !ch, !ch) -> tensor<?x2xf32>
  return
}

// -----

// C4: eps of batch_norm.
!ch = !lattice.weight<channel, f32>
!b = !lattice.weight<bias, f32>
func.func @f(%x: tensor<?x2xf32>, %s: !ch, %b: !b) {
  // expected-error @+1 {{batch_norm: eps is nan, expected a finite number above 0}}
  %y = lattice.batch_norm %x, %s, %b, %s, %s {eps = 0x7FC00000 : f32} : (tensor<?x2xf32>, !ch, !b, !ch, !ch) -> tensor<?x2xf32>
  return
}

// -----

// C4: eps of batch_norm.
!ch = !lattice.weight<channel, f32>
!b = !lattice.weight<bias, f32>
func.func @f(%x: tensor<?x2xf32>, %s: !ch, %b: !b) {
  // expected-error @+1 {{batch_norm: eps is inf, expected a finite number above 0}}
  %y = lattice.batch_norm %x, %s, %b, %s, %s {eps = 0x7F800000 : f32} : (tensor<?x2xf32>, !ch, !b, !ch, !ch) -> tensor<?x2xf32>
  return
}

// -----

// C4: eps of layer_norm.
!ch = !lattice.weight<channel, f32>
!b = !lattice.weight<bias, f32>
func.func @f(%x: tensor<?x2xf32>, %s: !ch, %b: !b) {
  // expected-error @+1 {{layer_norm: eps is 0, expected a finite number above 0}}
  %y = lattice.layer_norm %x, %s, %b {eps = 0.0 : f32} : (tensor<?x2xf32>, !ch, !b) -> tensor<?x2xf32>
  return
}

// -----

// C4: eps of layer_norm.
!ch = !lattice.weight<channel, f32>
!b = !lattice.weight<bias, f32>
func.func @f(%x: tensor<?x2xf32>, %s: !ch, %b: !b) {
  // expected-error @+1 {{layer_norm: eps is -0.5, expected a finite number above 0}}
  %y = lattice.layer_norm %x, %s, %b {eps = -0.5 : f32} : (tensor<?x2xf32>, !ch, !b) -> tensor<?x2xf32>
  return
}

// -----

// C4: eps of layer_norm.
!ch = !lattice.weight<channel, f32>
!b = !lattice.weight<bias, f32>
func.func @f(%x: tensor<?x2xf32>, %s: !ch, %b: !b) {
  // expected-error @+1 {{layer_norm: eps is nan, expected a finite number above 0}}
  %y = lattice.layer_norm %x, %s, %b {eps = 0x7FC00000 : f32} : (tensor<?x2xf32>, !ch, !b) -> tensor<?x2xf32>
  return
}

// -----

// C4: eps of layer_norm.
!ch = !lattice.weight<channel, f32>
!b = !lattice.weight<bias, f32>
func.func @f(%x: tensor<?x2xf32>, %s: !ch, %b: !b) {
  // expected-error @+1 {{layer_norm: eps is inf, expected a finite number above 0}}
  %y = lattice.layer_norm %x, %s, %b {eps = 0x7F800000 : f32} : (tensor<?x2xf32>, !ch, !b) -> tensor<?x2xf32>
  return
}

// -----

// C4: eps of rms_norm.
!ch = !lattice.weight<channel, f32>
func.func @f(%x: tensor<?x2xf32>, %s: !ch) {
  // expected-error @+1 {{rms_norm: eps is 0, expected a finite number above 0}}
  %y = lattice.rms_norm %x, %s {eps = 0.0 : f32} : (tensor<?x2xf32>, !ch) -> tensor<?x2xf32>
  return
}

// -----

// C4: eps of rms_norm.
!ch = !lattice.weight<channel, f32>
func.func @f(%x: tensor<?x2xf32>, %s: !ch) {
  // expected-error @+1 {{rms_norm: eps is -0.5, expected a finite number above 0}}
  %y = lattice.rms_norm %x, %s {eps = -0.5 : f32} : (tensor<?x2xf32>, !ch) -> tensor<?x2xf32>
  return
}

// -----

// C4: eps of rms_norm.
!ch = !lattice.weight<channel, f32>
func.func @f(%x: tensor<?x2xf32>, %s: !ch) {
  // expected-error @+1 {{rms_norm: eps is nan, expected a finite number above 0}}
  %y = lattice.rms_norm %x, %s {eps = 0x7FC00000 : f32} : (tensor<?x2xf32>, !ch) -> tensor<?x2xf32>
  return
}

// -----

// C4: eps of rms_norm.
!ch = !lattice.weight<channel, f32>
func.func @f(%x: tensor<?x2xf32>, %s: !ch) {
  // expected-error @+1 {{rms_norm: eps is inf, expected a finite number above 0}}
  %y = lattice.rms_norm %x, %s {eps = 0x7F800000 : f32} : (tensor<?x2xf32>, !ch) -> tensor<?x2xf32>
  return
}
