// Users who hold their Jobs for a while (gangplan.io/hold): the word stands on the Job and on its
// pods that wait, one after the other. While it stands on all of them nothing of a gang that has
// not begun is bound.
#pragma once

#include <string>
#include <vector>

#include "tests/simulation/api_server.h"
#include "tests/simulation/jobs.h"
#include "tests/simulation/service.h"
#include "tests/simulation/timeline.h"

namespace gangplan::simulation {

class Holds : public ServiceObserver {
 public:
  Holds(Timeline& time, Random& random, ApiServer& api, Jobs& jobs)
      : time_(time), random_(random), api_(api), jobs_(jobs) {}

  // Of this Job, of which something may run: for a while.
  void Hold(Job& job);
  // Nobody is held any more, nor will be.
  void Heal();
  void OnPosts(const std::vector<BindingWrite>& posts) override;
  // Watches may break: who has not seen the word does not keep to it.
  bool checks = false;

 private:
  void Say(Job& job, bool held);

  Timeline& time_;
  Random& random_;
  ApiServer& api_;
  Jobs& jobs_;
  bool healed_ = false;
};

}  // namespace gangplan::simulation
