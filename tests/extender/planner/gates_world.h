// What the tests of gated pods have in common: pods behind a gate of ours, and hands that release
// them. Single-threaded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "extender/planner/gate_pin.h"
#include "tests/extender/planner/lives_world.h"

namespace gangplan {

// Two racks of two nodes with eight GPUs each.
struct GatesWorld : PlannerWorld {
  explicit GatesWorld(PlannerOptions options = Gated(GateUse::kGangplan))
      : PlannerWorld(std::move(options)) {
    Begin();
  }
  void Begin() {
    AddNodes(MakeNodes(1, 2, 2));
    Sync();
  }
  static PlannerOptions Gated(GateUse use) {
    PlannerOptions options = Options();
    options.gates = use;
    return options;
  }
  // Nobody calls the verbs.
  static PlannerOptions Unasked() {
    PlannerOptions options = Gated(GateUse::kGangplan);
    options.verbs = false;
    return options;
  }
  static PodFacts Behind(PodFacts pod) {
    pod.gates.gang = true;
    return pod;
  }
  void ShowGated(const JobSpec& job, int first, int last, int life = 0) {
    for (int i = first; i < last; ++i) Show(Behind(JobPod(job, i, life)));
  }
  void ShowGated(const JobSpec& job) {
    Register(job);
    ShowGated(job, 0, job.size);
  }
  void Tell(const PodRelease& release, const absl::Status& status = absl::OkStatus()) {
    planner().OnReleased(now(), release.pod.uid, release.attempt, status);
    REQUIRE(planner().BrokenInvariant() == "");
  }
  void Tell(const PodDelete& pod, const absl::Status& status = absl::OkStatus()) {
    planner().OnPodDelete(now(), pod.pod.uid, pod.attempt, status);
    REQUIRE(planner().BrokenInvariant() == "");
  }
  // As the API server has it then.
  static PodFacts After(PodFacts pod, const PodRelease& release) {
    pod.gates = {};
    if (!release.required_terms.empty()) pod.filter.required_terms = release.required_terms;
    for (const auto& [key, value] : release.annotations) SetWord(pod.annotations, key, value);
    return pod;
  }
  // All are released, and shown so.
  std::vector<PodRelease> ReleaseAll(const JobSpec& job) {
    const std::vector<PodRelease> releases = Take<PodRelease>();
    REQUIRE(releases.size() == static_cast<size_t>(job.size));
    for (const PodRelease& release : releases) Tell(release);
    for (int i = 0; i < job.size; ++i)
      Show(After(JobPod(job, i), releases[static_cast<size_t>(i)]));
    return releases;
  }
};

// The nodes that a pin names, in its order.
inline std::vector<std::string> NamesOf(const std::vector<NodeSelectorTerm>& terms) {
  std::vector<std::string> names;
  for (const NodeSelectorTerm& term : terms)
    names.push_back(term.fields.empty() ? "?" : term.fields.back().values.front());
  return names;
}

}  // namespace gangplan
