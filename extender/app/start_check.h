// What `gangplan doctor` would say of the configuration and of the API server, told by the log
// while a Gangplan starts, and when its configuration changes. Nobody waits for it.
//
// Thread rule: made and destroyed on one thread; it has one of its own.
#pragma once

#include <condition_variable>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "config/settings.h"
#include "extender/app/finding.h"
#include "extender/kube/backoff.h"
#include "extender/kube/pause.h"
#include "extender/kube/transport.h"
#include "topology/base/mutex.h"

namespace gangplan {

class StartCheck {
 public:
  // `told`: what the log says of each finding.
  StartCheck(const Settings& settings, TransportFactory& transports,
             std::string_view told = kFoundAtStart);
  ~StartCheck();  // Ends what is under way.
  StartCheck(const StartCheck&) = delete;
  StartCheck& operator=(const StartCheck&) = delete;

 private:
  void Run();

  const Settings settings_;
  const std::string told_;
  const std::unique_ptr<Transport> transport_;
  StoppablePause pause_;
  Jitter jitter_{0};
  Mutex mutex_;
  std::condition_variable_any ended_;
  bool over_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace gangplan
