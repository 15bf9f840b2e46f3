// Kernel sizes, strides, paddings and dilations of convolutions that are refused.
// RUN: %lattice-opt %s -split-input-file -verify-diagnostics

// C2: three values.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{conv3d: kernel_size needs 3 values (x, y, z), found 2}}
  %y = lattice.conv3d %x, %w {kernel_size = array<i64: 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: three values, not four.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{conv3d: stride needs 3 values (x, y, z), found 4}}
  %y = lattice.conv3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 1, 1, 1, 1>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: three values, not none.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{conv3d: padding needs 3 values (x, y, z), found 0}}
  %y = lattice.conv3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: kernel_size of conv3d is at least 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{conv3d: kernel_size is (1, 0, 1), expected values from 1 to 2147483647}}
  %y = lattice.conv3d %x, %w {kernel_size = array<i64: 1, 0, 1>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: stride of conv3d is at least 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{conv3d: stride is (1, 0, 1), expected values from 1 to 2147483647}}
  %y = lattice.conv3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 1, 0, 1>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: padding of conv3d is at least 0.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{conv3d: padding is (1, -1, 1), expected values from 0 to 2147483647}}
  %y = lattice.conv3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 1, -1, 1>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: dilation of conv3d is at least 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{conv3d: dilation is (1, 0, 1), expected values from 1 to 2147483647}}
  %y = lattice.conv3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 0, 1>, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: kernel_size of subm_conv3d is at least 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{subm_conv3d: kernel_size is (1, -1, 1), expected values from 1 to 2147483647}}
  %y = lattice.subm_conv3d %x, %w {kernel_size = array<i64: 1, -1, 1>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: dilation of subm_conv3d is at least 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{subm_conv3d: dilation is (1, 0, 1), expected values from 1 to 2147483647}}
  %y = lattice.subm_conv3d %x, %w {kernel_size = array<i64: 3, 3, 3>, dilation = array<i64: 1, 0, 1>, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: kernel_size of normalized_subm_conv3d is at least 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{normalized_subm_conv3d: kernel_size is (1, -1, 1), expected values from 1 to 2147483647}}
  %y = lattice.normalized_subm_conv3d %x, %w {kernel_size = array<i64: 1, -1, 1>, dilation = array<i64: 1, 1, 1>, eps = 1.0e-6 : f32, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: dilation of normalized_subm_conv3d is at least 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{normalized_subm_conv3d: dilation is (1, 0, 1), expected values from 1 to 2147483647}}
  %y = lattice.normalized_subm_conv3d %x, %w {kernel_size = array<i64: 3, 3, 3>, dilation = array<i64: 1, 0, 1>, eps = 1.0e-6 : f32, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: kernel_size of target_conv3d is at least 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %t: !sp, %w: !cw) {
  // expected-error @+1 {{target_conv3d: kernel_size is (1, 0, 1), expected values from 1 to 2147483647}}
  %y = lattice.target_conv3d %x, %t, %w {kernel_size = array<i64: 1, 0, 1>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !sp, !cw) -> !sp
  return
}

// -----

// C2: stride of target_conv3d is at least 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %t: !sp, %w: !cw) {
  // expected-error @+1 {{target_conv3d: stride is (1, 0, 1), expected values from 1 to 2147483647}}
  %y = lattice.target_conv3d %x, %t, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 1, 0, 1>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !sp, !cw) -> !sp
  return
}

// -----

// C2: padding of target_conv3d is at least 0.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %t: !sp, %w: !cw) {
  // expected-error @+1 {{target_conv3d: padding is (1, -1, 1), expected values from 0 to 2147483647}}
  %y = lattice.target_conv3d %x, %t, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 1, -1, 1>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !sp, !cw) -> !sp
  return
}

// -----

// C2: dilation of target_conv3d is at least 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %t: !sp, %w: !cw) {
  // expected-error @+1 {{target_conv3d: dilation is (1, 0, 1), expected values from 1 to 2147483647}}
  %y = lattice.target_conv3d %x, %t, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 0, 1>, accumulation = "canonical_f32"} : (!sp, !sp, !cw) -> !sp
  return
}

// -----

// C2: kernel_size of conv_transpose3d is at least 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{conv_transpose3d: kernel_size is (1, 0, 1), expected values from 1 to 2147483647}}
  %y = lattice.conv_transpose3d %x, %w {kernel_size = array<i64: 1, 0, 1>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: stride of conv_transpose3d is at least 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{conv_transpose3d: stride is (1, 0, 1), expected values from 1 to 2147483647}}
  %y = lattice.conv_transpose3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 1, 0, 1>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: padding of conv_transpose3d is at least 0.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{conv_transpose3d: padding is (1, -1, 1), expected values from 0 to 2147483647}}
  %y = lattice.conv_transpose3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 1, -1, 1>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: dilation of conv_transpose3d is at least 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{conv_transpose3d: dilation is (1, 0, 1), expected values from 1 to 2147483647}}
  %y = lattice.conv_transpose3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 0, 1>, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: kernel_size of target_conv_transpose3d is at least 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %t: !sp, %w: !cw) {
  // expected-error @+1 {{target_conv_transpose3d: kernel_size is (1, 0, 1), expected values from 1 to 2147483647}}
  %y = lattice.target_conv_transpose3d %x, %t, %w {kernel_size = array<i64: 1, 0, 1>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !sp, !cw) -> !sp
  return
}

