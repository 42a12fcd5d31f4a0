#include "topology/base/utf8.h"

#include <algorithm>
#include <cstdint>

namespace gangplan {
namespace {

uint8_t Byte(char c) { return static_cast<uint8_t>(c); }

}  // namespace

size_t Utf8Length(std::string_view text) {
  const uint8_t lead = Byte(text[0]);
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  const uint8_t second = Byte(text[1]);
  // Not longer than needed, no surrogates, nothing beyond U+10FFFF.
  const uint8_t least = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const uint8_t most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (second < least || second > most) return 0;
  const bool continued =
      std::all_of(text.begin() + 2, text.begin() + static_cast<ptrdiff_t>(length),
                  [](char c) { return (Byte(c) & 0xc0) == 0x80; });
  return continued ? length : 0;
}

std::string CutUtf8(std::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  size_t end = max_bytes;
  while (end > 0 && (Byte(text[end]) & 0xc0) == 0x80) --end;
  return std::string(text.substr(0, end));
}

}  // namespace gangplan
