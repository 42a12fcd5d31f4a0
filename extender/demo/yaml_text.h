// Writes one YAML document in block style, as kubectl prints it, with the calls of JsonText. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gangplan {

class YamlText {
 public:
  YamlText& Begin() { return Open(false); }
  YamlText& End() { return Close(); }
  YamlText& BeginList() { return Open(true); }
  YamlText& EndList() { return Close(); }
  YamlText& Key(std::string_view key);
  YamlText& Value(std::string_view text);
  YamlText& Value(const char* text) { return Value(std::string_view(text)); }
  YamlText& Value(int64_t number) { return Raw(std::to_string(number)); }
  YamlText& Value(bool truth) { return Raw(truth ? "true" : "false"); }
  // A scalar that is YAML already.
  YamlText& Raw(std::string_view scalar);
  template <typename V>
  YamlText& Field(std::string_view key, const V& value) {
    return Key(key).Value(value);
  }

  std::string Take() const { return text_ + "\n"; }

 private:
  struct Frame {
    bool list = false;
    int indent = 0;
    bool on_this_line = false;  // the first entry follows what stands on the line
    bool empty = true;
  };

  YamlText& Open(bool list);
  YamlText& Close();
  void StartEntry();

  std::string text_;
  std::vector<Frame> frames_;
};

}  // namespace gangplan
