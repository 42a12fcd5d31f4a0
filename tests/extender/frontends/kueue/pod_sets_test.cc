#include <algorithm>

#include "extender/frontends/kueue/words.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::pod_sets_test {
namespace {

using Texts = std::vector<std::string>;

const std::string kRequired = "kueue.x-k8s.io/podset-required-topology";
const std::string kPreferred = "kueue.x-k8s.io/podset-preferred-topology";
const std::string kGroup = "kueue.x-k8s.io/podset-group-name";

KueuePodSet PodSet(int32_t count, LabelSet annotations) {
  std::sort(annotations.begin(), annotations.end());
  return {"set", count, std::move(annotations)};
}

Texts Faults(const std::vector<KueuePodSet>& pod_sets, bool multi_layer_topology = true) {
  Texts texts;
  for (const auto& [pod_set, fault] : CheckKueuePodSets(pod_sets, {multi_layer_topology}))
    texts.push_back(fmt::format("{} {}", pod_set, Describe(fault)));
  return texts;
}

TEST_CASE("Kueue's pod sets: no slice is larger than its pod set") {
  const std::string level = "kueue.x-k8s.io/podset-slice-required-topology";
  const std::string size = "kueue.x-k8s.io/podset-slice-size";
  CHECK(Faults({PodSet(4, {{level, "rack"}, {size, "4"}})}).empty());
  CHECK(Faults({PodSet(4, {}), PodSet(4, {{level, "rack"}, {size, "5"}})}) ==
        Texts{"1 " + size + ": expected at most the 4 pods of the pod set, found 5"});
}

TEST_CASE("Kueue's pod sets: of layers the outermost counts, while they are switched on") {
  const std::string layers = "kueue.x-k8s.io/podset-slice-required-topology-constraints";
  const KueuePodSet pod_set =
      PodSet(4, {{layers, R"([{"topology":"a","size":8},{"topology":"b","size":2}])"}});
  CHECK(Faults({pod_set}) ==
        Texts{"0 " + layers + ": expected at most the 4 pods of the pod set, found 8"});
  CHECK(Faults({pod_set}, false) ==
        Texts{"0 " + layers + ": expected none while several slice layers are switched off"});
  CHECK(Faults({PodSet(4, {{layers, "[]"}})}) ==
        Texts{"0 " + layers + ": expected 1 to 3 layers, found 0"});
}

TEST_CASE("Kueue's pod sets: a group is a leader and workers at one level") {
  const auto member = [](int32_t count, const std::string& group, const std::string& level) {
    return PodSet(count, {{kRequired, level}, {kGroup, group}});
  };
  CHECK(Faults({member(1, "g", "rack"), member(8, "g", "rack")}).empty());
  CHECK(Faults({member(8, "g", "rack"), PodSet(3, {}), member(1, "g", "rack")}).empty());
  CHECK(Faults({member(1, "g", "rack")}) ==
        Texts{"0 " + kGroup + ": expected two pod sets in group \"g\", found 1"});
  const std::string three = kGroup + ": expected two pod sets in group \"g\", found 3";
  CHECK(Faults(std::vector<KueuePodSet>(3, member(1, "g", "rack"))) ==
        Texts{"0 " + three, "1 " + three, "2 " + three});
  const std::string single =
      kGroup + ": expected a pod set of one pod in group \"g\", found 2 and 3 pods";
  CHECK(Faults({member(2, "g", "rack"), member(3, "g", "rack")}) ==
        Texts{"0 " + single, "1 " + single});
}

TEST_CASE("Kueue's pod sets: a group asks for one thing") {
  const std::string same = "annotations: expected the same " + kRequired + " or " + kPreferred +
                           " on both pod sets of group \"g\"";
  const LabelSet rack = {{kRequired, "rack"}, {kGroup, "g"}};
  const LabelSet block = {{kRequired, "block"}, {kGroup, "g"}};
  const LabelSet soft = {{kPreferred, "rack"}, {kGroup, "g"}};
  CHECK(Faults({PodSet(1, soft), PodSet(2, soft)}).empty());
  CHECK(Faults({PodSet(1, rack), PodSet(2, block)}) == Texts{"0 " + same, "1 " + same});
  CHECK(Faults({PodSet(1, rack), PodSet(2, soft)}) == Texts{"0 " + same, "1 " + same});
  const std::string beside =
      kGroup + ": expected " + kRequired + " or " + kPreferred + " beside it";
  CHECK(Faults({PodSet(1, rack), PodSet(2, {{kGroup, "g"}})}) ==
        Texts{"1 " + beside, "0 " + same, "1 " + same});
}

TEST_CASE("Kueue's pod sets: groups come in order of first appearance") {
  const auto alone = [](const std::string& group) {
    return PodSet(1, {{kRequired, "rack"}, {kGroup, group}});
  };
  CHECK(Faults({alone("z"), alone("a")}) ==
        Texts{"0 " + kGroup + ": expected two pod sets in group \"z\", found 1",
              "1 " + kGroup + ": expected two pod sets in group \"a\", found 1"});
}

}  // namespace
}  // namespace gangplan::pod_sets_test
