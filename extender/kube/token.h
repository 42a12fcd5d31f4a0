// The bearer token, and a transport that sends it. A token in a file is read again each minute, and
// when the server no longer takes it.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "extender/kube/transport.h"
#include "topology/base/clock.h"
#include "topology/base/mutex.h"

namespace gangplan {

inline constexpr absl::Duration kTokenAge = absl::Minutes(1);

// Any thread.
class TokenSource {
 public:
  // A `file` that is not empty wins over `token`.
  TokenSource(std::string token, std::string file, const Clock& clock)
      : file_(std::move(file)), clock_(clock), token_(std::move(token)) {}

  // Empty: no token is used. When the file cannot be read the last token goes on being used;
  // without one, the error.
  absl::StatusOr<std::string> Get();
  // The next Get reads the file again.
  void Expire();

 private:
  const std::string file_;
  const Clock& clock_;
  Mutex mutex_;
  std::string token_ ABSL_GUARDED_BY(mutex_);
  absl::Time read_at_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
};

// Puts the token on each request; after a 401 once more with a fresh one.
class TokenTransport : public Transport {
 public:
  TokenTransport(std::unique_ptr<Transport> inner, std::shared_ptr<TokenSource> tokens)
      : inner_(std::move(inner)), tokens_(std::move(tokens)) {}

  absl::StatusOr<HttpResponse> Send(const HttpRequest& request) override;
  absl::StatusOr<HttpResponse> Stream(const HttpRequest& request,
                                      const ChunkReceiver& on_chunk) override;
  void Interrupt() override { inner_->Interrupt(); }

 private:
  absl::StatusOr<HttpResponse> Try(
      const HttpRequest& request,
      const std::function<absl::StatusOr<HttpResponse>(const HttpRequest&)>& send);

  const std::unique_ptr<Transport> inner_;
  const std::shared_ptr<TokenSource> tokens_;
};

}  // namespace gangplan
