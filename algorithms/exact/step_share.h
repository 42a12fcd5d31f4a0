// A part of the steps that are left for work that may take all of it: meanwhile there are no more
// than these, and afterwards what is left of them, and all others.
//
//   of 800 steps a share of 3/4: the work ends after 600, who asked for it has 200 more
//
// Thread rule: one call at a time. REQUIRES: destroyed in the order opposite to creation.
#pragma once

#include <cstdint>

namespace gangplan::exact {

class StepShare {
 public:
  // So many quarters of the steps.
  StepShare(int64_t& steps, int64_t quarters) : steps_(steps), kept_(steps - steps / 4 * quarters) {
    steps_ -= kept_;
  }
  StepShare(const StepShare&) = delete;
  StepShare& operator=(const StepShare&) = delete;
  ~StepShare() { steps_ += kept_; }

 private:
  int64_t& steps_;
  const int64_t kept_;
};

}  // namespace gangplan::exact
