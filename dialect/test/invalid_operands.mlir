// Operands that are refused: another number, shape or type.
// RUN: %lattice-opt %s -split-input-file -verify-diagnostics

// Coordinates of sparse.make.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%c: tensor<?x3xi32>, %v: tensor<?x2xf32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{operand #0 must be coordinates, a (N, 4) tensor of i32, but got 'tensor<?x3xi32>'}}
  %y = lattice.sparse.make %c, %v, %n {stride = array<i64: 1, 1, 1>, coord_order = #lattice.coord<batch_x_y_z>} : (tensor<?x3xi32>, tensor<?x2xf32>, tensor<1xi32>) -> !sp
  return
}

// -----

// Coordinates of sparse.make.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%c: tensor<?x4xi64>, %v: tensor<?x2xf32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{operand #0 must be coordinates, a (N, 4) tensor of i32, but got 'tensor<?x4xi64>'}}
  %y = lattice.sparse.make %c, %v, %n {stride = array<i64: 1, 1, 1>, coord_order = #lattice.coord<batch_x_y_z>} : (tensor<?x4xi64>, tensor<?x2xf32>, tensor<1xi32>) -> !sp
  return
}

// -----

// Coordinates of sparse.make.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%c: tensor<?x?xi32>, %v: tensor<?x2xf32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{operand #0 must be coordinates, a (N, 4) tensor of i32, but got 'tensor<?x?xi32>'}}
  %y = lattice.sparse.make %c, %v, %n {stride = array<i64: 1, 1, 1>, coord_order = #lattice.coord<batch_x_y_z>} : (tensor<?x?xi32>, tensor<?x2xf32>, tensor<1xi32>) -> !sp
  return
}

// -----

// Coordinates of sparse.make.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%c: tensor<4xi32>, %v: tensor<?x2xf32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{operand #0 must be coordinates, a (N, 4) tensor of i32, but got 'tensor<4xi32>'}}
  %y = lattice.sparse.make %c, %v, %n {stride = array<i64: 1, 1, 1>, coord_order = #lattice.coord<batch_x_y_z>} : (tensor<4xi32>, tensor<?x2xf32>, tensor<1xi32>) -> !sp
  return
}

// -----

// Coordinates of sparse.make.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%c: tensor<*xi32>, %v: tensor<?x2xf32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{operand #0 must be coordinates, a (N, 4) tensor of i32, but got 'tensor<*xi32>'}}
  %y = lattice.sparse.make %c, %v, %n {stride = array<i64: 1, 1, 1>, coord_order = #lattice.coord<batch_x_y_z>} : (tensor<*xi32>, tensor<?x2xf32>, tensor<1xi32>) -> !sp
  return
}

// -----

// Features of sparse.make.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%c: tensor<?x4xi32>, %v: tensor<?xf32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{operand #1 must be features, a (N, C) tensor of f32 or f16, but got 'tensor<?xf32>'}}
  %y = lattice.sparse.make %c, %v, %n {stride = array<i64: 1, 1, 1>, coord_order = #lattice.coord<batch_x_y_z>} : (tensor<?x4xi32>, tensor<?xf32>, tensor<1xi32>) -> !sp
  return
}

// -----

// Features of sparse.make.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%c: tensor<?x4xi32>, %v: tensor<?x2xf64>, %n: tensor<1xi32>) {
  // expected-error @+1 {{operand #1 must be features, a (N, C) tensor of f32 or f16, but got 'tensor<?x2xf64>'}}
  %y = lattice.sparse.make %c, %v, %n {stride = array<i64: 1, 1, 1>, coord_order = #lattice.coord<batch_x_y_z>} : (tensor<?x4xi32>, tensor<?x2xf64>, tensor<1xi32>) -> !sp
  return
}

// -----

// Features of sparse.make.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%c: tensor<?x4xi32>, %v: tensor<?x2xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{operand #1 must be features, a (N, C) tensor of f32 or f16, but got 'tensor<?x2xi32>'}}
  %y = lattice.sparse.make %c, %v, %n {stride = array<i64: 1, 1, 1>, coord_order = #lattice.coord<batch_x_y_z>} : (tensor<?x4xi32>, tensor<?x2xi32>, tensor<1xi32>) -> !sp
  return
}

// -----

// Features of sparse.make.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%c: tensor<?x4xi32>, %v: tensor<?x2xf32, "e">, %n: tensor<1xi32>) {
  // expected-error @+1 {{operand #1 must be features, a (N, C) tensor of f32 or f16, but got 'tensor<?x2xf32, "e">'}}
  %y = lattice.sparse.make %c, %v, %n {stride = array<i64: 1, 1, 1>, coord_order = #lattice.coord<batch_x_y_z>} : (tensor<?x4xi32>, tensor<?x2xf32, "e">, tensor<1xi32>) -> !sp
  return
}

// -----

// The active row count of sparse.make.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%c: tensor<?x4xi32>, %v: tensor<?x2xf32>, %n: tensor<?xi32>) {
  // expected-error @+1 {{operand #2 must be an active row count, a (1) tensor of i32, but got 'tensor<?xi32>'}}
  %y = lattice.sparse.make %c, %v, %n {stride = array<i64: 1, 1, 1>, coord_order = #lattice.coord<batch_x_y_z>} : (tensor<?x4xi32>, tensor<?x2xf32>, tensor<?xi32>) -> !sp
  return
}

// -----

// The active row count of sparse.make.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%c: tensor<?x4xi32>, %v: tensor<?x2xf32>, %n: tensor<2xi32>) {
  // expected-error @+1 {{operand #2 must be an active row count, a (1) tensor of i32, but got 'tensor<2xi32>'}}
  %y = lattice.sparse.make %c, %v, %n {stride = array<i64: 1, 1, 1>, coord_order = #lattice.coord<batch_x_y_z>} : (tensor<?x4xi32>, tensor<?x2xf32>, tensor<2xi32>) -> !sp
  return
}

