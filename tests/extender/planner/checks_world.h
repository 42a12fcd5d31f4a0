// What the tests of owners that wait for admission checks of ours have in common: such an owner as
// its Workload shows it, and hands that play Kueue. Single-threaded.
#pragma once

#include <string>

#include "tests/extender/planner/suspended_world.h"
#include "tests/support/catch.h"

namespace gangplan {

using CheckIs = RoomCheck::State;

// A Workload keeps quota without room for so long.
inline PlannerOptions Patient(absl::Duration patience) {
  PlannerOptions options = PlannerWorld::Options();
  options.check_patience = patience;
  return options;
}

struct ChecksWorld : SuspendedWorld {
  using SuspendedWorld::SuspendedWorld;

  JobFacts Checked(const JobSpec& job, CheckIs state) const {
    JobFacts facts = Facts(job);
    facts.check = RoomCheck{state,    "w-" + job.name, "u-w-" + job.name,
                            {"room"}, message,         {{"main", {}, pinned}}};
    facts.check->quota_since = quota;
    return facts;
  }
  // As the watch shows it, in another version.
  void SeeCheck(const JobSpec& job, CheckIs state) {
    ++version;
    See(Checked(job, state));
    Pass(absl::Milliseconds(50));
  }
  // It has room, which is written, and seen.
  JobWrite MakeReady(const JobSpec& job) {
    Register(job);
    SeeCheck(job, CheckIs::kWaits);
    const JobWrite write = Written();
    REQUIRE(write.check);
    REQUIRE(write.check->state == CheckState::kReady);
    Tell(write);
    pinned = write.check->updates.empty() ? LabelSet() : write.check->updates[0].node_selector;
    SeeCheck(job, CheckIs::kReady);
    return write;
  }
  // As Kueue has it made.
  PodFacts BornOf(const JobSpec& job, int index) const {
    PodFacts pod = JobPod(job, index);
    for (const auto& [key, value] : pinned) SetLabel(pod.filter.node_selector, key, value);
    return pod;
  }
  void ShowAll(const JobSpec& job) {
    for (int i = 0; i < job.size; ++i) Show(BornOf(job, i));
  }
  void RunAll(const JobSpec& job) {
    for (int i = 0; i < job.size; ++i) REQUIRE(Try(*this, BornOf(job, i)));
    REQUIRE(BindAll() == job.size);
  }
  // The room of both racks is taken.
  void FillAll() {
    for (const char* name : {"first", "second"}) Run(Pair(name));
  }

  std::string message;
  LabelSet pinned;
  int64_t quota = 1'800'000'000;  // since then
};

}  // namespace gangplan
