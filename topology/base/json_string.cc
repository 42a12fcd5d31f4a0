#include "topology/base/json_string.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace gangplan {
namespace {

constexpr char kHex[] = "0123456789abcdef";

uint8_t Byte(char c) { return static_cast<uint8_t>(c); }

using PlainTable = std::array<bool, 256>;

constexpr PlainTable PlainExcept(std::string_view escaped) {
  PlainTable plain = {};
  for (size_t c = 0x20; c < 0x80; ++c) plain[c] = true;
  for (char c : escaped) plain[static_cast<uint8_t>(c)] = false;
  return plain;
}
constexpr PlainTable kPlainInLogs = PlainExcept("\"\\\x7f");
constexpr PlainTable kPlainInGo = PlainExcept("\"\\<>&");

void AppendEscaped(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  out += "\\u00";
  out += kHex[Byte(c) >> 4];
  out += kHex[Byte(c) & 15];
}

// The length of the well-formed sequence of two to four bytes that `text` begins with, or zero.
size_t SequenceLength(std::string_view text) {
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

// Appends what stands first in `text`, which is beyond ASCII; returns its length.
size_t AppendSequence(std::string& out, std::string_view text) {
  const size_t length = SequenceLength(text);
  const std::string_view sequence = text.substr(0, length);
  if (length == 0) {
    out += "\\ufffd";
    return 1;
  }
  if (sequence == "\u2028") {
    out += "\\u2028";
  } else if (sequence == "\u2029") {
    out += "\\u2029";
  } else {
    out += sequence;
  }
  return length;
}

}  // namespace

void AppendJsonString(std::string& out, std::string_view text, JsonEscapes escapes) {
  const PlainTable& plain = escapes == JsonEscapes::kGo ? kPlainInGo : kPlainInLogs;
  out += '"';
  while (!text.empty()) {
    auto stop = std::find_if_not(text.begin(), text.end(), [&](char c) { return plain[Byte(c)]; });
    const auto length = static_cast<size_t>(stop - text.begin());
    out += text.substr(0, length);
    text.remove_prefix(length);
    if (text.empty()) break;
    if (Byte(text[0]) < 0x80) {
      AppendEscaped(out, text[0]);
      text.remove_prefix(1);
    } else {
      text.remove_prefix(AppendSequence(out, text));
    }
  }
  out += '"';
}

}  // namespace gangplan
