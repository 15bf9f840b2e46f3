// Declared dimensions that are refused.
// RUN: %lattice-opt %s -split-input-file -verify-diagnostics

// C6: the channels of elementwise.
func.func @f(%x: tensor<?x2xf32>) {
  // expected-error @+1 {{elementwise: result is tensor<?x3xf32>, expected the shape of the input, tensor<?x2xf32>}}
  %y = lattice.elementwise %x {kind = "exp"} : (tensor<?x2xf32>) -> tensor<?x3xf32>
  return
}

// -----

// C6: the channels of softmax.
func.func @f(%x: tensor<?x2xf32>) {
  // expected-error @+1 {{softmax: result is tensor<?x3xf32>, expected the shape of the input, tensor<?x2xf32>}}
  %y = lattice.softmax %x {axis = -1} : (tensor<?x2xf32>) -> tensor<?x3xf32>
  return
}

// -----

// C6: the channels of activation.
func.func @f(%x: tensor<?x2xf32>) {
  // expected-error @+1 {{activation: result is tensor<?x3xf32>, expected the shape of the input, tensor<?x2xf32>}}
  %y = lattice.activation %x {kind = #lattice.activation<relu>, approximate = #lattice.gelu_approx<none>, alpha = 0.01 : f32, beta = 1.0 : f32, threshold = 20.0 : f32} : (tensor<?x2xf32>) -> tensor<?x3xf32>
  return
}

// -----

// C6: the channels of batch_norm.
!ch = !lattice.weight<channel, f32>
!b = !lattice.weight<bias, f32>
func.func @f(%x: tensor<?x2xf32>, %s: !ch, %b: !b) {
  // expected-error @+1 {{batch_norm: result is tensor<?x3xf32>, expected the shape of the input, tensor<?x2xf32>}}
  %y = lattice.batch_norm %x, %s, %b, %s, %s {eps = 1.0e-5 : f32} : (tensor<?x2xf32>, !ch, !b, !ch, !ch) -> tensor<?x3xf32>
  return
}

// -----

// C6: the channels of layer_norm.
!ch = !lattice.weight<channel, f32>
!b = !lattice.weight<bias, f32>
func.func @f(%x: tensor<?x2xf32>, %s: !ch, %b: !b) {
  // expected-error @+1 {{layer_norm: result is tensor<?x3xf32>, expected the shape of the input, tensor<?x2xf32>}}
  %y = lattice.layer_norm %x, %s, %b {eps = 1.0e-5 : f32} : (tensor<?x2xf32>, !ch, !b) -> tensor<?x3xf32>
  return
}

// -----

// C6: the channels of rms_norm.
!ch = !lattice.weight<channel, f32>
func.func @f(%x: tensor<?x2xf32>, %s: !ch) {
  // expected-error @+1 {{rms_norm: result is tensor<?x3xf32>, expected the shape of the input, tensor<?x2xf32>}}
  %y = lattice.rms_norm %x, %s {eps = 1.0e-5 : f32} : (tensor<?x2xf32>, !ch) -> tensor<?x3xf32>
  return
}

// -----

// C6: the rows of elementwise, any rank.
func.func @f(%x: tensor<4x2x3xf32>) {
  // expected-error @+1 {{elementwise: result is tensor<5x2x3xf32>, expected the shape of the input, tensor<4x2x3xf32>}}
  %y = lattice.elementwise %x {kind = "exp"} : (tensor<4x2x3xf32>) -> tensor<5x2x3xf32>
  return
}

// -----

// C6: the rank of elementwise.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{elementwise: result is tensor<4x1xf32>, expected the shape of the input, tensor<4xf32>}}
  %y = lattice.elementwise %x {kind = "exp"} : (tensor<4xf32>) -> tensor<4x1xf32>
  return
}

// -----

// C6: coords and features of sparse.make.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%c: tensor<5x4xi32>, %v: tensor<6x2xf32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{sparse.make: features has 6 rows, expected 5 as in the coords}}
  %y = lattice.sparse.make %c, %v, %n {stride = array<i64: 1, 1, 1>, coord_order = #lattice.coord<batch_x_y_z>} : (tensor<5x4xi32>, tensor<6x2xf32>, tensor<1xi32>) -> !sp
  return
}

