#include "extender/kube/answers.h"

#include <charconv>

#include "extender/kube/limits.h"
#include "rapidjson/reader.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

// Keeps the text fields of the outermost object; the last of a repeated key wins.
class TopFields : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, TopFields> {
 public:
  bool Default() { return true; }
  bool StartObject() { return ++depth_ > 0; }
  bool EndObject(rapidjson::SizeType) { return --depth_ >= 0; }
  bool StartArray() { return ++depth_ > 0; }
  bool EndArray(rapidjson::SizeType) { return --depth_ >= 0; }
  bool Key(const char* text, rapidjson::SizeType length, bool) {
    if (depth_ == 1) key_.assign(text, length);
    return true;
  }
  bool String(const char* text, rapidjson::SizeType length, bool) {
    if (depth_ == 1) fields_[key_] = std::string(text, length);
    return true;
  }

  const std::string* Find(std::string_view key) const {
    auto it = fields_.find(key);
    return it == fields_.end() ? nullptr : &it->second;
  }

 private:
  int depth_ = 0;
  std::string key_;
  TextMap<std::string> fields_;
};

constexpr size_t kReaderBlockBytes = 16;

bool ReadTopFields(std::string_view body, TopFields* fields) {
  constexpr unsigned kFlags =
      rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag;
  std::string text;  // ends in NUL, and has room for the reader, which looks at whole blocks
  text.reserve(body.size() + kReaderBlockBytes);
  text = body;
  rapidjson::StringStream stream(text.c_str());
  rapidjson::Reader reader;
  return !reader.Parse<kFlags>(stream, *fields).IsError();
}

absl::StatusOr<int> LeadingNumber(const std::string* text, std::string_view field) {
  int number = 0;
  if (text == nullptr ||
      std::from_chars(text->data(), text->data() + text->size(), number).ec != std::errc()) {
    return Invalid("the server's version has no number in \"{}\"", field);
  }
  return number;
}

absl::StatusCode CodeOf(int status) {
  switch (status) {
    case 400:
    case 422:
      return absl::StatusCode::kFailedPrecondition;
    case 401:
      return absl::StatusCode::kUnauthenticated;
    case 403:
      return absl::StatusCode::kPermissionDenied;
    case 404:
      return absl::StatusCode::kNotFound;
    case 409:
      return absl::StatusCode::kAborted;
    case 410:
      return absl::StatusCode::kOutOfRange;
    case 429:
      return absl::StatusCode::kResourceExhausted;
    default:
      return status >= 500 ? absl::StatusCode::kUnavailable : absl::StatusCode::kUnknown;
  }
}

}  // namespace

std::string CutUtf8(std::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  size_t end = max_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end));
}

std::string ServerMessage(std::string_view body) {
  TopFields fields;
  const bool parsed = ReadTopFields(body, &fields);
  const std::string* message = parsed ? fields.Find("message") : nullptr;
  std::string text = CutUtf8(message != nullptr ? *message : body, kMaxServerMessageBytes);
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  return text.empty() ? "no message" : text;
}

absl::Status AnswerStatus(const HttpResponse& response, std::string_view what) {
  if (response.ok()) return absl::OkStatus();
  return absl::Status(
      CodeOf(response.status),
      ToAbsl(fmt::format("{}: {} {}", what, response.status, ServerMessage(response.body))));
}

absl::StatusOr<ServerVersion> ParseServerVersion(std::string_view body) {
  TopFields fields;
  if (!ReadTopFields(body, &fields)) return Invalid("the server's version is not JSON");
  ServerVersion version;
  GANGPLAN_ASSIGN_OR_RETURN(version.major, LeadingNumber(fields.Find("major"), "major"));
  GANGPLAN_ASSIGN_OR_RETURN(version.minor, LeadingNumber(fields.Find("minor"), "minor"));
  return version;
}

}  // namespace gangplan
