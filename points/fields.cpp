// Names of fields and the room for their values.
// Reads nothing itself.
#include "points/fields.h"

#include <algorithm>
#include <cctype>
#include <unordered_set>

#include <fmt/format.h>

#include "points/number.h"
#include "points/place.h"

namespace lattice {

std::string agreed_name(const std::string& name) {
  std::string low;
  for (const char c : name) low += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (low.starts_with("scalar_")) low.erase(0, 7);
  if (low == "red" || low == "diffuse_red") return "r";
  if (low == "green" || low == "diffuse_green") return "g";
  if (low == "blue" || low == "diffuse_blue") return "b";
  if (low == "intensity") return "i";
  if (low == "classification") return "class";
  if (low == "ring" || low == "label" || low == "class") return low;
  return name;
}

std::vector<std::string> names_for_columns(int64_t columns) {
  std::vector<std::string> names{"x", "y", "z"};
  if (columns == 6) {
    names.insert(names.end(), {"r", "g", "b"});
  } else {
    if (columns > 3) names.push_back("i");
    if (columns > 4) names.push_back("ring");
    for (int64_t k = 5; k < columns; ++k) names.push_back(fmt::format("c{}", k));
  }
  return names;
}

Result<Filling> start_filling(const std::vector<Field>& fields, int64_t count,
                              const std::string& file) {
  std::unordered_set<std::string> taken;
  for (const Field& field : fields) {
    if (!taken.insert(field.name).second)
      return fail(Code::input, fmt::format("column \"{}\" is there twice", shown(field.name)),
                  in_file(file));
  }
  for (const char* axis : {"x", "y", "z"}) {
    if (count == 0 || taken.contains(axis)) continue;
    std::string found;
    for (const Field& field : fields) found += (found.empty() ? "" : ", ") + field.name;
    return fail(Code::input,
                fmt::format("no column {}: found {}; expected x, y and z", axis,
                            found.empty() ? "none" : shown(found, 200)),
                in_file(file));
  }

  Filling filling;
  PointCloud& cloud = filling.cloud;
  const auto rows = static_cast<size_t>(count);
  cloud.xyz.resize(rows * 3);
  cloud.columns.reserve(fields.size()); // so that no column moves once its place is noted
  for (const Field& field : fields) {
    if (field.name == "x" || field.name == "y" || field.name == "z") {
      if (field.name == "x") cloud.position_type = field.type;
      // Without points there is no place, and nothing may be added to a null pointer.
      filling.places.push_back(
          {count == 0 ? nullptr : cloud.xyz.data() + (field.name[0] - 'x'), 3});
      continue;
    }
    // A file may hold both "intensity" and "i": the agreed name goes to whoever bears it already.
    std::string name = agreed_name(field.name);
    if (name != field.name && !taken.insert(name).second) name = field.name;
    cloud.columns.push_back({std::move(name), field.type, std::vector<double>(rows)});
    filling.places.push_back({cloud.columns.back().values.data(), 1});
  }
  return filling;
}

} // namespace lattice
