// What is to be done outside, in the order in which it arose. An instance that is not active, since
// another one acts, writes nothing: it reads owners and answers its own callers, no more. Writes of
// Jobs and releases that it had under way are handed out all the same, to be refused there, since
// an answer is waited for. What it had to tell people waits until it is active, for kUntoldLast:
// what is older the one that acted has told. Nominations and results are found anew then.
// Thread rule: the planner's.
#pragma once

#include <deque>
#include <type_traits>
#include <utility>

#include "absl/time/time.h"
#include "extender/planner/effects.h"
#include "extender/planner/limits.h"

namespace gangplan {

class Outbox {
 public:
  bool active() const { return active_; }
  void SetActive(bool active) {
    active_ = active;
    if (!active) return;
    for (Untold& one : std::exchange(untold_, {})) {
      if (now_ - one.since < kUntoldLast) effects_.emplace_back(std::move(one.note));
    }
  }
  // What is pushed from here on is of this time.
  void SetNow(absl::Time now) { now_ = now; }

  template <typename Kind>
  void Push(Kind&& effect) {
    constexpr bool kAnswered = std::is_same_v<Kind, AnswerCall> ||
                               std::is_same_v<Kind, OwnerRead> ||
                               std::is_same_v<Kind, SolveOnCopy> ||
                               std::is_same_v<Kind, JobWrite> || std::is_same_v<Kind, PodRelease>;
    if (active_ || kAnswered) {
      effects_.emplace_back(std::move(effect));
    } else if constexpr (std::is_same_v<Kind, EventNote>) {
      if (untold_.size() == kMaxUntold) untold_.pop_front();
      untold_.push_back({now_, std::move(effect)});
    }
  }
  Effects Take() { return std::exchange(effects_, {}); }

 private:
  struct Untold {
    absl::Time since;
    EventNote note;
  };

  Effects effects_;
  std::deque<Untold> untold_;                // the newest of them
  absl::Time now_ = absl::InfiniteFuture();  // nobody has said it yet: what is pushed is new
  bool active_ = false;
};

}  // namespace gangplan
