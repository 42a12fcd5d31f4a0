#include "extender/frontends/gangplan/rank_list.h"

#include <string>
#include <vector>

#include "extender/frontends/fitting_data.h"
#include "tests/support/catch.h"

namespace gangplan::rank_list_test {
namespace {

std::string ValueOf(const RankListData& list, std::string_view key) {
  for (const auto& [name, value] : list.changes) {
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
  const RankListData list = MakeRankList(ListOf("gangplan", "team/ring", "uid/1"), kPods, {});
  CHECK(ValueOf(list, "hostfile") == "ring-leader.ring\nring-0\n");
  CHECK(
      ValueOf(list, "placement.json") ==
      R"({"listOf":"gangplan team/ring uid/1","pods":[)"
      R"({"rank":0,"podSet":"leader","podSetRank":0,"pod":"ring-leader","host":"ring-leader.ring",)"
      R"("node":"n4","domains":["b0","r1"]},)"
      R"({"rank":1,"podSet":"workers","podSetRank":0,"pod":"ring-0","host":"ring-0","node":"n7",)"
      R"("domains":[]}]})");
  CHECK(ValueOf(list, "list-of") == "gangplan team/ring uid/1");
  CHECK(list.too_big.empty());
}

TEST_CASE("A rank list of another Gangplan is not ours to take away") {
  CHECK(MayRemove("a", {}));
  CHECK(MayRemove("a", ReadListedData({{"hostfile", "x"}})));
  CHECK(MayRemove("a", ReadListedData({{"list-of", "a team/ring uid"}})));
  CHECK_FALSE(MayRemove("a", ReadListedData({{"list-of", "ab team/ring uid"}})));
  CHECK_FALSE(MayRemove("a", ReadListedData({{"list-of", "b team/ring uid"}})));
}

TEST_CASE("A rank list without pods takes its keys away") {
  const ListedData all =
      ReadListedData({{"hostfile", "old"}, {"list-of", ""}, {"placement.json", ""}, {"x", "mine"}});
  const RankListData list = MakeRankList("s team/ring ", {}, all);
  CHECK(list.changes == LabelPatch{{"hostfile", std::nullopt},
                                   {"list-of", std::nullopt},
                                   {"placement.json", std::nullopt}});
  CHECK(MakeRankList("s team/ring ", {}, ReadListedData({{"x", "mine"}})).changes.empty());
}

TEST_CASE("Of a rank list that the object has only what is otherwise is written") {
  LabelSet data;
  for (const auto& [key, value] : MakeRankList("s team/ring ", kPods, {}).changes)
    data.emplace_back(key, *value);
  CHECK(MakeRankList("s team/ring ", kPods, ReadListedData(data)).changes.empty());
  SetLabel(data, kHostfileKey, "spoiled");
  const RankListData mended = MakeRankList("s team/ring ", kPods, ReadListedData(data));
  REQUIRE(mended.changes.size() == 1);
  CHECK(ValueOf(mended, "hostfile") == "ring-leader.ring\nring-0\n");
  SetLabel(data, kListOfKey, std::string(100'000, 'x'));
  CHECK(ReadListedData(data).list_of->size() < 10'000);
  CHECK(MakeRankList("s team/ring ", kPods, ReadListedData(data)).changes.size() == 2);
}

TEST_CASE("A rank list keeps within what a ConfigMap holds, beside what is in it") {
  const RankListData small = MakeRankList("s team/ring ", kPods, {});
  size_t bytes = 0;
  for (const auto& [key, value] : small.changes) bytes += key.size() + value->size();
  const auto with = [&](size_t others) {
    return MakeRankList("s team/ring ", kPods,
                        ReadListedData({{"x", std::string(others - 1, 'x')}}));
  };
  CHECK(with(kMaxDataBytes - bytes).too_big.empty());
  const RankListData one = with(kMaxDataBytes - bytes + 1);
  CHECK(one.too_big == std::vector<std::string>{"placement.json"});
  CHECK(ValueOf(one, "hostfile") == "ring-leader.ring\nring-0\n");
  CHECK(ValueOf(one, "placement.json") == "left");  // it has none
  CHECK(with(kMaxDataBytes).too_big == std::vector<std::string>{"placement.json", "hostfile"});
}

}  // namespace gangplan::rank_list_test
