// Small files of every format, made in memory, for the tests of the readers and for their
// mutations. Included by tests and by fuzz_points.cpp only.
#pragma once

#include <string>
#include <vector>

#include <zlib.h>

#include "points/test_files.h"

namespace lattice {

// Points 0, 1, ...: x = k, y = -k, z = k / 2, and further columns 10 k + column.
inline float sample_value(int64_t row, int64_t column) {
  const auto k = static_cast<float>(row);
  const float axes[] = {k, -k, k / 2};
  return column < 3 ? axes[column] : 10 * k + static_cast<float>(column);
}

inline std::string sample_bin(int64_t rows, int64_t columns) {
  Blob blob;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) blob.put(sample_value(row, column));
  }
  return blob.bytes;
}

inline std::string npy_with(const std::string& header, const std::string& data, char version = 1) {
  Blob blob;
  blob.text("\x93NUMPY").put(version).put('\0');
  if (version == 1) {
    blob.put(static_cast<uint16_t>(header.size()));
  } else {
    blob.put(static_cast<uint32_t>(header.size()));
  }
  return blob.text(header).text(data).bytes;
}

inline std::string npy_header(const std::string& type, bool fortran, const std::string& shape) {
  return "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }\n";
}

inline std::string sample_npy(int64_t rows, int64_t columns) {
  return npy_with(
      npy_header("<f4", false, "(" + std::to_string(rows) + ", " + std::to_string(columns) + ")"),
      sample_bin(rows, columns));
}

struct ZipMember {
  std::string name, content;
  bool deflated = false;
};

inline std::string deflated(const std::string& plain) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(deflateBound(&stream, static_cast<uLong>(plain.size())) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

inline std::string zip_of(const std::vector<ZipMember>& members) {
  Blob zip, directory;
  for (const ZipMember& member : members) {
    const std::string packed = member.deflated ? deflated(member.content) : member.content;
    const auto crc =
        static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(member.content.data()),
                                    static_cast<uInt>(member.content.size())));
    const auto offset = static_cast<uint32_t>(zip.bytes.size());
    const auto common = [&](Blob& to) {
      to.put<uint16_t>(20)
          .put<uint16_t>(0)
          .put<uint16_t>(member.deflated ? 8 : 0)
          .put<uint32_t>(0)
          .put(crc);
      to.put(static_cast<uint32_t>(packed.size()))
          .put(static_cast<uint32_t>(member.content.size()))
          .put(static_cast<uint16_t>(member.name.size()));
    };
    zip.put<uint32_t>(0x04034b50);
    common(zip);
    zip.put<uint16_t>(4)
        .text(member.name)
        .put<uint32_t>(0)
        .text(packed); // four bytes of extra field
    directory.put<uint32_t>(0x02014b50).put<uint16_t>(20);
    common(directory);
    directory.put<uint16_t>(0)
        .put<uint16_t>(0)
        .put<uint16_t>(0)
        .put<uint16_t>(0)
        .put<uint32_t>(0)
        .put(offset)
        .text(member.name);
  }
  const auto start = static_cast<uint32_t>(zip.bytes.size());
  const auto count = static_cast<uint16_t>(members.size());
  zip.text(directory.bytes)
      .put<uint32_t>(0x06054b50)
      .put<uint16_t>(0)
      .put<uint16_t>(0)
      .put(count)
      .put(count);
  return zip.put(static_cast<uint32_t>(directory.bytes.size())).put(start).put<uint16_t>(0).bytes;
}

inline std::string sample_npz(bool packed) {
  return zip_of({{"note.txt", "no array", false},
                 {"pc.npy", sample_npy(50, 4), packed},
                 {"b.npy", sample_npy(2, 3), packed}});
}

// A list inside the vertices, colours, and faces after them.
inline std::string sample_ply(const std::string& form) {
  Blob blob;
  blob.text("ply\nformat " + form +
            " 1.0\ncomment made here\nelement camera 1\nproperty double t\nelement vertex "
            "3\nproperty double x\nproperty float y\n")
      .text("property short z\nproperty list uchar ushort near\nproperty uchar red\nproperty uchar "
            "green\nproperty uchar blue\nproperty float scalar_Intensity\n")
      .text("element face 2\nproperty list uchar int vertex_indices\nend_header\n");
  if (form == "ascii") {
    return blob
        .text("0.5\n0.125 1 -2 0 255 0 7 0.5\n1e3 -1.5 30000 2 4 5 1 2 3 +1.5\n\n -7 2 3 1 9 0 0 0 "
              "nan\n3 0 1 2\n0\n")
        .bytes;
  }
  const auto order = form == "binary_big_endian" ? std::endian::big : std::endian::little;
  const auto vertex = [&](double x, float y, int16_t z, std::vector<uint16_t> near,
                          std::vector<uint8_t> colour, float i) {
    blob.put(x, order).put(y, order).put(z, order).put(static_cast<uint8_t>(near.size()));
    for (const uint16_t other : near) blob.put(other, order);
    for (const uint8_t channel : colour) blob.put(channel);
    blob.put(i, order);
  };
  blob.put(0.5, order);
  vertex(0.125, 1, -2, {}, {255, 0, 7}, 0.5f);
  vertex(1e3, -1.5, 30000, {4, 5}, {1, 2, 3}, 1.5f);
  vertex(-7, 2, 3, {9}, {0, 0, 0}, std::bit_cast<float>(0x7fc00000u));
  blob.put(uint8_t{3});
  for (const int32_t corner : {0, 1, 2}) blob.put(corner, order);
  return blob.put(uint8_t{0}).bytes;
}