// -----

// C6: coords and features of sparse.decompose.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%x: !sp) {
  // expected-error @+1 {{sparse.decompose: features has 6 rows, expected 5 as in the coords}}
  %c, %v, %n = lattice.sparse.decompose %x : !sp -> (tensor<5x4xi32>, tensor<6x2xf32>, tensor<1xi32>)
  return
}

// -----

// C6: the batches of global_pool.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%x: !sp) {
  // expected-error @+1 {{global_pool: result has 3 rows, expected 2, the batch_size}}
  %y = lattice.global_pool %x {mode = #lattice.pool_mode<sum>, batch_size = 2} : (!sp) -> tensor<3x3xf32>
  return
}

// -----

// C6: features and points of voxelize.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%p: tensor<5x3xf32>, %v: tensor<6x2xf32>, %i: tensor<5xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{voxelize: features has 6 rows, expected 5 as in the points}}
  %y = lattice.voxelize %p, %v, %i, %n {voxel_size = array<f64: 0.5, 0.5, 0.5>, origin = array<f64: 0.0, 0.0, 0.0>, reduction = #lattice.voxel_reduction<sum>, stride = array<i64: 1, 1, 1>} : (tensor<5x3xf32>, tensor<6x2xf32>, tensor<5xi32>, tensor<1xi32>) -> !sp
  return
}

// -----

// C6: batch_indices and points of voxelize.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%p: tensor<5x3xf32>, %v: tensor<5x2xf32>, %i: tensor<6xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{voxelize: batch_indices has 6 rows, expected 5 as in the points}}
  %y = lattice.voxelize %p, %v, %i, %n {voxel_size = array<f64: 0.5, 0.5, 0.5>, origin = array<f64: 0.0, 0.0, 0.0>, reduction = #lattice.voxel_reduction<sum>, stride = array<i64: 1, 1, 1>} : (tensor<5x3xf32>, tensor<5x2xf32>, tensor<6xi32>, tensor<1xi32>) -> !sp
  return
}

// -----

// C6: batch_indices and points of devoxelize.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%p: tensor<5x3xf32>, %x: !sp, %i: tensor<6xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{devoxelize: batch_indices has 6 rows, expected 5 as in the points}}
  %y = lattice.devoxelize %p, %x, %i, %n {voxel_size = array<f64: 0.5, 0.5, 0.5>, origin = array<f64: 0.0, 0.0, 0.0>, interpolation = #lattice.point_interpolation<linear>} : (tensor<5x3xf32>, !sp, tensor<6xi32>, tensor<1xi32>) -> tensor<?x2xf32>
  return
}

// -----

// C6: the rows of devoxelize.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%p: tensor<5x3xf32>, %x: !sp, %i: tensor<5xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{devoxelize: result has 6 rows, expected 5 as in the points}}
  %y = lattice.devoxelize %p, %x, %i, %n {voxel_size = array<f64: 0.5, 0.5, 0.5>, origin = array<f64: 0.0, 0.0, 0.0>, interpolation = #lattice.point_interpolation<linear>} : (tensor<5x3xf32>, !sp, tensor<5xi32>, tensor<1xi32>) -> tensor<6x2xf32>
  return
}

// -----

// C6: the rows of linear.
!lw = !lattice.weight<linear, f32>
func.func @f(%x: tensor<5x2xf32>, %w: !lw) {
  // expected-error @+1 {{linear: result has 6 rows, expected 5 as in the input}}
  %y = lattice.linear %x, %w : (tensor<5x2xf32>, !lw) -> tensor<6x3xf32>
  return
}

// -----

// C6: the rows of embedding_lookup.
!ew = !lattice.weight<embedding, f32>
func.func @f(%i: tensor<5xi32>, %w: !ew) {
  // expected-error @+1 {{embedding_lookup: result has 6 rows, expected 5 as in the indices}}
  %y = lattice.embedding_lookup %i, %w : (tensor<5xi32>, !ew) -> tensor<6x3xf32>
  return
}
