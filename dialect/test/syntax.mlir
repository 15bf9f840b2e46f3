// What MLIR's text allows: quoted words, stripped types, the generic form, aliases, packs of results, locations.
// RUN: %lattice-opt %s --verify-roundtrip | %FileCheck %s

!sp = !lattice.sparse_tensor<rank = 3, coord = "batch_x_y_z", feature = "row_channel", dtype = "f32">
#dense = #lattice.packing<"dense">
#packed = #lattice.packing<"int4", group_size = 0x40, scale_dtype = "f32", mode = "affine">
#one = array<i64: 1, 1, 1>

// CHECK-LABEL: func.func @forward
func.func @forward(%c: tensor<?x4xi32>, %f: tensor<?x2xf32>, %n: tensor<1xi32>) -> !sp {
  // CHECK: lattice.sparse.make %{{.*}} {coord_order = #lattice.coord<batch_x_y_z>, stride = array<i64: 1, 1, 1>}
  // CHECK-SAME: -> !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
  %0 = lattice.sparse.make %c, %f, %n {stride = #one, coord_order = #lattice.coord<"batch_x_y_z">}
         : (tensor<?x4xi32>, tensor<?x2xf32>, tensor<1xi32>) -> !sp
  // CHECK: lattice.weight @w {layout = #lattice.weight_layout<conv3d_o_xyz_i>, packing = #lattice.packing<dense>, storage_key = "w"} : <conv3d, f32>
  %w = lattice.weight @w {storage_key = "w", layout = #lattice.weight_layout<"conv3d_o_xyz_i">, packing = #dense}
         : !lattice.weight<"conv3d", "f32">
  // CHECK: lattice.weight @"a b" {{.*}}packing = #lattice.packing<int4, group_size = 64, scale_dtype = f32, mode = affine>{{.*}} : <conv3d, f32>
  %p = lattice.weight @"a b" {"storage_key" = "p", layout = #lattice.weight_layout<conv3d_o_xyz_i>, packing = #packed}
         : <conv3d, f32> loc("model.py":3:7)
  // CHECK: lattice.subm_conv3d %{{.*}} kernel_size = array<i64: 3, 3, 3>
  %1 = "lattice.subm_conv3d"(%0, %w) <{kernel_size = array<i64: 0x3, 3, 3>, dilation = #one, accumulation = "canonical_f32"}>
         : (!sp, !lattice.weight<conv3d, f32>) -> !sp
  // The attributes of an operation may also stand outside <{ }>.
  // CHECK: lattice.subm_conv3d %{{.*}} kernel_size = array<i64: 1, 1, 3>
  %2 = "lattice.subm_conv3d"(%1, %p) {kernel_size = array<i64: 1, 1, 3>, dilation = #one, accumulation = "canonical_f32"}
         : (!sp, !lattice.weight<conv3d, f32>) -> !sp
  // CHECK: %[[COORDS:.*]], %[[FEATURES:.*]], %{{.*}} = lattice.sparse.decompose %{{.*}} : <rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32> -> (tensor<?x4xi32>, tensor<?x2xf32>, tensor<1xi32>)
  %3:3 = lattice.sparse.decompose %2 : <rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
         -> (tensor<?x4xi32>, tensor<?x2xf32>, tensor<1xi32>)
  // A note of another tool keeps its place.
  // CHECK: lattice.sparse.with_features %{{.*}}, %[[FEATURES]] {exporter.note = "kept"}
  %4 = lattice.sparse.with_features %2, %3#1 {exporter.note = "kept"} : (!sp, tensor<?x2xf32>) -> !sp
  // CHECK: lattice.sparse.reindex {{.*}} {fill = 0x7FC00000 : f32}
  %5 = lattice.sparse.reindex %4, %0 {fill = 0x7FC00000 : f32} : (!sp, !sp) -> !sp
  return %5 : !sp
}