inline std::string pcd_header(const std::string& fields, const std::string& sizes,
                              const std::string& types, const std::string& counts, int64_t points,
                              const std::string& data) {
  const std::string n = std::to_string(points);
  return "# .PCD v0.7\nVERSION 0.7\nFIELDS " + fields + "\nSIZE " + sizes + "\nTYPE " + types +
         "\nCOUNT " + counts + "\nWIDTH " + n + "\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS " + n +
         "\nDATA " + data + "\n";
}

// Opaque red as PCL packs it: as a float it is a signalling NaN.
constexpr uint32_t packed_red = 0xffbf1002;

// x, padding, y, z, rgb of two points; by field when compressed, there as one literal run a 32
// bytes.
inline std::string sample_pcd(const std::string& data) {
  Blob blob;
  blob.text(pcd_header("x _ y z rgb", "4 1 4 8 4", "F U F F F", "1 3 1 1 1", 2, data));
  if (data == "ascii") return blob.text("1 0 0 0 2 -3.5 2.3418052e-38\nnan 0 0 0 5 6 nan\n").bytes;
  const uint8_t pad = 0xee;
  if (data == "binary") {
    blob.put(1.0f).put(pad).put(pad).put(pad).put(2.0f).put(-3.5).put(packed_red);
    return blob.put(4.0f)
        .put(pad)
        .put(pad)
        .put(pad)
        .put(5.0f)
        .put(6.0)
        .put(uint32_t{0x00010203})
        .bytes;
  }
  Blob plain;
  plain.put(1.0f)
      .put(4.0f)
      .put(pad)
      .put(pad)
      .put(pad)
      .put(pad)
      .put(pad)
      .put(pad)
      .put(2.0f)
      .put(5.0f)
      .put(-3.5)
      .put(6.0)
      .put(packed_red)
      .put(uint32_t{0x00010203});
  Blob packed;
  for (size_t at = 0; at < plain.bytes.size(); at += 32) {
    const std::string run = plain.bytes.substr(at, 32);
    packed.put(static_cast<uint8_t>(run.size() - 1)).text(run);
  }
  return blob.put(static_cast<uint32_t>(packed.bytes.size()))
      .put(static_cast<uint32_t>(plain.bytes.size()))
      .text(packed.bytes)
      .bytes;
}

// Two points of a format, with 3 extra bytes a record.
inline std::string sample_las(int minor, int format) {
  const size_t header_size = minor == 4 ? 375 : minor == 3 ? 235 : 227;
  static constexpr int sizes[] = {20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67};
  const int record = sizes[format] + 3;
  Blob blob;
  blob.bytes.assign(header_size + 10, '\0');
  blob.bytes.replace(0, 4, "LASF");
  blob.set<uint8_t>(24, 1)
      .set(25, static_cast<uint8_t>(minor))
      .set(94, static_cast<uint16_t>(header_size))
      .set(96, static_cast<uint32_t>(header_size + 10));
  blob.set(104, static_cast<uint8_t>(format))
      .set(105, static_cast<uint16_t>(record))
      .set<uint32_t>(107, format >= 6 ? 0 : 2);
  if (minor == 4) blob.set<uint64_t>(247, 2);
  for (size_t axis = 0; axis < 3; ++axis)
    blob.set(131 + 8 * axis, 0.01).set(155 + 8 * axis, 1000.0 * static_cast<double>(axis));
  for (int k = 0; k < 2; ++k) {
    Blob point;
    point.bytes.assign(static_cast<size_t>(record), '\0');
    point.set<int32_t>(0, 100 + k)
        .set<int32_t>(4, -200)
        .set<int32_t>(8, k == 0 ? INT32_MIN : 7)
        .set<uint16_t>(12, 40000);
    if (format < 6) {
      point.set<uint8_t>(14, 2 | 3 << 3)
          .set<uint8_t>(15, 2 | 0x80); // second of three, ground, withheld
    } else {
      point.set<uint8_t>(14, 9 | 12 << 4).set<uint8_t>(16, 200);
    }
    const int gps = format >= 6 ? 22 : format == 2 || format == 0 ? -1 : 20;
    const int colour = format == 2                                  ? 20
                       : format == 3 || format == 5                 ? 28
                       : format == 7 || format == 8 || format == 10 ? 30
                                                                    : -1;
    if (gps > 0) point.set(static_cast<size_t>(gps), 1e9 + 0.5);
    for (size_t c = 0; colour > 0 && c < 3; ++c)
      point.set(static_cast<size_t>(colour) + 2 * c, static_cast<uint16_t>(65535 - c));
    blob.text(point.bytes);
  }
  return blob.bytes;
}

} // namespace lattice
