// Where an API server is and what opens it: an address, what to trust, and a client certificate or
// a token. Values; files named in them are read when they are needed, so that renewed ones are
// seen.
#pragma once

#include <functional>
#include <string>

#include "absl/status/statusor.h"

namespace gangplan {

// PEM text, given as such or as a file. Both empty: none.
struct PemSource {
  std::string text;
  std::string file;

  bool empty() const { return text.empty() && file.empty(); }
  // Errors name the file.
  absl::StatusOr<std::string> Read() const;
};

struct ServerAddress {
  bool tls = true;
  std::string host;  // a name, or an IP address without brackets
  int port = 443;
  std::string path;  // put before every request's; "" or "/prefix"
  // "host:port", with brackets around an IPv6 address.
  std::string HostAndPort() const;
};

struct Credentials {
  ServerAddress server;
  std::string tls_server_name;  // whom the certificate must name, when not the host
  bool insecure_skip_tls_verify = false;
  PemSource ca;  // empty: the system's authorities
  PemSource client_certificate;
  PemSource client_key;
  std::string token;
  std::string token_file;  // wins over `token`

  bool has_token() const { return !token.empty() || !token_file.empty(); }
};

// "https://host:port/prefix" in its parts. InvalidArgument names what is wrong.
absl::StatusOr<ServerAddress> ParseServerUrl(const std::string& url);

// Those of the pod that this process runs in: KUBERNETES_SERVICE_HOST and _PORT, and the token and
// ca.crt in `directory`. NotFound when a variable is missing: not in a cluster.
absl::StatusOr<Credentials> InClusterCredentials(
    const std::function<const char*(const char*)>& environment,
    const std::string& directory = "/var/run/secrets/kubernetes.io/serviceaccount");

}  // namespace gangplan
