#include "extender/kube/credentials.h"

#include <charconv>

#include "extender/kube/limits.h"
#include "extender/kube/text_file.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

absl::StatusOr<int> ParsePort(std::string_view text) {
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port < 1 || port > 65'535) {
    return Invalid("the port \"{}\" is not a number from 1 to 65535", text);
  }
  return port;
}

// Splits "host", "host:port", "[v6]" or "[v6]:port".
absl::Status SplitAuthority(std::string_view authority, ServerAddress* address) {
  std::string_view rest;
  if (authority.starts_with('[')) {
    const size_t close = authority.find(']');
    if (close == std::string_view::npos) return Invalid("\"{}\" has no closing bracket", authority);
    address->host = std::string(authority.substr(1, close - 1));
    rest = authority.substr(close + 1);
  } else {
    const size_t colon = authority.find(':');
    address->host = std::string(authority.substr(0, colon));
    rest = colon == std::string_view::npos ? "" : authority.substr(colon);
  }
  if (address->host.empty()) return Invalid("there is no host");
  if (rest.empty()) return absl::OkStatus();
  if (rest[0] != ':') return Invalid("\"{}\" is not HOST:PORT", authority);
  GANGPLAN_ASSIGN_OR_RETURN(address->port, ParsePort(rest.substr(1)));
  return absl::OkStatus();
}

absl::StatusOr<ServerAddress> SplitUrl(std::string_view url) {
  ServerAddress address;
  if (url.starts_with("https://")) {
    url.remove_prefix(8);
  } else if (url.starts_with("http://")) {
    url.remove_prefix(7);
    address.tls = false;
    address.port = 80;
  } else {
    return Invalid("it does not begin with https:// or http://");
  }
  const size_t slash = url.find('/');
  const std::string_view authority = url.substr(0, slash);
  if (url.find_first_of("?#@ ") != std::string_view::npos) {
    return Invalid("it has more than a host, a port and a path");
  }
  GANGPLAN_RETURN_IF_ERROR(SplitAuthority(authority, &address));
  if (slash != std::string_view::npos) address.path = std::string(url.substr(slash));
  while (address.path.ends_with('/')) address.path.pop_back();
  return address;
}

}  // namespace

absl::StatusOr<std::string> PemSource::Read() const {
  if (file.empty()) return text;
  return ReadTextFile(file, kMaxCredentialFileBytes);
}

std::string ServerAddress::HostAndPort() const {
  const bool v6 = host.find(':') != std::string::npos;
  return v6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

absl::StatusOr<ServerAddress> ParseServerUrl(const std::string& url) {
  auto address = SplitUrl(url);
  if (!address.ok()) return Invalid("server \"{}\": {}", url, ToStd(address.status().message()));
  return address;
}

absl::StatusOr<Credentials> InClusterCredentials(
    const std::function<const char*(const char*)>& environment, const std::string& directory) {
  const char* host = environment("KUBERNETES_SERVICE_HOST");
  const char* port = environment("KUBERNETES_SERVICE_PORT");
  if (host == nullptr || port == nullptr || *host == '\0' || *port == '\0') {
    return absl::NotFoundError(
        "not inside a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set");
  }
  Credentials credentials;
  credentials.server.host = host;
  auto number = ParsePort(port);
  if (!number.ok()) {
    return Invalid("KUBERNETES_SERVICE_PORT: {}", ToStd(number.status().message()));
  }
  credentials.server.port = *number;
  credentials.ca.file = directory + "/ca.crt";
  credentials.token_file = directory + "/token";
  return credentials;
}

}  // namespace gangplan
