// Text that does not parse: fields in another order, words that are missing, numbers that do not fit.
// RUN: %lattice-opt %s -split-input-file -verify-diagnostics

// Fields of a type stand in the printed order.
// expected-error @+1 {{expected 'rank'}}
func.func private @f() -> !lattice.sparse_tensor<coord = batch_x_y_z, rank = 3, feature = row_channel, dtype = f32>

// -----

// expected-error @+1 {{expected 'dtype'}}
func.func private @f() -> !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, f32>

// -----

// expected-error @+1 {{integer value too large}}
func.func private @f() -> !lattice.sparse_tensor<rank = 99999999999999999999, coord = batch_x_y_z, feature = row_channel, dtype = f32>

// -----

// expected-error @+1 {{expected valid keyword or string}}
func.func private @f() -> !lattice.weight<3, f32>

// -----

// expected-error @+1 {{expected ','}}
func.func private @f() -> !lattice.weight<conv3d>

// -----

// expected-error @+1 {{expected valid keyword or string}}
#a = #lattice.join<>

// -----

// expected-error @+1 {{expected 'group_size'}}
#a = #lattice.packing<int8, scale_dtype = f16, group_size = 32, mode = affine>

// -----

// expected-error @+1 {{expected ','}}
#a = #lattice.packing<int8, group_size = 32>

// -----

// expected-error @+1 {{unknown  type `voxels` in dialect `lattice`}}
func.func private @f() -> !lattice.voxels<3>

// -----

// expected-error @+1 {{unknown attribute `median` in dialect `lattice`}}
#a = #lattice.median<3>

// -----

func.func @f() {
  // expected-error @+1 {{custom op 'lattice.quantized_conv3d' is unknown}}
  lattice.quantized_conv3d
  return
}
