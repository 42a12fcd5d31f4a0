#include "topology/base/terminal_text.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "topology/base/text.h"
#include "topology/base/utf8.h"

namespace gangplan {
namespace {

// Sequences of UTF-8 from one to another: controls of 8 bits, and marks that are not seen but turn
// the writing around or hide between letters.
struct Range {
  std::string_view first;
  std::string_view last;
};
constexpr std::array<Range, 6> kUnseen = {{{"\xc2\x80", "\xc2\x9f"},
                                           {"\u00ad", "\u00ad"},
                                           {"\u200b", "\u200f"},
                                           {"\u2028", "\u202e"},
                                           {"\u2060", "\u206f"},
                                           {"\ufeff", "\ufeff"}}};

bool IsUnseen(std::string_view sequence) {
  for (const Range& range : kUnseen) {
    if (sequence.size() == range.first.size() && range.first <= sequence && sequence <= range.last)
      return true;
  }
  return false;
}

// Of a sequence of two or three bytes.
uint32_t CodePoint(std::string_view sequence) {
  uint32_t code = static_cast<uint8_t>(sequence[0]) & (sequence.size() == 2 ? 0x1f : 0x0f);
  for (char c : sequence.substr(1)) code = code << 6 | (static_cast<uint8_t>(c) & 0x3f);
  return code;
}

bool IsPlain(char c) { return (c >= ' ' && c <= '~') || c == '\n' || c == '\t'; }

}  // namespace

std::string TerminalText(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const bool ascii = static_cast<uint8_t>(text[0]) < 0x80;
    const size_t length = ascii ? 1 : Utf8Length(text);
    const std::string_view one = text.substr(0, length);
    if (length == 0) {
      safe += "\\ufffd";
    } else if (ascii ? IsPlain(one[0]) : !IsUnseen(one)) {
      safe += one;
    } else {
      safe += fmt::format("\\u{:04x}", ascii ? static_cast<uint32_t>(one[0]) : CodePoint(one));
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return safe;
}

std::string TerminalLine(std::string_view text) {
  std::string line = TerminalText(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return line;
}

}  // namespace gangplan
