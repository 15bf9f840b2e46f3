// Projects, splats into a depth buffer at twice the size, shades by depth, and averages down.
// Captions are in render_text.cpp.
#include "points/render.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "points/guarded.h"

namespace lattice {

namespace {

constexpr int32_t oversampling = 2;
constexpr double empty = std::numeric_limits<double>::infinity();

struct Vec {
  double x, y, z;
};
double dot(const Vec& a, const Vec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// Axes of the picture in the space of the points.
struct Axes {
  Vec right, up, forward;
};

Axes axes_of(const View& view) {
  const double a = view.azimuth * std::numbers::pi / 180,
               e = view.elevation * std::numbers::pi / 180;
  const double ca = std::cos(a), sa = std::sin(a), ce = std::cos(e), se = std::sin(e);
  return {{ca, -sa, 0}, {sa * se, ca * se, ce}, {sa * ce, ca * ce, -se}};
}

// Points in the picture's axes, seen from the middle of the cloud; only finite ones.
struct Projected {
  std::vector<Vec> points;
  std::vector<size_t> rows;
  Vec low{empty, empty, empty}, high{-empty, -empty, -empty};
};

Projected project(std::span<const double> xyz, const Axes& axes) {
  Projected out;
  // Relative to the first finite point, so that coordinates of 1e6 leave their digits to the
  // detail.
  const double* base = nullptr;
  for (size_t row = 0; row < xyz.size() / 3; ++row) {
    const double* p = xyz.data() + row * 3;
    if (!std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2])) continue;
    if (base == nullptr) base = p;
    const Vec local{p[0] - base[0], p[1] - base[1], p[2] - base[2]};
    const Vec seen{dot(local, axes.right), dot(local, axes.up), dot(local, axes.forward)};
    if (!std::isfinite(seen.x) || !std::isfinite(seen.y) || !std::isfinite(seen.z)) continue;
    out.points.push_back(seen);
    out.rows.push_back(row);
    out.low = {std::min(out.low.x, seen.x), std::min(out.low.y, seen.y),
               std::min(out.low.z, seen.z)};
    out.high = {std::max(out.high.x, seen.x), std::max(out.high.y, seen.y),
                std::max(out.high.z, seen.z)};
  }
  return out;
}

struct Canvas {
  int32_t width, height;
  std::vector<double> depth; // in pixels, so that shading does not depend on the unit of the points
  std::vector<Colour> colour;

  Canvas(int32_t w, int32_t h, Colour background)
      : width(w), height(h), depth(static_cast<size_t>(w) * static_cast<size_t>(h), empty),
        colour(depth.size(), background) {}
  size_t at(int32_t x, int32_t y) const {
    return static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x);
  }
};

void splat(Canvas& canvas, double u, double v, double depth, double radius, Colour colour) {
  const auto whole = [](double value, int32_t size) {
    return static_cast<int32_t>(std::clamp(value, 0.0, static_cast<double>(size - 1)));
  };
  const int32_t x0 = whole(std::floor(u - radius), canvas.width),
                x1 = whole(std::ceil(u + radius), canvas.width);
  const int32_t y0 = whole(std::floor(v - radius), canvas.height),
                y1 = whole(std::ceil(v + radius), canvas.height);
  for (int32_t y = y0; y <= y1; ++y) {
    for (int32_t x = x0; x <= x1; ++x) {
      const double dx = x + 0.5 - u, dy = y + 0.5 - v;
      const size_t at = canvas.at(x, y);
      if (dx * dx + dy * dy > radius * radius || depth >= canvas.depth[at]) continue;
      canvas.depth[at] = depth;
      canvas.colour[at] = colour;
    }
  }
}

// A pixel without a point whose neighbours mostly have one takes the colour of the farthest of
// them: gaps between the points of one surface close, the outline stays.
void fill_gaps(Canvas& canvas) {
  const std::vector<double> depth = canvas.depth;
  for (int32_t y = 1; y + 1 < canvas.height; ++y) {
    for (int32_t x = 1; x + 1 < canvas.width; ++x) {
      if (depth[canvas.at(x, y)] != empty) continue;
      int known = 0;
      size_t farthest = canvas.at(x, y);
      for (int32_t dy = -1; dy <= 1; ++dy) {
        for (int32_t dx = -1; dx <= 1; ++dx) {
          const size_t near = canvas.at(x + dx, y + dy);
          if (depth[near] == empty) continue;
          if (known++ == 0 || depth[near] > depth[farthest]) farthest = near;
        }
      }
      if (known < 5) continue;
      canvas.depth[canvas.at(x, y)] = depth[farthest];
      canvas.colour[canvas.at(x, y)] = canvas.colour[farthest];
    }
  }
}

// How much of the light reaches a pixel: less where its surroundings stand nearer to the eye (edges
// and hollows show), and less where the surface turns away from a lamp at the upper left.
double light_at(const Canvas& canvas, int32_t x, int32_t y) {
  const double here = canvas.depth[canvas.at(x, y)];
  const auto depth = [&](int32_t dx, int32_t dy) {
    const double there = canvas.depth[canvas.at(std::clamp(x + dx, 0, canvas.width - 1),
                                                std::clamp(y + dy, 0, canvas.height - 1))];
    return there == empty ? here : there;
  };
  double blocked = 0, slope = 0;
  for (const int32_t reach : {2, 5}) {
    for (int k = 0; k < 8; ++k) {
      static constexpr int32_t dx[8] = {1, 1, 0, -1, -1, -1, 0, 1},
                               dy[8] = {0, 1, 1, 1, 0, -1, -1, -1};
      blocked += std::clamp((here - depth(reach * dx[k], reach * dy[k])) / (4.0 * reach), 0.0, 1.0);
    }
    slope += std::clamp((depth(-reach, -reach) - depth(reach, reach)) / (6.0 * reach), -1.0, 1.0);
  }
  return std::exp(-0.11 * blocked) * (1 - 0.10 * slope);
}

