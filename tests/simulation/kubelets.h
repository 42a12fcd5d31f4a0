// The kubelets: pods that were bound become ready after a while, some of them never, or for a while
// only; and what is due then: a gang of which not all are is evicted as a whole in time, and nobody
// else is for that. In truth, as the API server knows it.
#pragma once

#include <map>
#include <set>
#include <string>

#include "tests/simulation/api_server.h"
#include "tests/simulation/jobs.h"
#include "tests/simulation/service.h"
#include "tests/simulation/timeline.h"

namespace gangplan::simulation {

inline constexpr absl::Duration kReadyAfterStart = absl::Seconds(20);
inline constexpr absl::Duration kReadyAgain = absl::Seconds(10);

class Kubelets {
 public:
  Kubelets(Timeline& time, Random& random, Service& service, ApiServer& api, Jobs& jobs)
      : time_(time), random_(random), service_(service), api_(api), jobs_(jobs) {}

  // Throws Broken. Once a second.
  void Step();
  // From now on all become ready, and stay so.
  void Heal();
  // Not all of its pods that ran were ready a short while ago.
  bool WasUnready(const Job& job) const;

 private:
  void Begin(const std::string& uid);
  void Say(const std::string& uid, bool ready, absl::Duration after);
  bool IsUnready(const Job& job) const;

  Timeline& time_;
  Random& random_;
  Service& service_;
  ApiServer& api_;
  Jobs& jobs_;
  bool healed_ = false;
  std::set<std::string> begun_;                // pods, by UID
  std::map<std::string, absl::Time> unready_;  // Jobs of which all run, since when not all are
  std::map<std::string, absl::Time> last_;     // when some pod of the Job was last
};

}  // namespace gangplan::simulation
