// Mutual TLS of a listener: what it shows, and whom it lets in: who has a certificate of the
// clients' authority with an allowed common name. Its files are looked at with each handshake and
// each request, so that certificates can be replaced: the next handshake uses the new ones, and who
// was let in before may ask on where the new authority, and names that have been set since, would
// let it in, too, until its certificate expires. New files that cannot be used change nothing, are
// told once, and are tried again.
//
// Where clients are told apart instead (`believed`), anybody is let in, and each request asks
// whether its client is believed by then (ByteStream::IsBelieved). That, too, may change at any
// time.
//
// TLS 1.2 or later, every session with a handshake of its own: none is resumed, so that nobody
// comes in by what was allowed before.
//
// Thread rule: any thread.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "extender/observe/log.h"
#include "extender/observe/metrics.h"
#include "extender/server/byte_stream.h"
#include "topology/base/clock.h"
#include "topology/base/host_clock.h"
#include "topology/base/mutex.h"

struct ssl_ctx_st;  // OpenSSL's SSL_CTX
struct ssl_st;      // and SSL

namespace gangplan {

// Who is believed among those that are let in: who shows a certificate that one of these has
// signed, with one of these common names.
struct ClientTrust {
  std::string authorities;         // PEM
  std::vector<std::string> names;  // none: whatever name it is
};
class ClientTrustSource {
 public:
  virtual ~ClientTrustSource() = default;
  // Null: nobody is. Another pointer is another trust. Any thread; asked with each request.
  virtual std::shared_ptr<const ClientTrust> Now() const = 0;
};

struct TlsOptions {
  std::string certificate_file;  // PEM: ours, then those between it and its authority
  std::string key_file;
  std::string client_ca_file;
  std::vector<std::string> allowed_names;
  // In place of the last two: anybody is let in, and some are believed.
  std::shared_ptr<const ClientTrustSource> believed = {};
  // HTTP/2 is agreed to where the client offers it, under TLS 1.3: of 1.2 that protocol forbids
  // most ciphers (RFC 9113, 9.2).
  bool http2 = false;
  std::string_view listener = {};  // as the metric of its certificate's end names it
};

class TlsServer {
 public:
  // InvalidArgument: a file cannot be used. `metrics` and the clocks outlive the result. By `clock`
  // files that were refused are due again, by `host`, as in their handshake, certificates expire
  // once they were let in.
  static absl::StatusOr<std::unique_ptr<TlsServer>> Load(TlsOptions options, Metrics& metrics,
                                                         const Clock& clock = SystemClock(),
                                                         const Clock& host = HostClock());

  // The connection after its handshake; null when it came to nothing by then, or when the client is
  // not let in. It outlives the result.
  std::unique_ptr<ByteStream> Admit(int socket, absl::Time deadline);
  // In place of the options' names, also for who was let in.
  void AllowNames(std::vector<std::string> names);

 private:
  // OpenSSL's context, and what of it is in no file.
  struct Setting;
  using InForce = std::shared_ptr<const Setting>;
  // What tells one state of a file from the next.
  using Stamp = std::array<int64_t, 7>;
  using Stamps = std::array<Stamp, 3>;

  TlsServer(TlsOptions options, Metrics& metrics, const Clock& clock, const Clock& host)
      : options_(std::move(options)), metrics_(metrics), clock_(clock), host_(host) {}
  Stamps StampsNow() const;
  std::shared_ptr<const ClientTrust> Believed() const;
  // Each leaves the setting as it was when it is refused.
  absl::Status UseFiles(Setting& setting) const;
  absl::Status Believe(std::shared_ptr<const ClientTrust> believed, Setting& setting) const;
  absl::Status ReadFiles(ssl_ctx_st* context) const;
  void Use(InForce setting) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  InForce Current();
  void Tell(const absl::Status& made, bool changed) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool StillTrusts(ssl_st* session, InForce& known);
  bool IsAllowed(int socket, ssl_st* session, const Setting& setting);

  const TlsOptions options_;
  Metrics& metrics_;
  const Clock& clock_;
  const Clock& host_;
  RepeatedLog failed_log_{absl::Minutes(1)};
  RepeatedLog name_log_{absl::Minutes(1)};
  RepeatedLog ended_log_{absl::Minutes(1)};
  Mutex mutex_;
  Stamps stamps_ ABSL_GUARDED_BY(mutex_) = {};
  absl::Time retry_at_ ABSL_GUARDED_BY(mutex_) = absl::InfiniteFuture();  // after a refusal
  std::string refusal_ ABSL_GUARDED_BY(mutex_);                           // that was told
  std::shared_ptr<const ClientTrust> believed_ ABSL_GUARDED_BY(mutex_);   // as it was seen last
  InForce in_force_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace gangplan
