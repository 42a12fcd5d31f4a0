#include "algorithms/tree_ranks.h"

#include <algorithm>
#include <random>
#include <string>

#include "fmt/format.h"
#include "tests/support/catch.h"

namespace gangplan::tree_ranks_test {
namespace {

using Pods = std::vector<TreePlace>;

// Names in order of rank.
std::string Ranks(const Pods& pods) {
  std::string text;
  for (const int32_t i : RankByDistance(pods)) {
    if (!text.empty()) text += ' ';
    text += pods[static_cast<size_t>(i)].pod;
  }
  return text;
}

// However the pods come, the ranks are these.
void CheckRanks(Pods pods, const std::string& ranks) {
  std::mt19937 random(5);
  for (int round = 0; round < 20; ++round) {
    std::shuffle(pods.begin(), pods.end(), random);
    CHECK(Ranks(pods) == ranks);
  }
}

TEST_CASE("Distances count edges, from pod to pod") {
  const TreePlace pod = {"p", {"z", "r", "n"}};
  CHECK(TreeDistance(pod, {"q", {"z", "r", "n"}}) == 2);
  CHECK(TreeDistance(pod, {"q", {"z", "r", "m"}}) == 4);
  CHECK(TreeDistance(pod, {"q", {"z", "s", "n"}}) == 6);
  CHECK(TreeDistance(pod, {"q", {"y", "r", "n"}}) == 8);
  CHECK(TreeDistance(pod, {"q", {"z", "n"}}) == 5);
  CHECK(TreeDistance({"q", {"n"}}, pod) == 6);
}

TEST_CASE("The nearer a pod is to the master, the lower is its rank") {
  CheckRanks({{"w-2", {"rack-1", "node-3"}},
              {"w-0", {"rack-0", "node-0"}},
              {"job-master-0", {"rack-0", "node-0"}},
              {"w-3", {"rack-1", "node-4"}},
              {"w-1", {"rack-0", "node-1"}}},
             "job-master-0 w-0 w-1 w-2 w-3");
  CheckRanks({{"a", {"rack-0", "node-0"}},
              {"b", {"rack-0", "node-1"}},
              {"master", {"rack-1", "node-3"}},
              {"d", {"rack-1", "node-4"}}},
             "master d a b");
}

TEST_CASE("Without a master the first by path is it, then by name") {
  CheckRanks({{"c", {"rack-0", "node-1"}},
              {"b", {"rack-0", "node-0"}},
              {"a", {"rack-1", "node-2"}},
              {"d", {"rack-0", "node-0"}}},
             "b d c a");
}

TEST_CASE("Of several masters the first by path counts, the others are as far as they stand") {
  CheckRanks({{"master-a", {"rack-1", "node-3"}},
              {"master-c", {"rack-0", "node-0"}},
              {"master-b", {"rack-0", "node-0"}},
              {"w", {"rack-0", "node-1"}}},
             "master-b master-c w master-a");
}

TEST_CASE("Equally far pods follow the tree, then their names in byte order") {
  CheckRanks({{"w-10", {"r1", "n"}},
              {"w-2", {"r1", "n"}},
              {"w-1", {"r2", "n"}},
              {"w-0", {"r1", "m"}},
              {"master", {"r0", "n"}}},
             "master w-0 w-10 w-2 w-1");
}

TEST_CASE("One pod, and none, have ranks too") {
  CHECK(Ranks({{"p", {"n"}}}) == "p");
  CHECK(RankByDistance({}).empty());
}

TEST_CASE("In any tree distances never fall with the rank, and every pod has one") {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::string> names;
    for (int i = 0; i < 12; ++i) names.push_back(fmt::format("u{}", i));
    Pods pods;
    for (size_t i = 0, count = 1 + random() % 12; i < count; ++i) {
      TreePlace place = {names[i], {}};
      for (size_t depth = 1 + random() % 3; depth > 0; --depth)
        place.path.push_back(names[random() % 3]);
      pods.push_back(place);
    }
    std::vector<int32_t> order = RankByDistance(pods);
    const TreePlace& master = pods[static_cast<size_t>(order.front())];
    int32_t last = 0;
    for (size_t i = 1; i < order.size(); ++i) {
      const int32_t distance = TreeDistance(master, pods[static_cast<size_t>(order[i])]);
      CHECK(distance >= last);
      last = distance;
    }
    std::sort(order.begin(), order.end());
    for (size_t i = 0; i < order.size(); ++i) CHECK(order[i] == static_cast<int32_t>(i));
  }
}

}  // namespace
}  // namespace gangplan::tree_ranks_test
