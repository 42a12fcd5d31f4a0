// Reservations of room by name, as their admins write, change and delete them; and the rules about
// them: who does not ask for one gets nothing of the whole cluster while one has it that has begun,
// and one whose room was to be free in time has it then, whoever passed.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "absl/time/time.h"
#include "tests/simulation/jobs.h"
#include "tests/simulation/random_jobs.h"
#include "tests/simulation/service.h"
#include "tests/simulation/timeline.h"

namespace gangplan::simulation {

class Reserved : public ServiceObserver {
 public:
  Reserved(const Timeline& time, Random& random, ApiServer& api, Service& service, Jobs& jobs,
           const ClusterSize& size)
      : time_(time), random_(random), api_(api), service_(service), jobs_(jobs), size_(size) {}

  // One is written, changed or deleted.
  void Change();
  // There are none any more.
  void Heal();
  // Who has not begun asks for none any more: there is none. Again and again: who was about to
  // begin may not have.
  void LetGo();

  // Throws Broken.
  void AfterInput() override;
  void OnRestart() override;

  // Nothing else comes between: what is told of the time by which there is room is kept.
  bool promises = false;
  std::function<void(const std::string&)> trace;

 private:
  struct Written {
    bool all = false;  // of the whole cluster
    absl::Time from, until;
  };
  void Write(const std::string& name);
  void CheckOthers(const std::set<std::string>& before, absl::Time reserved_until);
  void CheckPromise(const std::string& name, const ReservationReport& report);
  bool Begun(const Job& job) const;

  const Timeline& time_;
  Random& random_;
  ApiServer& api_;
  Service& service_;
  Jobs& jobs_;
  const ClusterSize& size_;
  std::map<std::string, Written> written_;
  std::set<std::string> with_room_;  // Jobs, as they stood after the last input
  // One has begun that has all of the cluster, until then.
  absl::Time has_all_until_ = absl::InfinitePast();
  std::map<std::string, int64_t> promised_;    // by name, Unix seconds
  absl::Time changed_ = absl::InfinitePast();  // some of them
};

}  // namespace gangplan::simulation
