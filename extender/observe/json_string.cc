#include "extender/observe/json_string.h"

#include <iterator>

#include "fmt/format.h"

namespace gangplan {
namespace {

unsigned char ByteAt(std::string_view text, size_t i) {
  return static_cast<unsigned char>(text[i]);
}

bool IsContinuation(std::string_view text, size_t i) {
  return i < text.size() && (ByteAt(text, i) & 0xC0) == 0x80;
}

// The smallest and largest second byte that may follow `lead` (Unicode 15, table 3-7): it is what
// keeps out overlong forms, surrogates and values above U+10FFFF.
bool SecondByteFits(unsigned char lead, unsigned char second) {
  if (lead == 0xE0) return second >= 0xA0;
  if (lead == 0xED) return second <= 0x9F;
  if (lead == 0xF0) return second >= 0x90;
  if (lead == 0xF4) return second <= 0x8F;
  return true;
}

// Length of the UTF-8 sequence that starts at `i`, 0 when there is none.
size_t SequenceLength(std::string_view text, size_t i) {
  const unsigned char lead = ByteAt(text, i);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                        : lead >= 0xE0 && lead <= 0xEF ? 3
                        : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                       : 0;
  for (size_t k = 1; k < length; ++k) {
    if (!IsContinuation(text, i + k)) return 0;
  }
  return length != 0 && SecondByteFits(lead, ByteAt(text, i + 1)) ? length : 0;
}

void AppendAscii(char c, std::string& out) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
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
  if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned char>(c));
  } else {
    out += c;
  }
}

}  // namespace

void AppendQuoted(std::string_view text, std::string& out) {
  out += '"';
  for (size_t i = 0; i < text.size();) {
    const size_t length = SequenceLength(text, i);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      ++i;
    } else if (length == 1) {
      AppendAscii(text[i++], out);
    } else {
      out.append(text, i, length);
      i += length;
    }
  }
  out += '"';
}

}  // namespace gangplan
