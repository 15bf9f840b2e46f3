// Numbers that are refused, not-a-number among them.
// RUN: %lattice-opt %s -split-input-file -verify-diagnostics

// C4: voxel_size of voxelize.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%p: tensor<?x3xf32>, %v: tensor<?x2xf32>, %i: tensor<?xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{voxelize: voxel_size y is 0, expected a finite number above 0}}
  %y = lattice.voxelize %p, %v, %i, %n {voxel_size = array<f64: 0.5, 0.0, 0.5>, origin = array<f64: 0.0, 0.0, 0.0>, reduction = #lattice.voxel_reduction<sum>, stride = array<i64: 1, 1, 1>} : (tensor<?x3xf32>, tensor<?x2xf32>, tensor<?xi32>, tensor<1xi32>) -> !sp
  return
}

// -----

// C4: voxel_size of voxelize.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%p: tensor<?x3xf32>, %v: tensor<?x2xf32>, %i: tensor<?xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{voxelize: voxel_size y is -0.5, expected a finite number above 0}}
  %y = lattice.voxelize %p, %v, %i, %n {voxel_size = array<f64: 0.5, -0.5, 0.5>, origin = array<f64: 0.0, 0.0, 0.0>, reduction = #lattice.voxel_reduction<sum>, stride = array<i64: 1, 1, 1>} : (tensor<?x3xf32>, tensor<?x2xf32>, tensor<?xi32>, tensor<1xi32>) -> !sp
  return
}

// -----

// C4: voxel_size of voxelize.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%p: tensor<?x3xf32>, %v: tensor<?x2xf32>, %i: tensor<?xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{voxelize: voxel_size y is nan, expected a finite number above 0}}
  %y = lattice.voxelize %p, %v, %i, %n {voxel_size = array<f64: 0.5, 0x7FF8000000000000, 0.5>, origin = array<f64: 0.0, 0.0, 0.0>, reduction = #lattice.voxel_reduction<sum>, stride = array<i64: 1, 1, 1>} : (tensor<?x3xf32>, tensor<?x2xf32>, tensor<?xi32>, tensor<1xi32>) -> !sp
  return
}

// -----

// C4: voxel_size of voxelize.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%p: tensor<?x3xf32>, %v: tensor<?x2xf32>, %i: tensor<?xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{voxelize: voxel_size y is inf, expected a finite number above 0}}
  %y = lattice.voxelize %p, %v, %i, %n {voxel_size = array<f64: 0.5, 0x7FF0000000000000, 0.5>, origin = array<f64: 0.0, 0.0, 0.0>, reduction = #lattice.voxel_reduction<sum>, stride = array<i64: 1, 1, 1>} : (tensor<?x3xf32>, tensor<?x2xf32>, tensor<?xi32>, tensor<1xi32>) -> !sp
  return
}

// -----

// C4: voxel_size of voxelize, which is 0 as f32.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%p: tensor<?x3xf32>, %v: tensor<?x2xf32>, %i: tensor<?xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{voxelize: voxel_size z is 1e-60, expected a finite number above 0}}
  %y = lattice.voxelize %p, %v, %i, %n {voxel_size = array<f64: 0.5, 0.5, 1.0e-60>, origin = array<f64: 0.0, 0.0, 0.0>, reduction = #lattice.voxel_reduction<sum>, stride = array<i64: 1, 1, 1>} : (tensor<?x3xf32>, tensor<?x2xf32>, tensor<?xi32>, tensor<1xi32>) -> !sp
  return
}

// -----

// C4: voxel_size of voxelize, three values.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%p: tensor<?x3xf32>, %v: tensor<?x2xf32>, %i: tensor<?xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{voxelize: voxel_size needs 3 values (x, y, z), found 2}}
  %y = lattice.voxelize %p, %v, %i, %n {voxel_size = array<f64: 0.5, 0.5>, origin = array<f64: 0.0, 0.0, 0.0>, reduction = #lattice.voxel_reduction<sum>, stride = array<i64: 1, 1, 1>} : (tensor<?x3xf32>, tensor<?x2xf32>, tensor<?xi32>, tensor<1xi32>) -> !sp
  return
}

// -----

