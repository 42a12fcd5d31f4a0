#include "extender/kube/exec_login.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "absl/time/time.h"
#include "extender/kube/child.h"
#include "extender/kube/yaml_json.h"
#include "topology/base/json_text.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kInfo = "KUBERNETES_EXEC_INFO";

absl::Status NoLogin(const ExecPlugin& plugin, std::string_view why) {
  return absl::UnauthenticatedError(
      ToAbsl(fmt::format("the login program {}: {}", Shown(plugin.command), why)));
}

std::string InfoText(const ExecPlugin& plugin, bool interactive) {
  JsonText json;
  json.Begin().Field("apiVersion", std::string_view(plugin.api_version));
  json.Field("kind", "ExecCredential").Key("spec").Begin().Field("interactive", interactive);
  if (!plugin.cluster.empty()) json.Key("cluster").Raw(plugin.cluster);
  json.End().End();
  return json.Take();
}

// Our own, with the plugin's in the place of those of the same name.
std::vector<std::string> Environment(const ExecPlugin& plugin, bool interactive) {
  std::vector<std::pair<std::string, std::string>> own = plugin.env;
  own.emplace_back(kInfo, InfoText(plugin, interactive));
  std::vector<std::string> all;
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string_view text = *one;
    const std::string_view name = text.substr(0, text.find('='));
    const bool replaced =
        std::any_of(own.begin(), own.end(), [&](const auto& pair) { return pair.first == name; });
    if (!replaced) all.emplace_back(text);
  }
  for (const auto& [name, value] : own) all.push_back(fmt::format("{}={}", name, value));
  return all;
}

std::string TextOf(const YamlNode& map, std::string_view key) {
  const YamlNode* value = map.Find(key);
  return value == nullptr || value->kind != YamlNode::Kind::kScalar ? "" : value->text;
}

// "2026-11-27T09:00:00Z"
absl::Status CheckExpiry(const std::string& text, absl::Time now) {
  if (text.empty()) return absl::OkStatus();
  absl::Time expires;
  std::string why;
  if (!absl::ParseTime(absl::RFC3339_full, text, &expires, &why))
    return Invalid("status.expirationTimestamp is \"{}\"; expected a time", Shown(text));
  if (expires <= now)
    return Invalid("what it gives has expired at {}; expected a login that holds: log in anew",
                   Shown(text));
  return absl::OkStatus();
}

absl::Status Take(const YamlNode& status, Credentials* credentials) {
  credentials->token = TextOf(status, "token");
  credentials->client_certificate.text = TextOf(status, "clientCertificateData");
  credentials->client_key.text = TextOf(status, "clientKeyData");
  if (credentials->client_certificate.empty() != credentials->client_key.empty())
    return Invalid("clientCertificateData and clientKeyData belong together");
  if (credentials->token.empty() && credentials->client_key.empty())
    return Invalid(
        "there is no status.token and no status.clientCertificateData in what it prints");
  return absl::OkStatus();
}

}  // namespace

absl::Status TakeLogin(const std::string& printed, std::string_view api_version, absl::Time now,
                       Credentials* credentials) {
  const absl::StatusOr<std::vector<YamlNode>> documents =
      ParseYaml(printed, kKubernetesYaml, "line ");
  const bool object = documents.ok() && documents->size() == 1 &&
                      TextOf(documents->front(), "kind") == "ExecCredential";
  if (!object) return Invalid("it prints no ExecCredential");
  const std::string version = TextOf(documents->front(), "apiVersion");
  if (version != api_version)
    return Invalid("it prints apiVersion \"{}\"; expected {}, as the kubeconfig says",
                   Shown(version), api_version);
  const YamlNode* status = documents->front().Find("status");
  if (status == nullptr) return Invalid("there is no status in what it prints");
  GANGPLAN_RETURN_IF_ERROR(CheckExpiry(TextOf(*status, "expirationTimestamp"), now));
  return Take(*status, credentials);
}

absl::Status LogIn(const ExecPlugin& plugin, const ExecBounds& bounds, const Clock& clock,
                   Credentials* credentials) {
  if (plugin.asks == ExecPlugin::Asks::kAlways && !bounds.terminal)
    return NoLogin(plugin, "its interactiveMode is Always, and there is no terminal");
  const bool interactive = bounds.terminal && plugin.asks != ExecPlugin::Asks::kNever;
  ChildRun run;
  run.words = {plugin.command};
  run.words.insert(run.words.end(), plugin.args.begin(), plugin.args.end());
  run.environment = Environment(plugin, interactive);
  run.input = interactive;
  run.within = interactive ? bounds.time_asking : bounds.time;
  run.most_bytes = bounds.bytes;
  const absl::StatusOr<std::string> printed = RunChild(run);
  if (absl::IsNotFound(printed.status())) {
    const std::string hint = std::string(Trim(plugin.install_hint));
    return NoLogin(plugin, fmt::format("there is no such program on the PATH{}{}",
                                       hint.empty() ? "" : "; ", hint));
  }
  if (!printed.ok()) return NoLogin(plugin, Message(printed.status()));
  const absl::Status read = TakeLogin(*printed, plugin.api_version, clock.Now(), credentials);
  return read.ok() ? read : NoLogin(plugin, Message(read));
}

}  // namespace gangplan
