// Weights that are refused.
// RUN: %lattice-opt %s -split-input-file -verify-diagnostics

// C3: an empty storage_key.
func.func @f() {
  // expected-error @+1 {{weight: storage_key is empty}}
  %w = lattice.weight @w {storage_key = "", layout = #lattice.weight_layout<conv3d_o_xyz_i>, packing = #lattice.packing<dense>} : !lattice.weight<conv3d, f32>
  return
}

// -----

// C3: the layout of a conv3d weight.
func.func @f() {
  // expected-error @+1 {{weight: layout is bias_c, expected conv3d_o_xyz_i for a conv3d weight}}
  %w = lattice.weight @w {storage_key = "k", layout = #lattice.weight_layout<bias_c>, packing = #lattice.packing<dense>} : !lattice.weight<conv3d, f32>
  return
}

// -----

// C3: the layout of a linear weight.
func.func @f() {
  // expected-error @+1 {{weight: layout is bias_c, expected linear_o_i for a linear weight}}
  %w = lattice.weight @w {storage_key = "k", layout = #lattice.weight_layout<bias_c>, packing = #lattice.packing<dense>} : !lattice.weight<linear, f32>
  return
}

// -----

// C3: the layout of a embedding weight.
func.func @f() {
  // expected-error @+1 {{weight: layout is bias_c, expected embedding_n_c for a embedding weight}}
  %w = lattice.weight @w {storage_key = "k", layout = #lattice.weight_layout<bias_c>, packing = #lattice.packing<dense>} : !lattice.weight<embedding, f32>
  return
}

// -----

// C3: the layout of a channel weight.
func.func @f() {
  // expected-error @+1 {{weight: layout is bias_c, expected channel_c for a channel weight}}
  %w = lattice.weight @w {storage_key = "k", layout = #lattice.weight_layout<bias_c>, packing = #lattice.packing<dense>} : !lattice.weight<channel, f32>
  return
}

// -----

// C3: the layout of a bias weight.
func.func @f() {
  // expected-error @+1 {{weight: layout is channel_c, expected bias_c for a bias weight}}
  %w = lattice.weight @w {storage_key = "k", layout = #lattice.weight_layout<channel_c>, packing = #lattice.packing<dense>} : !lattice.weight<bias, f32>
  return
}

// -----

// C3: an unknown layout.
func.func @f() {
  // expected-error @+1 {{weight: layout is "conv3d_o_zyx_i", expected one of conv3d_o_xyz_i, linear_o_i, embedding_n_c, channel_c, bias_c}}
  %w = lattice.weight @w {storage_key = "k", layout = #lattice.weight_layout<conv3d_o_zyx_i>, packing = #lattice.packing<dense>} : !lattice.weight<conv3d, f32>
  return
}

// -----

// C3: an unknown family.
func.func @f() {
  // expected-error @+1 {{weight: family is "norm", expected one of conv3d, linear, embedding, channel, bias}}
  %w = lattice.weight @w {storage_key = "k", layout = #lattice.weight_layout<conv3d_o_xyz_i>, packing = #lattice.packing<dense>} : !lattice.weight<norm, f32>
  return
}

// -----

// C3: a embedding weight is dense.
func.func @f() {
  // expected-error @+1 {{weight: a embedding weight is packed as int8, expected dense: only conv3d and linear weights can be packed}}
  %w = lattice.weight @w {storage_key = "k", layout = #lattice.weight_layout<embedding_n_c>, packing = #lattice.packing<int8, group_size = 32, scale_dtype = f16, mode = affine>} : !lattice.weight<embedding, f32>
  return
}

// -----

// C3: a channel weight is dense.
func.func @f() {
  // expected-error @+1 {{weight: a channel weight is packed as int8, expected dense: only conv3d and linear weights can be packed}}
  %w = lattice.weight @w {storage_key = "k", layout = #lattice.weight_layout<channel_c>, packing = #lattice.packing<int8, group_size = 32, scale_dtype = f16, mode = affine>} : !lattice.weight<channel, f32>
  return
}

// -----

// C3: a bias weight is dense.
func.func @f() {
  // expected-error @+1 {{weight: a bias weight is packed as int8, expected dense: only conv3d and linear weights can be packed}}
  %w = lattice.weight @w {storage_key = "k", layout = #lattice.weight_layout<bias_c>, packing = #lattice.packing<int8, group_size = 32, scale_dtype = f16, mode = affine>} : !lattice.weight<bias, f32>
  return
}

// -----

// C3: dense, int4 or int8.
func.func @f() {
  // expected-error @+1 {{weight: packing is "int2", expected one of dense, int4, int8}}
  %w = lattice.weight @w {storage_key = "k", layout = #lattice.weight_layout<conv3d_o_xyz_i>, packing = #lattice.packing<int2, group_size = 32, scale_dtype = f16, mode = affine>} : !lattice.weight<conv3d, f32>
  return
}

// -----

// C3: group_size.
func.func @f() {
  // expected-error @+1 {{weight: group_size is 0, expected one of 32, 64, 128}}
  %w = lattice.weight @w {storage_key = "k", layout = #lattice.weight_layout<conv3d_o_xyz_i>, packing = #lattice.packing<int8, group_size = 0, scale_dtype = f16, mode = affine>} : !lattice.weight<conv3d, f32>
  return
}

// -----

// C3: group_size.
func.func @f() {
  // expected-error @+1 {{weight: group_size is -32, expected one of 32, 64, 128}}
  %w = lattice.weight @w {storage_key = "k", layout = #lattice.weight_layout<conv3d_o_xyz_i>, packing = #lattice.packing<int8, group_size = -32, scale_dtype = f16, mode = affine>} : !lattice.weight<conv3d, f32>
  return
}

// -----

// C3: group_size.
func.func @f() {
  // expected-error @+1 {{weight: group_size is 33, expected one of 32, 64, 128}}
  %w = lattice.weight @w {storage_key = "k", layout = #lattice.weight_layout<conv3d_o_xyz_i>, packing = #lattice.packing<int8, group_size = 33, scale_dtype = f16, mode = affine>} : !lattice.weight<conv3d, f32>
  return
}

// -----

// C3: group_size.
func.func @f() {
  // expected-error @+1 {{weight: group_size is 256, expected one of 32, 64, 128}}
  %w = lattice.weight @w {storage_key = "k", layout = #lattice.weight_layout<conv3d_o_xyz_i>, packing = #lattice.packing<int8, group_size = 256, scale_dtype = f16, mode = affine>} : !lattice.weight<conv3d, f32>
  return
}

// -----

// C3: scale_dtype.
func.func @f() {
  // expected-error @+1 {{weight: scale_dtype is "bf16", expected one of f16, f32}}
  %w = lattice.weight @w {storage_key = "k", layout = #lattice.weight_layout<conv3d_o_xyz_i>, packing = #lattice.packing<int8, group_size = 32, scale_dtype = bf16, mode = affine>} : !lattice.weight<conv3d, f32>
  return
}

// -----

// C3: mode.
func.func @f() {
  // expected-error @+1 {{weight: mode is "symmetric", expected affine}}
  %w = lattice.weight @w {storage_key = "k", layout = #lattice.weight_layout<conv3d_o_xyz_i>, packing = #lattice.packing<int8, group_size = 32, scale_dtype = f16, mode = symmetric>} : !lattice.weight<conv3d, f32>
  return
}

// -----

// C3: packed weights say how.
func.func @f() {
  // expected-error @+1 {{weight: int4 packing needs group_size, scale_dtype and mode, found none}}
  %w = lattice.weight @w {storage_key = "k", layout = #lattice.weight_layout<conv3d_o_xyz_i>, packing = #lattice.packing<int4>} : !lattice.weight<conv3d, f32>
  return
}

// -----

// C3: dense weights have no groups.
func.func @f() {
  // expected-error @+1 {{weight: dense packing takes no group_size, scale_dtype or mode}}
  %w = lattice.weight @w {storage_key = "k", layout = #lattice.weight_layout<conv3d_o_xyz_i>, packing = #lattice.packing<dense, group_size = 32, scale_dtype = f16, mode = affine>} : !lattice.weight<conv3d, f32>
  return
}

// -----

// C3: a repeated sym_name, each time it comes again.
func.func @f() {
  // expected-note @+1 {{first given here}}
  %w = lattice.weight @w {storage_key = "a", layout = #lattice.weight_layout<conv3d_o_xyz_i>, packing = #lattice.packing<dense>} : !lattice.weight<conv3d, f32>
  %v = lattice.weight @v {storage_key = "b", layout = #lattice.weight_layout<conv3d_o_xyz_i>, packing = #lattice.packing<dense>} : !lattice.weight<conv3d, f32>
  // expected-error @+1 {{weight: name @w is given twice}}
  %u = lattice.weight @w {storage_key = "c", layout = #lattice.weight_layout<conv3d_o_xyz_i>, packing = #lattice.packing<dense>} : !lattice.weight<conv3d, f32>
  // expected-error @+1 {{weight: name @w is given twice}}
  %t = lattice.weight @w {storage_key = "d", layout = #lattice.weight_layout<conv3d_o_xyz_i>, packing = #lattice.packing<dense>} : !lattice.weight<conv3d, f32>
  return
}

// -----

// C3: normalized_subm_conv3d takes no packed weight.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %t: !sp) {
  %w = lattice.weight @w {storage_key = "k", layout = #lattice.weight_layout<conv3d_o_xyz_i>, packing = #lattice.packing<int8, group_size = 32, scale_dtype = f16, mode = affine>} : !lattice.weight<conv3d, f32>
  // expected-error @+1 {{normalized_subm_conv3d: weight @w is packed as int8, expected dense: normalized operations take no packed weights}}
  %y = lattice.normalized_subm_conv3d %x, %w {kernel_size = array<i64: 3, 3, 3>, dilation = array<i64: 1, 1, 1>, eps = 1.0e-6 : f32, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C3: normalized_conv_transpose3d takes no packed weight.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %t: !sp) {
  %w = lattice.weight @w {storage_key = "k", layout = #lattice.weight_layout<conv3d_o_xyz_i>, packing = #lattice.packing<int8, group_size = 32, scale_dtype = f16, mode = affine>} : !lattice.weight<conv3d, f32>
  // expected-error @+1 {{normalized_conv_transpose3d: weight @w is packed as int8, expected dense: normalized operations take no packed weights}}
  %y = lattice.normalized_conv_transpose3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, eps = 1.0e-6 : f32, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C3: target_normalized_conv_transpose3d takes no packed weight.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %t: !sp) {
  %w = lattice.weight @w {storage_key = "k", layout = #lattice.weight_layout<conv3d_o_xyz_i>, packing = #lattice.packing<int8, group_size = 32, scale_dtype = f16, mode = affine>} : !lattice.weight<conv3d, f32>
  // expected-error @+1 {{target_normalized_conv_transpose3d: weight @w is packed as int8, expected dense: normalized operations take no packed weights}}
  %y = lattice.target_normalized_conv_transpose3d %x, %t, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, eps = 1.0e-6 : f32, accumulation = "canonical_f32"} : (!sp, !sp, !cw) -> !sp
  return
}

// -----

// C3: normalized_generative_conv_transpose3d takes no packed weight.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %t: !sp) {
  %w = lattice.weight @w {storage_key = "k", layout = #lattice.weight_layout<conv3d_o_xyz_i>, packing = #lattice.packing<int8, group_size = 32, scale_dtype = f16, mode = affine>} : !lattice.weight<conv3d, f32>
  // expected-error @+1 {{normalized_generative_conv_transpose3d: weight @w is packed as int8, expected dense: normalized operations take no packed weights}}
  %y = lattice.normalized_generative_conv_transpose3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, eps = 1.0e-6 : f32, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}
