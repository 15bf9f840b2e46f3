// Reads the lines up to DATA and checks them against each other.
// A file without them is refused: rows of bare numbers are not a .pcd.
#include "points/pcd_header.h"

#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/checked.h"
#include "points/place.h"

namespace lattice {

namespace {

constexpr size_t max_header = size_t{1} << 20;

std::optional<DType> type_of(std::string_view kind, std::string_view size) {
  struct Row {
    std::string_view kind, size;
    DType type;
  };
  static constexpr Row table[] = {
      {"F", "4", DType::f32}, {"F", "8", DType::f64}, {"U", "1", DType::u8}, {"U", "2", DType::u16},
      {"U", "4", DType::u32}, {"U", "8", DType::u64}, {"I", "1", DType::i8}, {"I", "2", DType::i16},
      {"I", "4", DType::i32}, {"I", "8", DType::i64},
  };
  for (const Row& row : table) {
    if (row.kind == kind && row.size == size) return row.type;
  }
  return std::nullopt;
}

bool is_keyword(std::string_view word) {
  for (const std::string_view known : {"VERSION", "FIELDS", "SIZE", "TYPE", "COUNT", "WIDTH",
                                       "HEIGHT", "VIEWPOINT", "POINTS", "DATA"}) {
    if (word == known) return true;
  }
  return false;
}

class HeaderReader {
 public:
  HeaderReader(Bytes bytes, const std::string& file)
      : lines_(text_in(bytes.first(std::min(bytes.size(), max_header)))), file_(file) {}

  Result<PcdHeader> read() {
    std::vector<std::string_view> words;
    while (const auto line = lines_.next()) {
      split_words(*line, words);
      if (words.empty() || words[0].starts_with("#")) continue;
      if (!is_keyword(words[0])) {
        return wrong(fmt::format("{}found \"{}\", expected VERSION, FIELDS, SIZE, TYPE, COUNT, "
                                 "WIDTH, HEIGHT, VIEWPOINT, POINTS or DATA",
                                 entries_.empty() ? "no PCD header: " : "", shown(words[0])));
      }
      const std::vector<std::string_view> values(words.begin() + 1, words.end());
      if (!entries_.emplace(words[0], values).second)
        return wrong(fmt::format("{} a second time", words[0]));
      if (words[0] != "DATA") continue;
      header_.data_offset = lines_.offset();
      header_.lines = lines_.number();
      LATTICE_CHECK(read_form());
      LATTICE_CHECK(read_fields());
      LATTICE_CHECK(read_points());
      return std::move(header_);
    }
    return wrong(fmt::format("no PCD header: no line \"DATA\" in {} bytes", lines_.offset()));
  }

 private:
  tl::unexpected<Error> wrong(std::string message) const {
    return fail(Code::input, std::move(message), in_file(file_, lines_.number()));
  }

  Status read_form() {
    const auto& values = entries_["DATA"];
    const std::string_view form = values.size() == 1 ? values[0] : "";
    if (form == "ascii") {
      header_.form = PcdForm::ascii;
    } else if (form == "binary") {
      header_.form = PcdForm::binary;
    } else if (form == "binary_compressed") {
      header_.form = PcdForm::binary_compressed;
    } else {
      return wrong(
          fmt::format("DATA \"{}\", expected ascii, binary or binary_compressed", shown(form)));
    }
    return {};
  }

  Status read_fields() {
    const auto& names = entries_["FIELDS"];
    const auto& sizes = entries_["SIZE"];
    const auto& types = entries_["TYPE"];
    const auto& counts = entries_["COUNT"];
    if (names.empty()) return wrong("no FIELDS before DATA");
    if (sizes.size() != names.size() || types.size() != names.size() ||
        (!counts.empty() && counts.size() != names.size())) {
      return wrong(fmt::format("{} names in FIELDS, but {} in SIZE, {} in TYPE and {} in COUNT",
                               names.size(), sizes.size(), types.size(), counts.size()));
    }
    for (size_t k = 0; k < names.size(); ++k) {
      const auto type = type_of(types[k], sizes[k]);
      if (!type)
        return wrong(fmt::format("field {} has TYPE {} and SIZE {}, expected F 4 8 or I U 1 2 4 8",
                                 shown(names[k]), shown(types[k]), shown(sizes[k])));
      const auto count = counts.empty() ? 1 : parse_count(counts[k]);
      const auto bytes = count ? checked_mul(*count, size_of(*type)) : std::nullopt;
      // A point beyond 2^31 bytes is no point.
      if (!count || *count < 1 || !bytes || *bytes > INT32_MAX ||
          header_.point_bytes + *bytes > INT32_MAX) {
        return wrong(fmt::format(
            "field {} has COUNT {}, expected a whole number from 1 on and points below 2^31 bytes",
            shown(names[k]), shown(counts.empty() ? "" : counts[k])));
      }
      header_.fields.push_back({std::string(names[k]), *type, *count, header_.point_bytes});
      header_.point_bytes += *bytes;
      header_.point_values += *count;
    }
    return {};
  }

  // WIDTH and HEIGHT are older than POINTS; where all are given they must agree.
  Status read_points() {
    const auto count_in = [&](const char* key) -> std::optional<int64_t> {
      const auto& values = entries_[key];
      return values.size() == 1 ? parse_count(values[0]) : std::nullopt;
    };
    for (const char* key : {"WIDTH", "HEIGHT", "POINTS"}) {
      if (!entries_[key].empty() && !count_in(key))
        return wrong(fmt::format("{} \"{}\", expected a whole number below 2^63", key,
                                 shown(entries_[key][0])));
    }
    const auto width = count_in("WIDTH"), height = count_in("HEIGHT"), points = count_in("POINTS");
    if (!points && !width) return wrong("neither POINTS nor WIDTH before DATA");
    const auto product = width ? checked_mul(*width, height.value_or(1)) : points;
    if (!product || (points && *product != *points)) {
      return wrong(fmt::format("WIDTH {} times HEIGHT {} is not POINTS {}", width.value_or(0),
                               height.value_or(1), points ? fmt::to_string(*points) : "(none)"));
    }
    header_.points = *product;
    return {};
  }

  Lines lines_;
  const std::string& file_;
  std::map<std::string_view, std::vector<std::string_view>> entries_;
  PcdHeader header_;
};

} // namespace

Result<PcdHeader> read_pcd_header(Bytes bytes, const std::string& file) {
  return HeaderReader(bytes, file).read();
}

} // namespace lattice
