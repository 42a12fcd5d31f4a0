#include "extender/cli/form.h"

#include <utility>

#include "extender/demo/yaml_text.h"
#include "extender/kube/yaml_json.h"
#include "fmt/format.h"
#include "topology/base/terminal_text.h"

namespace gangplan {
namespace {

void Write(const YamlNode& value, YamlText& yaml) {
  switch (value.kind) {
    case YamlNode::Kind::kNull:
      yaml.Raw("null");
      return;
    case YamlNode::Kind::kScalar:
      value.quoted ? yaml.Value(value.text) : yaml.Raw(value.text);
      return;
    case YamlNode::Kind::kList:
      yaml.BeginList();
      for (const YamlNode& item : value.items) Write(item, yaml);
      yaml.EndList();
      return;
    case YamlNode::Kind::kMap:
      yaml.Begin();
      for (const YamlNode& field : value.items) {
        yaml.Key(field.key);
        Write(field, yaml);
      }
      yaml.End();
  }
}

// JSON is YAML: what is beyond the limits of a text stays as it is.
std::string YamlOf(std::string json) {
  const absl::StatusOr<std::vector<YamlNode>> documents = ParseYaml(json, kKubernetesYaml, "");
  if (!documents.ok() || documents->size() != 1) return json + "\n";
  YamlText yaml;
  Write(documents->front(), yaml);
  return yaml.Take();
}

// An end of a line as others write it would be escaped, and no JSON any more: it goes, but for what
// stands in a text.
void DropReturns(std::string& json) {
  bool in_text = false, escaped = false;
  std::erase_if(json, [&](char c) {
    if (c == '"' && !escaped) in_text = !in_text;
    escaped = in_text && c == '\\' && !escaped;
    return c == '\r' && !in_text;
  });
}

}  // namespace

Option FormOption(Form& form, std::string_view wide) {
  const std::vector<std::string> words = {"text", "wide", "json", "yaml"};
  const auto read = [words, &form](std::string_view text) {
    size_t chosen = 0;
    absl::Status status = WordOption("-o", words, "", chosen).read(text);
    if (status.ok()) form = static_cast<Form>(chosen);
    return status;
  };
  return {"-o", fmt::format("{}", fmt::join(words, "|")),
          fmt::format("the form of the answer (text); wide: {}", wide), read};
}

std::string ForPrograms(Form form, std::string json) {
  DropReturns(json);
  return TerminalText(form == Form::kYaml ? YamlOf(std::move(json)) : json + "\n");
}

}  // namespace gangplan
