#include "extender/kube/kubeconfig_login.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "absl/strings/escaping.h"
#include "extender/kube/yaml_json.h"
#include "topology/base/decimal.h"
#include "topology/base/json_text.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/base/time_text.h"

namespace gangplan {
namespace {

using Kind = YamlNode::Kind;

constexpr std::string_view kProtocol = "client.authentication.k8s.io";

int LineOf(const YamlNode& map, std::string_view key) {
  const YamlNode* value = map.Find(key);
  return value == nullptr ? map.line : value->line;
}

absl::Status CheckVersion(const YamlNode& exec, const std::string& version) {
  for (const std::string_view known : {"v1", "v1beta1"}) {
    if (version == fmt::format("{}/{}", kProtocol, known)) return absl::OkStatus();
  }
  return absl::UnimplementedError(
      ToAbsl(fmt::format("line {}: exec.apiVersion is \"{}\"; expected {}/v1 or v1beta1: the login "
                         "program may have a newer release",
                         LineOf(exec, "apiVersion"), Shown(version), kProtocol)));
}

absl::StatusOr<ExecPlugin::Asks> AsksOf(const YamlNode& exec) {
  GANGPLAN_ASSIGN_OR_RETURN(const std::string mode, TextAt(exec, "interactiveMode"));
  if (mode == "Never") return ExecPlugin::Asks::kNever;
  if (mode == "Always") return ExecPlugin::Asks::kAlways;
  if (mode.empty() || mode == "IfAvailable") return ExecPlugin::Asks::kIfThereIsOne;
  return Invalid("line {}: exec.interactiveMode is \"{}\"; expected Never, IfAvailable or Always",
                 LineOf(exec, "interactiveMode"), Shown(mode));
}

// A list of texts or of {name, value}, which may be missing.
absl::StatusOr<std::vector<YamlNode>> ListAt(const YamlNode& exec, std::string_view key) {
  const YamlNode* list = exec.Find(key);
  if (list == nullptr || list->kind == Kind::kNull) return std::vector<YamlNode>();
  if (list->kind == Kind::kList) return list->items;
  return Invalid("line {}: exec.{} must be a list", list->line, key);
}

// ---- a JSON web token

// When it expires, as it says itself; nothing: it is no such token.
std::optional<absl::Time> ExpiryOf(std::string_view token) {
  const size_t first = token.find('.');
  const size_t second = token.find('.', std::min(first, token.size() - 1) + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) return std::nullopt;
  std::string json;
  const std::string part(token.substr(first + 1, second - first - 1));
  if (!absl::WebSafeBase64Unescape(part, &json)) return std::nullopt;
  const absl::StatusOr<std::vector<YamlNode>> claims = ParseYaml(json, kKubernetesYaml, "");
  if (!claims.ok() || claims->size() != 1) return std::nullopt;
  const YamlNode* expires = claims->front().Find("exp");
  if (expires == nullptr) return std::nullopt;
  const std::optional<int64_t> seconds = ReadDecimal<int64_t>(expires->text);
  if (!seconds) return std::nullopt;
  return absl::FromUnixSeconds(*seconds);
}

}  // namespace

// The text at `key`; empty when it is missing or null.
absl::StatusOr<std::string> TextAt(const YamlNode& map, std::string_view key) {
  const YamlNode* value = map.Find(key);
  if (value == nullptr || value->kind == Kind::kNull) return std::string();
  if (value->kind != Kind::kScalar) return Invalid("line {}: {} must be a text", value->line, key);
  return value->text;
}

absl::StatusOr<bool> BoolAt(const YamlNode& map, std::string_view key) {
  GANGPLAN_ASSIGN_OR_RETURN(const std::string text, TextAt(map, key));
  if (text.empty() || text == "false") return false;
  if (text == "true") return true;
  return Invalid("line {}: {} must be true or false", map.Find(key)->line, key);
}

std::string Beside(const std::string& config_path, const std::string& file) {
  if (file.empty() || file[0] == '/') return file;
  const size_t slash = config_path.rfind('/');
  return slash == std::string::npos ? file : config_path.substr(0, slash + 1) + file;
}

absl::StatusOr<ExecPlugin> ExecPluginOf(const YamlNode& exec, const std::string& path) {
  ExecPlugin plugin;
  GANGPLAN_ASSIGN_OR_RETURN(plugin.api_version, TextAt(exec, "apiVersion"));
  GANGPLAN_RETURN_IF_ERROR(CheckVersion(exec, plugin.api_version));
  GANGPLAN_ASSIGN_OR_RETURN(plugin.command, TextAt(exec, "command"));
  if (plugin.command.empty()) return Invalid("line {}: exec.command is missing", exec.line);
  const bool beside = plugin.command.find('/') != std::string::npos;
  if (beside) plugin.command = Beside(path, plugin.command);
  GANGPLAN_ASSIGN_OR_RETURN(plugin.install_hint, TextAt(exec, "installHint"));
  GANGPLAN_ASSIGN_OR_RETURN(plugin.asks, AsksOf(exec));
  GANGPLAN_ASSIGN_OR_RETURN(const std::vector<YamlNode> args, ListAt(exec, "args"));
  for (const YamlNode& arg : args) plugin.args.push_back(arg.text);
  GANGPLAN_ASSIGN_OR_RETURN(const std::vector<YamlNode> env, ListAt(exec, "env"));
  for (const YamlNode& one : env) {
    GANGPLAN_ASSIGN_OR_RETURN(const std::string name, TextAt(one, "name"));
    GANGPLAN_ASSIGN_OR_RETURN(const std::string value, TextAt(one, "value"));
    plugin.env.emplace_back(name, value);
  }
  GANGPLAN_ASSIGN_OR_RETURN(const bool told, BoolAt(exec, "provideClusterInfo"));
  if (told) plugin.cluster = kAsked;
  return plugin;
}

absl::StatusOr<std::string> ClusterInfo(const YamlNode& cluster, const Credentials& credentials) {
  JsonText json;
  GANGPLAN_ASSIGN_OR_RETURN(const std::string server, TextAt(cluster, "server"));
  json.Begin().Field("server", std::string_view(server));
  if (!credentials.tls_server_name.empty())
    json.Field("tls-server-name", std::string_view(credentials.tls_server_name));
  if (credentials.insecure_skip_tls_verify) json.Field("insecure-skip-tls-verify", true);
  GANGPLAN_ASSIGN_OR_RETURN(const std::string authority, credentials.ca.Read());
  if (!authority.empty())
    json.Field("certificate-authority-data", std::string_view(absl::Base64Escape(authority)));
  if (const YamlNode* extensions = cluster.Find("extensions"); extensions != nullptr) {
    for (const YamlNode& one : extensions->items) {
      const YamlNode* name = one.Find("name");
      const YamlNode* config = one.Find("extension");
      const bool its = name != nullptr && name->text == fmt::format("{}/exec", kProtocol);
      if (its && config != nullptr) json.Key("config").Raw(ToJson(*config));
    }
  }
  json.End();
  return json.Take();
}

absl::StatusOr<std::string> IdTokenOf(const YamlNode& provider, absl::Time now) {
  GANGPLAN_ASSIGN_OR_RETURN(const std::string name, TextAt(provider, "name"));
  if (name != "oidc") {
    return absl::UnimplementedError(ToAbsl(
        fmt::format("line {}: auth-provider {} is not supported, nor is it by kubectl any more; "
                    "expected oidc, or the exec plug-in that has taken its place",
                    provider.line, Shown(name))));
  }
  constexpr std::string_view kCure = "expected a fresh one: any command of kubectl renews it there";
  const YamlNode* config = provider.Find("config");
  std::string token;
  if (config != nullptr) {
    GANGPLAN_ASSIGN_OR_RETURN(token, TextAt(*config, "id-token"));
  }
  if (token.empty()) {
    return absl::UnauthenticatedError(ToAbsl(
        fmt::format("line {}: auth-provider oidc has no id-token; {}", provider.line, kCure)));
  }
  const std::optional<absl::Time> expires = ExpiryOf(token);
  const int line = LineOf(*config, "id-token");
  if (!expires) {
    return absl::UnauthenticatedError(
        ToAbsl(fmt::format("line {}: id-token does not tell when it expires; {}", line, kCure)));
  }
  if (*expires > now) return token;
  return absl::UnauthenticatedError(ToAbsl(
      fmt::format("line {}: id-token has expired at {}; {}", line, UtcText(*expires), kCure)));
}

}  // namespace gangplan
