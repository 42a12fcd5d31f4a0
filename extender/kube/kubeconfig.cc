#include "extender/kube/kubeconfig.h"

#include "absl/strings/escaping.h"
#include "extender/kube/limits.h"
#include "extender/kube/text_file.h"
#include "extender/kube/yaml_json.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

using Kind = YamlNode::Kind;

// The text at `key`; empty when it is missing or null.
absl::StatusOr<std::string> TextAt(const YamlNode& map, std::string_view key) {
  const YamlNode* value = map.Find(key);
  if (value == nullptr || value->kind == Kind::kNull) return std::string();
  if (value->kind != Kind::kScalar) return Invalid("line {}: {} must be a text", value->line, key);
  return value->text;
}

// The element of the list `list` (clusters, contexts, users) called `name`; its map under `key`.
absl::StatusOr<const YamlNode*> Named(const YamlNode& config, std::string_view list,
                                      std::string_view key, std::string_view name) {
  const YamlNode* items = config.Find(list);
  if (items != nullptr) {
    for (const YamlNode& item : items->items) {
      const YamlNode* item_name = item.Find("name");
      if (item_name == nullptr || item_name->text != name) continue;
      const YamlNode* value = item.Find(key);
      if (value == nullptr || value->kind != Kind::kMap) {
        return Invalid("line {}: {} \"{}\" has no {}", item.line, list, name, key);
      }
      return value;
    }
  }
  return Invalid("{} has no \"{}\"", list, name);
}

std::string Beside(const std::string& config_path, const std::string& file) {
  if (file.empty() || file[0] == '/') return file;
  const size_t slash = config_path.rfind('/');
  return slash == std::string::npos ? file : config_path.substr(0, slash + 1) + file;
}

// `key` is a file, `key`-data the same in base64, which wins.
absl::StatusOr<PemSource> PemAt(const YamlNode& map, std::string_view key,
                                const std::string& path) {
  PemSource pem;
  const std::string data_key = fmt::format("{}-data", key);
  GANGPLAN_ASSIGN_OR_RETURN(const std::string data, TextAt(map, data_key));
  if (!data.empty()) {
    if (!absl::Base64Unescape(data, &pem.text)) {
      return Invalid("line {}: {} is not base64", map.Find(data_key)->line, data_key);
    }
    return pem;
  }
  GANGPLAN_ASSIGN_OR_RETURN(const std::string file, TextAt(map, key));
  pem.file = Beside(path, file);
  return pem;
}

absl::StatusOr<bool> BoolAt(const YamlNode& map, std::string_view key) {
  GANGPLAN_ASSIGN_OR_RETURN(const std::string text, TextAt(map, key));
  if (text.empty() || text == "false") return false;
  if (text == "true") return true;
  return Invalid("line {}: {} must be true or false", map.Find(key)->line, key);
}

absl::Status Refuse(const YamlNode& map, std::string_view key, std::string_view why) {
  const YamlNode* value = map.Find(key);
  if (value == nullptr || value->kind == Kind::kNull) return absl::OkStatus();
  if (value->kind == Kind::kScalar && value->text.empty()) return absl::OkStatus();
  return absl::UnimplementedError(
      ToAbsl(fmt::format("line {}: {} is not supported: {}", value->line, key, why)));
}

absl::Status ReadCluster(const YamlNode& cluster, const std::string& path, Credentials* out) {
  GANGPLAN_RETURN_IF_ERROR(
      Refuse(cluster, "proxy-url", "the API server must be reachable directly"));
  GANGPLAN_ASSIGN_OR_RETURN(const std::string url, TextAt(cluster, "server"));
  GANGPLAN_ASSIGN_OR_RETURN(out->server, ParseServerUrl(url));
  GANGPLAN_ASSIGN_OR_RETURN(out->tls_server_name, TextAt(cluster, "tls-server-name"));
  GANGPLAN_ASSIGN_OR_RETURN(out->insecure_skip_tls_verify,
                            BoolAt(cluster, "insecure-skip-tls-verify"));
  GANGPLAN_ASSIGN_OR_RETURN(out->ca, PemAt(cluster, "certificate-authority", path));
  if (out->insecure_skip_tls_verify && !out->ca.empty()) {
    return Invalid("line {}: certificate-authority and insecure-skip-tls-verify exclude each other",
                   cluster.line);
  }
  return absl::OkStatus();
}

