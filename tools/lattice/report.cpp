// The page of report.h: facts, a view of the points, the layers, the signature.
#include "tools/lattice/report.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "base/file.h"
#include "points/colours.h"
#include "tools/lattice/console.h"
#include "tools/lattice/results.h"

namespace lattice::cli {
namespace {

#include "tools/lattice/report_page.inl"

// Text that may come out of any file, for HTML.
std::string html(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
    case '&': result += "&amp;"; break;
    case '<': result += "&lt;"; break;
    case '>': result += "&gt;"; break;
    case '"': result += "&quot;"; break;
    case '\'': result += "&#39;"; break;
    default: result += c;
    }
  }
  return result;
}

std::string base64(const std::vector<uint8_t>& bytes) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const size_t left = std::min<size_t>(3, bytes.size() - at);
    uint32_t three = 0;
    for (size_t i = 0; i < 3; ++i) three = three << 8 | (i < left ? bytes[at + i] : 0u);
    for (size_t i = 0; i < 4; ++i) text += i <= left ? letters[three >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

// What the view shows: a place for every point, and its result.
struct Scene {
  std::vector<double> xyz;
  PointResult result; // without values: points without a result
  std::string what;   // "points", "voxels"
};

std::optional<Scene> scene_of(const ReportPage& page) {
  Scene scene;
  if (page.cloud != nullptr) {
    scene.xyz = page.cloud->cloud.xyz;
    scene.what = "points";
    if (page.at_points != nullptr) scene.result = *page.at_points;
    return scene;
  }
  for (const Output& output : *page.outputs) {
    if (!output.is_sparse()) continue;
    const Tensor& coords = output.sparse().coords;
    const int64_t rows = coords.shape[0];
    scene.xyz.reserve(static_cast<size_t>(rows) * 3);
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t axis = 1; axis < 4; ++axis)
        scene.xyz.push_back(coords.as<int32_t>()[row * 4 + axis]);
    }
    scene.result = result_of_rows(output);
    scene.what = "voxels";
    return scene;
  }
  return std::nullopt;
}

std::string legend_of(const PointResult& result) {
  const auto patch = [](const Colour& colour) {
    return fmt::format("<i style=\"background:#{:02x}{:02x}{:02x}\"></i>", colour[0], colour[1],
                       colour[2]);
  };
  if (result.labels.empty()) {
    if (result.channels != 1) return "";
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const float value : result.values) {
      if (!std::isfinite(value)) continue;
      low = std::min<double>(low, value);
      high = std::max<double>(high, value);
    }
    if (low > high) return "";
    std::string ramp;
    for (int32_t i = 0; i <= 16; ++i) ramp += patch(ramp_colour(i / 16.0));
    return fmt::format("<p class=\"legend ramp\">{:.4g}&nbsp;<span>{}</span>&nbsp;{:.4g}</p>\n",
                       low, ramp, high);
  }
  std::map<int32_t, int64_t> counts;
  for (const int32_t label : result.labels) ++counts[label];
  std::vector<std::pair<int32_t, int64_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text = "<p class=\"legend\">";
  constexpr size_t most = 24;
  for (size_t i = 0; i < std::min(most, sorted.size()); ++i) {
    const auto& [label, count] = sorted[i];
    text +=
        fmt::format("<span>{}{}: {} ({:.1f} %)</span>", patch(label_colour(label)),
                    label < 0 ? "no row" : fmt::format("label {}", label), grouped(count),
                    100.0 * static_cast<double>(count) / static_cast<double>(result.labels.size()));
  }
  if (sorted.size() > most) text += fmt::format("<span>and {} more</span>", sorted.size() - most);
  return text + "</p>\n";
}

// Canvas, legend, and the points as 16-bit places within a cube, and colours.
std::string view_of(const Scene& scene) {
  const auto points = static_cast<int64_t>(scene.xyz.size() / 3);
  const int64_t shown = std::min(points, most_report_points);
  std::array<double, 3> low{}, high{};
  for (size_t axis = 0; axis < 3; ++axis) {
    low[axis] = std::numeric_limits<double>::infinity();
    high[axis] = -low[axis];
    for (size_t at = axis; at < scene.xyz.size(); at += 3) {
      low[axis] = std::min(low[axis], scene.xyz[at]);
      high[axis] = std::max(high[axis], scene.xyz[at]);
    }
  }
  double edge = 0;
  for (size_t axis = 0; axis < 3; ++axis) edge = std::max(edge, high[axis] - low[axis]);
  if (!(edge > 0)) edge = 1; // one point, or none

  const bool coloured = scene.result.channels > 0 && !scene.result.values.empty();
  const std::vector<uint8_t> all = coloured ? colours_for(scene.result) : std::vector<uint8_t>();
  std::vector<uint8_t> places, colours;
  for (int64_t i = 0; i < shown; ++i) {
    const auto point = static_cast<size_t>(i * points / shown);
    for (size_t axis = 0; axis < 3; ++axis) {
      const double share = (scene.xyz[point * 3 + axis] - low[axis]) / edge;
      const auto steps = static_cast<uint32_t>(std::lround(std::clamp(share, 0.0, 1.0) * 65535));
      places.push_back(static_cast<uint8_t>(steps & 255));
      places.push_back(static_cast<uint8_t>(steps >> 8));
      colours.push_back(coloured ? all[point * 3 + axis] : uint8_t{170});
    }
  }
  Json centre = Json::array();
  for (size_t axis = 0; axis < 3; ++axis)
    centre.push_back(points > 0 ? (high[axis] - low[axis]) / edge / 2 : 0.0);
  // Points of scans lie on surfaces: their distance goes with the root of their number.
  const double spacing = 0.7 / std::sqrt(static_cast<double>(std::max<int64_t>(shown, 1)));
  const Json cloud{{"points", shown},
                   {"centre", centre},
                   {"spacing", spacing},
                   {"places", base64(places)},
                   {"colours", base64(colours)}};

  std::string text = "<canvas id=\"view\"></canvas>\n" + legend_of(scene.result);
  text += fmt::format("<p class=\"quiet\">{} {}", grouped(points), scene.what);
  if (shown < points) text += fmt::format(", of which {} are shown, evenly picked", grouped(shown));
  if (coloured)
    text += fmt::format("; coloured by {} of output \"{}\"",
                        scene.result.labels.empty() ? "the value" : "the largest channel",
                        html(scene.result.output));
  text += ". Drag turns, wheel zooms, shift and drag moves, double click resets.</p>\n";
  return text + "<script type=\"application/json\" id=\"cloud\">" + cloud.dump() + "</script>\n";
}

