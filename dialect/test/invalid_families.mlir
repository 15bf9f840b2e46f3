// Weight operands of another family.
// RUN: %lattice-opt %s -split-input-file -verify-diagnostics

// C3: conv3d takes a conv3d weight.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!lw = !lattice.weight<linear, f32>
func.func @f(%x: !sp, %w: !lw) {
  // expected-error @+1 {{operand #1 must be a conv3d weight, but got '!lattice.weight<linear, f32>'}}
  %y = lattice.conv3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !lw) -> !sp
  return
}

// -----

// C3: the bias of conv3d is a bias weight.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
!ch = !lattice.weight<channel, f32>
func.func @f(%x: !sp, %w: !cw, %b: !ch) {
  // expected-error @+1 {{operand #2 must be a bias weight, but got '!lattice.weight<channel, f32>'}}
  %y = lattice.conv3d %x, %w, %b {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !cw, !ch) -> !sp
  return
}

// -----

// C3: subm_conv3d takes a conv3d weight.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!lw = !lattice.weight<linear, f32>
func.func @f(%x: !sp, %w: !lw) {
  // expected-error @+1 {{operand #1 must be a conv3d weight, but got '!lattice.weight<linear, f32>'}}
  %y = lattice.subm_conv3d %x, %w {kernel_size = array<i64: 3, 3, 3>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !lw) -> !sp
  return
}

// -----

// C3: the bias of subm_conv3d is a bias weight.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
!ch = !lattice.weight<channel, f32>
func.func @f(%x: !sp, %w: !cw, %b: !ch) {
  // expected-error @+1 {{operand #2 must be a bias weight, but got '!lattice.weight<channel, f32>'}}
  %y = lattice.subm_conv3d %x, %w, %b {kernel_size = array<i64: 3, 3, 3>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !cw, !ch) -> !sp
  return
}

// -----

// C3: normalized_subm_conv3d takes a conv3d weight.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!lw = !lattice.weight<linear, f32>
func.func @f(%x: !sp, %w: !lw) {
  // expected-error @+1 {{operand #1 must be a conv3d weight, but got '!lattice.weight<linear, f32>'}}
  %y = lattice.normalized_subm_conv3d %x, %w {kernel_size = array<i64: 3, 3, 3>, dilation = array<i64: 1, 1, 1>, eps = 1.0e-6 : f32, accumulation = "canonical_f32"} : (!sp, !lw) -> !sp
  return
}

// -----

// C3: the bias of normalized_subm_conv3d is a bias weight.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
!ch = !lattice.weight<channel, f32>
func.func @f(%x: !sp, %w: !cw, %b: !ch) {
  // expected-error @+1 {{operand #2 must be a bias weight, but got '!lattice.weight<channel, f32>'}}
  %y = lattice.normalized_subm_conv3d %x, %w, %b {kernel_size = array<i64: 3, 3, 3>, dilation = array<i64: 1, 1, 1>, eps = 1.0e-6 : f32, accumulation = "canonical_f32"} : (!sp, !cw, !ch) -> !sp
  return
}

// -----

// C3: target_conv3d takes a conv3d weight.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!lw = !lattice.weight<linear, f32>
func.func @f(%x: !sp, %t: !sp, %w: !lw) {
  // expected-error @+1 {{operand #2 must be a conv3d weight, but got '!lattice.weight<linear, f32>'}}
  %y = lattice.target_conv3d %x, %t, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !sp, !lw) -> !sp
  return
}

// -----

// C3: the bias of target_conv3d is a bias weight.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
!ch = !lattice.weight<channel, f32>
func.func @f(%x: !sp, %t: !sp, %w: !cw, %b: !ch) {
  // expected-error @+1 {{operand #3 must be a bias weight, but got '!lattice.weight<channel, f32>'}}
  %y = lattice.target_conv3d %x, %t, %w, %b {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !sp, !cw, !ch) -> !sp
  return
}

// -----

// C3: conv_transpose3d takes a conv3d weight.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!lw = !lattice.weight<linear, f32>
func.func @f(%x: !sp, %w: !lw) {
  // expected-error @+1 {{operand #1 must be a conv3d weight, but got '!lattice.weight<linear, f32>'}}
  %y = lattice.conv_transpose3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !lw) -> !sp
  return
}

// -----

// C3: the bias of conv_transpose3d is a bias weight.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
!ch = !lattice.weight<channel, f32>
func.func @f(%x: !sp, %w: !cw, %b: !ch) {
  // expected-error @+1 {{operand #2 must be a bias weight, but got '!lattice.weight<channel, f32>'}}
  %y = lattice.conv_transpose3d %x, %w, %b {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !cw, !ch) -> !sp
  return
}

// -----

// C3: target_conv_transpose3d takes a conv3d weight.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!lw = !lattice.weight<linear, f32>
func.func @f(%x: !sp, %t: !sp, %w: !lw) {
  // expected-error @+1 {{operand #2 must be a conv3d weight, but got '!lattice.weight<linear, f32>'}}
  %y = lattice.target_conv_transpose3d %x, %t, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !sp, !lw) -> !sp
  return
}

