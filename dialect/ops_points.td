// Points to voxels and back.
// Included by LatticeOps.td only.

def VoxelizeOp : Lattice_Op<"voxelize"> {
  let summary = "points gathered into voxels";
  let description = [{
    voxel = floor((point - origin) / voxel_size) per axis, in f32. Indices are logical: the
    result's stride is the attribute. The features of the points of a voxel are added in point
    order; mean divides once.

    - C2: stride. C4: every voxel_size finite and > 0, every origin finite, also as f32;
      reduction.
    - C6: points, features and batch_indices have equally many rows.

    ```mlir
    %x = lattice.voxelize %p, %f, %batch, %n {voxel_size = array<f64: 0.05, 0.05, 0.05>,
           origin = array<f64: 0.0, 0.0, 0.0>, reduction = #lattice.voxel_reduction<mean>,
           stride = array<i64: 1, 1, 1>}
           : (tensor<?x3xf32>, tensor<?x4xf32>, tensor<?xi32>, tensor<1xi32>) -> !sp
    ```
  }];
  let arguments = (ins Points:$points, Features:$features, Indices:$batch_indices,
                       Active:$active_rows, DenseF64ArrayAttr:$voxel_size,
                       DenseF64ArrayAttr:$origin, Lattice_VoxelReduction:$reduction,
                       DenseI64ArrayAttr:$stride);
  let results = (outs Lattice_SparseTensor:$result);
}

def DevoxelizeOp : Lattice_Op<"devoxelize"> {
  let summary = "features of points, read from voxels";
  let description = [{
    nearest reads voxel floor(position + 0.5), linear the 8 corners of floor(position), where
    position = (point - origin) / voxel_size. Absent voxels count 0; rows at and past
    point_active_rows hold 0.

    - C4: every voxel_size finite and > 0, every origin finite, also as f32; interpolation.
    - C6: points, batch_indices and result have equally many rows.

    ```mlir
    %f = lattice.devoxelize %p, %x, %batch, %n {voxel_size = array<f64: 0.05, 0.05, 0.05>,
           origin = array<f64: 0.0, 0.0, 0.0>, interpolation = #lattice.point_interpolation<linear>}
           : (tensor<?x3xf32>, !sp, tensor<?xi32>, tensor<1xi32>) -> tensor<?x16xf32>
    ```
  }];
  let arguments = (ins Points:$points, Lattice_SparseTensor:$voxels, Indices:$batch_indices,
                       Active:$point_active_rows, DenseF64ArrayAttr:$voxel_size,
                       DenseF64ArrayAttr:$origin, Lattice_PointInterpolation:$interpolation);
  let results = (outs Features:$result);
}
