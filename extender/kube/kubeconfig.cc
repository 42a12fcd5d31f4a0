#include "extender/kube/kubeconfig.h"

#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "extender/kube/kubeconfig_login.h"
#include "extender/kube/limits.h"
#include "extender/kube/text_file.h"
#include "extender/kube/yaml_json.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

using Kind = YamlNode::Kind;

struct ConfigFile {
  std::string path;
  YamlNode config;
};
using ConfigFiles = std::vector<ConfigFile>;

absl::Status InFile(const std::string& path, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(), ToAbsl(fmt::format("{}: {}", path, ToStd(status.message()))));
}

std::string PathsOf(const ConfigFiles& files) {
  std::vector<std::string_view> paths;
  for (const ConfigFile& file : files) paths.push_back(file.path);
  return fmt::format("{}", fmt::join(paths, ":"));
}

// An element of clusters, contexts or users: its map under `key`, and where that stands.
struct Found {
  const YamlNode* map = nullptr;
  const std::string* path = nullptr;
};

// The element of the list `list` called `name`, of the first file that has it.
absl::StatusOr<Found> Named(const ConfigFiles& files, std::string_view list, std::string_view key,
                            std::string_view name) {
  for (const ConfigFile& file : files) {
    const YamlNode* items = file.config.Find(list);
    if (items == nullptr) continue;
    for (const YamlNode& item : items->items) {
      const YamlNode* item_name = item.Find("name");
      if (item_name == nullptr || item_name->text != name) continue;
      const YamlNode* value = item.Find(key);
      if (value != nullptr && value->kind == Kind::kMap) return Found{value, &file.path};
      return InFile(file.path, Invalid("line {}: {} \"{}\" has no {}", item.line, list, name, key));
    }
  }
  return InFile(PathsOf(files), Invalid("{} has no \"{}\"", list, name));
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

// Who reads it, and what comes of it.
struct Reading {
  std::string path;  // of the file with the user
  bool person = false;
  absl::Time now = absl::InfinitePast();  // for a person
  Credentials credentials;
  std::optional<ExecPlugin> exec;
};

absl::Status RefuseForeignUsers(const YamlNode& user, bool person) {
  constexpr std::string_view kUse = "use a client certificate, a token or a tokenFile";
  for (std::string_view key : {"exec", "auth-provider", "username", "password", "as"}) {
    const bool login = key == "exec" || key == "auth-provider";
    if (!person || !login) GANGPLAN_RETURN_IF_ERROR(Refuse(user, key, kUse));
  }
  return absl::OkStatus();
}

bool HasMap(const YamlNode& map, std::string_view key) {
  const YamlNode* value = map.Find(key);
  return value != nullptr && value->kind == Kind::kMap;
}

absl::Status ReadUser(const YamlNode& user, Reading& reading) {
  Credentials* const out = &reading.credentials;
  GANGPLAN_RETURN_IF_ERROR(RefuseForeignUsers(user, reading.person));
  GANGPLAN_ASSIGN_OR_RETURN(out->token, TextAt(user, "token"));
  GANGPLAN_ASSIGN_OR_RETURN(const std::string token_file, TextAt(user, "tokenFile"));
  out->token_file = Beside(reading.path, token_file);
  GANGPLAN_ASSIGN_OR_RETURN(out->client_certificate,
                            PemAt(user, "client-certificate", reading.path));
  GANGPLAN_ASSIGN_OR_RETURN(out->client_key, PemAt(user, "client-key", reading.path));
  if (out->client_certificate.empty() != out->client_key.empty()) {
    return Invalid("line {}: client-certificate and client-key belong together", user.line);
  }
  // As kubectl has it: who has these needs no login.
  const bool login = reading.person && !out->has_token() && out->client_key.empty();
  if (login && HasMap(user, "auth-provider")) {
    GANGPLAN_ASSIGN_OR_RETURN(out->token, IdTokenOf(*user.Find("auth-provider"), reading.now));
  } else if (login && HasMap(user, "exec")) {
    GANGPLAN_ASSIGN_OR_RETURN(reading.exec, ExecPluginOf(*user.Find("exec"), reading.path));
  }
  return absl::OkStatus();
}

absl::Status CheckToken(const Credentials& credentials) {
  if (credentials.server.tls || !credentials.has_token()) return absl::OkStatus();
  return Invalid(
      "server \"http://{}\": everybody between could read the token; expected https://, or a user "
      "without a token",
      credentials.server.HostAndPort());
}

absl::StatusOr<YamlNode> ConfigOf(std::string_view text) {
  GANGPLAN_ASSIGN_OR_RETURN(std::vector<YamlNode> documents,
                            ParseYaml(text, kKubernetesYaml, "line "));
  if (documents.size() != 1 || documents[0].kind != Kind::kMap) {
    return Invalid("expected one YAML document with the fields of a kubeconfig");
  }
  return std::move(documents[0]);
}

// Of the first file that has one.
absl::StatusOr<std::string> CurrentContext(const ConfigFiles& files) {
  for (const ConfigFile& file : files) {
    const absl::StatusOr<std::string> current = TextAt(file.config, "current-context");
    if (!current.ok()) return InFile(file.path, current.status());
    if (!current->empty()) return current;
  }
  return InFile(PathsOf(files), Invalid("current-context is not set"));
}

absl::Status ReadUserAt(const Found& user, const Found& cluster, Reading& reading) {
  reading.path = *user.path;
  GANGPLAN_RETURN_IF_ERROR(ReadUser(*user.map, reading));
  if (reading.exec && reading.exec->cluster == kAsked) {
    GANGPLAN_ASSIGN_OR_RETURN(reading.exec->cluster,
                              ClusterInfo(*cluster.map, reading.credentials));
  }
  return CheckToken(reading.credentials);
}

absl::StatusOr<std::string> NameIn(const Found& context, std::string_view key) {
  absl::StatusOr<std::string> name = TextAt(*context.map, key);
  if (!name.ok()) return InFile(*context.path, name.status());
  return name;
}

absl::Status ReadConfig(const ConfigFiles& files, Reading& reading) {
  GANGPLAN_ASSIGN_OR_RETURN(const std::string current, CurrentContext(files));
  GANGPLAN_ASSIGN_OR_RETURN(const Found context, Named(files, "contexts", "context", current));
  GANGPLAN_ASSIGN_OR_RETURN(const std::string cluster_name, NameIn(context, "cluster"));
  GANGPLAN_ASSIGN_OR_RETURN(const std::string user_name, NameIn(context, "user"));
  GANGPLAN_ASSIGN_OR_RETURN(const Found cluster, Named(files, "clusters", "cluster", cluster_name));
  GANGPLAN_RETURN_IF_ERROR(
      InFile(*cluster.path, ReadCluster(*cluster.map, *cluster.path, &reading.credentials)));
  if (user_name.empty()) return absl::OkStatus();
  GANGPLAN_ASSIGN_OR_RETURN(const Found user, Named(files, "users", "user", user_name));
  return InFile(*user.path, ReadUserAt(user, cluster, reading));
}

// Those of them that are there. NotFound: none is.
absl::StatusOr<ConfigFiles> ReadFiles(const std::vector<std::string>& paths) {
  ConfigFiles files;
  absl::Status missing;
  for (const std::string& path : paths) {
    const absl::StatusOr<std::string> text = ReadTextFile(path, kMaxKubeconfigBytes);
    if (absl::IsNotFound(text.status())) {
      if (missing.ok()) missing = text.status();
      continue;
    }
    GANGPLAN_RETURN_IF_ERROR(text.status());
    absl::StatusOr<YamlNode> config = ConfigOf(*text);
    GANGPLAN_RETURN_IF_ERROR(InFile(path, config.status()));
    files.push_back({path, *std::move(config)});
  }
  if (files.empty()) return missing;
  return files;
}

}  // namespace