// -----

// C3: the bias of target_conv_transpose3d is a bias weight.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
!ch = !lattice.weight<channel, f32>
func.func @f(%x: !sp, %t: !sp, %w: !cw, %b: !ch) {
  // expected-error @+1 {{operand #3 must be a bias weight, but got '!lattice.weight<channel, f32>'}}
  %y = lattice.target_conv_transpose3d %x, %t, %w, %b {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !sp, !cw, !ch) -> !sp
  return
}

// -----

// C3: normalized_conv_transpose3d takes a conv3d weight.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!lw = !lattice.weight<linear, f32>
func.func @f(%x: !sp, %w: !lw) {
  // expected-error @+1 {{operand #1 must be a conv3d weight, but got '!lattice.weight<linear, f32>'}}
  %y = lattice.normalized_conv_transpose3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, eps = 1.0e-6 : f32, accumulation = "canonical_f32"} : (!sp, !lw) -> !sp
  return
}

// -----

// C3: the bias of normalized_conv_transpose3d is a bias weight.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
!ch = !lattice.weight<channel, f32>
func.func @f(%x: !sp, %w: !cw, %b: !ch) {
  // expected-error @+1 {{operand #2 must be a bias weight, but got '!lattice.weight<channel, f32>'}}
  %y = lattice.normalized_conv_transpose3d %x, %w, %b {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, eps = 1.0e-6 : f32, accumulation = "canonical_f32"} : (!sp, !cw, !ch) -> !sp
  return
}

// -----

// C3: target_normalized_conv_transpose3d takes a conv3d weight.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!lw = !lattice.weight<linear, f32>
func.func @f(%x: !sp, %t: !sp, %w: !lw) {
  // expected-error @+1 {{operand #2 must be a conv3d weight, but got '!lattice.weight<linear, f32>'}}
  %y = lattice.target_normalized_conv_transpose3d %x, %t, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, eps = 1.0e-6 : f32, accumulation = "canonical_f32"} : (!sp, !sp, !lw) -> !sp
  return
}

// -----

// C3: the bias of target_normalized_conv_transpose3d is a bias weight.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
!ch = !lattice.weight<channel, f32>
func.func @f(%x: !sp, %t: !sp, %w: !cw, %b: !ch) {
  // expected-error @+1 {{operand #3 must be a bias weight, but got '!lattice.weight<channel, f32>'}}
  %y = lattice.target_normalized_conv_transpose3d %x, %t, %w, %b {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, eps = 1.0e-6 : f32, accumulation = "canonical_f32"} : (!sp, !sp, !cw, !ch) -> !sp
  return
}

// -----

// C3: generative_conv_transpose3d takes a conv3d weight.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!lw = !lattice.weight<linear, f32>
func.func @f(%x: !sp, %w: !lw) {
  // expected-error @+1 {{operand #1 must be a conv3d weight, but got '!lattice.weight<linear, f32>'}}
  %y = lattice.generative_conv_transpose3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, accumulation = "canonical_f32"} : (!sp, !lw) -> !sp
  return
}

// -----

// C3: the bias of generative_conv_transpose3d is a bias weight.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
!ch = !lattice.weight<channel, f32>
func.func @f(%x: !sp, %w: !cw, %b: !ch) {
  // expected-error @+1 {{operand #2 must be a bias weight, but got '!lattice.weight<channel, f32>'}}
  %y = lattice.generative_conv_transpose3d %x, %w, %b {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, accumulation = "canonical_f32"} : (!sp, !cw, !ch) -> !sp
  return
}

// -----

// C3: normalized_generative_conv_transpose3d takes a conv3d weight.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!lw = !lattice.weight<linear, f32>
func.func @f(%x: !sp, %w: !lw) {
  // expected-error @+1 {{operand #1 must be a conv3d weight, but got '!lattice.weight<linear, f32>'}}
  %y = lattice.normalized_generative_conv_transpose3d %x, %w {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, eps = 1.0e-6 : f32, accumulation = "canonical_f32"} : (!sp, !lw) -> !sp
  return
}

// -----

// C3: the bias of normalized_generative_conv_transpose3d is a bias weight.
!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!cw = !lattice.weight<conv3d, f32>
!ch = !lattice.weight<channel, f32>
func.func @f(%x: !sp, %w: !cw, %b: !ch) {
  // expected-error @+1 {{operand #2 must be a bias weight, but got '!lattice.weight<channel, f32>'}}
  %y = lattice.normalized_generative_conv_transpose3d %x, %w, %b {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, eps = 1.0e-6 : f32, accumulation = "canonical_f32"} : (!sp, !cw, !ch) -> !sp
  return
}

// -----

