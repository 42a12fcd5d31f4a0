#include "extender/kube/answers.h"

#include <charconv>
#include <optional>

#include "extender/kube/limits.h"
#include "extender/protocol/json_sax.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/base/utf8.h"

namespace gangplan {
namespace {

// What we read of any of these objects; a field that is no text is as good as absent.
struct Answer {
  std::string message;
  std::string major;
  std::string minor;
};

void Ignore(Answer&, const absl::Status&) {}

constexpr JsonField kAnswerFields[] = {
    {"message", json::Text<&Answer::message>(std::string::npos)},
    {"major", json::Text<&Answer::major>(std::string::npos)},
    {"minor", json::Text<&Answer::minor>(std::string::npos)},
};
constexpr JsonShape kAnswer = json::Forgiving<&Ignore>(json::Object(kAnswerFields));

absl::StatusOr<Answer> ReadAnswer(std::string_view body) {
  Answer answer;
  std::string text(body);
  GANGPLAN_RETURN_IF_ERROR(ParseJson(text, std::string::npos, "", kAnswer, &answer));
  return answer;
}

struct AccessAnswer {
  std::optional<bool> allowed;
};
constexpr JsonField kAccessStatusFields[] = {{"allowed", json::Boolean<&AccessAnswer::allowed>()}};
constexpr JsonShape kAccessStatus = json::Object(kAccessStatusFields);
constexpr JsonField kAccessFields[] = {{"status", kAccessStatus}};
constexpr JsonShape kAccess = json::Object(kAccessFields);

absl::StatusOr<int> LeadingNumber(const std::string& text, std::string_view field) {
  int number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc()) {
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

std::string ServerMessage(std::string_view body) {
  const absl::StatusOr<Answer> answer = ReadAnswer(body);
  const bool told = answer.ok() && !answer->message.empty();
  std::string text = CutUtf8(told ? answer->message : body, kMaxServerMessageBytes);
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
  const absl::StatusOr<Answer> answer = ReadAnswer(body);
  if (!answer.ok()) return Invalid("the server's version is not JSON");
  ServerVersion version;
  GANGPLAN_ASSIGN_OR_RETURN(version.major, LeadingNumber(answer->major, "major"));
  GANGPLAN_ASSIGN_OR_RETURN(version.minor, LeadingNumber(answer->minor, "minor"));
  return version;
}

absl::StatusOr<bool> ParseAccessAnswer(std::string_view body) {
  AccessAnswer answer;
  std::string text(body);
  GANGPLAN_RETURN_IF_ERROR(
      ParseJson(text, kMaxAnswerBytes, "a review of rights", kAccess, &answer));
  if (!answer.allowed) return Invalid("a review of rights without status.allowed");
  return *answer.allowed;
}

}  // namespace gangplan
