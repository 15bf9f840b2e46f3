// What the spec says about coordinates, in plain maps: the oracle of topology_test. Slow on
// purpose; shares nothing with the library.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "plan/plan.h"

namespace lattice::oracle {

using Coord = std::array<int64_t, 4>; // batch, x, y, z, logical
using Rows = std::vector<Coord>;      // in the spec's order

inline int64_t floor_div(int64_t a, int64_t b) {
  int64_t q = a / b;
  if (a % b != 0 && (a < 0) != (b < 0)) --q;
  return q;
}

// Keeps the first of equal rows.
inline Rows distinct(const Rows& rows) {
  Rows result;
  std::set<Coord> seen;
  for (const Coord& row : rows) {
    if (seen.insert(row).second) result.push_back(row);
  }
  return result;
}

inline Rows floored(const Rows& rows, Triple stride) {
  Rows result;
  for (const Coord& r : rows) {
    result.push_back(
        {r[0], floor_div(r[1], stride[0]), floor_div(r[2], stride[1]), floor_div(r[3], stride[2])});
  }
  return distinct(result);
}

// visit(index triple, kernel row) over a kernel, z fastest.
template <class Visit>
void for_kernel(Triple size, Visit&& visit) {
  int64_t row = 0;
  for (int64_t x = 0; x < size[0]; ++x) {
    for (int64_t y = 0; y < size[1]; ++y) {
      for (int64_t z = 0; z < size[2]; ++z) visit(Triple{x, y, z}, row++);
    }
  }
}

inline Rows transposed(const Rows& rows, const Support& s) {
  Rows result;
  for (const Coord& r : rows) {
    for_kernel(s.kernel_size, [&](Triple index, int64_t) {
      Coord out{r[0]};
      for (size_t i = 0; i < 3; ++i) {
        out[i + 1] = r[i + 1] * s.kernel_stride[i] + index[i] * s.dilation[i] - s.padding[i];
      }
      result.push_back(out);
    });
  }
  return distinct(result);
}

inline Rows joined(const Rows& lhs, const Rows& rhs, Join join) {
  Rows result = lhs;
  if (join == Join::outer) {
    result.insert(result.end(), rhs.begin(), rhs.end());
    return distinct(result);
  }
  const std::set<Coord> present(rhs.begin(), rhs.end());
  std::erase_if(result, [&](const Coord& row) { return !present.contains(row); });
  return result;
}

// (kernel row, fine row, coarse row), rows by their place in ascending coordinates.
using Edge = std::array<int64_t, 3>;
inline std::vector<Edge> edges(const Rows& fine, const Rows& coarse, const Relation& relation) {
  const auto numbered = [](const Rows& rows) {
    std::map<Coord, int64_t> numbers;
    for (const Coord& row : rows) numbers[row] = 0;
    int64_t next = 0;
    for (auto& [row, number] : numbers) number = next++;
    return numbers;
  };
  const auto fine_rows = numbered(fine);
  std::vector<Edge> result;
  const auto coarse_rows = numbered(coarse);
  for_kernel(relation.size, [&](Triple index, int64_t kernel_row) {
    for (const auto& [c, number] : coarse_rows) {
      Coord f{c[0]};
      for (size_t i = 0; i < 3; ++i) {
        f[i + 1] =
            c[i + 1] * relation.stride[i] + relation.base[i] + index[i] * relation.dilation[i];
      }
      const auto found = fine_rows.find(f);
      if (found != fine_rows.end()) result.push_back({kernel_row, found->second, number});
    }
  });
  return result;
}

} // namespace lattice::oracle
