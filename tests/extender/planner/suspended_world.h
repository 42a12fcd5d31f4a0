// What the tests of Jobs that wait suspended have in common: a Job as the watch shows it, and hands
// that start it. Single-threaded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "extender/planner/owner_key.h"
#include "extender/planner/suspended_owners.h"
#include "tests/extender/planner/lives_world.h"

namespace gangplan {

// A Job that waits suspended, with a pod as it would make it.
inline JobFacts SuspendedFactsOf(const JobSpec& job, int version = 1) {
  JobFacts facts;
  facts.owner = JobOwner(job);
  facts.resource_version = std::to_string(version);
  facts.suspended = true;
  JobSpec any = job;
  any.indexed = false;
  PodFacts pod = JobPod(any, 0);
  pod.uid.clear();
  pod.name = job.name;
  facts.pods = {std::move(pod)};
  return facts;
}

inline PlannerOptions LiveLevels() {
  PlannerOptions options = PlannerWorld::Options();
  options.topologies[0].live = "levels";
  return options;
}

// What is written of owners, and what comes of it.
struct StartsWorld : PlannerWorld {
  using PlannerWorld::PlannerWorld;

  void Tell(const JobWrite& write, const absl::Status& status = absl::OkStatus()) {
    planner().OnJobWritten(now(), write.job.uid, write.attempt, status);
    REQUIRE(planner().BrokenInvariant() == "");
  }
  // The one write that is asked for.
  JobWrite Written() {
    const auto writes = Take<JobWrite>();
    REQUIRE(writes.size() == 1);
    return writes[0];
  }

  // Seconds from now on until something is written, at most so many; then it is in `write`. Else
  // -1.
  int SecondsToWrite(int most, JobWrite& write) {
    for (int second = 0; second <= most; ++second) {
      const auto writes = Take<JobWrite>();
      if (!writes.empty()) {
        REQUIRE(writes.size() == 1);
        write = writes[0];
        return second;
      }
      Pass(absl::Seconds(1));
    }
    return -1;
  }
  // The API server answers that there is no such owner; how often it was asked.
  int AnswerGone() {
    const auto reads = Take<OwnerRead>();
    for (const OwnerRead& read : reads)
      planner().OnOwner(now(), OwnerKey(read.ns, read.owner.uid),
                        absl::NotFoundError("no such Job"));
    REQUIRE(planner().BrokenInvariant() == "");
    return static_cast<int>(reads.size());
  }
  // All nodes where room is held for the group, or its members are, go.
  std::vector<std::string> LoseNodes(std::string_view group) {
    std::vector<std::string> nodes = Nodes(group);
    for (const std::string& node : nodes) DeleteNode(node);
    Pass(absl::Milliseconds(50));
    return nodes;
  }

  int version = 100;
};

// Two racks of two nodes with eight GPUs each.
struct SuspendedWorld : StartsWorld {
  explicit SuspendedWorld(PlannerOptions options = Options()) : StartsWorld(std::move(options)) {
    if (!planner().levels_known()) planner().OnTopology(now(), ThreeLevels());
    AddNodes(MakeNodes(1, 2, 2));
    Sync();
  }

  JobFacts Facts(const JobSpec& job) const { return SuspendedFactsOf(job, version); }
  void See(const JobFacts& facts) {
    planner().OnJob(now(), facts);
    REQUIRE(planner().BrokenInvariant() == "");
  }
  // The watch shows it as it is now.
  void See(const JobSpec& job) {
    ++version;
    See(Facts(job));
    Pass(absl::Milliseconds(50));
  }
  void Leave(const JobSpec& job) {
    planner().OnJobLeft(now(), job.Uid());
    REQUIRE(planner().BrokenInvariant() == "");
  }
  // It is started, and the watch shows that it waits no more.
  JobWrite Start(const JobSpec& job) {
    Register(job);
    See(job);
    const JobWrite write = Written();
    REQUIRE_FALSE(write.suspend);
    Tell(write);
    Leave(job);
    return write;
  }
  // As the Job makes it once it has been started.
  static PodFacts Born(const JobSpec& job, int index, const JobWrite& start) {
    PodFacts pod = JobPod(job, index);
    if (!start.templates.empty()) pod.filter.required_terms = start.templates[0].required;
    return pod;
  }
  void ShowBorn(const JobSpec& job, const JobWrite& start) {
    Register(job);
    for (int i = 0; i < job.size; ++i) Show(Born(job, i, start));
  }
  void RunBorn(const JobSpec& job, const JobWrite& start) {
    for (int i = 0; i < job.size; ++i) REQUIRE(Try(*this, Born(job, i, start)));
    CHECK(BindAll() == job.size);
  }
  // It is started, and all of its pods run.
  JobWrite Run(const JobSpec& job) {
    const JobWrite start = Start(job);
    ShowBorn(job, start);
    RunBorn(job, start);
    return start;
  }
};

// The words that it pins with.
inline std::string PinOf(const JobWrite& start) {
  for (const auto& [key, value] : start.annotations) {
    if (key == kPinnedAnnotation) return value.value_or("");
  }
  return {};
}

// Two fill a rack.
inline JobSpec Pair(std::string_view name = "train") { return Whole(name, 2); }

}  // namespace gangplan
