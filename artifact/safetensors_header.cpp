// The grammar of a safetensors header (spec 7), one function a level.
#include "artifact/safetensors_header.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <unordered_set>

#include <fmt/format.h>

#include "artifact/json_cursor.h"
#include "artifact/quote.h"
#include "base/checked.h"
#include "base/tensor.h"
#include "base/utf8.h"

namespace lattice {
namespace {

struct DTypeName {
  const char* spelling;
  DType dtype;
};

constexpr std::array<DTypeName, 15> dtype_names{{
    {"BOOL", DType::boolean},
    {"U8", DType::u8},
    {"I8", DType::i8},
    {"U16", DType::u16},
    {"I16", DType::i16},
    {"F16", DType::f16},
    {"BF16", DType::bf16},
    {"U32", DType::u32},
    {"I32", DType::i32},
    {"F32", DType::f32},
    {"U64", DType::u64},
    {"I64", DType::i64},
    {"F64", DType::f64},
    {"F8_E4M3", DType::f8_e4m3},
    {"F8_E5M2", DType::f8_e5m2},
}};

// The same tensor may not be listed twice, nor the same member of an entry: a reader that keeps the
// last one would see another file than a reader that keeps the first.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, const std::string& file)
      : cursor_(text, file), text_(text), file_(file) {}

  Result<SafetensorsHeader> read() {
    if (text_.empty() || text_.front() != '{') {
      return cursor_.error(
          fmt::format("expected '{{' as the first byte, found {}", cursor_.found()));
    }
    LATTICE_CHECK(cursor_.expect('{', ""));
    std::unordered_set<std::string> names;
    if (!cursor_.accept('}')) {
      do {
        LATTICE_TRY(std::string name, cursor_.string("a tensor name"));
        if (!names.insert(name).second) {
          return cursor_.error(fmt::format("duplicate key {}", quote(name)), printable(name));
        }
        LATTICE_CHECK(cursor_.expect(':', "after a name"));
        LATTICE_CHECK(name == "__metadata__" ? metadata() : entry(std::move(name)));
      } while (cursor_.accept(','));
      LATTICE_CHECK(cursor_.expect('}', "or ',' after an entry"));
    }
    const size_t rest = text_.find_first_not_of(' ', cursor_.position());
    if (rest != std::string_view::npos) {
      return cursor_.error("expected only spaces after the closing '}' of the header");
    }
    return std::move(header_);
  }

 private:
  Status metadata() {
    LATTICE_CHECK(cursor_.expect('{', "to start __metadata__"));
    if (cursor_.accept('}')) return {};
    std::unordered_set<std::string> keys;
    do {
      LATTICE_TRY(std::string key, cursor_.string("a key of __metadata__"));
      if (!keys.insert(key).second) {
        return cursor_.error(fmt::format("duplicate key {} in __metadata__", quote(key)));
      }
      LATTICE_CHECK(cursor_.expect(':', "after a key of __metadata__"));
      LATTICE_TRY(std::string value, cursor_.string(fmt::format(
                                         "text as the value of {} in __metadata__", quote(key))));
      header_.metadata.emplace_back(std::move(key), std::move(value));
    } while (cursor_.accept(','));
    return cursor_.expect('}', "or ',' in __metadata__");
  }

  Status entry(std::string name) {
    HeaderEntry entry;
    entry.name = std::move(name);
    std::optional<DType> dtype;
    std::optional<std::vector<uint64_t>> shape;
    std::optional<std::array<uint64_t, 2>> offsets;
    const auto refuse = [&](std::string message) {
      return cursor_.error(std::move(message), printable(entry.name));
    };
    const auto prefixed = [&](auto&& result) { return with_key(std::move(result), entry.name); };

    LATTICE_CHECK(prefixed(cursor_.expect('{', "to start an entry")));
    if (!cursor_.accept('}')) {
      do {
        LATTICE_TRY(const std::string member,
                    prefixed(cursor_.string("dtype, shape or data_offsets")));
        LATTICE_CHECK(prefixed(cursor_.expect(':', "after a member")));
        const bool repeated = (member == "dtype" && dtype) || (member == "shape" && shape) ||
                              (member == "data_offsets" && offsets);
        if (repeated) return refuse(fmt::format("duplicate key {} in one entry", quote(member)));
        if (member == "dtype") {
          LATTICE_TRY(const std::string spelling, prefixed(cursor_.string("a dtype")));
          DType value{};
          if (!dtype_from_safetensors(spelling, value)) {
            return refuse(fmt::format("unknown dtype {}, expected one of {}", quote(spelling),
                                      known_dtypes()));
          }
          dtype = value;
        } else if (member == "shape") {
          LATTICE_TRY(shape, prefixed(numbers("a dimension", max_rank)));
        } else if (member == "data_offsets") {
          LATTICE_TRY(const auto range, prefixed(numbers("an offset", max_rank)));
          if (range.size() != 2) {
            return refuse(fmt::format("data_offsets has {} numbers, expected 2", range.size()));
          }
          offsets = std::array{range[0], range[1]};
        } else {
          return refuse(fmt::format(
              "unknown member {}, expected exactly dtype, shape and data_offsets", quote(member)));
        }
      } while (cursor_.accept(','));
      LATTICE_CHECK(prefixed(cursor_.expect('}', "or ',' in an entry")));
    }
    if (!dtype) return refuse("dtype is missing");
    if (!shape) return refuse("shape is missing");
    if (!offsets) return refuse("data_offsets is missing");
    entry.dtype = *dtype;
    entry.begin = (*offsets)[0];
    entry.end = (*offsets)[1];
    LATTICE_CHECK(measure(entry, *shape));
    header_.entries.push_back(std::move(entry));
    return {};
  }

