// Transports over the network: HTTP/1.1 on one kept-alive connection each, plain or TLS. Only the
// configured authority is trusted (the system's when none is given). Certificates are read when a
// connection is opened, so renewed files are seen.
//
// The process must ignore SIGPIPE. Thread rule: transport.h.
#pragma once

#include <memory>

#include "extender/kube/credentials.h"
#include "extender/kube/limits.h"
#include "extender/kube/token.h"
#include "extender/kube/transport.h"

namespace gangplan {

struct HttpsOptions {
  absl::Duration connect_timeout = absl::Seconds(5);
  absl::Duration write_timeout = absl::Seconds(10);
  // Of a whole answer, or a stream, whatever comes of it meanwhile.
  absl::Duration answer_timeout = absl::InfiniteDuration();
  size_t max_answer_bytes = kMaxAnswerBytes;
};

class HttpsTransportFactory : public TransportFactory {
 public:
  // REQUIRES: no token without TLS.
  HttpsTransportFactory(Credentials credentials, HttpsOptions options, const Clock& clock);
  std::unique_ptr<Transport> Make() override;

 private:
  const std::shared_ptr<const Credentials> credentials_;
  const HttpsOptions options_;
  const std::shared_ptr<TokenSource> tokens_;
};

}  // namespace gangplan
