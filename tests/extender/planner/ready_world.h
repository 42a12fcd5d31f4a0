// What tests of gangs that are not ready in time share: one that fills a rack and whose pods are
// ready when they are said to be, and a hand that answers evictions. Single-threaded.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "extender/planner/event_reasons.h"
#include "tests/extender/planner/restarts_world.h"
#include "tests/support/catch.h"

namespace gangplan {

inline constexpr absl::Duration kStart = absl::Minutes(10);
inline constexpr absl::Duration kRepair = absl::Minutes(5);

inline PlannerOptions Readying(absl::Duration start = kStart, absl::Duration repair = kRepair) {
  PlannerOptions options = PlannerWorld::Options();
  options.suspended_jobs = false;
  options.ready = {start, repair};
  return options;
}

// Two racks of three nodes.
struct ReadyWorld : AnewWorld {
  explicit ReadyWorld(PlannerOptions options = Readying(), JobSpec job = kTrain)
      : AnewWorld(MakeNodes(1, 2, 3), std::move(options)), train(std::move(job)) {
    if (!planner().levels_known()) planner().OnTopology(now(), ThreeLevels(), {});
    Register(train);
    std::vector<PodFacts> pods;
    for (int i = 0; i < train.size; ++i) pods.push_back(Pod(i));
    AnewWorld::Run(pods);
    REQUIRE(StateOf(Name()) == "Running");
    nodes = Nodes(Name());
  }
  std::string Name() const {
    const std::string* group = FindLabel(train.words, "gangplan.io/group");
    return "team/" + (group == nullptr ? train.name : *group);
  }
  PodFacts Pod(int index) const { return JobPod(train, index, life); }
  PodFacts Bound(int index) { return On(Pod(index), nodes[static_cast<size_t>(index)]); }
  void Say(int index, bool ready) {
    PodFacts pod = Bound(index);
    pod.ready = ready;
    Show(pod);
  }
  void AllReady() {
    for (int i = 0; i < train.size; ++i) Say(i, true);
  }
  // All of it is gone and made anew.
  void Anew() {
    for (int i = 0; i < train.size; ++i) ShowTerminating(Bound(i));
    for (int i = 0; i < train.size; ++i) Delete(Bound(i));
    ++life;
    for (int i = 0; i < train.size; ++i) Show(Pod(i));
  }
  // Each is made anew before the next one goes.
  void OneByOne() {
    for (int i = 0; i < train.size; ++i) {
      ShowTerminating(Bound(i));
      Delete(Bound(i));
      Show(JobPod(train, i, life + 1));
    }
    ++life;
  }
  void Start() {
    for (int i = 0; i < train.size; ++i) FilterAndBind(Pod(i));
    REQUIRE(BindAll() == train.size);
    nodes = Nodes(Name());
    ForgetEffects();
  }
  // Whatever is asked is answered, for so long; returns who was evicted.
  std::vector<std::string> Evicted(absl::Duration within) {
    const absl::Time end = now() + within;
    std::vector<std::string> evicted;
    while (evicted.empty() && now() < end) {
      Wait(absl::Seconds(1));
      evicted = AnswerAll();
    }
    return evicted;
  }
  std::vector<std::string> Told() {
    std::vector<std::string> told;
    for (const EventNote& note : Take<EventNote>()) {
      if (note.reason == kGangRestarted) told.push_back(note.note);
    }
    return told;
  }

  JobSpec train;
  std::vector<std::string> nodes;
  int life = 0;
};

}  // namespace gangplan
