// PEM texts into an OpenSSL context of a client. Any thread, one context each.
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "openssl/ssl.h"

namespace gangplan {

struct CertificateStackFree {
  void operator()(STACK_OF(X509) * stack) const { sk_X509_pop_free(stack, X509_free); }
};
using CertificateStack = std::unique_ptr<STACK_OF(X509), CertificateStackFree>;

// Every certificate of a PEM text, in order. InvalidArgument when there is none.
absl::StatusOr<CertificateStack> ParseCertificates(const std::string& pem);

// The context trusts these alone, whatever else was or will be loaded into it. `trusted` must
// outlive the context's connections.
void TrustOnly(SSL_CTX* context, STACK_OF(X509) * trusted);

// The client's certificate, with those of its issuers that follow it, and its key.
absl::Status UseClientCertificate(SSL_CTX* context, const std::string& certificate_pem,
                                  const std::string& key_pem);

}  // namespace gangplan