// C4: origin of voxelize.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%p: tensor<?x3xf32>, %v: tensor<?x2xf32>, %i: tensor<?xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{voxelize: origin x is nan, expected a finite number}}
  %y = lattice.voxelize %p, %v, %i, %n {voxel_size = array<f64: 0.5, 0.5, 0.5>, origin = array<f64: 0x7FF8000000000000, 0.0, 0.0>, reduction = #lattice.voxel_reduction<sum>, stride = array<i64: 1, 1, 1>} : (tensor<?x3xf32>, tensor<?x2xf32>, tensor<?xi32>, tensor<1xi32>) -> !sp
  return
}

// -----

// C4: origin of voxelize.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%p: tensor<?x3xf32>, %v: tensor<?x2xf32>, %i: tensor<?xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{voxelize: origin x is -inf, expected a finite number}}
  %y = lattice.voxelize %p, %v, %i, %n {voxel_size = array<f64: 0.5, 0.5, 0.5>, origin = array<f64: 0xFFF0000000000000, 0.0, 0.0>, reduction = #lattice.voxel_reduction<sum>, stride = array<i64: 1, 1, 1>} : (tensor<?x3xf32>, tensor<?x2xf32>, tensor<?xi32>, tensor<1xi32>) -> !sp
  return
}

// -----

// C4: origin of voxelize.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%p: tensor<?x3xf32>, %v: tensor<?x2xf32>, %i: tensor<?xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{voxelize: origin x is 1e+300, expected a finite number}}
  %y = lattice.voxelize %p, %v, %i, %n {voxel_size = array<f64: 0.5, 0.5, 0.5>, origin = array<f64: 1.0e300, 0.0, 0.0>, reduction = #lattice.voxel_reduction<sum>, stride = array<i64: 1, 1, 1>} : (tensor<?x3xf32>, tensor<?x2xf32>, tensor<?xi32>, tensor<1xi32>) -> !sp
  return
}

// -----

// C4: origin of voxelize, three values.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%p: tensor<?x3xf32>, %v: tensor<?x2xf32>, %i: tensor<?xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{voxelize: origin needs 3 values (x, y, z), found 1}}
  %y = lattice.voxelize %p, %v, %i, %n {voxel_size = array<f64: 0.5, 0.5, 0.5>, origin = array<f64: 0.0>, reduction = #lattice.voxel_reduction<sum>, stride = array<i64: 1, 1, 1>} : (tensor<?x3xf32>, tensor<?x2xf32>, tensor<?xi32>, tensor<1xi32>) -> !sp
  return
}

// -----

// C4: voxel_size of devoxelize.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%p: tensor<?x3xf32>, %x: !sp, %i: tensor<?xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{devoxelize: voxel_size y is 0, expected a finite number above 0}}
  %y = lattice.devoxelize %p, %x, %i, %n {voxel_size = array<f64: 0.5, 0.0, 0.5>, origin = array<f64: 0.0, 0.0, 0.0>, interpolation = #lattice.point_interpolation<linear>} : (tensor<?x3xf32>, !sp, tensor<?xi32>, tensor<1xi32>) -> tensor<?x2xf32>
  return
}

// -----

// C4: voxel_size of devoxelize.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%p: tensor<?x3xf32>, %x: !sp, %i: tensor<?xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{devoxelize: voxel_size y is -0.5, expected a finite number above 0}}
  %y = lattice.devoxelize %p, %x, %i, %n {voxel_size = array<f64: 0.5, -0.5, 0.5>, origin = array<f64: 0.0, 0.0, 0.0>, interpolation = #lattice.point_interpolation<linear>} : (tensor<?x3xf32>, !sp, tensor<?xi32>, tensor<1xi32>) -> tensor<?x2xf32>
  return
}

// -----

// C4: voxel_size of devoxelize.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%p: tensor<?x3xf32>, %x: !sp, %i: tensor<?xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{devoxelize: voxel_size y is nan, expected a finite number above 0}}
  %y = lattice.devoxelize %p, %x, %i, %n {voxel_size = array<f64: 0.5, 0x7FF8000000000000, 0.5>, origin = array<f64: 0.0, 0.0, 0.0>, interpolation = #lattice.point_interpolation<linear>} : (tensor<?x3xf32>, !sp, tensor<?xi32>, tensor<1xi32>) -> tensor<?x2xf32>
  return
}

// -----

