// The fields of a record, and where in a cloud each of them goes.
// Shared by all readers: it finds x, y and z, gives columns their agreed names, and makes room.
#pragma once

#include <string>
#include <vector>

#include "points/cloud.h"

namespace lattice {

struct Field {
  std::string name; // as in the file
  DType type = DType::f32;
};

// A cloud of `count` points with a place for every field: value of row k goes to data[k * step].
// The places stay valid when the cloud is moved.
struct Filling {
  struct Place {
    double* data = nullptr;
    int64_t step = 1;
    void put(int64_t row, double value) const { data[row * step] = value; }
  };

  PointCloud cloud;
  std::vector<Place> places; // one a field
};

// Fails if x, y or z is missing (unless count is 0) or a name stands twice. The caller has checked
// that the file is long enough for `count` points.
Result<Filling> start_filling(const std::vector<Field>& fields, int64_t count,
                              const std::string& file);

// The agreed name of a column: "red" -> "r", "scalar_Intensity" -> "i"; itself when there is none.
std::string agreed_name(const std::string& name);

// Names for a table without a header, by its number of columns: x y z; x y z i; x y z i ring;
// x y z r g b; more columns than that get the names c6, c7, ... after x y z i ring c5.
std::vector<std::string> names_for_columns(int64_t columns);

} // namespace lattice
