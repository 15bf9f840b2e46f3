// Point files, voxels and features from points/. Arrays in, arrays out.
#include "points/cloud.h"

#include <cstring>

#include "arrays.h"
#include "points/features.h"
#include "points/read.h"
#include "points/voxelize.h"

namespace lattice::python {

namespace {

// A copy of `values` as a tensor.
template <class T>
Tensor tensor_of(DType dtype, Shape shape, const std::vector<T>& values) {
  Tensor tensor = take(make_tensor(dtype, std::move(shape)));
  if (!values.empty()) std::memcpy(tensor.storage.get(), values.data(), values.size() * sizeof(T));
  return tensor;
}

// The numbers of a view, aligned.
std::vector<float> floats_of(const TensorView& view) {
  std::vector<float> values(static_cast<size_t>(elements_of(view.shape)));
  if (!values.empty()) std::memcpy(values.data(), view.data, values.size() * sizeof(float));
  return values;
}

PointCloud read(const std::string& path, int64_t columns, std::vector<std::string> names,
                std::string array) {
  const ReadOptions options{columns, std::move(names), std::move(array)};
  return take(unlocked([&] { return read_points(path, options); }));
}

// (coords, voxel_of_point, features)
std::tuple<NumpyArray, NumpyArray, std::optional<NumpyArray>>
voxelize_points(nb::handle points, const std::array<double, 3>& size,
                const std::array<double, 3>& origin, const Triple& stride, int32_t batch,
                nb::handle features, std::string_view reduction) {
  if (reduction != "mean" && reduction != "sum")
    refuse(Code::usage,
           "reduction: found \"" + std::string(reduction) + "\", expected mean or sum");
  const GivenArray given = given_array(points, "points", DType::f32, {-1, 3});
  GivenArray columns;
  if (!features.is_none())
    columns = given_array(features, "features", DType::f32, {given.view.shape[0], -1});
  const VoxelRule rule{size, origin, stride};
  Tensor reduced;
  const Voxels voxels = unlocked([&] {
    Voxels made = take(voxelize(floats_of(given.view), rule, batch));
    if (!columns.view.shape.empty()) {
      reduced = take(reduce_by_voxel(made, floats_of(columns.view), columns.view.shape[1],
                                     reduction == "mean" ? Reduction::mean : Reduction::sum));
    }
    return made;
  });
  std::optional<NumpyArray> channels;
  if (!features.is_none()) channels = array_of(reduced);
  return {array_of(tensor_of(DType::i32, {voxels.size(), 4}, voxels.coords)),
          array_of(tensor_of(DType::i32, {given.view.shape[0]}, voxels.voxel_of_point)),
          std::move(channels)};
}

List<nb::str> names_of(const PointCloud& cloud) {
  nb::list names;
  for (const Column& column : cloud.columns) names.append(column.name);
  return names;
}

NumpyArray column_named(const PointCloud& cloud, std::string_view name) {
  const Column* column = cloud.find(name);
  if (column == nullptr) {
    refuse(Code::usage,
           "the cloud has no column \"" + std::string(name) + "\", it has: " + cloud.names());
  }
  return array_of(tensor_of(DType::f64, {cloud.size()}, column->values));
}

} // namespace

void add_points(nb::module_& module) {
  nb::class_<PointCloud>(module, "PointCloud",
                         "Points of a file: positions and named columns, in the file's precision.")
      .def("__len__", &PointCloud::size)
      .def_prop_ro("columns", &names_of,
                   "Names of the columns beside x, y and z: i, r, g, b, ring, ...")
      .def_prop_ro(
          "xyz",
          [](const PointCloud& self) {
            return array_of(tensor_of(DType::f64, {self.size(), 3}, self.xyz));
          },
          "(N, 3) float64; a copy.")
      .def("__getitem__", &column_named, nb::arg("name"), "(N) float64 of one column; a copy.")
      .def("__contains__",
           [](const PointCloud& self, std::string_view name) { return self.find(name) != nullptr; })
      .def(
          "drop_not_finite",
          [](PointCloud& self) {
            const std::vector<int64_t> kept = lattice::drop_not_finite(self);
            return array_of(tensor_of(DType::i64, {static_cast<int64_t>(kept.size())}, kept));
          },
          "Removes the points with a NaN or infinite position; returns the rows kept.")
      .def(
          "positions",
          [](const PointCloud& self, const std::array<double, 3>& origin) {
            return array_of(take(make_positions(self, origin)));
          },
          nb::arg("origin") = std::array<double, 3>{0, 0, 0},
          "(N, 3) float32 of position - origin; the subtraction is done in float64.")
      .def(
          "features",
          [](const PointCloud& self, std::string_view channels, const std::array<double, 3>& origin,
             double colour_full, double intensity_full) {
            return array_of(
                take(make_features(self, channels, {origin, colour_full, intensity_full})));
          },
          nb::arg("channels"), nb::arg("origin") = std::array<double, 3>{0, 0, 0},
          nb::arg("colour_full") = 0.0, nb::arg("intensity_full") = 0.0,
          "(N, C) float32, a channel for each name in `channels`: x, y, z, i, r, g, b, one or a "
          "column.");
  module.def("read_points", &read, nb::arg("path"), nb::arg("columns"), nb::arg("names"),
             nb::arg("array"));
  module.def("voxelize", &voxelize_points, nb::arg("points"), nb::arg("size"), nb::arg("origin"),
             nb::arg("stride"), nb::arg("batch"), nb::arg("features").none(), nb::arg("reduction"));
}

} // namespace lattice::python
