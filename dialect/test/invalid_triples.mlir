// Triples of other operations that are refused.
// RUN: %lattice-opt %s -split-input-file -verify-diagnostics

// C2: kernel_size of pool3d is at least 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%x: !sp) {
  // expected-error @+1 {{pool3d: kernel_size is (1, 1, 0), expected values from 1 to 2147483647}}
  %y = lattice.pool3d %x {mode = #lattice.pool_mode<sum>, kernel_size = array<i64: 1, 1, 0>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>} : (!sp) -> !sp
  return
}

// -----

// C2: kernel_size of pool_transpose3d is at least 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%x: !sp) {
  // expected-error @+1 {{pool_transpose3d: kernel_size is (1, 1, 0), expected values from 1 to 2147483647}}
  %y = lattice.pool_transpose3d %x {kernel_size = array<i64: 1, 1, 0>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>} : (!sp) -> !sp
  return
}

// -----

// C2: stride of pool3d is at least 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%x: !sp) {
  // expected-error @+1 {{pool3d: stride is (1, 1, 0), expected values from 1 to 2147483647}}
  %y = lattice.pool3d %x {mode = #lattice.pool_mode<sum>, kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 1, 1, 0>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>} : (!sp) -> !sp
  return
}

// -----

// C2: stride of pool_transpose3d is at least 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%x: !sp) {
  // expected-error @+1 {{pool_transpose3d: stride is (1, 1, 0), expected values from 1 to 2147483647}}
  %y = lattice.pool_transpose3d %x {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 1, 1, 0>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>} : (!sp) -> !sp
  return
}

// -----

// C2: padding of pool3d is at least 0.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%x: !sp) {
  // expected-error @+1 {{pool3d: padding is (1, 1, -1), expected values from 0 to 2147483647}}
  %y = lattice.pool3d %x {mode = #lattice.pool_mode<sum>, kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 1, 1, -1>, dilation = array<i64: 1, 1, 1>} : (!sp) -> !sp
  return
}

// -----

// C2: padding of pool_transpose3d is at least 0.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%x: !sp) {
  // expected-error @+1 {{pool_transpose3d: padding is (1, 1, -1), expected values from 0 to 2147483647}}
  %y = lattice.pool_transpose3d %x {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 1, 1, -1>, dilation = array<i64: 1, 1, 1>} : (!sp) -> !sp
  return
}

// -----

// C2: dilation of pool3d is at least 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%x: !sp) {
  // expected-error @+1 {{pool3d: dilation is (1, 1, 0), expected values from 1 to 2147483647}}
  %y = lattice.pool3d %x {mode = #lattice.pool_mode<sum>, kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 0>} : (!sp) -> !sp
  return
}

// -----

// C2: dilation of pool_transpose3d is at least 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%x: !sp) {
  // expected-error @+1 {{pool_transpose3d: dilation is (1, 1, 0), expected values from 1 to 2147483647}}
  %y = lattice.pool_transpose3d %x {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 0>} : (!sp) -> !sp
  return
}

// -----

// C2: stride of trilinear_upsample3d is at least 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%x: !sp) {
  // expected-error @+1 {{trilinear_upsample3d: stride is (0, 2, 2), expected values from 1 to 2147483647}}
  %y = lattice.trilinear_upsample3d %x {stride = array<i64: 0, 2, 2>} : (!sp) -> !sp
  return
}

// -----

// C2: stride of sparse.make is at least 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%c: tensor<?x4xi32>, %v: tensor<?x2xf32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{sparse.make: stride is (1, 0, 1), expected values from 1 to 2147483647}}
  %y = lattice.sparse.make %c, %v, %n {stride = array<i64: 1, 0, 1>, coord_order = #lattice.coord<batch_x_y_z>} : (tensor<?x4xi32>, tensor<?x2xf32>, tensor<1xi32>) -> !sp
  return
}

// -----

// C2: stride of sparse.make has three values.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%c: tensor<?x4xi32>, %v: tensor<?x2xf32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{sparse.make: stride needs 3 values (x, y, z), found 1}}
  %y = lattice.sparse.make %c, %v, %n {stride = array<i64: 1>, coord_order = #lattice.coord<batch_x_y_z>} : (tensor<?x4xi32>, tensor<?x2xf32>, tensor<1xi32>) -> !sp
  return
}

// -----

// C2: stride of voxelize is at least 1.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%p: tensor<?x3xf32>, %v: tensor<?x2xf32>, %i: tensor<?xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{voxelize: stride is (1, 1, 0), expected values from 1 to 2147483647}}
  %y = lattice.voxelize %p, %v, %i, %n {voxel_size = array<f64: 0.5, 0.5, 0.5>, origin = array<f64: 0.0, 0.0, 0.0>, reduction = #lattice.voxel_reduction<sum>, stride = array<i64: 1, 1, 0>} : (tensor<?x3xf32>, tensor<?x2xf32>, tensor<?xi32>, tensor<1xi32>) -> !sp
  return
}
