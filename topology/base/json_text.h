// Writes one JSON text: everything of ours that becomes JSON goes through here. Any bytes may come
// as a text: quotes, backslashes and control characters are escaped, also the two line separators
// of Unicode; each byte that is not UTF-8 becomes \ufffd. What is written is valid JSON when Begin
// and End, and keys and values, come in their order. Not thread-safe; costs one string.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace gangplan {

enum class JsonEscapes {
  kPlain,  // DEL as well, which terminals take for a command
  kGo,     // < > & as well: byte for byte what Go's encoding/json writes
};

class JsonText {
 public:
  explicit JsonText(JsonEscapes escapes = JsonEscapes::kPlain) : escapes_(escapes) {}

  void Reserve(size_t bytes) { text_.reserve(bytes); }

  JsonText& Begin() { return Open('{'); }
  JsonText& End() { return Close('}'); }
  JsonText& BeginList() { return Open('['); }
  JsonText& EndList() { return Close(']'); }
  JsonText& Key(std::string_view key);
  JsonText& Value(std::string_view text);
  JsonText& Value(const char* text) { return Value(std::string_view(text)); }
  JsonText& Value(int64_t number);
  JsonText& Value(double fraction);  // null for what JSON has not: infinity and NaN
  JsonText& Value(bool truth) { return Raw(truth ? "true" : "false"); }
  JsonText& Null() { return Raw("null"); }
  // A value that is JSON already.
  JsonText& Raw(std::string_view json);
  template <typename V>
  JsonText& Field(std::string_view key, const V& value) {
    return Key(key).Value(value);
  }

  std::string Take() { return std::move(text_); }

 private:
  JsonText& Open(char bracket);
  JsonText& Close(char bracket);
  void Separate();

  const JsonEscapes escapes_;
  std::string text_;
};

}  // namespace gangplan