std::string facts_of(const ReportPage& page) {
  const RunReport& report = *page.report;
  std::string text = "<div class=\"facts\">\n";
  const auto fact = [&](const std::string& value, const std::string& name) {
    text += fmt::format("<div><b>{}</b><span>{}</span></div>\n", html(value), html(name));
  };
  if (page.cloud != nullptr) fact(grouped(page.cloud->points()), "points");
  fact(grouped(report.voxels), "voxels");
  fact(grouped(report.pairs), "pairs");
  fact(fmt::format("{:.2f} GFLOP", report.gflop), "work");
  fact(fmt::format("{:.1f} ms", page.load_ms), "load");
  fact(fmt::format("{:.1f} ms", report.topology_ms), "topology");
  fact(fmt::format("{:.1f} ms", report.features_ms), "features");
  fact(human_bytes(report.peak_bytes), "memory at the peak");
  fact(page.program->device() + ", " + report.simd,
       fmt::format("device, {} thread{}", report.threads, report.threads == 1 ? "" : "s"));
  return text + "</div>\n";
}

std::string layers_of(const RunReport& report) {
  double longest = 0, total = 0;
  for (const StepTime& step : report.steps) {
    longest = std::max(longest, step.milliseconds);
    total += step.milliseconds;
  }
  std::string text =
      "<div class=\"scroll\"><table id=\"layers\">\n<tr><th>layer<th class=n>ms<th>time"
      "<th>operations<th>kernel<th class=n>rows<th class=n>pairs<th class=n>GFLOP"
      "<th class=n>GFLOP/s</tr>\n";
  for (const StepTime& step : report.steps) {
    const auto number = [](double value, int32_t digits) {
      return value > 0 ? fmt::format("{:.{}f}", value, digits) : std::string();
    };
    std::string operations; // may break after a plus
    for (const char c : html(step.name))
      operations += c == '+' ? std::string("+<wbr>") : std::string(1, c);
    text += fmt::format(
        "<tr title=\"{}\"><td>{}<td class=n>{:.3f}<td class=bar><i style=\"width:{:.1f}%\"></i>"
        "<td class=o>{}<td>{}<td class=n>{}<td class=n>{}<td class=n>{}<td class=n>{}</tr>\n",
        html(text_of(step.where)), html(step.parameter), step.milliseconds,
        longest > 0 ? 100 * step.milliseconds / longest : 0, operations, html(step.kernel),
        grouped(step.rows), step.pairs > 0 ? grouped(step.pairs) : "", number(step.gflop, 3),
        number(step.milliseconds > 0 ? step.gflop / step.milliseconds * 1e3 : 0, 1));
  }
  return text +
         fmt::format("</table></div>\n<p class=\"quiet\">{} steps, {:.2f} ms together. One run, "
                     "the first: it also pays for memory that later ones use again.</p>\n",
                     report.steps.size(), total);
}

} // namespace

Status write_report(const std::string& path, const ReportPage& page) {
  const std::string title = html(page.artifact);
  // The policy lets nothing in from outside, even if a name from a file got past the escapes.
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
      "<title>{} - lattice run</title>\n<style>{}</style>\n</head>\n<body>\n<h1>{}</h1>\n"
      "<p class=\"quiet\">lattice {}</p>\n",
      title, page_style, title, version());
  text += facts_of(page);
  if (const auto scene = scene_of(page)) {
    text += view_of(*scene);
  } else {
    text += "<p class=\"quiet\">No view: there is neither a cloud nor a sparse output.</p>\n";
  }
  text += "<h2>Outputs</h2>\n<pre>";
  for (const Output& output : *page.outputs) text += html(text_of(output));
  text += "</pre>\n<h2>Layers</h2>\n" + layers_of(*page.report);
  text += "<h2>Signature</h2>\n<pre>" + html(text_of(page.program->signature())) + "</pre>\n";
  text += fmt::format("<script>{}</script>\n</body>\n</html>\n", page_script);
  return write_file_atomically(path, text);
}

} // namespace lattice::cli