absl::Status RefuseForeignUsers(const YamlNode& user) {
  constexpr std::string_view kUse = "use a client certificate, a token or a tokenFile";
  for (std::string_view key : {"exec", "auth-provider", "username", "password", "as"}) {
    GANGPLAN_RETURN_IF_ERROR(Refuse(user, key, kUse));
  }
  return absl::OkStatus();
}

absl::Status ReadUser(const YamlNode& user, const std::string& path, Credentials* out) {
  GANGPLAN_RETURN_IF_ERROR(RefuseForeignUsers(user));
  GANGPLAN_ASSIGN_OR_RETURN(out->token, TextAt(user, "token"));
  GANGPLAN_ASSIGN_OR_RETURN(const std::string token_file, TextAt(user, "tokenFile"));
  out->token_file = Beside(path, token_file);
  GANGPLAN_ASSIGN_OR_RETURN(out->client_certificate, PemAt(user, "client-certificate", path));
  GANGPLAN_ASSIGN_OR_RETURN(out->client_key, PemAt(user, "client-key", path));
  if (out->client_certificate.empty() != out->client_key.empty()) {
    return Invalid("line {}: client-certificate and client-key belong together", user.line);
  }
  return absl::OkStatus();
}

absl::StatusOr<Credentials> ReadConfig(std::string_view text, const std::string& path) {
  GANGPLAN_ASSIGN_OR_RETURN(const std::vector<YamlNode> documents,
                            ParseYaml(text, kKubernetesYaml, "line "));
  if (documents.size() != 1 || documents[0].kind != Kind::kMap) {
    return Invalid("expected one YAML document with the fields of a kubeconfig");
  }
  const YamlNode& config = documents[0];
  GANGPLAN_ASSIGN_OR_RETURN(const std::string current, TextAt(config, "current-context"));
  if (current.empty()) return Invalid("current-context is not set");
  GANGPLAN_ASSIGN_OR_RETURN(const YamlNode* context, Named(config, "contexts", "context", current));
  GANGPLAN_ASSIGN_OR_RETURN(const std::string cluster_name, TextAt(*context, "cluster"));
  GANGPLAN_ASSIGN_OR_RETURN(const std::string user_name, TextAt(*context, "user"));
  Credentials credentials;
  GANGPLAN_ASSIGN_OR_RETURN(const YamlNode* cluster,
                            Named(config, "clusters", "cluster", cluster_name));
  GANGPLAN_RETURN_IF_ERROR(ReadCluster(*cluster, path, &credentials));
  if (user_name.empty()) return credentials;
  GANGPLAN_ASSIGN_OR_RETURN(const YamlNode* user, Named(config, "users", "user", user_name));
  GANGPLAN_RETURN_IF_ERROR(ReadUser(*user, path, &credentials));
  if (!credentials.server.tls && credentials.has_token()) {
    return Invalid(
        "server \"http://{}\": everybody between could read the token; expected https://, or a "
        "user "
        "without a token",
        credentials.server.HostAndPort());
  }
  return credentials;
}

}  // namespace

absl::StatusOr<Credentials> ParseKubeconfig(std::string_view text, const std::string& path) {
  auto credentials = ReadConfig(text, path);
  if (credentials.ok()) return credentials;
  const absl::Status& status = credentials.status();
  return absl::Status(status.code(), ToAbsl(fmt::format("{}: {}", path, ToStd(status.message()))));
}

absl::StatusOr<Credentials> ReadKubeconfig(const std::string& path) {
  GANGPLAN_ASSIGN_OR_RETURN(const std::string text, ReadTextFile(path, kMaxKubeconfigBytes));
  return ParseKubeconfig(text, path);
}

}  // namespace gangplan