// C4: voxel_size of devoxelize.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%p: tensor<?x3xf32>, %x: !sp, %i: tensor<?xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{devoxelize: voxel_size y is inf, expected a finite number above 0}}
  %y = lattice.devoxelize %p, %x, %i, %n {voxel_size = array<f64: 0.5, 0x7FF0000000000000, 0.5>, origin = array<f64: 0.0, 0.0, 0.0>, interpolation = #lattice.point_interpolation<linear>} : (tensor<?x3xf32>, !sp, tensor<?xi32>, tensor<1xi32>) -> tensor<?x2xf32>
  return
}

// -----

// C4: voxel_size of devoxelize, which is 0 as f32.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%p: tensor<?x3xf32>, %x: !sp, %i: tensor<?xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{devoxelize: voxel_size z is 1e-60, expected a finite number above 0}}
  %y = lattice.devoxelize %p, %x, %i, %n {voxel_size = array<f64: 0.5, 0.5, 1.0e-60>, origin = array<f64: 0.0, 0.0, 0.0>, interpolation = #lattice.point_interpolation<linear>} : (tensor<?x3xf32>, !sp, tensor<?xi32>, tensor<1xi32>) -> tensor<?x2xf32>
  return
}

// -----

// C4: voxel_size of devoxelize, three values.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%p: tensor<?x3xf32>, %x: !sp, %i: tensor<?xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{devoxelize: voxel_size needs 3 values (x, y, z), found 2}}
  %y = lattice.devoxelize %p, %x, %i, %n {voxel_size = array<f64: 0.5, 0.5>, origin = array<f64: 0.0, 0.0, 0.0>, interpolation = #lattice.point_interpolation<linear>} : (tensor<?x3xf32>, !sp, tensor<?xi32>, tensor<1xi32>) -> tensor<?x2xf32>
  return
}

// -----

// C4: origin of devoxelize.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%p: tensor<?x3xf32>, %x: !sp, %i: tensor<?xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{devoxelize: origin x is nan, expected a finite number}}
  %y = lattice.devoxelize %p, %x, %i, %n {voxel_size = array<f64: 0.5, 0.5, 0.5>, origin = array<f64: 0x7FF8000000000000, 0.0, 0.0>, interpolation = #lattice.point_interpolation<linear>} : (tensor<?x3xf32>, !sp, tensor<?xi32>, tensor<1xi32>) -> tensor<?x2xf32>
  return
}

// -----

// C4: origin of devoxelize.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%p: tensor<?x3xf32>, %x: !sp, %i: tensor<?xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{devoxelize: origin x is -inf, expected a finite number}}
  %y = lattice.devoxelize %p, %x, %i, %n {voxel_size = array<f64: 0.5, 0.5, 0.5>, origin = array<f64: 0xFFF0000000000000, 0.0, 0.0>, interpolation = #lattice.point_interpolation<linear>} : (tensor<?x3xf32>, !sp, tensor<?xi32>, tensor<1xi32>) -> tensor<?x2xf32>
  return
}

// -----

// C4: origin of devoxelize.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%p: tensor<?x3xf32>, %x: !sp, %i: tensor<?xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{devoxelize: origin x is 1e+300, expected a finite number}}
  %y = lattice.devoxelize %p, %x, %i, %n {voxel_size = array<f64: 0.5, 0.5, 0.5>, origin = array<f64: 1.0e300, 0.0, 0.0>, interpolation = #lattice.point_interpolation<linear>} : (tensor<?x3xf32>, !sp, tensor<?xi32>, tensor<1xi32>) -> tensor<?x2xf32>
  return
}

// -----

// C4: origin of devoxelize, three values.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%p: tensor<?x3xf32>, %x: !sp, %i: tensor<?xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{devoxelize: origin needs 3 values (x, y, z), found 1}}
  %y = lattice.devoxelize %p, %x, %i, %n {voxel_size = array<f64: 0.5, 0.5, 0.5>, origin = array<f64: 0.0>, interpolation = #lattice.point_interpolation<linear>} : (tensor<?x3xf32>, !sp, tensor<?xi32>, tensor<1xi32>) -> tensor<?x2xf32>
  return
}

// -----