Picture shaded(const Canvas& canvas, const View& view) {
  Picture picture(view.width, view.height, view.background);
  for (int32_t y = 0; y < view.height; ++y) {
    for (int32_t x = 0; x < view.width; ++x) {
      double total[3] = {0, 0, 0};
      for (int32_t sub = 0; sub < oversampling * oversampling; ++sub) {
        const int32_t cx = x * oversampling + sub % oversampling,
                      cy = y * oversampling + sub / oversampling;
        const size_t at = canvas.at(cx, cy);
        const double light = canvas.depth[at] == empty ? 1 : light_at(canvas, cx, cy);
        for (size_t k = 0; k < 3; ++k) total[k] += std::min(canvas.colour[at][k] * light, 255.0);
      }
      for (size_t k = 0; k < 3; ++k)
        picture.pixel(x, y)[k] =
            static_cast<uint8_t>(std::lround(total[k] / (oversampling * oversampling)));
    }
  }
  return picture;
}

Status check(std::span<const double> xyz, std::span<const uint8_t> rgb, const View& view) {
  if (xyz.size() % 3 != 0 || rgb.size() != xyz.size()) {
    return fail(Code::usage,
                fmt::format("{} coordinates and {} colour values, expected three of each a point",
                            xyz.size(), rgb.size()));
  }
  if (view.width < 1 || view.height < 1 || view.width > 8192 || view.height > 8192) {
    return fail(Code::usage, fmt::format("a picture of {} x {}, expected 1 to 8192 pixels a side",
                                         view.width, view.height));
  }
  for (const double value : {view.azimuth, view.elevation, view.point_size}) {
    if (!std::isfinite(value))
      return fail(Code::usage, "azimuth, elevation and point size must be finite");
  }
  return {};
}

Picture arranged(std::span<const Picture> pictures, Colour background, bool below) {
  constexpr int32_t gap = 8;
  int32_t width = 0, height = 0;
  for (const Picture& picture : pictures) {
    if (below) {
      width = std::max(width, picture.width);
      height += picture.height + (height > 0 ? gap : 0);
    } else {
      width += picture.width + (width > 0 ? gap : 0);
      height = std::max(height, picture.height);
    }
  }
  Picture sheet(width, height, background);
  int32_t at = 0;
  for (const Picture& picture : pictures) {
    for (int32_t y = 0; y < picture.height; ++y) {
      std::copy_n(picture.pixel(0, y), size_t{3} * static_cast<size_t>(picture.width),
                  below ? sheet.pixel(0, at + y) : sheet.pixel(at, y));
    }
    at += (below ? picture.height : picture.width) + gap;
  }
  return sheet;
}

} // namespace

Result<Picture> render_points(std::span<const double> xyz, std::span<const uint8_t> rgb,
                              const View& view) {
  return guarded("a picture", [&]() -> Result<Picture> {
    LATTICE_CHECK(check(xyz, rgb, view));
    const Projected seen = project(xyz, axes_of(view));
    Canvas canvas(view.width * oversampling, view.height * oversampling, view.background);
    const double margin = 0.03 * std::min(canvas.width, canvas.height);
    const double wide = seen.high.x - seen.low.x, tall = seen.high.y - seen.low.y;
    double scale =
        std::min((canvas.width - 2 * margin) / wide, (canvas.height - 2 * margin) / tall);
    if (!std::isfinite(scale)) scale = 1; // one point, or all in one line of sight

    // Mean distance between neighbours if the points were spread evenly over the picture they fill.
    const double spacing = std::sqrt(wide * scale * tall * scale /
                                     static_cast<double>(std::max<size_t>(seen.points.size(), 1)));
    const double radius = view.point_size > 0 ? view.point_size * oversampling / 2
                                              : std::clamp(0.9 * spacing, 1.25, 8.0 * oversampling);
    const double middle_x = (seen.low.x + seen.high.x) / 2,
                 middle_y = (seen.low.y + seen.high.y) / 2;
    for (size_t k = 0; k < seen.points.size(); ++k) {
      const Vec& p = seen.points[k];
      const double u = canvas.width / 2.0 + (p.x - middle_x) * scale,
                   v = canvas.height / 2.0 - (p.y - middle_y) * scale;
      const uint8_t* c = rgb.data() + seen.rows[k] * 3;
      splat(canvas, u, v, (p.z - seen.low.z) * scale, radius, {c[0], c[1], c[2]});
    }
    for (int pass = 0; pass < 2; ++pass) fill_gaps(canvas);
    return shaded(canvas, view);
  });
}

Picture side_by_side(std::span<const Picture> pictures, Colour background) {
  return arranged(pictures, background, false);
}
Picture stacked(std::span<const Picture> pictures, Colour background) {
  return arranged(pictures, background, true);
}

} // namespace lattice