// -----

// The active row count of sparse.make.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%c: tensor<?x4xi32>, %v: tensor<?x2xf32>, %n: tensor<i32>) {
  // expected-error @+1 {{operand #2 must be an active row count, a (1) tensor of i32, but got 'tensor<i32>'}}
  %y = lattice.sparse.make %c, %v, %n {stride = array<i64: 1, 1, 1>, coord_order = #lattice.coord<batch_x_y_z>} : (tensor<?x4xi32>, tensor<?x2xf32>, tensor<i32>) -> !sp
  return
}

// -----

// The active row count of sparse.make.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%c: tensor<?x4xi32>, %v: tensor<?x2xf32>, %n: tensor<1xi64>) {
  // expected-error @+1 {{operand #2 must be an active row count, a (1) tensor of i32, but got 'tensor<1xi64>'}}
  %y = lattice.sparse.make %c, %v, %n {stride = array<i64: 1, 1, 1>, coord_order = #lattice.coord<batch_x_y_z>} : (tensor<?x4xi32>, tensor<?x2xf32>, tensor<1xi64>) -> !sp
  return
}

// -----

// Points of voxelize.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%p: tensor<?x2xf32>, %v: tensor<?x2xf32>, %i: tensor<?xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{operand #0 must be points, a (N, 3) tensor of f32 or f16, but got 'tensor<?x2xf32>'}}
  %y = lattice.voxelize %p, %v, %i, %n {voxel_size = array<f64: 0.5, 0.5, 0.5>, origin = array<f64: 0.0, 0.0, 0.0>, reduction = #lattice.voxel_reduction<sum>, stride = array<i64: 1, 1, 1>} : (tensor<?x2xf32>, tensor<?x2xf32>, tensor<?xi32>, tensor<1xi32>) -> !sp
  return
}

// -----

// Points of devoxelize.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%p: tensor<?x4xf32>, %x: !sp, %i: tensor<?xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{operand #0 must be points, a (N, 3) tensor of f32 or f16, but got 'tensor<?x4xf32>'}}
  %y = lattice.devoxelize %p, %x, %i, %n {voxel_size = array<f64: 0.5, 0.5, 0.5>, origin = array<f64: 0.0, 0.0, 0.0>, interpolation = #lattice.point_interpolation<linear>} : (tensor<?x4xf32>, !sp, tensor<?xi32>, tensor<1xi32>) -> tensor<?x2xf32>
  return
}

// -----

// Batch indices of voxelize.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%p: tensor<?x3xf32>, %v: tensor<?x2xf32>, %i: tensor<?xi64>, %n: tensor<1xi32>) {
  // expected-error @+1 {{operand #2 must be indices, a (N) tensor of i32, but got 'tensor<?xi64>'}}
  %y = lattice.voxelize %p, %v, %i, %n {voxel_size = array<f64: 0.5, 0.5, 0.5>, origin = array<f64: 0.0, 0.0, 0.0>, reduction = #lattice.voxel_reduction<sum>, stride = array<i64: 1, 1, 1>} : (tensor<?x3xf32>, tensor<?x2xf32>, tensor<?xi64>, tensor<1xi32>) -> !sp
  return
}

// -----

// Indices of embedding_lookup.
!ew = !lattice.weight<embedding, f32>
func.func @f(%i: tensor<?xi64>, %w: !ew) {
  // expected-error @+1 {{operand #0 must be indices, a (N) tensor of i32, but got 'tensor<?xi64>'}}
  %y = lattice.embedding_lookup %i, %w : (tensor<?xi64>, !ew) -> tensor<?x3xf32>
  return
}

// -----

// An elementwise operation on integers.
func.func @f(%x: tensor<?xi32>) {
  // expected-error @+1 {{operand #0 must be a tensor of f32 or f16, but got 'tensor<?xi32>'}}
  %y = lattice.elementwise %x {kind = "exp"} : (tensor<?xi32>) -> tensor<?xi32>
  return
}

// -----

// A softmax on another rank.
func.func @f(%x: tensor<?x2x3xf32>) {
  // expected-error @+1 {{operand #0 must be features, a (N, C) tensor of f32 or f16, but got 'tensor<?x2x3xf32>'}}
  %y = lattice.softmax %x {axis = 1} : (tensor<?x2x3xf32>) -> tensor<?x2x3xf32>
  return
}

// -----

// A convolution on a tensor.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
func.func @f(%x: tensor<?x2xf32>, %w: !cw) {
  // expected-error @+1 {{operand #0 must be sparse value, but got 'tensor<?x2xf32>'}}
  %y = lattice.conv3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (tensor<?x2xf32>, !cw) -> !sp
  return
}

// -----

// The result of global_pool.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%x: !sp) {
  // expected-error @+1 {{result #0 must be features, a (N, C) tensor of f32 or f16, but got 'tensor<?xf32>'}}
  %y = lattice.global_pool %x {mode = #lattice.pool_mode<sum>, batch_size = 2} : (!sp) -> tensor<?xf32>
  return
}

// -----

// Too few operands.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
func.func @f(%x: !sp) {
  // expected-error @+1 {{expected 2 or more operands, but found 1}}
  %y = lattice.conv3d %x {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp) -> !sp
  return
}

// -----

// Too many operands.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
!b = !lattice.weight<bias, f32>
func.func @f(%x: !sp, %w: !cw, %b: !b) {
  // expected-error @+1 {{operand group starting at #2 requires 0 or 1 element, but found 2}}
  %y = lattice.conv3d %x, %w, %b, %b {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !cw, !b, !b) -> !sp
  return
}