// C4: alpha.
func.func @f(%x: tensor<?x2xf32>) {
  // expected-error @+1 {{activation: alpha is -0.25, expected a finite number of at least 0}}
  %y = lattice.activation %x {kind = #lattice.activation<relu>, approximate = #lattice.gelu_approx<none>, alpha = -0.25 : f32, beta = 1.0 : f32, threshold = 20.0 : f32} : (tensor<?x2xf32>) -> tensor<?x2xf32>
  return
}

// -----

// C4: alpha.
func.func @f(%x: tensor<?x2xf32>) {
  // expected-error @+1 {{activation: alpha is nan, expected a finite number of at least 0}}
  %y = lattice.activation %x {kind = #lattice.activation<relu>, approximate = #lattice.gelu_approx<none>, alpha = 0x7FC00000 : f32, beta = 1.0 : f32, threshold = 20.0 : f32} : (tensor<?x2xf32>) -> tensor<?x2xf32>
  return
}

// -----

// C4: alpha.
func.func @f(%x: tensor<?x2xf32>) {
  // expected-error @+1 {{activation: alpha is inf, expected a finite number of at least 0}}
  %y = lattice.activation %x {kind = #lattice.activation<relu>, approximate = #lattice.gelu_approx<none>, alpha = 0x7F800000 : f32, beta = 1.0 : f32, threshold = 20.0 : f32} : (tensor<?x2xf32>) -> tensor<?x2xf32>
  return
}

// -----

// C4: beta.
func.func @f(%x: tensor<?x2xf32>) {
  // expected-error @+1 {{activation: beta is 0, expected a finite number above 0}}
  %y = lattice.activation %x {kind = #lattice.activation<relu>, approximate = #lattice.gelu_approx<none>, alpha = 0.01 : f32, beta = 0.0 : f32, threshold = 20.0 : f32} : (tensor<?x2xf32>) -> tensor<?x2xf32>
  return
}

// -----

// C4: beta.
func.func @f(%x: tensor<?x2xf32>) {
  // expected-error @+1 {{activation: beta is -1, expected a finite number above 0}}
  %y = lattice.activation %x {kind = #lattice.activation<relu>, approximate = #lattice.gelu_approx<none>, alpha = 0.01 : f32, beta = -1.0 : f32, threshold = 20.0 : f32} : (tensor<?x2xf32>) -> tensor<?x2xf32>
  return
}

// -----

// C4: beta.
func.func @f(%x: tensor<?x2xf32>) {
  // expected-error @+1 {{activation: beta is nan, expected a finite number above 0}}
  %y = lattice.activation %x {kind = #lattice.activation<relu>, approximate = #lattice.gelu_approx<none>, alpha = 0.01 : f32, beta = 0x7FC00000 : f32, threshold = 20.0 : f32} : (tensor<?x2xf32>) -> tensor<?x2xf32>
  return
}

// -----

// C4: beta.
func.func @f(%x: tensor<?x2xf32>) {
  // expected-error @+1 {{activation: beta is inf, expected a finite number above 0}}
  %y = lattice.activation %x {kind = #lattice.activation<relu>, approximate = #lattice.gelu_approx<none>, alpha = 0.01 : f32, beta = 0x7F800000 : f32, threshold = 20.0 : f32} : (tensor<?x2xf32>) -> tensor<?x2xf32>
  return
}

// -----

// C4: threshold.
func.func @f(%x: tensor<?x2xf32>) {
  // expected-error @+1 {{activation: threshold is nan, expected a finite number}}
  %y = lattice.activation %x {kind = #lattice.activation<relu>, approximate = #lattice.gelu_approx<none>, alpha = 0.01 : f32, beta = 1.0 : f32, threshold = 0x7FC00000 : f32} : (tensor<?x2xf32>) -> tensor<?x2xf32>
  return
}

// -----

// C4: threshold.
func.func @f(%x: tensor<?x2xf32>) {
  // expected-error @+1 {{activation: threshold is inf, expected a finite number}}
  %y = lattice.activation %x {kind = #lattice.activation<relu>, approximate = #lattice.gelu_approx<none>, alpha = 0.01 : f32, beta = 1.0 : f32, threshold = 0x7F800000 : f32} : (tensor<?x2xf32>) -> tensor<?x2xf32>
  return
}

// -----

// C4: batch_size.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%x: !sp) {
  // expected-error @+1 {{global_pool: batch_size is -2, expected -1 or a number of batches}}
  %y = lattice.global_pool %x {mode = #lattice.pool_mode<sum>, batch_size = -2} : (!sp) -> tensor<?x3xf32>
  return
}
