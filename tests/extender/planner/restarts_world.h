// What tests of gangs that start anew as a whole share (repair.onFailure: restart): worlds in which
// they run, and a hand that answers the writes of evictions. Single-threaded.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/planner_world.h"

namespace gangplan {

inline constexpr absl::Duration kRestartTimeout = absl::Minutes(5);

inline PlannerOptions Restarting(int32_t retries = 3) {
  PlannerOptions options = PlannerWorld::Options();
  options.suspended_jobs = false;
  options.repair = {absl::ZeroDuration(), OnFailure::kRestart, kRestartTimeout, retries};
  return options;
}

inline PlannerOptions Relaxing() {
  PlannerOptions options = Restarting();
  options.repair.on_failure = OnFailure::kRelax;
  return options;
}

struct AnewWorld : PlannerWorld {
  explicit AnewWorld(std::vector<NodeFacts> nodes, PlannerOptions options = Restarting())
      : PlannerWorld(std::move(options)) {
    AddNodes(nodes);
    Sync();
  }
  void Run(const std::vector<PodFacts>& pods) {
    for (const PodFacts& pod : pods) Show(pod);
    int bound = 0;
    for (const PodFacts& pod : pods) {
      if (Passed(pod).empty()) bound += BindAll();  // who joins does so when the others have begun
      FilterAndBind(pod);
    }
    REQUIRE(bound + BindAll() == static_cast<int>(pods.size()));
    ForgetEffects();
  }
  void RunJob(const JobSpec& job) {
    Register(job);
    std::vector<PodFacts> pods;
    for (int i = 0; i < job.size; ++i) pods.push_back(JobPod(job, i));
    Run(pods);
    REQUIRE(StateOf("team/" + job.name) == "Running");
  }
  PodFacts On(PodFacts pod, std::string_view node) {
    pod.node_name = std::string(node);
    return pod;
  }
  void Wait(absl::Duration time) {
    for (const absl::Time end = now() + time; now() < end;)
      Pass(std::min(end - now(), absl::Duration(absl::Seconds(1))));
  }
  // Its node goes, and its controller makes it anew. Returns that one.
  PodFacts Lose(const JobSpec& job, int index, int life = 0) {
    const std::string node = Nodes("team/" + job.name)[static_cast<size_t>(index)];
    DeleteNode(node);
    Delete(On(JobPod(job, index, life), node));
    const PodFacts again = JobPod(job, index, life + 1);
    Show(again);
    return again;
  }
  // Answers what is asked and written until nothing more is; `tried`: whether pods may go. Returns
  // who was told to.
  std::vector<std::string> AnswerAll(const absl::Status& tried = absl::OkStatus()) {
    std::vector<std::string> evicted;
    for (bool any = true; any;) {
      const auto marks = Take<PodMark>();
      const auto pods = Take<PodDelete>();
      any = !marks.empty() || !pods.empty();
      for (const PodMark& one : marks)
        planner().OnPodDelete(now(), one.pod.uid, one.attempt, absl::OkStatus());
      for (const PodDelete& one : pods) {
        const bool asks = one.how == PodDelete::How::kTry;
        if (!asks) evicted.push_back(one.pod.name);
        planner().OnPodDelete(now(), one.pod.uid, one.attempt, asks ? tried : absl::OkStatus());
      }
      Pass(absl::Milliseconds(1));
    }
    std::sort(evicted.begin(), evicted.end());
    return evicted;
  }
};

using Names = std::vector<std::string>;

inline const JobSpec kTrain{.name = "train", .size = 3, .gpus = 8, .place = "rack=pack!"};

}  // namespace gangplan