absl::StatusOr<Credentials> ParseKubeconfig(std::string_view text, const std::string& path) {
  absl::StatusOr<YamlNode> config = ConfigOf(text);
  GANGPLAN_RETURN_IF_ERROR(InFile(path, config.status()));
  ConfigFiles files;
  files.push_back({path, *std::move(config)});
  Reading reading;
  GANGPLAN_RETURN_IF_ERROR(ReadConfig(files, reading));
  return std::move(reading.credentials);
}

absl::StatusOr<Credentials> LogInByKubeconfig(const std::vector<std::string>& paths,
                                              const ExecBounds& bounds, const Clock& clock) {
  GANGPLAN_ASSIGN_OR_RETURN(const ConfigFiles files, ReadFiles(paths));
  Reading reading;
  reading.person = true;
  reading.now = clock.Now();
  GANGPLAN_RETURN_IF_ERROR(ReadConfig(files, reading));
  if (!reading.exec) return std::move(reading.credentials);
  const std::string& path = reading.path;  // of its user
  GANGPLAN_RETURN_IF_ERROR(InFile(path, LogIn(*reading.exec, bounds, clock, &reading.credentials)));
  GANGPLAN_RETURN_IF_ERROR(InFile(path, CheckToken(reading.credentials)));
  return std::move(reading.credentials);
}

absl::StatusOr<Credentials> ReadKubeconfig(const std::string& path) {
  GANGPLAN_ASSIGN_OR_RETURN(const std::string text, ReadTextFile(path, kMaxKubeconfigBytes));
  return ParseKubeconfig(text, path);
}

}  // namespace gangplan
