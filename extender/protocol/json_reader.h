// RapidJSON as this room uses it: in situ, iterative, numbers as texts; one value and nothing after
// it. Internal to json_*.cc; any thread.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "extender/protocol/json_shape.h"
#include "rapidjson/reader.h"
#include "topology/base/text.h"

// RapidJSON 1.1.0 in blocks takes the bytes 0x1a to 0x1f for plain ones. It is used by this file
// only.
#if defined(RAPIDJSON_SSE2) || defined(RAPIDJSON_SSE42) || defined(RAPIDJSON_NEON)
#error "RapidJSON must read byte by byte: some control bytes pass its blocks"
#endif

namespace gangplan {

inline char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline bool SameKey(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  return a == b || std::equal(a.begin(), a.end(), b.begin(),
                              [](char x, char y) { return Lower(x) == Lower(y); });
}

inline const JsonField* FindField(const JsonShape& shape, std::string_view key) {
  const JsonField* end = shape.fields + shape.field_count;
  const JsonField* field =
      std::find_if(shape.fields, end, [&](const JsonField& f) { return SameKey(f.key, key); });
  return field == end ? nullptr : field;
}

inline std::string_view Complaint(rapidjson::ParseErrorCode code) {
  switch (code) {
    case rapidjson::kParseErrorDocumentEmpty:
      return "there is no value";
    case rapidjson::kParseErrorDocumentRootNotSingular:
      return "more text after the value";
    case rapidjson::kParseErrorObjectMissName:
      return "expected a key";
    case rapidjson::kParseErrorObjectMissColon:
      return "expected ':' after the key";
    case rapidjson::kParseErrorObjectMissCommaOrCurlyBracket:
      return "expected ',' or '}'";
    case rapidjson::kParseErrorArrayMissCommaOrSquareBracket:
      return "expected ',' or ']'";
    case rapidjson::kParseErrorStringUnicodeEscapeInvalidHex:
      return "expected four hexadecimal digits after \\u";
    case rapidjson::kParseErrorStringUnicodeSurrogateInvalid:
      return "half of a surrogate pair";
    case rapidjson::kParseErrorStringEscapeInvalid:
      return "unknown escape, or a control character, in a string";
    case rapidjson::kParseErrorStringMissQuotationMark:
      return "a string does not end";
    case rapidjson::kParseErrorNumberMissFraction:
      return "expected a digit after the point";
    case rapidjson::kParseErrorNumberMissExponent:
      return "expected a digit in the exponent";
    default:
      return "expected a value";
  }
}

// use(stream, read) has read(handler) parse `body` with its handler once, and its status is the
// result. `body` is changed.
template <typename Use>
absl::Status ReadJson(std::string& body, size_t most_bytes, Use use) {
  if (body.size() > most_bytes)
    return Invalid("the text is longer than {} bytes: {}", most_bytes, body.size());
  rapidjson::InsituStringStream stream(body.data());
  return use(stream, [&](auto& handler) -> absl::Status {
    constexpr unsigned kFlags = rapidjson::kParseInsituFlag | rapidjson::kParseIterativeFlag |
                                rapidjson::kParseNumbersAsStringsFlag;
    rapidjson::Reader reader;
    const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, handler);
    if (result.IsError())
      return Invalid("invalid JSON at byte {}: {}", result.Offset(), Complaint(result.Code()));
    if (stream.Tell() != body.size())
      return Invalid("invalid JSON at byte {}: a NUL byte", stream.Tell());
    return absl::OkStatus();
  });
}

}  // namespace gangplan