// -----

// C2: stride of target_conv_transpose3d is at least 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %t: !sp, %w: !cw) {
  // expected-error @+1 {{target_conv_transpose3d: stride is (1, 0, 1), expected values from 1 to 2147483647}}
  %y = lattice.target_conv_transpose3d %x, %t, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 1, 0, 1>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !sp, !cw) -> !sp
  return
}

// -----

// C2: padding of target_conv_transpose3d is at least 0.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %t: !sp, %w: !cw) {
  // expected-error @+1 {{target_conv_transpose3d: padding is (1, -1, 1), expected values from 0 to 2147483647}}
  %y = lattice.target_conv_transpose3d %x, %t, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 1, -1, 1>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !sp, !cw) -> !sp
  return
}

// -----

// C2: dilation of target_conv_transpose3d is at least 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %t: !sp, %w: !cw) {
  // expected-error @+1 {{target_conv_transpose3d: dilation is (1, 0, 1), expected values from 1 to 2147483647}}
  %y = lattice.target_conv_transpose3d %x, %t, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 0, 1>, accumulation = "canonical_f32"} : (!sp, !sp, !cw) -> !sp
  return
}

// -----

// C2: kernel_size of normalized_conv_transpose3d is at least 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{normalized_conv_transpose3d: kernel_size is (1, 0, 1), expected values from 1 to 2147483647}}
  %y = lattice.normalized_conv_transpose3d %x, %w {kernel_size = array<i64: 1, 0, 1>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, eps = 1.0e-6 : f32, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: stride of normalized_conv_transpose3d is at least 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{normalized_conv_transpose3d: stride is (1, 0, 1), expected values from 1 to 2147483647}}
  %y = lattice.normalized_conv_transpose3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 1, 0, 1>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, eps = 1.0e-6 : f32, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: padding of normalized_conv_transpose3d is at least 0.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{normalized_conv_transpose3d: padding is (1, -1, 1), expected values from 0 to 2147483647}}
  %y = lattice.normalized_conv_transpose3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 1, -1, 1>, dilation = array<i64: 1, 1, 1>, eps = 1.0e-6 : f32, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: dilation of normalized_conv_transpose3d is at least 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{normalized_conv_transpose3d: dilation is (1, 0, 1), expected values from 1 to 2147483647}}
  %y = lattice.normalized_conv_transpose3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 0, 1>, eps = 1.0e-6 : f32, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: kernel_size of target_normalized_conv_transpose3d is at least 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %t: !sp, %w: !cw) {
  // expected-error @+1 {{target_normalized_conv_transpose3d: kernel_size is (1, 0, 1), expected values from 1 to 2147483647}}
  %y = lattice.target_normalized_conv_transpose3d %x, %t, %w {kernel_size = array<i64: 1, 0, 1>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, eps = 1.0e-6 : f32, accumulation = "canonical_f32"} : (!sp, !sp, !cw) -> !sp
  return
}

// -----

// C2: stride of target_normalized_conv_transpose3d is at least 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %t: !sp, %w: !cw) {
  // expected-error @+1 {{target_normalized_conv_transpose3d: stride is (1, 0, 1), expected values from 1 to 2147483647}}
  %y = lattice.target_normalized_conv_transpose3d %x, %t, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 1, 0, 1>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, eps = 1.0e-6 : f32, accumulation = "canonical_f32"} : (!sp, !sp, !cw) -> !sp
  return
}

// -----

// C2: padding of target_normalized_conv_transpose3d is at least 0.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %t: !sp, %w: !cw) {
  // expected-error @+1 {{target_normalized_conv_transpose3d: padding is (1, -1, 1), expected values from 0 to 2147483647}}
  %y = lattice.target_normalized_conv_transpose3d %x, %t, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 1, -1, 1>, dilation = array<i64: 1, 1, 1>, eps = 1.0e-6 : f32, accumulation = "canonical_f32"} : (!sp, !sp, !cw) -> !sp
  return
}

// -----

// C2: dilation of target_normalized_conv_transpose3d is at least 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %t: !sp, %w: !cw) {
  // expected-error @+1 {{target_normalized_conv_transpose3d: dilation is (1, 0, 1), expected values from 1 to 2147483647}}
  %y = lattice.target_normalized_conv_transpose3d %x, %t, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 0, 1>, eps = 1.0e-6 : f32, accumulation = "canonical_f32"} : (!sp, !sp, !cw) -> !sp
  return
}

// -----

