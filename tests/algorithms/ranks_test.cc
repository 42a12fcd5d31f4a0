#include "algorithms/ranks.h"

#include <algorithm>
#include <random>

#include "tests/support/catch.h"
#include "tests/support/rounds.h"

namespace gangplan::ranks_test {
namespace {

using Places = std::vector<int32_t>;
constexpr int32_t kNone = kNoDomain;

RankedPod Waiting(std::optional<int32_t> index, std::optional<int32_t> sub_group = {}) {
  return {index, sub_group, true, kNoDomain};
}

RankedPod Standing(std::optional<int32_t> index, int32_t domain) {
  return {index, {}, false, domain};
}

// A pod set that is ranked by index, on domains that take so many pods each.
RankedPodSet PodSet(std::vector<int32_t> domains, std::vector<RankedPod> pods) {
  RankedPodSet set;
  set.indexed = true;
  for (int32_t count : domains) {
    set.domains.push_back({count, true});
    set.count += count;
  }
  set.pods = std::move(pods);
  return set;
}

Places Assign(const RankedPodSet& set) { return AssignDomains({&set, 1}).front(); }

TEST_CASE("Ranks: the domains in order, each as often as it takes pods") {
  CHECK(Assign(PodSet({2, 1, 1}, {Waiting(3), Waiting(1), Waiting(0), Waiting(2)})) ==
        Places{2, 0, 0, 1});
  CHECK(Assign(PodSet({2, 1}, {Waiting(2)})) == Places{1});
  CHECK(Assign(PodSet({0, 1}, {Waiting(0)})) == Places{1});
  CHECK(Assign(PodSet({1}, {})).empty());
}

TEST_CASE("Ranks: pods that stand keep their places and give the others theirs") {
  CHECK(Assign(PodSet({1, 1, 1}, {Waiting(0), Standing(1, 1), Waiting(2)})) == Places{0, kNone, 2});
}

TEST_CASE("Ranks: what makes no sense falls back to room, for the whole pod set") {
  // Rank 2 would be domain 1; by room, the first pod gets domain 0.
  const auto first = [](RankedPodSet set) { return Assign(set).front(); };
  CHECK(first(PodSet({2, 1}, {Waiting(2), Waiting(0)})) == 1);
  CHECK(first(PodSet({2, 1}, {Waiting(2), Waiting({})})) == 0);
  CHECK(first(PodSet({2, 1}, {Waiting(2), Waiting(2)})) == 0);
  CHECK(first(PodSet({2, 1}, {Waiting(2), Waiting(3)})) == 0);
  CHECK(first(PodSet({2, 1}, {Waiting(2), Waiting(-1)})) == 0);
  CHECK(first(PodSet({2, 1}, {Waiting(2), Standing(0, 1)})) == 0);
  CHECK(first(PodSet({2, 1}, {Waiting(2), Standing(0, kNone)})) == 0);
  RankedPodSet unranked = PodSet({2, 1}, {Waiting(2)});
  unranked.indexed = false;
  CHECK(first(unranked) == 0);
}

TEST_CASE("Ranks: a rank beyond the assignment falls back") {
  RankedPodSet set = PodSet({1}, {Waiting(1)});
  set.count = 2;
  CHECK(Assign(set) == Places{0});
}

TEST_CASE("Ranks: by room, domains fill in order beside the pods that stand there") {
  RankedPodSet set = PodSet({2, 1, 1}, {Waiting({}), Standing({}, 0), Waiting({}), Waiting({}),
                                        Standing({}, kNone), Waiting({})});
  CHECK(Assign(set) == Places{0, kNone, 1, 2, kNone, kNone});
  set.pods = {Standing({}, 0), Standing({}, 0), Standing({}, 0), Waiting({})};
  CHECK(Assign(set) == Places{kNone, kNone, kNone, 1});
}

TEST_CASE("Ranks: pods of a domain that is not healthy wait") {
  RankedPodSet set = PodSet({1, 1}, {Waiting(0), Waiting(1)});
  set.domains[0].healthy = false;
  CHECK(Assign(set) == Places{kNone, 1});
  set.indexed = false;
  CHECK(Assign(set) == Places{kNone, 1});
}

TEST_CASE("Ranks: sub-groups follow each other") {
  RankedPodSet set =
      PodSet({2, 1, 1}, {Waiting(0, 0), Waiting(1, 0), Waiting(0, 1), Waiting(1, 1)});
  set.sub_grouped = true;
  set.sub_groups = 2;
  CHECK(Assign(set) == Places{0, 0, 1, 2});
}

TEST_CASE("Ranks: sub-groups without their number, or out of bounds, fall back") {
  RankedPodSet set = PodSet({2, 2}, {Waiting(1, 1)});
  set.sub_grouped = true;
  set.sub_groups = 2;
  CHECK(Assign(set) == Places{1});
  for (int32_t sub_groups : {0, -1, 1}) {
    set.sub_groups = sub_groups;
    CHECK(Assign(set) == Places{0});
  }
  set.sub_groups = 2;
  set.pods = {Waiting(0, 1), Waiting(2, 0)};  // index beyond its sub-group of two
  CHECK(Assign(set) == Places{0, 0});
  set.pods = {Waiting(1, {})};
  CHECK(Assign(set) == Places{0});
}

TEST_CASE("Ranks: an offset is taken off the index") {
  RankedPodSet set = PodSet({1, 1}, {Waiting(2), Waiting(1)});
  set.offset = 1;
  CHECK(Assign(set) == Places{1, 0});
  set.pods = {Waiting(1), Waiting(0)};  // rank -1
  CHECK(Assign(set) == Places{0, 1});
  set.pods = {Waiting(2), Waiting(3)};  // rank 2 of 2
  CHECK(Assign(set) == Places{0, 1});
}

std::vector<Places> AssignGroup(RankedPodSet first, RankedPodSet second) {
  first.group = second.group = "group";
  const RankedPodSet sets[] = {std::move(first), std::move(second)};
  return AssignDomains(sets);
}

TEST_CASE("Ranks: in a group the larger pod set begins where the smaller ends") {
  const RankedPodSet leader = PodSet({1}, {Waiting(0)});
  const RankedPodSet workers = PodSet({1, 2}, {Waiting(3), Waiting(1), Waiting(2)});
  CHECK(AssignGroup(leader, workers) == std::vector<Places>{{0}, {1, 0, 1}});
  CHECK(AssignGroup(workers, leader) == std::vector<Places>{{1, 0, 1}, {0}});
}

TEST_CASE("Ranks: of two equal pod sets the first begins at zero") {
  const RankedPodSet zero = PodSet({1}, {Waiting(0)});
  const RankedPodSet one = PodSet({1}, {Waiting(1)});
  CHECK(AssignGroup(zero, one) == std::vector<Places>{{0}, {0}});
  // The other way round both fall back, which shows where ranks are told apart: in two domains.
  const RankedPodSet wide = PodSet({1, 1}, {Waiting(3)});
  CHECK(AssignGroup(PodSet({1, 1}, {Waiting(1)}), wide) == std::vector<Places>{{1}, {1}});
  CHECK(AssignGroup(wide, PodSet({1, 1}, {Waiting(1)})) == std::vector<Places>{{0}, {0}});
}

TEST_CASE("Ranks: the offset of the group and the pod set's own add up") {
  RankedPodSet workers = PodSet({1, 1}, {Waiting(3)});
  workers.offset = 1;
  CHECK(AssignGroup(PodSet({1}, {}), workers)[1] == Places{1});
}

TEST_CASE("Ranks: only a group of two has an order") {
  RankedPodSet set = PodSet({1, 1}, {Waiting(1)});
  set.group = "group";
  const std::vector<RankedPodSet> three(3, set);
  CHECK(AssignDomains(three) == std::vector<Places>{{1}, {1}, {1}});
  CHECK(Assign(set) == Places{1});
}

// Pods with indices that are mostly right; some stand, mostly where they belong.
RankedPodSet RandomPodSet(std::mt19937& random) {
  const auto below = [&](uint32_t bound) { return static_cast<int32_t>(random() % bound); };
  std::vector<int32_t> domains;
  for (int i = below(5); i >= 0; --i) domains.push_back(below(4));
  RankedPodSet set = PodSet(domains, {});
  set.indexed = below(8) > 0;
  std::vector<int32_t> by_rank;
  for (size_t d = 0; d < domains.size(); ++d)
    by_rank.insert(by_rank.end(), static_cast<size_t>(domains[d]), static_cast<int32_t>(d));
  for (int32_t rank = 0; rank < set.count; ++rank) {
    if (below(4) == 0) continue;
    const int32_t index = below(12) == 0 ? below(8) : rank;
    const int32_t place = by_rank[static_cast<size_t>(rank)];
    const bool waits = below(3) > 0;
    set.pods.push_back({index, {}, waits, waits ? kNoDomain : place});
  }
  std::shuffle(set.pods.begin(), set.pods.end(), random);
  return set;
}

TEST_CASE("Ranks: no domain takes more than its count, no pod waits while there is room for it") {
  constexpr uint32_t kSeed = 7;
  INFO("seed " << kSeed);
  std::mt19937 random(kSeed);
  for (int round = 0; round < Rounds(2'000); ++round) {
    const RankedPodSet set = RandomPodSet(random);
    const Places places = Assign(set);
    std::vector<int32_t> taken(set.domains.size());
    for (size_t i = 0; i < set.pods.size(); ++i) {
      CHECK((set.pods[i].waits == (places[i] != kNone)));
      ++taken[static_cast<size_t>(set.pods[i].waits ? places[i] : set.pods[i].domain)];
    }
    for (size_t d = 0; d < taken.size(); ++d) CHECK(taken[d] <= set.domains[d].count);
  }
}

TEST_CASE("Ranks: pods that are ranked go to the same domains in any order") {
  constexpr uint32_t kSeed = 8;
  INFO("seed " << kSeed);
  std::mt19937 random(kSeed);
  RankedPodSet set = PodSet({3, 1, 4, 1}, {});
  for (int32_t i = 0; i < 9; ++i) set.pods.push_back(Waiting(i));
  const Places by_index = {0, 0, 0, 1, 2, 2, 2, 2, 3};
  for (int round = 0; round < Rounds(20); ++round) {
    std::shuffle(set.pods.begin(), set.pods.end(), random);
    const Places places = Assign(set);
    for (size_t i = 0; i < places.size(); ++i)
      CHECK(places[i] == by_index[static_cast<size_t>(*set.pods[i].index)]);
  }
}

}  // namespace
}  // namespace gangplan::ranks_test
