#include "tests/conformance/case_file.h"

#include <fstream>
#include <iterator>

#include "rapidjson/error/en.h"
#include "tests/conformance/handlers.h"
#include "tests/conformance/json_cursor.h"
#include "topology/base/json_text.h"
#include "topology/base/text.h"

namespace gangplan::conformance {
namespace {

std::string Quoted(std::string_view text) { return JsonText().Value(text).Take(); }

absl::StatusOr<std::string> AnswerCase(Handler handler, const CaseFile& file,
                                       const rapidjson::Value& json) {
  if (handler == nullptr) return Invalid("cases of the kind {} are not answered", file.kind);
  return handler(json);
}

}  // namespace

absl::StatusOr<CaseFile> ParseCases(std::string_view text) {
  CaseFile file;
  file.json.Parse<rapidjson::kParseIterativeFlag>(text.data(), text.size());
  if (file.json.HasParseError()) {
    return Invalid("byte {}: expected JSON: {}", file.json.GetErrorOffset(),
                   rapidjson::GetParseError_En(file.json.GetParseError()));
  }
  absl::Status error;
  const JsonCursor json(file.json, "file", error);
  file.kind =
      json.Has("kind") ? "sakkara " + json.At("kind").Text() : json.At("meta").At("kind").Text();
  json.At("cases").ForEach([](const JsonCursor& one) { one.At("id").Text(); });
  if (!error.ok()) return error;
  return file;
}

absl::StatusOr<CaseFile> LoadCases(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return Invalid("{}: expected a file that can be read", path);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  absl::StatusOr<CaseFile> file = ParseCases(text);
  if (!file.ok()) return Invalid("{}: {}", path, Message(file.status()));
  return file;
}

std::string AnswerCases(const CaseFile& file) {
  const Handler handler = FindHandler(file.kind);
  std::string out;
  for (const rapidjson::Value& json : file.json["cases"].GetArray()) {
    const absl::StatusOr<std::string> answer = AnswerCase(handler, file, json);
    out += fmt::format(R"({{"id":{},"{}":{}}})", Quoted(json["id"].GetString()),
                       answer.ok() ? "answer" : "skip",
                       answer.ok() ? *answer : Quoted(Message(answer.status())));
    out += '\n';
  }
  return out;
}

}  // namespace gangplan::conformance
