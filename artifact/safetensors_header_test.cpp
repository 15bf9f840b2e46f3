// Facts about the header grammar: each rule of spec 7 with the message of its own.
#include "artifact/safetensors_header.h"

#include <gtest/gtest.h>

namespace lattice {
namespace {

std::string refusal(std::string_view header) {
  const auto result = parse_safetensors_header(header, "w");
  return result ? "accepted" : result.error().text();
}

std::string refusal_of_entry(std::string_view entry) {
  return refusal("{\"t\":" + std::string(entry) + "}");
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

#define EXPECT_REFUSAL(actual, part) EXPECT_TRUE(contains(actual, part)) << actual

TEST(HeaderGrammar, MembersAreExactlyThree) {
  EXPECT_REFUSAL(
      refusal_of_entry(R"({"dtype":"U8","shape":[],"data_offsets":[0,1],"extra":[[[[]]]]})"),
      "unknown member \"extra\"");
  EXPECT_REFUSAL(refusal_of_entry(R"({"shape":[],"data_offsets":[0,1]})"), "dtype is missing");
  EXPECT_REFUSAL(refusal_of_entry(R"({"dtype":"U8","data_offsets":[0,1]})"), "shape is missing");
  EXPECT_REFUSAL(refusal_of_entry(R"({"dtype":"U8","shape":[]})"), "data_offsets is missing");
  EXPECT_REFUSAL(refusal_of_entry("{}"), "dtype is missing");
  EXPECT_REFUSAL(refusal_of_entry("[]"), "expected '{' to start an entry, found a list");
  EXPECT_REFUSAL(refusal_of_entry("null"), "found 'null'");
}

TEST(HeaderGrammar, KeysAreUniqueOnEveryLevel) {
  EXPECT_REFUSAL(refusal_of_entry(R"({"dtype":"U8","dtype":"U8","shape":[],"data_offsets":[0,1]})"),
                 "duplicate key \"dtype\"");
  EXPECT_REFUSAL(refusal_of_entry(R"({"shape":[],"dtype":"U8","shape":[],"data_offsets":[0,1]})"),
                 "duplicate key \"shape\"");
  EXPECT_REFUSAL(refusal_of_entry(R"({"data_offsets":[0,1],"data_offsets":[0,1]})"),
                 "duplicate key \"data_offsets\"");
  EXPECT_REFUSAL(refusal(R"({"__metadata__":{"a":"","\u0061":""}})"),
                 "duplicate key \"a\" in __metadata__");
  EXPECT_REFUSAL(refusal(R"({"__metadata__":{},"__metadata__":{}})"),
                 "duplicate key \"__metadata__\"");
}

TEST(HeaderGrammar, DimensionsAreWholeNumbers) {
  const auto shape = [](std::string_view dims) {
    return refusal_of_entry("{\"dtype\":\"U8\",\"shape\":" + std::string(dims) +
                            ",\"data_offsets\":[0,1]}");
  };
  EXPECT_EQ(shape("[1]"), "accepted");
  EXPECT_REFUSAL(shape("[-1]"), "a dimension is negative");
  EXPECT_REFUSAL(shape("[-0]"), "a dimension is negative");
  EXPECT_REFUSAL(shape("[1.0]"), "a dimension is not a whole number");
  EXPECT_REFUSAL(shape("[1e0]"), "a dimension is not a whole number");
  EXPECT_REFUSAL(shape("[01]"), "a dimension starts with a zero");
  EXPECT_REFUSAL(shape("[99999999999999999999]"), "99999999999999999999 does not fit 64 bits");
  EXPECT_REFUSAL(shape("[4294967296,4294967296]"), "overflows 64 bits");
  EXPECT_REFUSAL(shape("[0,4294967296,4294967296]"), "overflows 64 bits");
  EXPECT_REFUSAL(shape("[\"1\"]"), "found a string");
  EXPECT_REFUSAL(shape("[[1]]"), "found a list");
  EXPECT_REFUSAL(shape("1"), "expected '['");
  EXPECT_REFUSAL(shape("[1,]"), "expected a dimension");
  EXPECT_REFUSAL(shape("[1 2]"), "expected ']'");
}

TEST(HeaderGrammar, OffsetsAreAPair) {
  const auto offsets = [](std::string_view range) {
    return refusal_of_entry(
        "{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":" + std::string(range) + "}");
  };
  EXPECT_EQ(offsets("[0,1]"), "accepted");
  EXPECT_REFUSAL(offsets("[0]"), "has 1 numbers, expected 2");
  EXPECT_REFUSAL(offsets("[1,0]"), "end before they start");
  EXPECT_REFUSAL(offsets("[0,2]"), "shape (1,) of u8 needs 1 bytes, data_offsets [0, 2] give 2");
  EXPECT_REFUSAL(offsets("[-1,0]"), "an offset is negative");
}

// Every dtype of spec 7 is known by its spelling, and by no other.
TEST(HeaderGrammar, DTypesAreTheListOfTheSpec) {
  for (const char* name : {"BOOL", "U8", "I8", "U16", "I16", "F16", "BF16", "U32", "I32", "F32",
                           "U64", "I64", "F64", "F8_E4M3", "F8_E5M2"}) {
    DType dtype{};
    ASSERT_TRUE(dtype_from_safetensors(name, dtype)) << name;
    EXPECT_STREQ(safetensors_name_of(dtype), name);
  }
  DType dtype{};
  EXPECT_FALSE(dtype_from_safetensors("f32", dtype));
  EXPECT_REFUSAL(refusal_of_entry(R"({"dtype":"f32","shape":[],"data_offsets":[0,4]})"),
                 "t: header byte 19: unknown dtype \"f32\"");
}

TEST(HeaderGrammar, OnlySpacesMayFollow) {
  EXPECT_EQ(refusal("{}   "), "accepted");
  EXPECT_EQ(refusal("{ \n\t}"), "accepted");
  EXPECT_REFUSAL(refusal("{} x"), "expected only spaces");
  EXPECT_REFUSAL(refusal("{}\n"), "expected only spaces");
  EXPECT_REFUSAL(refusal("{}{}"), "expected only spaces");
  EXPECT_REFUSAL(refusal(std::string("{}\0", 3)), "expected only spaces");
  EXPECT_REFUSAL(refusal(""), "found the end of the header");
  EXPECT_REFUSAL(refusal("{"), "expected a tensor name, found the end of the header");
}

TEST(HeaderGrammar, MetadataMapsTextToText) {
  const auto header =
      parse_safetensors_header(R"({"__metadata__":{"a":"}{\"","b":"\u00e9\ud83d\ude00\n"}})", "w");
  ASSERT_TRUE(header) << header.error().text();
  ASSERT_EQ(header->metadata.size(), 2u);
  EXPECT_EQ(header->metadata[0].second, "}{\"");
  EXPECT_EQ(header->metadata[1].second, "\xc3\xa9\xf0\x9f\x98\x80\n");
  EXPECT_TRUE(header->entries.empty());
  EXPECT_REFUSAL(refusal(R"({"__metadata__":null})"), "expected '{' to start __metadata__");
  EXPECT_REFUSAL(refusal(R"({"__metadata__":{"a":["b"]}})"), "found a list");
}

TEST(HeaderGrammar, StringsAreValid) {
  EXPECT_REFUSAL(refusal("{\"\xff\":1}"), "header byte 2: not valid UTF-8");
  EXPECT_REFUSAL(refusal("{\"\xc0\x80\":1}"), "not valid UTF-8");
  EXPECT_REFUSAL(refusal("{\"\xed\xa0\x80\":1}"), "not valid UTF-8");
  EXPECT_REFUSAL(refusal(R"({"\ud800":1})"), "half a surrogate pair");
  EXPECT_REFUSAL(refusal(R"({"\udc00":1})"), "half a surrogate pair");
  EXPECT_REFUSAL(refusal(R"({"\ud800\u0041":1})"), "half a surrogate pair");
  EXPECT_REFUSAL(refusal(R"({"\x":1})"), "unknown escape");
  EXPECT_REFUSAL(refusal(R"({"\u12g4":1})"), "four hexadecimal digits");
  EXPECT_REFUSAL(refusal("{\"a\nb\":1}"), "control character 0x0a");
  EXPECT_REFUSAL(refusal("{\"abc"), "ends inside a string");
}

// Nesting is refused where it starts, however deep it goes.
TEST(HeaderGrammar, DeepNestingIsRefused) {
  EXPECT_REFUSAL(refusal_of_entry(std::string(20000, '[')), "found a list");
  EXPECT_REFUSAL(refusal_of_entry("{\"shape\":" + std::string(20000, '[')), "found a list");
  std::string objects;
  for (int i = 0; i < 20000; ++i) objects += "{\"a\":";
  EXPECT_REFUSAL(refusal(objects), "unknown member \"a\"");
  EXPECT_REFUSAL(refusal("{\"__metadata__\":" + objects), "found an object");
}

// A name of megabytes does not make a message of megabytes.
TEST(HeaderGrammar, MessagesAreShort) {
  const std::string name(1 << 20, 'n');
  EXPECT_LT(refusal("{\"" + name + "\":1}").size(), 1000u);
  EXPECT_LT(refusal("{\"t\":{\"dtype\":\"" + name + "\"}}").size(), 1000u);
  EXPECT_LT(refusal("{\"t\":{\"shape\":[" + std::string(1 << 20, '9') + "]}}").size(), 1000u);
}

} // namespace
} // namespace lattice
