#include "extender/app/explain_command.h"

#include <cstdio>
#include <optional>
#include <string>

#include "extender/kube/https_transport.h"
#include "topology/base/clock.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kUsage =
    "gangplan explain NAMESPACE/NAME [--server http://127.0.0.1:10291] [-o json]\n";

struct Words {
  std::string group;
  std::string server = "http://127.0.0.1:10291";
  bool json = false;
};

std::optional<Words> ReadArgs(std::span<const std::string_view> args) {
  Words words;
  for (size_t i = 0; i < args.size(); ++i) {
    bool more = i + 1 < args.size();
    if (args[i] == "--server" && more) {
      words.server = args[++i];
    } else if (args[i] == "-o" && more && args[i + 1] == "json") {
      words.json = true;
      ++i;
    } else if (words.group.empty() && !args[i].starts_with('-') &&
               args[i].find('/') < args[i].size()) {
      words.group = args[i];
    } else {
      return std::nullopt;
    }
  }
  if (words.group.empty()) return std::nullopt;
  return words;
}

absl::StatusOr<HttpResponse> Ask(const Words& words) {
  Credentials credentials;
  GANGPLAN_ASSIGN_OR_RETURN(credentials.server, ParseServerUrl(words.server));
  HttpsTransportFactory factory(std::move(credentials), HttpsOptions{}, SystemClock());
  HttpRequest request;
  request.target = fmt::format("/v1/{}/{}", words.json ? "groups" : "explain", words.group);
  return factory.Make()->Send(request);
}

}  // namespace

int RunExplain(std::span<const std::string_view> args) {
  std::optional<Words> words = ReadArgs(args);
  if (!words) {
    std::fwrite(kUsage.data(), 1, kUsage.size(), stderr);
    return 2;
  }
  absl::StatusOr<HttpResponse> answer = Ask(*words);
  if (!answer.ok()) {
    fmt::print(stderr, "gangplan explain: {}: {}\n", words->server, Message(answer.status()));
    return 1;
  }
  fmt::print(answer->ok() ? stdout : stderr, "{}{}", answer->body, words->json ? "\n" : "");
  return answer->ok() ? 0 : 1;
}

}  // namespace gangplan