  // The shape in 64 bits, and the range as long as the shape needs.
  Status measure(HeaderEntry& entry, const std::vector<uint64_t>& shape) {
    const Location where{file_, 0, 0, printable(entry.name)};
    bool fits = true;
    for (const uint64_t dim : shape) {
      fits = fits && dim <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
      entry.shape.push_back(static_cast<int64_t>(dim));
    }
    const auto elements = fits ? checked_product(entry.shape) : std::nullopt;
    const auto bytes = elements ? checked_mul(*elements, size_of(entry.dtype)) : std::nullopt;
    if (!bytes) {
      return fail(Code::artifact,
                  fmt::format("the size of shape ({}) overflows 64 bits", fmt::join(shape, ", ")),
                  where);
    }
    if (entry.end < entry.begin) {
      return fail(
          Code::artifact,
          fmt::format("data_offsets [{}, {}] end before they start", entry.begin, entry.end),
          where);
    }
    if (entry.end - entry.begin != static_cast<uint64_t>(*bytes)) {
      return fail(Code::artifact,
                  fmt::format("shape {} of {} needs {} bytes, data_offsets [{}, {}] give {}",
                              text_of(entry.shape), name_of(entry.dtype), *bytes, entry.begin,
                              entry.end, entry.end - entry.begin),
                  where);
    }
    return {};
  }

  Result<std::vector<uint64_t>> numbers(std::string_view what, size_t most) {
    LATTICE_CHECK(cursor_.expect('[', "to start a list of whole numbers"));
    std::vector<uint64_t> values;
    if (cursor_.accept(']')) return values;
    do {
      LATTICE_TRY(const uint64_t value, cursor_.whole_number(what));
      if (values.size() == most)
        return cursor_.error(fmt::format("more than {} numbers in a list", most));
      values.push_back(value);
    } while (cursor_.accept(','));
    LATTICE_CHECK(cursor_.expect(']', "or ',' in a list of whole numbers"));
    return values;
  }

  // Names the tensor in an error of its entry.
  template <class T>
  static Result<T> with_key(Result<T> result, const std::string& name) {
    if (result) return result;
    std::vector<Diagnostic> diagnostics = result.error().diagnostics();
    for (Diagnostic& diagnostic : diagnostics) diagnostic.where.key = printable(name);
    return tl::make_unexpected(Error(result.error().code(), std::move(diagnostics)));
  }

  static std::string known_dtypes() {
    std::string text;
    for (const DTypeName& known : dtype_names) {
      if (!text.empty()) text += ' ';
      text += known.spelling;
    }
    return text;
  }

  // No network has tensors of more axes; a longer list would only serve to fill memory.
  static constexpr size_t max_rank = 64;

  JsonCursor cursor_;
  std::string_view text_;
  const std::string& file_;
  SafetensorsHeader header_;
};

} // namespace

const char* safetensors_name_of(DType dtype) {
  for (const DTypeName& known : dtype_names) {
    if (known.dtype == dtype) return known.spelling;
  }
  return "";
}

bool dtype_from_safetensors(std::string_view spelling, DType& dtype) {
  for (const DTypeName& known : dtype_names) {
    if (spelling == known.spelling) {
      dtype = known.dtype;
      return true;
    }
  }
  return false;
}

Result<SafetensorsHeader> parse_safetensors_header(std::string_view text, const std::string& file) {
  if (const size_t bad = first_invalid_utf8(text); bad != std::string_view::npos) {
    return fail(Code::artifact, fmt::format("header byte {}: not valid UTF-8", bad),
                {file, 0, 0, ""});
  }
  return HeaderReader(text, file).read();
}

} // namespace lattice
