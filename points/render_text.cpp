// Captions for pictures: an alphabet of 5 by 7 blocks.
// No fonts, no layout.
#include <array>

#include "points/render.h"

namespace lattice {

namespace {

// Seven rows from the top, five bits each, the leftmost the highest.
struct Glyph {
  char letter;
  std::array<uint8_t, 7> rows;
};

constexpr Glyph glyphs[] = {
    {'A', {14, 17, 17, 31, 17, 17, 17}}, {'B', {30, 17, 17, 30, 17, 17, 30}},
    {'C', {14, 17, 16, 16, 16, 17, 14}}, {'D', {30, 17, 17, 17, 17, 17, 30}},
    {'E', {31, 16, 16, 30, 16, 16, 31}}, {'F', {31, 16, 16, 30, 16, 16, 16}},
    {'G', {14, 17, 16, 19, 17, 17, 15}}, {'H', {17, 17, 17, 31, 17, 17, 17}},
    {'I', {14, 4, 4, 4, 4, 4, 14}},      {'J', {7, 2, 2, 2, 2, 18, 12}},
    {'K', {17, 18, 20, 24, 20, 18, 17}}, {'L', {16, 16, 16, 16, 16, 16, 31}},
    {'M', {17, 27, 21, 21, 17, 17, 17}}, {'N', {17, 25, 25, 21, 19, 19, 17}},
    {'O', {14, 17, 17, 17, 17, 17, 14}}, {'P', {30, 17, 17, 30, 16, 16, 16}},
    {'Q', {14, 17, 17, 17, 21, 18, 13}}, {'R', {30, 17, 17, 30, 20, 18, 17}},
    {'S', {15, 16, 16, 14, 1, 1, 30}},   {'T', {31, 4, 4, 4, 4, 4, 4}},
    {'U', {17, 17, 17, 17, 17, 17, 14}}, {'V', {17, 17, 17, 17, 10, 10, 4}},
    {'W', {17, 17, 17, 21, 21, 27, 17}}, {'X', {17, 17, 10, 4, 10, 17, 17}},
    {'Y', {17, 17, 10, 4, 4, 4, 4}},     {'Z', {31, 1, 2, 4, 8, 16, 31}},
    {'0', {14, 17, 19, 21, 25, 17, 14}}, {'1', {4, 12, 4, 4, 4, 4, 14}},
    {'2', {14, 17, 1, 6, 8, 16, 31}},    {'3', {30, 1, 1, 14, 1, 1, 30}},
    {'4', {2, 6, 10, 18, 31, 2, 2}},     {'5', {31, 16, 30, 1, 1, 17, 14}},
    {'6', {6, 8, 16, 30, 17, 17, 14}},   {'7', {31, 1, 2, 4, 8, 8, 8}},
    {'8', {14, 17, 17, 14, 17, 17, 14}}, {'9', {14, 17, 17, 15, 1, 2, 12}},
    {'.', {0, 0, 0, 0, 0, 12, 12}},      {',', {0, 0, 0, 0, 12, 4, 8}},
    {':', {0, 12, 12, 0, 12, 12, 0}},    {'-', {0, 0, 0, 31, 0, 0, 0}},
    {'+', {0, 4, 4, 31, 4, 4, 0}},       {'%', {24, 25, 2, 4, 8, 19, 3}},
    {'/', {1, 1, 2, 4, 8, 16, 16}},      {'(', {2, 4, 8, 8, 8, 4, 2}},
    {')', {8, 4, 2, 2, 2, 4, 8}},
};

const Glyph* find_glyph(char letter) {
  if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  for (const Glyph& glyph : glyphs) {
    if (glyph.letter == letter) return &glyph;
  }
  return nullptr;
}

void fill_block(Picture& picture, int64_t x, int64_t y, int32_t size, Colour colour) {
  for (int64_t py = y; py < y + size; ++py) {
    for (int64_t px = x; px < x + size; ++px) {
      if (px < 0 || py < 0 || px >= picture.width || py >= picture.height) continue;
      uint8_t* pixel = picture.pixel(static_cast<int32_t>(px), static_cast<int32_t>(py));
      for (size_t k = 0; k < 3; ++k) pixel[k] = colour[k];
    }
  }
}

} // namespace

void draw_text(Picture& picture, int32_t x, int32_t y, std::string_view text, Colour colour,
               int32_t scale) {
  int64_t left = x;
  for (const char letter : text) {
    if (const Glyph* glyph = find_glyph(letter)) {
      for (int row = 0; row < 7; ++row) {
        for (int column = 0; column < 5; ++column) {
          if ((glyph->rows[static_cast<size_t>(row)] >> (4 - column) & 1) != 0) {
            fill_block(picture, left + int64_t{column} * scale, int64_t{y} + int64_t{row} * scale,
                       scale, colour);
          }
        }
      }
    }
    left += int64_t{6} * scale;
  }
}

} // namespace lattice
