// JobSets that wait suspended, or are started, in a cluster of two racks. Single-threaded.
#pragma once

#include <string_view>
#include <vector>

#include "fmt/format.h"
#include "tests/extender/planner/suspended_world.h"
#include "tests/support/jobset.h"

namespace gangplan {

// Two racks of five nodes with eight GPUs each: a large training fills one.
struct SetWorld : StartsWorld {
  explicit SetWorld(PlannerOptions options = Options()) : StartsWorld(std::move(options)) {
    AddNodes(MakeNodes(1, 2, 5));
    Sync();
  }
  void ShowAll(const JobSetSpec& set) {
    Register(OwnerOf(set));
    for (const PodFacts& pod : PodsOf(set)) Show(pod);
  }
  void See(const JobSetSpec& set, bool ready = true) {
    JobFacts facts = WaitingOf(set, ++version);
    facts.ready = ready;
    See(facts);
  }
  void See(const JobFacts& facts) {
    planner().OnJob(now(), facts);
    Pass(absl::Milliseconds(50));
    REQUIRE(planner().BrokenInvariant() == "");
  }
  void Leave(const JobSetSpec& set) { planner().OnJobLeft(now(), set.Uid()); }
  JobWrite Start(const JobSetSpec& set) {
    Register(OwnerOf(set));
    See(set);
    const JobWrite write = Written();
    Tell(write);
    Leave(set);
    return write;
  }
  // Its Jobs make them when it has been started.
  static std::vector<PodFacts> Born(const JobSetSpec& set, const JobWrite& start) {
    std::vector<PodFacts> pods = PodsOf(set);
    for (PodFacts& pod : pods) {
      for (const TemplateTerms& terms : start.templates) {
        if (*FindLabel(pod.labels, kReplicatedJob) == terms.name && !terms.required.empty())
          pod.filter.required_terms = terms.required;
      }
    }
    return pods;
  }
  void ShowBorn(const JobSetSpec& set, const JobWrite& start) {
    OwnerFacts owner = OwnerOf(set);
    SetWord(owner.annotations, kPinnedAnnotation, "nodes");
    Register(owner);
    for (const PodFacts& pod : Born(set, start)) Show(pod);
  }
  void RunBorn(const JobSetSpec& set, const JobWrite& start) {
    for (const PodFacts& pod : Born(set, start)) REQUIRE(Try(*this, pod));
    CHECK(BindAll() == static_cast<int>(PodsOf(set).size()));
  }
};

// A driver and workers that need five nodes of a rack.
inline JobSetSpec Large(std::string_view name = "train") {
  JobSetSpec set = Training(name);
  set.parts[0].gpus = 8;
  return set;
}

}  // namespace gangplan
