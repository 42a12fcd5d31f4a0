// What would start a gang that waits, as a question by itself: its own question to the engine, who
// runs and might go, what ends when, and who holds the room where it came nearest. Independent of
// the planner once it is made.
//
// Cost of Find: up to a second at the most, by kAdviceSteps and kVictimChecks.
// Thread rule: one caller at a time, on any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "extender/planner/advice.h"
#include "extender/planner/solve_task.h"
#include "topology/pod_facts.h"

namespace gangplan {

// What the search for changes of the gang and for nodes may look at.
inline constexpr int64_t kAdviceSteps = 5'000'000;

class AdviceQuestion {
 public:
  std::shared_ptr<SolveTask> task;          // with everybody who runs as victims
  std::shared_ptr<SolveTask> ends;          // by when it fits
  int64_t lower = 0;                        // ranks of victims below this one give way to it
  LevelRules told;                          // see RemedyQuestion
  bool any_node = true;                     // a new one like those that it may use
  Advice held;                              // who holds what, and nothing else
  std::string ns;                           // of the gang
  std::optional<OwnerRef> regarding;        // whom Events about it are about
  std::map<int64_t, Advice::Gang> running;  // by the planner's number
  std::map<std::string, Advice::Gang, std::less<>>
      singles;         // pods of no gang that give way, by UID
  uint64_t state = 0;  // of who stands where until when

  // Of all that the answer depends on, in this process.
  uint64_t Fingerprint() const;
  Advice Find() const;

 private:
  void FindRemedies(Advice& advice) const;
  void FindPossible(Advice& advice) const;
  void FindGangs(Advice& advice) const;
  void FindEnd(Advice& advice) const;
  // False: not, or not known, with those of ranks below this one.
  bool Victims(int64_t below, Advice& advice) const;
};

}  // namespace gangplan
