// The client's side of TLS: whom it trusts and what it shows, from PEM texts. A server is known by
// the alternative names of its certificate alone, as Go has it: a common name is no name of a host.
//
// Any thread, one context each.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "extender/kube/credentials.h"
#include "openssl/ssl.h"

namespace gangplan {

struct TlsFree {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* session) const { SSL_free(session); }
};
using TlsContext = std::unique_ptr<SSL_CTX, TlsFree>;
using TlsSession = std::unique_ptr<SSL, TlsFree>;

// TLS 1.2 or later. Trusts the configured authority alone, the system's when none is given. Files
// are read now. Errors name what is wrong with which of them.
absl::StatusOr<TlsContext> MakeTlsContext(const Credentials& credentials);

// A session over a connected socket, before its handshake; the certificate must be for `name`, a
// host's name or an IP address.
absl::StatusOr<TlsSession> MakeTlsSession(SSL_CTX* context, const std::string& name, int socket);

}  // namespace gangplan
