#include "extender/frontends/gangplan/rank_list.h"

#include <string>
#include <vector>

#include "extender/frontends/fitting_data.h"
#include "tests/support/catch.h"

namespace gangplan {
namespace {

std::string ValueOf(const RankListData& list, std::string_view key) {
  for (const auto& [name, value] : list.data) {
    if (name == key) return value.value_or("removed");
  }
  return "left";
}

const std::vector<ListedRank> kPods = {
    {"leader", 0, "ring-leader", "ring-leader.ring", {"b0", "r1", "n4"}},
    {"workers", 0, "ring-0", "ring-0", {"n7"}},
};

}  // namespace

TEST_CASE("A rank list has the hosts by rank, and where each pod is") {
  const RankListData list = MakeRankList("team/ring", "uid/1", kPods, {});
  CHECK(ValueOf(list, "hostfile") == "ring-leader.ring\nring-0\n");
  CHECK(
      ValueOf(list, "placement.json") ==
      R"({"gang":"team/ring","incarnation":"uid/1","pods":[)"
      R"({"rank":0,"podSet":"leader","podSetRank":0,"pod":"ring-leader","host":"ring-leader.ring",)"
      R"("node":"n4","domains":["b0","r1"]},)"
      R"({"rank":1,"podSet":"workers","podSetRank":0,"pod":"ring-0","host":"ring-0","node":"n7",)"
      R"("domains":[]}]})");
  CHECK(list.too_big.empty());
}

TEST_CASE("A rank list without pods takes its keys away") {
  const RankListData list = MakeRankList("team/ring", "", {}, {{"hostfile", "old"}});
  CHECK(ValueOf(list, "hostfile") == "removed");
  CHECK(ValueOf(list, "placement.json") == "removed");
}

TEST_CASE("A rank list keeps within what a ConfigMap holds, beside what is in it") {
  const RankListData small = MakeRankList("team/ring", "", kPods, {});
  const size_t bytes = ValueOf(small, "hostfile").size() + ValueOf(small, "placement.json").size() +
                       kHostfileKey.size() + kPlacementKey.size();
  const auto with = [&](size_t others) {
    return MakeRankList("team/ring", "", kPods, {{"x", std::string(others - 1, 'x')}});
  };
  CHECK(with(kMaxDataBytes - bytes).too_big.empty());
  const RankListData one = with(kMaxDataBytes - bytes + 1);
  CHECK(one.too_big == std::vector<std::string>{"placement.json"});
  CHECK(ValueOf(one, "hostfile") == "ring-leader.ring\nring-0\n");
  CHECK(ValueOf(one, "placement.json") == "removed");
  CHECK(with(kMaxDataBytes).too_big == std::vector<std::string>{"placement.json", "hostfile"});
}

}  // namespace gangplan
