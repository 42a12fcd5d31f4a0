// The API server's front proxy: whose certificate it shows, and in which headers it says who asks,
// as the ConfigMap extension-apiserver-authentication of kube-system has it. Read again and again
// on a thread of its own; what cannot be read leaves the last in force, and nothing before the
// first: then nobody is believed.
//
// Thread rule: made and destroyed on one thread; the rest from any.
#pragma once

#include <condition_variable>
#include <memory>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "extender/api/caller.h"
#include "extender/kube/pause.h"
#include "extender/kube/transport.h"
#include "extender/observe/log.h"
#include "extender/server/tls_server.h"
#include "topology/base/mutex.h"

namespace gangplan {

struct FrontProxyFacts {
  ClientTrust trust;
  ProxyHeaders headers;
};

// `json`, the ConfigMap, is changed. InvalidArgument: it names no authority, or no header of a
// user.
absl::StatusOr<FrontProxyFacts> ParseFrontProxy(std::string& json);

// As it is known now. Any thread.
class KnownFrontProxy : public ClientTrustSource {
 public:
  // True: it differs from what was known.
  bool Set(FrontProxyFacts facts);
  std::shared_ptr<const ClientTrust> Now() const override;
  // Null as long as nothing is known.
  std::shared_ptr<const ProxyHeaders> headers() const;

 private:
  mutable Mutex mutex_;
  std::shared_ptr<const FrontProxyFacts> facts_ ABSL_GUARDED_BY(mutex_);
};

class FrontProxyReader {
 public:
  FrontProxyReader(std::unique_ptr<Transport> transport, std::shared_ptr<KnownFrontProxy> known);
  ~FrontProxyReader();  // Ends what is under way.
  FrontProxyReader(const FrontProxyReader&) = delete;
  FrontProxyReader& operator=(const FrontProxyReader&) = delete;

 private:
  void Run();
  absl::Status Read();

  const std::unique_ptr<Transport> transport_;
  const std::shared_ptr<KnownFrontProxy> known_;
  RepeatedLog failed_{absl::Minutes(1)};
  StoppablePause pause_;
  Mutex mutex_;
  std::condition_variable_any ended_;
  bool over_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace gangplan