// C3: linear takes a linear weight.
!ew = !lattice.weight<embedding, f32>
func.func @f(%x: tensor<?x2xf32>, %w: !ew) {
  // expected-error @+1 {{operand #1 must be a linear weight, but got '!lattice.weight<embedding, f32>'}}
  %y = lattice.linear %x, %w : (tensor<?x2xf32>, !ew) -> tensor<?x3xf32>
  return
}

// -----

// C3: the bias of linear is a bias weight.
!lw = !lattice.weight<linear, f32>
!ch = !lattice.weight<channel, f32>
func.func @f(%x: tensor<?x2xf32>, %w: !lw, %b: !ch) {
  // expected-error @+1 {{operand #2 must be a bias weight, but got '!lattice.weight<channel, f32>'}}
  %y = lattice.linear %x, %w, %b : (tensor<?x2xf32>, !lw, !ch) -> tensor<?x3xf32>
  return
}

// -----

// C3: embedding_lookup takes an embedding weight.
!lw = !lattice.weight<linear, f32>
func.func @f(%i: tensor<?xi32>, %w: !lw) {
  // expected-error @+1 {{operand #1 must be an embedding weight, but got '!lattice.weight<linear, f32>'}}
  %y = lattice.embedding_lookup %i, %w : (tensor<?xi32>, !lw) -> tensor<?x3xf32>
  return
}

// -----

// C3: scale of batch_norm.
!ch = !lattice.weight<channel, f32>
!b = !lattice.weight<bias, f32>
func.func @f(%x: tensor<?x2xf32>, %s: !ch, %b: !b) {
  // expected-error @+1 {{operand #1 must be a channel weight, but got '!lattice.weight<bias, f32>'}}
  %y = lattice.batch_norm %x, %b, %b, %s, %s {eps = 1.0e-5 : f32} : (tensor<?x2xf32>, !b, !b, !ch, !ch) -> tensor<?x2xf32>
  return
}

// -----

// C3: bias of batch_norm.
!ch = !lattice.weight<channel, f32>
!b = !lattice.weight<bias, f32>
func.func @f(%x: tensor<?x2xf32>, %s: !ch, %b: !b) {
  // expected-error @+1 {{operand #2 must be a bias weight, but got '!lattice.weight<channel, f32>'}}
  %y = lattice.batch_norm %x, %s, %s, %s, %s {eps = 1.0e-5 : f32} : (tensor<?x2xf32>, !ch, !ch, !ch, !ch) -> tensor<?x2xf32>
  return
}

// -----

// C3: mean of batch_norm.
!ch = !lattice.weight<channel, f32>
!b = !lattice.weight<bias, f32>
func.func @f(%x: tensor<?x2xf32>, %s: !ch, %b: !b) {
  // expected-error @+1 {{operand #3 must be a channel weight, but got '!lattice.weight<bias, f32>'}}
  %y = lattice.batch_norm %x, %s, %b, %b, %s {eps = 1.0e-5 : f32} : (tensor<?x2xf32>, !ch, !b, !b, !ch) -> tensor<?x2xf32>
  return
}

// -----

// C3: var of batch_norm.
!ch = !lattice.weight<channel, f32>
!b = !lattice.weight<bias, f32>
func.func @f(%x: tensor<?x2xf32>, %s: !ch, %b: !b) {
  // expected-error @+1 {{operand #4 must be a channel weight, but got '!lattice.weight<bias, f32>'}}
  %y = lattice.batch_norm %x, %s, %b, %s, %b {eps = 1.0e-5 : f32} : (tensor<?x2xf32>, !ch, !b, !ch, !b) -> tensor<?x2xf32>
  return
}

// -----

// C3: scale of layer_norm.
!b = !lattice.weight<bias, f32>
func.func @f(%x: tensor<?x2xf32>, %b: !b) {
  // expected-error @+1 {{operand #1 must be a channel weight, but got '!lattice.weight<bias, f32>'}}
  %y = lattice.layer_norm %x, %b, %b {eps = 1.0e-5 : f32} : (tensor<?x2xf32>, !b, !b) -> tensor<?x2xf32>
  return
}

// -----

// C3: bias of layer_norm.
!ch = !lattice.weight<channel, f32>
func.func @f(%x: tensor<?x2xf32>, %s: !ch) {
  // expected-error @+1 {{operand #2 must be a bias weight, but got '!lattice.weight<channel, f32>'}}
  %y = lattice.layer_norm %x, %s, %s {eps = 1.0e-5 : f32} : (tensor<?x2xf32>, !ch, !ch) -> tensor<?x2xf32>
  return
}

// -----

// C3: scale of rms_norm.
!b = !lattice.weight<bias, f32>
func.func @f(%x: tensor<?x2xf32>, %b: !b) {
  // expected-error @+1 {{operand #1 must be a channel weight, but got '!lattice.weight<bias, f32>'}}
  %y = lattice.rms_norm %x, %b {eps = 1.0e-5 : f32} : (tensor<?x2xf32>, !b) -> tensor<?x2xf32>
  return
}
