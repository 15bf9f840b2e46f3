// Every operation reads, prints and reads again, in both forms.
// RUN: %lattice-opt %s --verify-roundtrip | %FileCheck %s
// RUN: %lattice-opt %s --mlir-print-op-generic | %lattice-opt | %FileCheck %s
// RUN: %lattice-opt %s --mlir-print-op-generic | %FileCheck %s --check-prefix=GENERIC

!sp = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
!sph = !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f16>
!cw = !lattice.weight<conv3d, f32>
!ch = !lattice.weight<channel, f32>
!b = !lattice.weight<bias, f32>

func.func @forward(%c: tensor<?x4xi32>, %f: tensor<?x2xf32>, %n: tensor<1xi32>,
                   %tc: tensor<5x4xi32>, %tf: tensor<5x2xf32>, %tn: tensor<1xi32>,
                   %p: tensor<?x3xf16>, %i: tensor<?xi32>, %any: tensor<2x?x3xf16>) {
  // CHECK: lattice.weight @conv {layout = #lattice.weight_layout<conv3d_o_xyz_i>, packing = #lattice.packing<dense>, storage_key = "conv"} : <conv3d, f32>
  // GENERIC: "lattice.weight"({{.*}}) <{layout = #lattice.weight_layout<conv3d_o_xyz_i>, packing = #lattice.packing<dense>, storage_key = "conv", sym_name = "conv"}> : 
  %conv = lattice.weight @conv {storage_key = "conv", layout = #lattice.weight_layout<conv3d_o_xyz_i>, packing = #lattice.packing<dense>} : !lattice.weight<conv3d, f32>
  // CHECK: lattice.weight @packed {layout = #lattice.weight_layout<conv3d_o_xyz_i>, packing = #lattice.packing<int8, group_size = 32, scale_dtype = f16, mode = affine>, storage_key = "packed"} : <conv3d, f32>
  // GENERIC: "lattice.weight"({{.*}}) <{layout = #lattice.weight_layout<conv3d_o_xyz_i>, packing = #lattice.packing<int8, group_size = 32, scale_dtype = f16, mode = affine>, storage_key = "packed", sym_name = "packed"}> : 
  %packed = lattice.weight @packed {storage_key = "packed", layout = #lattice.weight_layout<conv3d_o_xyz_i>, packing = #lattice.packing<int8, group_size = 32, scale_dtype = f16, mode = affine>} : !lattice.weight<conv3d, f32>
  // CHECK: lattice.weight @fc {layout = #lattice.weight_layout<linear_o_i>, packing = #lattice.packing<int4, group_size = 128, scale_dtype = f32, mode = affine>, storage_key = "fc"} : <linear, f16>
  // GENERIC: "lattice.weight"({{.*}}) <{layout = #lattice.weight_layout<linear_o_i>, packing = #lattice.packing<int4, group_size = 128, scale_dtype = f32, mode = affine>, storage_key = "fc", sym_name = "fc"}> : 
  %fc = lattice.weight @fc {storage_key = "fc", layout = #lattice.weight_layout<linear_o_i>, packing = #lattice.packing<int4, group_size = 128, scale_dtype = f32, mode = affine>} : !lattice.weight<linear, f16>
  // CHECK: lattice.weight @table {layout = #lattice.weight_layout<embedding_n_c>, packing = #lattice.packing<dense>, storage_key = "table"} : <embedding, f16>
  // GENERIC: "lattice.weight"({{.*}}) <{layout = #lattice.weight_layout<embedding_n_c>, packing = #lattice.packing<dense>, storage_key = "table", sym_name = "table"}> : 
  %table = lattice.weight @table {storage_key = "table", layout = #lattice.weight_layout<embedding_n_c>, packing = #lattice.packing<dense>} : !lattice.weight<embedding, f16>
  // CHECK: lattice.weight @scale {layout = #lattice.weight_layout<channel_c>, packing = #lattice.packing<dense>, storage_key = "scale"} : <channel, f32>
  // GENERIC: "lattice.weight"({{.*}}) <{layout = #lattice.weight_layout<channel_c>, packing = #lattice.packing<dense>, storage_key = "scale", sym_name = "scale"}> : 
  %scale = lattice.weight @scale {storage_key = "scale", layout = #lattice.weight_layout<channel_c>, packing = #lattice.packing<dense>} : !lattice.weight<channel, f32>
  // CHECK: lattice.weight @bias {layout = #lattice.weight_layout<bias_c>, packing = #lattice.packing<dense>, storage_key = "bias"} : <bias, f32>
  // GENERIC: "lattice.weight"({{.*}}) <{layout = #lattice.weight_layout<bias_c>, packing = #lattice.packing<dense>, storage_key = "bias", sym_name = "bias"}> : 
  %bias = lattice.weight @bias {storage_key = "bias", layout = #lattice.weight_layout<bias_c>, packing = #lattice.packing<dense>} : !lattice.weight<bias, f32>
  // CHECK: lattice.sparse.make %{{[^ ,]+}}, %{{[^ ,]+}}, %{{[^ ,]+}} {coord_order = #lattice.coord<batch_x_y_z>, stride = array<i64: 1, 2, 3>} : (tensor<?x4xi32>, tensor<?x2xf32>, tensor<1xi32>) -> !lattice.sparse_tensor<{{[^>]*f32}}>
  // GENERIC: "lattice.sparse.make"({{.*}}) <{coord_order = #lattice.coord<batch_x_y_z>, stride = array<i64: 1, 2, 3>}> : 
  %x = lattice.sparse.make %c, %f, %n {stride = array<i64: 1, 2, 3>, coord_order = #lattice.coord<batch_x_y_z>} : (tensor<?x4xi32>, tensor<?x2xf32>, tensor<1xi32>) -> !sp
  // CHECK: lattice.sparse.make %{{[^ ,]+}}, %{{[^ ,]+}}, %{{[^ ,]+}} {coord_order = #lattice.coord<batch_x_y_z>, stride = array<i64: 1, 1, 1>} : (tensor<5x4xi32>, tensor<5x2xf32>, tensor<1xi32>) -> !lattice.sparse_tensor<{{[^>]*f32}}>
  // GENERIC: "lattice.sparse.make"({{.*}}) <{coord_order = #lattice.coord<batch_x_y_z>, stride = array<i64: 1, 1, 1>}> : 
  %t = lattice.sparse.make %tc, %tf, %tn {stride = array<i64: 1, 1, 1>, coord_order = #lattice.coord<batch_x_y_z>} : (tensor<5x4xi32>, tensor<5x2xf32>, tensor<1xi32>) -> !sp
  // CHECK: lattice.sparse.decompose %{{[^ ,]+}} : <rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32> -> (tensor<?x4xi32>, tensor<?x2xf32>, tensor<1xi32>)
  // GENERIC: "lattice.sparse.decompose"({{.*}}) : 
  %oc, %of, %on = lattice.sparse.decompose %x : !sp -> (tensor<?x4xi32>, tensor<?x2xf32>, tensor<1xi32>)
  // CHECK: lattice.sparse.with_features %{{[^ ,]+}}, %{{[^ ,]+}} : (!lattice.sparse_tensor<{{[^>]*f32}}>, tensor<?x2xf32>) -> !lattice.sparse_tensor<{{[^>]*f32}}>
  // GENERIC: "lattice.sparse.with_features"({{.*}}) : 
  %with = lattice.sparse.with_features %x, %f : (!sp, tensor<?x2xf32>) -> !sp
  // CHECK: lattice.sparse.reindex %{{[^ ,]+}}, %{{[^ ,]+}} {fill = 0x7FC00000 : f32} : (!lattice.sparse_tensor<{{[^>]*f32}}>, !lattice.sparse_tensor<{{[^>]*f32}}>) -> !lattice.sparse_tensor<{{[^>]*f32}}>
  // GENERIC: "lattice.sparse.reindex"({{.*}}) <{fill = 0x7FC00000 : f32}> : 
  %re = lattice.sparse.reindex %x, %t {fill = 0x7FC00000 : f32} : (!sp, !sp) -> !sp
  // CHECK: lattice.sparse.binary %{{[^ ,]+}}, %{{[^ ,]+}} {join = #lattice.join<outer>, lhs_fill = -5.000000e-01 : f32, op = #lattice.binary_op<maximum>, rhs_fill = 0.000000e+00 : f32} : (!lattice.sparse_tensor<{{[^>]*f32}}>, !lattice.sparse_tensor<{{[^>]*f32}}>) -> !lattice.sparse_tensor<{{[^>]*f32}}>
  // GENERIC: "lattice.sparse.binary"({{.*}}) <{join = #lattice.join<outer>, lhs_fill = -5.000000e-01 : f32, op = #lattice.binary_op<maximum>, rhs_fill = 0.000000e+00 : f32}> : 
  %bin = lattice.sparse.binary %x, %t {op = #lattice.binary_op<maximum>, join = #lattice.join<outer>, lhs_fill = -0.5 : f32, rhs_fill = 0.0 : f32} : (!sp, !sp) -> !sp
  // CHECK: lattice.sparse.cat %{{[^ ,]+}}, %{{[^ ,]+}} {join = #lattice.join<left>} : (!lattice.sparse_tensor<{{[^>]*f32}}>, !lattice.sparse_tensor<{{[^>]*f32}}>) -> !lattice.sparse_tensor<{{[^>]*f32}}>
  // GENERIC: "lattice.sparse.cat"({{.*}}) <{join = #lattice.join<left>}> : 
  %cat = lattice.sparse.cat %x, %t {join = #lattice.join<left>} : (!sp, !sp) -> !sp
  // CHECK: lattice.conv3d %{{[^ ,]+}}, %{{[^ ,]+}}, %{{[^ ,]+}} {accumulation = "canonical_f32", dilation = array<i64: 1, 1, 1>, kernel_size = array<i64: 3, 3, 3>, padding = array<i64: 0, 0, 0>, stride = array<i64: 2, 2, 2>} : (!lattice.sparse_tensor<{{[^>]*f32}}>, !lattice.weight<conv3d, f32>, !lattice.weight<bias, f32>) -> !lattice.sparse_tensor<{{[^>]*f32}}>
  // GENERIC: "lattice.conv3d"({{.*}}) <{accumulation = "canonical_f32", dilation = array<i64: 1, 1, 1>, kernel_size = array<i64: 3, 3, 3>, padding = array<i64: 0, 0, 0>, stride = array<i64: 2, 2, 2>}> : 
  %y0 = lattice.conv3d %x, %conv, %bias {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !cw, !b) -> !sp
  // CHECK: lattice.subm_conv3d %{{[^ ,]+}}, %{{[^ ,]+}} {accumulation = "canonical_f32", dilation = array<i64: 1, 1, 1>, kernel_size = array<i64: 3, 3, 3>} : (!lattice.sparse_tensor<{{[^>]*f32}}>, !lattice.weight<conv3d, f32>) -> !lattice.sparse_tensor<{{[^>]*f32}}>
  // GENERIC: "lattice.subm_conv3d"({{.*}}) <{accumulation = "canonical_f32", dilation = array<i64: 1, 1, 1>, kernel_size = array<i64: 3, 3, 3>}> : 
  %y1 = lattice.subm_conv3d %x, %conv {kernel_size = array<i64: 3, 3, 3>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  // CHECK: lattice.normalized_subm_conv3d %{{[^ ,]+}}, %{{[^ ,]+}}, %{{[^ ,]+}} {accumulation = "canonical_f32", dilation = array<i64: 1, 1, 1>, eps = 9.99999997E-7 : f32, kernel_size = array<i64: 3, 3, 3>} : (!lattice.sparse_tensor<{{[^>]*f32}}>, !lattice.weight<conv3d, f32>, !lattice.weight<bias, f32>) -> !lattice.sparse_tensor<{{[^>]*f32}}>
  // GENERIC: "lattice.normalized_subm_conv3d"({{.*}}) <{accumulation = "canonical_f32", dilation = array<i64: 1, 1, 1>, eps = 9.99999997E-7 : f32, kernel_size = array<i64: 3, 3, 3>}> : 
  %y2 = lattice.normalized_subm_conv3d %x, %conv, %bias {kernel_size = array<i64: 3, 3, 3>, dilation = array<i64: 1, 1, 1>, eps = 1.0e-6 : f32, accumulation = "canonical_f32"} : (!sp, !cw, !b) -> !sp
  // CHECK: lattice.target_conv3d %{{[^ ,]+}}, %{{[^ ,]+}}, %{{[^ ,]+}} {accumulation = "canonical_f32", dilation = array<i64: 1, 1, 1>, kernel_size = array<i64: 3, 3, 3>, padding = array<i64: 0, 0, 0>, stride = array<i64: 2, 2, 2>} : (!lattice.sparse_tensor<{{[^>]*f32}}>, !lattice.sparse_tensor<{{[^>]*f32}}>, !lattice.weight<conv3d, f32>) -> !lattice.sparse_tensor<{{[^>]*f32}}>
  // GENERIC: "lattice.target_conv3d"({{.*}}) <{accumulation = "canonical_f32", dilation = array<i64: 1, 1, 1>, kernel_size = array<i64: 3, 3, 3>, padding = array<i64: 0, 0, 0>, stride = array<i64: 2, 2, 2>}> : 
  %y3 = lattice.target_conv3d %x, %t, %conv {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !sp, !cw) -> !sp
  // CHECK: lattice.conv_transpose3d %{{[^ ,]+}}, %{{[^ ,]+}}, %{{[^ ,]+}} {accumulation = "canonical_f32", dilation = array<i64: 1, 1, 1>, kernel_size = array<i64: 3, 3, 3>, padding = array<i64: 0, 0, 0>, stride = array<i64: 2, 2, 2>} : (!lattice.sparse_tensor<{{[^>]*f32}}>, !lattice.weight<conv3d, f32>, !lattice.weight<bias, f32>) -> !lattice.sparse_tensor<{{[^>]*f32}}>
  // GENERIC: "lattice.conv_transpose3d"({{.*}}) <{accumulation = "canonical_f32", dilation = array<i64: 1, 1, 1>, kernel_size = array<i64: 3, 3, 3>, padding = array<i64: 0, 0, 0>, stride = array<i64: 2, 2, 2>}> : 
  %y4 = lattice.conv_transpose3d %x, %conv, %bias {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !cw, !b) -> !sp
  // CHECK: lattice.target_conv_transpose3d %{{[^ ,]+}}, %{{[^ ,]+}}, %{{[^ ,]+}} {accumulation = "canonical_f32", dilation = array<i64: 1, 1, 1>, kernel_size = array<i64: 3, 3, 3>, padding = array<i64: 0, 0, 0>, stride = array<i64: 2, 2, 2>} : (!lattice.sparse_tensor<{{[^>]*f32}}>, !lattice.sparse_tensor<{{[^>]*f32}}>, !lattice.weight<conv3d, f32>) -> !lattice.sparse_tensor<{{[^>]*f32}}>
  // GENERIC: "lattice.target_conv_transpose3d"({{.*}}) <{accumulation = "canonical_f32", dilation = array<i64: 1, 1, 1>, kernel_size = array<i64: 3, 3, 3>, padding = array<i64: 0, 0, 0>, stride = array<i64: 2, 2, 2>}> : 
  %y5 = lattice.target_conv_transpose3d %x, %t, %conv {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !sp, !cw) -> !sp
  // CHECK: lattice.normalized_conv_transpose3d %{{[^ ,]+}}, %{{[^ ,]+}}, %{{[^ ,]+}} {accumulation = "canonical_f32", dilation = array<i64: 1, 1, 1>, eps = 9.99999997E-7 : f32, kernel_size = array<i64: 3, 3, 3>, padding = array<i64: 0, 0, 0>, stride = array<i64: 2, 2, 2>} : (!lattice.sparse_tensor<{{[^>]*f32}}>, !lattice.weight<conv3d, f32>, !lattice.weight<bias, f32>) -> !lattice.sparse_tensor<{{[^>]*f32}}>
  // GENERIC: "lattice.normalized_conv_transpose3d"({{.*}}) <{accumulation = "canonical_f32", dilation = array<i64: 1, 1, 1>, eps = 9.99999997E-7 : f32, kernel_size = array<i64: 3, 3, 3>, padding = array<i64: 0, 0, 0>, stride = array<i64: 2, 2, 2>}> : 
  %y6 = lattice.normalized_conv_transpose3d %x, %conv, %bias {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, eps = 1.0e-6 : f32, accumulation = "canonical_f32"} : (!sp, !cw, !b) -> !sp
  // CHECK: lattice.target_normalized_conv_transpose3d %{{[^ ,]+}}, %{{[^ ,]+}}, %{{[^ ,]+}} {accumulation = "canonical_f32", dilation = array<i64: 1, 1, 1>, eps = 9.99999997E-7 : f32, kernel_size = array<i64: 3, 3, 3>, padding = array<i64: 0, 0, 0>, stride = array<i64: 2, 2, 2>} : (!lattice.sparse_tensor<{{[^>]*f32}}>, !lattice.sparse_tensor<{{[^>]*f32}}>, !lattice.weight<conv3d, f32>) -> !lattice.sparse_tensor<{{[^>]*f32}}>
  // GENERIC: "lattice.target_normalized_conv_transpose3d"({{.*}}) <{accumulation = "canonical_f32", dilation = array<i64: 1, 1, 1>, eps = 9.99999997E-7 : f32, kernel_size = array<i64: 3, 3, 3>, padding = array<i64: 0, 0, 0>, stride = array<i64: 2, 2, 2>}> : 
  %y7 = lattice.target_normalized_conv_transpose3d %x, %t, %conv {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>, eps = 1.0e-6 : f32, accumulation = "canonical_f32"} : (!sp, !sp, !cw) -> !sp
  // CHECK: lattice.generative_conv_transpose3d %{{[^ ,]+}}, %{{[^ ,]+}}, %{{[^ ,]+}} {accumulation = "canonical_f32", kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>} : (!lattice.sparse_tensor<{{[^>]*f32}}>, !lattice.weight<conv3d, f32>, !lattice.weight<bias, f32>) -> !lattice.sparse_tensor<{{[^>]*f32}}>
  // GENERIC: "lattice.generative_conv_transpose3d"({{.*}}) <{accumulation = "canonical_f32", kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>}> : 
  %y8 = lattice.generative_conv_transpose3d %x, %conv, %bias {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, accumulation = "canonical_f32"} : (!sp, !cw, !b) -> !sp
  // CHECK: lattice.normalized_generative_conv_transpose3d %{{[^ ,]+}}, %{{[^ ,]+}} {accumulation = "canonical_f32", eps = 9.99999997E-7 : f32, kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>} : (!lattice.sparse_tensor<{{[^>]*f32}}>, !lattice.weight<conv3d, f32>) -> !lattice.sparse_tensor<{{[^>]*f32}}>
  // GENERIC: "lattice.normalized_generative_conv_transpose3d"({{.*}}) <{accumulation = "canonical_f32", eps = 9.99999997E-7 : f32, kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>}> : 
  %y9 = lattice.normalized_generative_conv_transpose3d %x, %conv {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, eps = 1.0e-6 : f32, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  // CHECK: lattice.subm_conv3d %{{[^ ,]+}}, %{{[^ ,]+}} {accumulation = "canonical_f32", dilation = array<i64: 1, 1, 1>, kernel_size = array<i64: 3, 3, 3>} : (!lattice.sparse_tensor<{{[^>]*f32}}>, !lattice.weight<conv3d, f32>) -> !lattice.sparse_tensor<{{[^>]*f32}}>
  // GENERIC: "lattice.subm_conv3d"({{.*}}) <{accumulation = "canonical_f32", dilation = array<i64: 1, 1, 1>, kernel_size = array<i64: 3, 3, 3>}> : 
  %q = lattice.subm_conv3d %x, %packed {kernel_size = array<i64: 3, 3, 3>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!sp, !cw) -> !sp
  // CHECK: lattice.pool3d %{{[^ ,]+}} {dilation = array<i64: 1, 1, 1>, kernel_size = array<i64: 3, 3, 3>, mode = #lattice.pool_mode<max>, padding = array<i64: 0, 0, 0>, stride = array<i64: 2, 2, 2>} : (!lattice.sparse_tensor<{{[^>]*f32}}>) -> !lattice.sparse_tensor<{{[^>]*f32}}>
  // GENERIC: "lattice.pool3d"({{.*}}) <{dilation = array<i64: 1, 1, 1>, kernel_size = array<i64: 3, 3, 3>, mode = #lattice.pool_mode<max>, padding = array<i64: 0, 0, 0>, stride = array<i64: 2, 2, 2>}> : 
  %p0 = lattice.pool3d %x {mode = #lattice.pool_mode<max>, kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>} : (!sp) -> !sp
  // CHECK: lattice.pool_transpose3d %{{[^ ,]+}} {dilation = array<i64: 1, 1, 1>, kernel_size = array<i64: 3, 3, 3>, padding = array<i64: 0, 0, 0>, stride = array<i64: 2, 2, 2>} : (!lattice.sparse_tensor<{{[^>]*f32}}>) -> !lattice.sparse_tensor<{{[^>]*f32}}>
  // GENERIC: "lattice.pool_transpose3d"({{.*}}) <{dilation = array<i64: 1, 1, 1>, kernel_size = array<i64: 3, 3, 3>, padding = array<i64: 0, 0, 0>, stride = array<i64: 2, 2, 2>}> : 
  %p1 = lattice.pool_transpose3d %x {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>} : (!sp) -> !sp
  // CHECK: lattice.pool_transpose3d %{{[^ ,]+}}, %{{[^ ,]+}} {dilation = array<i64: 1, 1, 1>, kernel_size = array<i64: 3, 3, 3>, padding = array<i64: 0, 0, 0>, stride = array<i64: 2, 2, 2>} : (!lattice.sparse_tensor<{{[^>]*f32}}>, !lattice.sparse_tensor<{{[^>]*f32}}>) -> !lattice.sparse_tensor<{{[^>]*f32}}>
  // GENERIC: "lattice.pool_transpose3d"({{.*}}) <{dilation = array<i64: 1, 1, 1>, kernel_size = array<i64: 3, 3, 3>, padding = array<i64: 0, 0, 0>, stride = array<i64: 2, 2, 2>}> : 
  %p2 = lattice.pool_transpose3d %x, %t {kernel_size = array<i64: 3, 3, 3>, stride = array<i64: 2, 2, 2>, padding = array<i64: 0, 0, 0>, dilation = array<i64: 1, 1, 1>} : (!sp, !sp) -> !sp
  // CHECK: lattice.trilinear_upsample3d %{{[^ ,]+}} {stride = array<i64: 2, 2, 2>} : (!lattice.sparse_tensor<{{[^>]*f32}}>) -> !lattice.sparse_tensor<{{[^>]*f32}}>
  // GENERIC: "lattice.trilinear_upsample3d"({{.*}}) <{stride = array<i64: 2, 2, 2>}> : 
  %u1 = lattice.trilinear_upsample3d %x {stride = array<i64: 2, 2, 2>} : (!sp) -> !sp
  // CHECK: lattice.trilinear_upsample3d %{{[^ ,]+}}, %{{[^ ,]+}} {stride = array<i64: 2, 2, 2>} : (!lattice.sparse_tensor<{{[^>]*f32}}>, !lattice.sparse_tensor<{{[^>]*f32}}>) -> !lattice.sparse_tensor<{{[^>]*f32}}>
  // GENERIC: "lattice.trilinear_upsample3d"({{.*}}) <{stride = array<i64: 2, 2, 2>}> : 
  %u2 = lattice.trilinear_upsample3d %x, %t {stride = array<i64: 2, 2, 2>} : (!sp, !sp) -> !sp
  // CHECK: lattice.global_pool %{{[^ ,]+}} {batch_size = -1 : i64, mode = #lattice.pool_mode<avg>} : (!lattice.sparse_tensor<{{[^>]*f32}}>) -> tensor<?x2xf32>
  // GENERIC: "lattice.global_pool"({{.*}}) <{batch_size = -1 : i64, mode = #lattice.pool_mode<avg>}> : 
  %g = lattice.global_pool %x {mode = #lattice.pool_mode<avg>, batch_size = -1 : i64} : (!sp) -> tensor<?x2xf32>
  // CHECK: lattice.voxelize %{{[^ ,]+}}, %{{[^ ,]+}}, %{{[^ ,]+}}, %{{[^ ,]+}} {origin = array<f64: 0.000000e+00, -1.000000e+00, 2.000000e+00>, reduction = #lattice.voxel_reduction<mean>, stride = array<i64: 1, 1, 1>, voxel_size = array<f64: 5.000000e-01, 2.500000e-01, 1.000000e+00>} : (tensor<?x3xf16>, tensor<?x2xf32>, tensor<?xi32>, tensor<1xi32>) -> !lattice.sparse_tensor<{{[^>]*f16}}>
  // GENERIC: "lattice.voxelize"({{.*}}) <{origin = array<f64: 0.000000e+00, -1.000000e+00, 2.000000e+00>, reduction = #lattice.voxel_reduction<mean>, stride = array<i64: 1, 1, 1>, voxel_size = array<f64: 5.000000e-01, 2.500000e-01, 1.000000e+00>}> : 
  %v = lattice.voxelize %p, %f, %i, %n {voxel_size = array<f64: 0.5, 0.25, 1.0>, origin = array<f64: 0.0, -1.0, 2.0>, reduction = #lattice.voxel_reduction<mean>, stride = array<i64: 1, 1, 1>} : (tensor<?x3xf16>, tensor<?x2xf32>, tensor<?xi32>, tensor<1xi32>) -> !sph
  // CHECK: lattice.devoxelize %{{[^ ,]+}}, %{{[^ ,]+}}, %{{[^ ,]+}}, %{{[^ ,]+}} {interpolation = #lattice.point_interpolation<nearest>, origin = array<f64: 0.000000e+00, -1.000000e+00, 2.000000e+00>, voxel_size = array<f64: 5.000000e-01, 2.500000e-01, 1.000000e+00>} : (tensor<?x3xf16>, !lattice.sparse_tensor<{{[^>]*f16}}>, tensor<?xi32>, tensor<1xi32>) -> tensor<?x2xf32>
  // GENERIC: "lattice.devoxelize"({{.*}}) <{interpolation = #lattice.point_interpolation<nearest>, origin = array<f64: 0.000000e+00, -1.000000e+00, 2.000000e+00>, voxel_size = array<f64: 5.000000e-01, 2.500000e-01, 1.000000e+00>}> : 
  %d = lattice.devoxelize %p, %v, %i, %n {voxel_size = array<f64: 0.5, 0.25, 1.0>, origin = array<f64: 0.0, -1.0, 2.0>, interpolation = #lattice.point_interpolation<nearest>} : (tensor<?x3xf16>, !sph, tensor<?xi32>, tensor<1xi32>) -> tensor<?x2xf32>
  // CHECK: lattice.linear %{{[^ ,]+}}, %{{[^ ,]+}} : (tensor<?x2xf32>, !lattice.weight<linear, f16>) -> tensor<?x7xf32>
  // GENERIC: "lattice.linear"({{.*}}) : 
  %l1 = lattice.linear %f, %fc : (tensor<?x2xf32>, !lattice.weight<linear, f16>) -> tensor<?x7xf32>
  // CHECK: lattice.linear %{{[^ ,]+}}, %{{[^ ,]+}}, %{{[^ ,]+}} : (tensor<?x2xf32>, !lattice.weight<linear, f16>, !lattice.weight<bias, f32>) -> tensor<?x7xf32>
  // GENERIC: "lattice.linear"({{.*}}) : 
  %l2 = lattice.linear %f, %fc, %bias : (tensor<?x2xf32>, !lattice.weight<linear, f16>, !b) -> tensor<?x7xf32>
  // CHECK: lattice.embedding_lookup %{{[^ ,]+}}, %{{[^ ,]+}} : (tensor<?xi32>, !lattice.weight<embedding, f16>) -> tensor<?x8xf32>
  // GENERIC: "lattice.embedding_lookup"({{.*}}) : 
  %e = lattice.embedding_lookup %i, %table : (tensor<?xi32>, !lattice.weight<embedding, f16>) -> tensor<?x8xf32>
  // CHECK: lattice.elementwise %{{[^ ,]+}} {kind = "round"} : (tensor<2x?x3xf16>) -> tensor<2x?x3xf16>
  // GENERIC: "lattice.elementwise"({{.*}}) <{kind = "round"}> : 
  %ew = lattice.elementwise %any {kind = "round"} : (tensor<2x?x3xf16>) -> tensor<2x?x3xf16>
  // CHECK: lattice.softmax %{{[^ ,]+}} {axis = -1 : i64} : (tensor<?x2xf32>) -> tensor<?x2xf32>
  // GENERIC: "lattice.softmax"({{.*}}) <{axis = -1 : i64}> : 
  %sm = lattice.softmax %f {axis = -1} : (tensor<?x2xf32>) -> tensor<?x2xf32>
  // CHECK: lattice.activation %{{[^ ,]+}} {alpha = 0.000000e+00 : f32, approximate = #lattice.gelu_approx<none>, beta = 1.000000e+00 : f32, kind = #lattice.activation<leaky_relu>, threshold = -2.000000e+01 : f32} : (tensor<?x2xf32>) -> tensor<?x2xf32>
  // GENERIC: "lattice.activation"({{.*}}) <{alpha = 0.000000e+00 : f32, approximate = #lattice.gelu_approx<none>, beta = 1.000000e+00 : f32, kind = #lattice.activation<leaky_relu>, threshold = -2.000000e+01 : f32}> : 
  %act = lattice.activation %f {kind = #lattice.activation<leaky_relu>, approximate = #lattice.gelu_approx<none>, alpha = 0.0 : f32, beta = 1.0 : f32, threshold = -20.0 : f32} : (tensor<?x2xf32>) -> tensor<?x2xf32>
  // CHECK: lattice.batch_norm %{{[^ ,]+}}, %{{[^ ,]+}}, %{{[^ ,]+}}, %{{[^ ,]+}}, %{{[^ ,]+}} {eps = 9.99999974E-6 : f32} : (tensor<?x2xf32>, !lattice.weight<channel, f32>, !lattice.weight<bias, f32>, !lattice.weight<channel, f32>, !lattice.weight<channel, f32>) -> tensor<?x2xf32>
  // GENERIC: "lattice.batch_norm"({{.*}}) <{eps = 9.99999974E-6 : f32}> : 
  %bn = lattice.batch_norm %f, %scale, %bias, %scale, %scale {eps = 1.0e-5 : f32} : (tensor<?x2xf32>, !ch, !b, !ch, !ch) -> tensor<?x2xf32>
  // CHECK: lattice.layer_norm %{{[^ ,]+}}, %{{[^ ,]+}}, %{{[^ ,]+}} {eps = 5.000000e-01 : f32} : (tensor<?x2xf32>, !lattice.weight<channel, f32>, !lattice.weight<bias, f32>) -> tensor<?x2xf32>
  // GENERIC: "lattice.layer_norm"({{.*}}) <{eps = 5.000000e-01 : f32}> : 
  %ln = lattice.layer_norm %f, %scale, %bias {eps = 0.5 : f32} : (tensor<?x2xf32>, !ch, !b) -> tensor<?x2xf32>
  // CHECK: lattice.rms_norm %{{[^ ,]+}}, %{{[^ ,]+}} {eps = 2.500000e-01 : f32} : (tensor<?x2xf32>, !lattice.weight<channel, f32>) -> tensor<?x2xf32>
  // GENERIC: "lattice.rms_norm"({{.*}}) <{eps = 2.500000e-01 : f32}> : 
  %rn = lattice.rms_norm %f, %scale {eps = 0.25 : f32} : (tensor<?x2xf32>, !ch) -> tensor<?x2xf32>
  return
}
