#include "extender/cli/explain_command.h"

#include <memory>

#include "extender/cli/terminal_text.h"
#include "extender/kube/https_transport.h"
#include "topology/base/clock.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

struct ExplainWords {
  std::string group;
  std::string server = "http://127.0.0.1:10291";
  size_t form = 0;  // of Forms()

  bool json() const { return form == 1; }
};
const std::vector<std::string>& Forms() {
  static const auto& forms = *new std::vector<std::string>{"text", "json"};
  return forms;
}

Option GroupOption(std::string& target) {
  const auto read = [&target](std::string_view text) -> absl::Status {
    target = text;
    if (text.find('/') != std::string_view::npos) return absl::OkStatus();
    return Invalid("\"{}\"; expected NAMESPACE/NAME", Shown(text));
  };
  return Needed(
      {"NAMESPACE/NAME", "", "the group, as its pods' Events name it, or a pod of it", read});
}

absl::StatusOr<HttpResponse> Ask(const ExplainWords& words) {
  Credentials credentials;
  GANGPLAN_ASSIGN_OR_RETURN(credentials.server, ParseServerUrl(words.server));
  HttpsTransportFactory factory(std::move(credentials), HttpsOptions{}, SystemClock());
  HttpRequest request;
  request.target = fmt::format("/v1/{}/{}", words.json() ? "groups" : "explain", words.group);
  return factory.Make()->Send(request);
}

int RunExplain(const ExplainWords& words, const Output& output) {
  const absl::StatusOr<HttpResponse> answer = Ask(words);
  if (!answer.ok()) {
    output.err(fmt::format(
        "gangplan explain: {}: {}\nDoes the port of its probes lead there? From outside of the "
        "cluster: kubectl -n gangplan port-forward deployment/gangplan 10291\n",
        words.server, Message(answer.status())));
    return kExitFailed;
  }
  const std::string text = TerminalText(answer->body) + (words.json() ? "\n" : "");
  if (!answer->ok()) output.err(text);
  return answer->ok() && output.out(text) ? kExitDone : kExitFailed;
}

}  // namespace

Command ExplainCommand() {
  const auto words = std::make_shared<ExplainWords>();
  return {"explain",
          "where a group stands, or why it waits",
          "",
          {GroupOption(words->group),
           TextOption("--server", "URL",
                      fmt::format("the probe listener of a running gangplan ({})", words->server),
                      words->server),
           WordOption("-o", Forms(), "the form of the answer (text)", words->form)},
          [words](const Output& output) { return RunExplain(*words, output); }};
}

}  // namespace gangplan