// C2: kernel_size of generative_conv_transpose3d is at least 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{generative_conv_transpose3d: kernel_size is (1, 0, 1), expected values from 1 to 2147483647}}
  %y = lattice.generative_conv_transpose3d %x, %w {kernel_size = array<i64: 1, 0, 1>, stride = array<i64: 2, 2, 2>, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: stride of generative_conv_transpose3d is at least 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{generative_conv_transpose3d: stride is (1, 0, 1), expected values from 1 to 2147483647}}
  %y = lattice.generative_conv_transpose3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 1, 0, 1>, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: kernel_size of normalized_generative_conv_transpose3d is at least 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{normalized_generative_conv_transpose3d: kernel_size is (1, 0, 1), expected values from 1 to 2147483647}}
  %y = lattice.normalized_generative_conv_transpose3d %x, %w {kernel_size = array<i64: 1, 0, 1>, stride = array<i64: 2, 2, 2>, eps = 1.0e-6 : f32, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: stride of normalized_generative_conv_transpose3d is at least 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{normalized_generative_conv_transpose3d: stride is (1, 0, 1), expected values from 1 to 2147483647}}
  %y = lattice.normalized_generative_conv_transpose3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 1, 0, 1>, eps = 1.0e-6 : f32, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: kernel_size is at most 2^31 - 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{conv3d: kernel_size is (1, 1, 2147483648), expected values from 1 to 2147483647}}
  %y = lattice.conv3d %x, %w {kernel_size = array<i64: 1, 1, 2147483648>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: stride is at most 2^31 - 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{conv3d: stride is (1, 1, 2147483648), expected values from 1 to 2147483647}}
  %y = lattice.conv3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 1, 1, 2147483648>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: padding is at most 2^31 - 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{conv3d: padding is (1, 1, 2147483648), expected values from 0 to 2147483647}}
  %y = lattice.conv3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 1, 1, 2147483648>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: dilation is at most 2^31 - 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{conv3d: dilation is (1, 1, 2147483648), expected values from 1 to 2147483647}}
  %y = lattice.conv3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 2147483648>, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: subm_conv3d has odd kernel sizes.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{subm_conv3d: kernel_size has the even value 2, expected odd sizes: the kernel is centred}}
  %y = lattice.subm_conv3d %x, %w {kernel_size = array<i64: 3, 2, 3>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: subm_conv3d has no stride.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{subm_conv3d: unknown attribute stride, expected only}}
  %y = lattice.subm_conv3d %x, %w {kernel_size = array<i64: 3, 3, 3>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32", stride = array<i64: 2, 2, 2>} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: subm_conv3d has no padding.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{subm_conv3d: unknown attribute padding, expected only}}
  %y = lattice.subm_conv3d %x, %w {kernel_size = array<i64: 3, 3, 3>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32", padding = array<i64: 0, 0, 0>} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: normalized_subm_conv3d has odd kernel sizes.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{normalized_subm_conv3d: kernel_size has the even value 2, expected odd sizes: the kernel is centred}}
  %y = lattice.normalized_subm_conv3d %x, %w {kernel_size = array<i64: 3, 2, 3>, dilation = array<i64: 1, 1, 1>, eps = 1.0e-6 : f32, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: normalized_subm_conv3d has no stride.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{normalized_subm_conv3d: unknown attribute stride, expected only}}
  %y = lattice.normalized_subm_conv3d %x, %w {kernel_size = array<i64: 3, 3, 3>, dilation = array<i64: 1, 1, 1>, eps = 1.0e-6 : f32, accumulation = "canonical_f32", stride = array<i64: 2, 2, 2>} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: normalized_subm_conv3d has no padding.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{normalized_subm_conv3d: unknown attribute padding, expected only}}
  %y = lattice.normalized_subm_conv3d %x, %w {kernel_size = array<i64: 3, 3, 3>, dilation = array<i64: 1, 1, 1>, eps = 1.0e-6 : f32, accumulation = "canonical_f32", padding = array<i64: 0, 0, 0>} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: generative_conv_transpose3d has no padding.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{generative_conv_transpose3d: unknown attribute padding, expected only}}
  %y = lattice.generative_conv_transpose3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, accumulation = "canonical_f32", padding = array<i64: 0, 0, 0>} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: generative_conv_transpose3d has no dilation.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{generative_conv_transpose3d: unknown attribute dilation, expected only}}
  %y = lattice.generative_conv_transpose3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, accumulation = "canonical_f32", dilation = array<i64: 1, 1, 1>} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: normalized_generative_conv_transpose3d has no padding.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{normalized_generative_conv_transpose3d: unknown attribute padding, expected only}}
  %y = lattice.normalized_generative_conv_transpose3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, eps = 1.0e-6 : f32, accumulation = "canonical_f32", padding = array<i64: 0, 0, 0>} : (!sp, !cw) -> !sp
  return
}

// -----

// C2: normalized_generative_conv_transpose3d has no dilation.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{normalized_generative_conv_transpose3d: unknown attribute dilation, expected only}}
  %y = lattice.normalized_generative_conv_transpose3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, eps = 1.0e-6 : f32, accumulation = "canonical_f32", dilation = array<i64: 1, 1, 1>} : (!sp, !cw) -> !sp
  return
}
