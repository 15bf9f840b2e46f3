// Attributes that are missing, unknown or of another kind.
// RUN: %lattice-opt %s -split-input-file -verify-diagnostics

// A missing attribute.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{'lattice.conv3d' op requires attribute 'accumulation'}}
  %y = lattice.conv3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>} : (!sp, !cw) -> !sp
  return
}

// -----

// An attribute of another kind.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{attribute 'stride' failed to satisfy constraint: i64 dense array attribute}}
  %y = lattice.conv3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = 2 : i64, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// An array of i32 in place of i64.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{attribute 'stride' failed to satisfy constraint: i64 dense array attribute}}
  %y = lattice.conv3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i32: 1, 1, 1>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  return
}

// -----

// A choice of another list.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%x: !sp) {
  // expected-error @+1 {{attribute 'mode' failed to satisfy constraint: reduction of a pool: sum, max, avg}}
  %y = lattice.global_pool %x {mode = #lattice.join<left>, batch_size = 2} : (!sp) -> tensor<?x3xf32>
  return
}

// -----

// A string in place of a choice.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%x: !sp) {
  // expected-error @+1 {{attribute 'mode' failed to satisfy constraint: reduction of a pool: sum, max, avg}}
  %y = lattice.global_pool %x {mode = "sum", batch_size = 2} : (!sp) -> tensor<?x3xf32>
  return
}

// -----

// f64 in place of f32.
!ch = !lattice.weight<channel, f32>
func.func @f(%x: tensor<?x2xf32>, %s: !ch) {
  // expected-error @+1 {{attribute 'eps' failed to satisfy constraint: a number of type f32}}
  %y = lattice.rms_norm %x, %s {eps = 1.0e-5} : (tensor<?x2xf32>, !ch) -> tensor<?x2xf32>
  return
}

// -----

// i32 in place of i64.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%x: !sp) {
  // expected-error @+1 {{attribute 'batch_size' failed to satisfy constraint: 64-bit signless integer attribute}}
  %y = lattice.global_pool %x {mode = #lattice.pool_mode<sum>, batch_size = 2 : i32} : (!sp) -> tensor<?x3xf32>
  return
}

// -----

// An unknown attribute on an operation that has some.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%x: !sp) {
  // expected-error @+1 {{pool3d: unknown attribute ceil_mode, expected only}}
  %y = lattice.pool3d %x {mode = #lattice.pool_mode<sum>, kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, ceil_mode = true} : (!sp) -> !sp
  return
}

// -----

// An unknown attribute on an operation that has none.
!lw = !lattice.weight<linear, f32>
func.func @f(%x: tensor<?x2xf32>, %w: !lw) {
  // expected-error @+1 {{linear: unknown attribute alpha, expected none}}
  %y = lattice.linear %x, %w {alpha = 1.0 : f32} : (tensor<?x2xf32>, !lw) -> tensor<?x3xf32>
  return
}

// -----

// An unknown attribute in the generic form.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{generative_conv_transpose3d: unknown attribute padding, expected only accumulation, kernel_size, stride}}
  %y = "lattice.generative_conv_transpose3d"(%x, %w) <{kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, accumulation = "canonical_f32", padding = array<i64: 0, 0, 0>}> : (!sp, !cw) -> !sp
  return
}

// -----

// An unknown attribute in the generic form, outside <{ }>.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{generative_conv_transpose3d: unknown attribute padding, expected only accumulation, kernel_size, stride}}
  %y = "lattice.generative_conv_transpose3d"(%x, %w) <{kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, accumulation = "canonical_f32"}> {padding = array<i64: 0, 0, 0>} : (!sp, !cw) -> !sp
  return
}

// -----

// A missing attribute in the generic form.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{requires attribute 'accumulation'}}
  %y = "lattice.generative_conv_transpose3d"(%x, %w) <{kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>}> : (!sp, !cw) -> !sp
  return
}

// -----

// An attribute of another kind in the generic form.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{Invalid attribute `stride` in property conversion: 2 : i64}}
  %y = "lattice.generative_conv_transpose3d"(%x, %w) <{kernel_size = array<i64: 3, 3, 3>, stride = 2 : i64, accumulation = "canonical_f32"}> : (!sp, !cw) -> !sp
  return
}

// -----

// Attributes on an operation that has none, in the generic form.
!lw = !lattice.weight<linear, f32>
func.func @f(%x: tensor<?x2xf32>, %w: !lw) {
  // expected-error @+1 {{linear: unknown attribute alpha, expected none}}
  %y = "lattice.linear"(%x, %w) <{alpha = 1.0 : f32}> : (tensor<?x2xf32>, !lw) -> tensor<?x3xf32>
  return
}

// -----

// An attribute given twice.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: !sp, %w: !cw) {
  // expected-error @+1 {{generative_conv_transpose3d: stride is given twice, inside and outside <{ }>}}
  %y = "lattice.generative_conv_transpose3d"(%x, %w) <{kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, accumulation = "canonical_f32"}> {stride = array<i64: 2, 2, 2>} : (!sp, !cw) -> !sp
  return
}

// -----

// A name given twice.
func.func @f() {
  // expected-error @+1 {{'lattice.weight' op sym_name is given twice, before and between the braces}}
  %w = lattice.weight @w {sym_name = "v", storage_key = "k", layout = #lattice.weight_layout<conv3d_o_xyz_i>, packing = #lattice.packing<dense>} : !lattice.weight<conv3d, f32>
  return
}

// -----

// An attribute of another kind on a weight.
func.func @f() {
  // expected-error @+1 {{'lattice.weight' op attribute 'storage_key' failed to satisfy constraint: string attribute}}
  %w = lattice.weight @w {storage_key = 3, layout = #lattice.weight_layout<conv3d_o_xyz_i>, packing = #lattice.packing<dense>} : !lattice.weight<conv3d, f32>
  return
}
