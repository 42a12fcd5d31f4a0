// A planner beside one group "team/ring" in the words of Sakkara's users, and what its ConfigMap is
// told. One caller at a time.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "extender/frontends/sakkara/groups.h"
#include "extender/protocol/sakkara_words.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"

namespace gangplan {

inline PlannerOptions SakkaraOptions() {
  PlannerOptions options = PlannerWorld::Options();
  options.group_objects = MakeSakkaraGroups;
  return options;
}

inline ConfigMapFacts RingObject(std::string_view size, std::string_view constraints = "{}") {
  ConfigMapFacts facts;
  facts.ns = "team";
  facts.name = "ring-object";
  facts.uid = "uid-ring-object";
  facts.labels = {{std::string(kSakkaraGroupLabel), ""}};
  facts.data = {
      {"constraints", std::string(constraints)}, {"name", "ring"}, {"size", std::string(size)}};
  return facts;
}

// Two pods of 5 GPUs have no such place.
inline constexpr std::string_view kOneNode =
    R"({"rack":{"type":"pack","hard":true},"node":{"type":"pack","hard":true}})";

inline PodFacts RingPod(std::string_view name, int64_t gpus = 1) {
  PodFacts pod = ForeignPod(name, gpus);
  SetWord(pod.labels, kSakkaraPodGroup, "ring");
  return pod;
}

// One block of two racks of two nodes with 8 GPUs each.
struct SakkaraWorld : PlannerWorld {
  SakkaraWorld() : PlannerWorld(SakkaraOptions()) {
    AddNodes(MakeNodes(1, 2, 2));
    Sync();
  }
  void Tell(ConfigMapFacts object) {
    planner().OnGroupObject(now(), std::move(object));
    REQUIRE(planner().BrokenInvariant() == "");
  }
  void Start(const std::vector<PodFacts>& pods) {
    for (const PodFacts& pod : pods) FilterAndBind(pod);
    posts = Take<BindingWrite>();
    for (const BindingWrite& post : posts) Settle(post, BindOutcome::kBound);
  }
  // What the ConfigMap is told, as the watch shows it back; empty: nothing.
  LabelSet Written(ConfigMapFacts& object) {
    const auto writes = Take<WriteResults>();
    for (const WriteResults& write : writes) {
      planner().OnResultsWritten(now(), write.group, false);
      PatchLabels(object.data, write.write.data);
    }
    if (!writes.empty()) Tell(object);
    return writes.empty() ? LabelSet{} : object.data;
  }
  std::vector<BindingWrite> posts;
};

inline std::string ValueOf(const LabelSet& set, std::string_view key) {
  const std::string* value = FindLabel(set, key);
  return value == nullptr ? "(none)" : *value;
}

}  // namespace gangplan
