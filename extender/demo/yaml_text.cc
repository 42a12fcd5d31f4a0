#include "extender/demo/yaml_text.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "topology/base/json_text.h"

namespace gangplan {
namespace {

// Text that no reader of YAML takes for anything else; all other text stands in quotes.
bool IsPlain(std::string_view text) {
  constexpr std::array<std::string_view, 9> kWords = {"true", "false", "null", "yes", "no",
                                                      "on",   "off",   "y",    "n"};
  if (text.empty() || std::isalpha(static_cast<unsigned char>(text[0])) == 0) return false;
  const bool letters = std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '/' || c == '-' ||
           c == '_';
  });
  std::string small(text);
  for (char& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return letters && std::find(kWords.begin(), kWords.end(), small) == kWords.end();
}

// A JSON string is a YAML string.
std::string Scalar(std::string_view text) {
  return IsPlain(text) ? std::string(text) : JsonText().Value(text).Take();
}

}  // namespace

void YamlText::StartEntry() {
  Frame& frame = frames_.back();
  if (!(frame.empty && frame.on_this_line)) {
    text_ += '\n';
    text_.append(static_cast<size_t>(frame.indent), ' ');
  }
  frame.empty = false;
}

YamlText& YamlText::Open(bool list) {
  if (frames_.empty()) {
    frames_.push_back({list, 0, true, true});
  } else if (frames_.back().list) {
    StartEntry();
    text_ += "- ";
    frames_.push_back({list, frames_.back().indent + 2, true, true});
  } else {  // after a key; lists stand below it, not further right
    frames_.push_back({list, frames_.back().indent + (list ? 0 : 2), false, true});
  }
  return *this;
}

YamlText& YamlText::Close() {
  const Frame frame = frames_.back();
  frames_.pop_back();
  if (!frame.empty) return *this;
  if (!frame.on_this_line) text_ += ' ';
  text_ += frame.list ? "[]" : "{}";
  return *this;
}

YamlText& YamlText::Key(std::string_view key) {
  StartEntry();
  text_ += Scalar(key) + ':';
  return *this;
}

YamlText& YamlText::Value(std::string_view text) { return Raw(Scalar(text)); }

YamlText& YamlText::Raw(std::string_view scalar) {
  if (frames_.back().list) {
    StartEntry();
    text_ += "- ";
  } else {
    text_ += ' ';
  }
  text_ += scalar;
  return *this;
}

}  // namespace gangplan
