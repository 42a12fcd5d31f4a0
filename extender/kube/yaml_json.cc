#include "extender/kube/yaml_json.h"

#include <algorithm>

#include "topology/base/json_text.h"

namespace gangplan {
namespace {

using Kind = YamlNode::Kind;

// Beyond them a number is text, of which whoever reads the key says that it is none.
constexpr size_t kMaxNumberLength = 64;
constexpr size_t kMaxExponentDigits = 2;

bool SkipDigits(std::string_view* text) {
  const size_t digits = std::min(text->find_first_not_of("0123456789"), text->size());
  text->remove_prefix(digits);
  return digits > 0;
}

// The number grammar of JSON.
bool IsJsonNumber(std::string_view text) {
  if (text.size() > kMaxNumberLength) return false;
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9') return false;
  if (!SkipDigits(&text)) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (!SkipDigits(&text)) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (text.size() > kMaxExponentDigits) return false;
    if (!SkipDigits(&text)) return false;
  }
  return text.empty();
}

void WriteScalar(const YamlNode& value, JsonText& json) {
  const std::string& text = value.text;
  if (value.quoted) {
    json.Value(text);
  } else if (text == "true" || text == "True" || text == "TRUE") {
    json.Value(true);
  } else if (text == "false" || text == "False" || text == "FALSE") {
    json.Value(false);
  } else if (IsJsonNumber(text)) {
    json.Raw(text);
  } else {
    json.Value(text);
  }
}

void Write(const YamlNode& value, JsonText& json) {
  switch (value.kind) {
    case Kind::kNull:
      json.Null();
      return;
    case Kind::kScalar:
      WriteScalar(value, json);
      return;
    case Kind::kList:
      json.BeginList();
      for (const YamlNode& item : value.items) Write(item, json);
      json.EndList();
      return;
    case Kind::kMap:
      json.Begin();
      for (const YamlNode& field : value.items) {
        json.Key(field.key);
        Write(field, json);
      }
      json.End();
  }
}

}  // namespace

std::string ToJson(const YamlNode& value) {
  JsonText json;
  Write(value, json);
  return json.Take();
}

}  // namespace gangplan
