// Pods that wait behind a gate and that nobody is going to release, since they are no members of a
// group: which they are, why, and whom that was told. Of all that are about the same (one group,
// one owner) one is told, once, when it has been so for a while.
//
// Invariant: each topic has a pod, and each pod a topic.
// Thread rule: the planner's.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "extender/cluster/pod_ref.h"
#include "topology/base/steady_map.h"
#include "topology/pod_facts.h"

namespace gangplan {

class LeftGated {
 public:
  // What is said of a pod.
  struct Note {
    std::string topic;                         // what it is about
    std::string why;                           // for people
    std::optional<absl::Duration> told_after;  // by an Event; nothing: it is not
  };
  // In place of what was said of it before.
  void Leave(absl::Time now, const PodFacts& pod, Note note);
  // Likewise of one that may be a member later: it is to be judged again.
  void LeaveForNow(absl::Time now, const PodFacts& pod, Note note, absl::Duration again_after);
  // It waits no more, or is a member.
  void Forget(std::string_view uid);

  // By "namespace/pod"; empty: it is not left.
  std::string Why(std::string_view name) const;
  struct Told {
    PodRef pod;
    std::string topic;
    std::string why;
  };
  // What is due to be told, where nothing was in the last kLeftToldEach.
  std::optional<Told> TakeTold(absl::Time now);
  struct Again {
    std::string topic;
    PodFacts pod;
  };
  // Who is due to be judged again, in turn, after a look at so many at most. Of a topic one at a
  // time: what that one is told holds for the others.
  std::vector<Again> TakeAgain(absl::Time now, size_t most);
  // One of them is a member now: the others are due, one after the other.
  void Hurry(absl::Time now, std::string_view topic);
  int64_t moved() const { return moved_; }  // pods whose time was set, since the start

 private:
  struct Left {
    PodRef pod;
    Note note;
    absl::Time again = absl::InfiniteFuture();
    std::unique_ptr<PodFacts> facts;  // of one that is to be judged again
  };
  struct Topic {
    std::set<std::string> pods;  // UIDs
    absl::Time due = absl::InfiniteFuture();
    bool told = false;
    bool paced = false;                      // its moment is its own, after others of its namespace
    absl::Time next = absl::InfinitePast();  // one of them is judged again; the others wait
    bool open = false;   // ... or need not, since one of them was taken: they follow one by one
    std::string pulled;  // the last one that is due for that
  };
  using Due = std::set<std::pair<absl::Time, std::string>>;

  Left& Put(absl::Time now, const PodFacts& pod, Note note);
  void SetAgain(const std::string& uid, Left& left, absl::Time again);
  void Pull(absl::Time now, Topic& topic);
  bool MustPause(absl::Time now, const std::string& name, Topic& topic);

  SteadyMap<Left> left_;            // by UID
  SteadyMap<std::string> by_name_;  // the UID of "namespace/pod"
  std::map<std::string, Topic, std::less<>> topics_;
  Due due_;    // topics
  Due again_;  // UIDs
  // When another topic of a namespace may be told at the earliest, where that is not yet.
  std::map<std::string, absl::Time, std::less<>> next_in_;
  int64_t moved_ = 0;
  absl::Time quiet_until_ = absl::InfinitePast();
};

}  // namespace gangplan
