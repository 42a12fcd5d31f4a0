#include "extender/cli/server_call.h"

#include "extender/cli/reach.h"
#include "extender/kube/https_transport.h"
#include "extender/kube/limits.h"
#include "extender/protocol/json_sax.h"
#include "topology/base/clock.h"
#include "topology/base/status_macros.h"
#include "topology/base/terminal_text.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kPortForward =
    "kubectl -n gangplan port-forward deployment/gangplan 10291";
constexpr absl::Duration kWholeAnswer = absl::Seconds(60);
constexpr size_t kShownBytes = 300;  // of an answer that is not ours

// What to do about a server that was not reached.
std::string Cure(std::string_view why, const ServerAddress& address) {
  switch (ReachOf(why)) {
    case Reach::kNoHost:
      return fmt::format("There is no host of the name {}; --server wants http://HOST:PORT",
                         address.host);
    case Reach::kNoNameServer:
      return "No name server answers: is this machine connected? An address in --server needs none";
    case Reach::kNobodyListens:
      return fmt::format(
          "Nobody listens there. From outside of the cluster, and again after a while: {}",
          kPortForward);
    case Reach::kOther:
      break;
  }
  return fmt::format(
      "Is that the port of gangplan's probes (server.probePort)? From outside of the "
      "cluster: {}",
      kPortForward);
}

struct Said {
  std::string error;
};
constexpr JsonField kSaidFields[] = {{"error", json::Text<&Said::error>(kMaxAnswerBytes)}};
constexpr JsonShape kSaid = json::Object(kSaidFields);

// {"error":"..."} or a line of text.
std::string ErrorOf(std::string_view body) {
  Said said;
  std::string json(body);
  const bool ours = ParseJson(json, kMaxAnswerBytes, "", kSaid, &said).ok() && !said.error.empty();
  return TerminalText(Trim((ours ? std::string_view(said.error) : body).substr(0, kShownBytes)));
}

absl::Status Refused(const std::string& server, const HttpResponse& answer) {
  const std::string said = ErrorOf(answer.body);
  if (answer.status == 404 && said.starts_with("no group"))
    return absl::NotFoundError(ToAbsl(said));
  if (answer.status == 503 && !said.empty())
    return absl::UnavailableError(
        ToAbsl(fmt::format("{}: {}\nAsk again in a few seconds", server, said)));
  return NotOurs(server, absl::UnknownError(ToAbsl(fmt::format("answered {}{}{}", answer.status,
                                                               said.empty() ? "" : ": ", said))));
}

}  // namespace

Option ServerOption(std::string& target) {
  target = kDefaultServer;
  return TextOption("--server", "URL",
                    fmt::format("the probe listener of a running gangplan ({})", target), target);
}

absl::StatusOr<std::string> AskServer(const std::string& server, std::string_view path) {
  Credentials credentials;
  GANGPLAN_ASSIGN_OR_RETURN(credentials.server, ParseServerUrl(server));
  const ServerAddress address = credentials.server;
  HttpsOptions options;
  options.answer_timeout = kWholeAnswer;
  HttpsTransportFactory factory(std::move(credentials), options, SystemClock());
  HttpRequest request;
  request.target = fmt::format("/v1/{}", path);
  absl::StatusOr<HttpResponse> answer = factory.Make()->Send(request);
  if (!answer.ok()) {
    const std::string why = Message(answer.status());
    return absl::UnavailableError(
        ToAbsl(fmt::format("{}: {}\n{}", server, why, Cure(why, address))));
  }
  if (!answer->ok()) return Refused(server, *answer);
  return std::move(answer->body);
}

bool MayBeOurs(std::string_view text) {
  text = Trim(text);
  return !text.empty() && !text.starts_with('<') && !text.starts_with('{');
}

absl::Status NotOurs(const std::string& server, const absl::Status& why) {
  return absl::FailedPreconditionError(
      ToAbsl(fmt::format("{}: {}\nIs that a gangplan of this version, and the port of its probes "
                         "(server.probePort)?",
                         server, Message(why))));
}

int TellNoAnswer(std::string_view command, const absl::Status& why, const Output& output) {
  if (absl::IsInvalidArgument(why)) return TellWrongWords(command, why, output);
  return TellFailed(command, why, output);
}

}  // namespace gangplan
