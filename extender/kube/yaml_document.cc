#include "extender/kube/yaml_document.h"

#include "rapidjson/stringbuffer.h"
#include "rapidjson/writer.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "yaml-cpp/yaml.h"

namespace gangplan {
namespace {

using Kind = YamlValue::Kind;

absl::Status At(const YAML::Mark& mark, std::string_view what) {
  return Invalid("line {}, column {}: {}", mark.line + 1, mark.column + 1, what);
}

class Reader {
 public:
  Reader(int max_depth, size_t max_values) : max_depth_(max_depth), values_left_(max_values) {}

  // Depth is bounded, so recursion is.
  absl::StatusOr<YamlValue> Read(const YAML::Node& node, int depth) {
    if (depth > max_depth_) {
      return absl::ResourceExhaustedError(
          ToAbsl(fmt::format("line {}: nested deeper than {}", node.Mark().line + 1, max_depth_)));
    }
    if (values_left_ == 0) return absl::ResourceExhaustedError("too many values");
    --values_left_;
    YamlValue value;
    value.line = node.Mark().line + 1;
    if (node.IsScalar()) {
      value.kind = Kind::kScalar;
      value.quoted = node.Tag() == "!";
      value.scalar = node.Scalar();
    } else if (node.IsSequence()) {
      GANGPLAN_RETURN_IF_ERROR(ReadItems(node, depth, &value));
    } else if (node.IsMap()) {
      GANGPLAN_RETURN_IF_ERROR(ReadFields(node, depth, &value));
    }
    return value;
  }

 private:
  absl::Status ReadItems(const YAML::Node& node, int depth, YamlValue* value) {
    value->kind = Kind::kSequence;
    value->items.reserve(node.size());
    for (const YAML::Node& item : node) {
      GANGPLAN_ASSIGN_OR_RETURN(YamlValue read, Read(item, depth + 1));
      value->items.push_back(std::move(read));
    }
    return absl::OkStatus();
  }

  absl::Status ReadFields(const YAML::Node& node, int depth, YamlValue* value) {
    value->kind = Kind::kMap;
    TextSet keys;
    for (const auto& field : node) {
      if (!field.first.IsScalar()) return At(field.first.Mark(), "a key must be a text");
      const std::string& key = field.first.Scalar();
      if (!keys.insert(key).second) {
        return At(field.first.Mark(), fmt::format("the key \"{}\" is repeated", key));
      }
      GANGPLAN_ASSIGN_OR_RETURN(YamlValue read, Read(field.second, depth + 1));
      value->fields.emplace_back(key, std::move(read));
    }
    return absl::OkStatus();
  }

  const int max_depth_;
  size_t values_left_;
};

bool SkipDigits(std::string_view* text) {
  const size_t digits = std::min(text->find_first_not_of("0123456789"), text->size());
  text->remove_prefix(digits);
  return digits > 0;
}

// The number grammar of JSON.
bool IsJsonNumber(std::string_view text) {
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
    if (!SkipDigits(&text)) return false;
  }
  return text.empty();
}

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

void WriteText(std::string_view text, Writer* writer) {
  writer->String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

void WriteScalar(const YamlValue& value, Writer* writer) {
  const std::string& text = value.scalar;
  if (value.quoted) return WriteText(text, writer);
  if (text == "true" || text == "True" || text == "TRUE") return void(writer->Bool(true));
  if (text == "false" || text == "False" || text == "FALSE") return void(writer->Bool(false));
  if (IsJsonNumber(text)) {
    writer->RawValue(text.data(), text.size(), rapidjson::kNumberType);
    return;
  }
  WriteText(text, writer);
}

void Write(const YamlValue& value, Writer* writer) {
  switch (value.kind) {
    case Kind::kNull:
      writer->Null();
      return;
    case Kind::kScalar:
      WriteScalar(value, writer);
      return;
    case Kind::kSequence:
      writer->StartArray();
      for (const YamlValue& item : value.items) Write(item, writer);
      writer->EndArray();
      return;
    case Kind::kMap:
      writer->StartObject();
      for (const auto& [key, field] : value.fields) {
        writer->Key(key.data(), static_cast<rapidjson::SizeType>(key.size()));
        Write(field, writer);
      }
      writer->EndObject();
  }
}

}  // namespace

const YamlValue* YamlValue::Find(std::string_view key) const {
  for (const auto& [name, value] : fields) {
    if (name == key) return &value;
  }
  return nullptr;
}

absl::StatusOr<std::vector<YamlValue>> ParseYaml(std::string_view text, int max_depth,
                                                 size_t max_values) {
  try {
    Reader reader(max_depth, max_values);
    std::vector<YamlValue> documents;
    for (const YAML::Node& node : YAML::LoadAll(std::string(text))) {
      GANGPLAN_ASSIGN_OR_RETURN(YamlValue value, reader.Read(node, 0));
      documents.push_back(std::move(value));
    }
    return documents;
  } catch (const YAML::Exception& error) {
    return At(error.mark, error.msg);
  }
}

std::string ToJson(const YamlValue& value) {
  rapidjson::StringBuffer buffer;
  Writer writer(buffer);
  Write(value, &writer);
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace gangplan
