#include "topology/base/json_text.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "fmt/format.h"
#include "topology/base/utf8.h"

namespace gangplan {
namespace {

constexpr char kHex[] = "0123456789abcdef";

uint8_t ToByte(char c) { return static_cast<uint8_t>(c); }

using ByteSet = std::array<bool, 256>;

constexpr ByteSet AsciiExcept(std::string_view escaped) {
  ByteSet plain = {};
  for (size_t c = 0x20; c < 0x80; ++c) plain[c] = true;
  for (char c : escaped) plain[static_cast<uint8_t>(c)] = false;
  return plain;
}
constexpr ByteSet kAsItIs = AsciiExcept("\"\\\x7f");
constexpr ByteSet kAsItIsInGo = AsciiExcept("\"\\<>&");

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
  out += kHex[ToByte(c) >> 4];
  out += kHex[ToByte(c) & 15];
}

// Appends what stands first in `text`, which is beyond ASCII; returns its length.
size_t AppendSequence(std::string& out, std::string_view text) {
  const size_t length = Utf8Length(text);
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

void AppendString(std::string& out, std::string_view text, JsonEscapes escapes) {
  const ByteSet& plain = escapes == JsonEscapes::kGo ? kAsItIsInGo : kAsItIs;
  out += '"';
  while (!text.empty()) {
    auto stop =
        std::find_if_not(text.begin(), text.end(), [&](char c) { return plain[ToByte(c)]; });
    const auto length = static_cast<size_t>(stop - text.begin());
    out += text.substr(0, length);
    text.remove_prefix(length);
    if (text.empty()) break;
    if (ToByte(text[0]) < 0x80) {
      AppendEscaped(out, text[0]);
      text.remove_prefix(1);
    } else {
      text.remove_prefix(AppendSequence(out, text));
    }
  }
  out += '"';
}

}  // namespace

JsonText& JsonText::Key(std::string_view key) {
  Value(key);
  text_ += ':';
  return *this;
}

JsonText& JsonText::Value(std::string_view text) {
  Separate();
  AppendString(text_, text, escapes_);
  return *this;
}

JsonText& JsonText::Value(int64_t number) {
  const fmt::format_int digits(number);
  return Raw({digits.data(), digits.size()});
}

JsonText& JsonText::Value(double fraction) {
  return std::isfinite(fraction) ? Raw(fmt::format("{}", fraction)) : Null();
}

JsonText& JsonText::Raw(std::string_view json) {
  Separate();
  text_ += json;
  return *this;
}

JsonText& JsonText::Open(char bracket) {
  Separate();
  text_ += bracket;
  return *this;
}

JsonText& JsonText::Close(char bracket) {
  text_ += bracket;
  return *this;
}

// Whatever follows a value begins with a comma. The last byte tells: a text ends with its quote.
void JsonText::Separate() {
  if (text_.empty()) return;
  const char last = text_.back();
  if (last != '{' && last != '[' && last != ':') text_ += ',';
}

}  // namespace gangplan
