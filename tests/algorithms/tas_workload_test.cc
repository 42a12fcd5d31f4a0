// Several pod sets, growing ones and repairs.
#include "tests/algorithms/tas_world.h"
#include "tests/support/tas_words.h"

namespace gangplan::tas_workload_test {
namespace {

TasWorld Hosts() {
  return TasWorld({{"b1", "r1", "n1", 4},
                   {"b1", "r1", "n2", 4},
                   {"b1", "r1", "n3", 4},
                   {"b1", "r2", "n4", 4},
                   {"b1", "r2", "n5", 4},
                   {"b2", "r3", "n6", 4}});
}

// Answers as "n1:2 | n2:1 | failure".
std::string Text(const TasWorld& world, const std::vector<TasAnswer>& answers) {
  std::string text;
  for (const TasAnswer& answer : answers) {
    if (!text.empty()) text += " | ";
    text += answer.failure ? TasWorld::Text(*answer.failure) : world.Text(answer.shares);
  }
  return text;
}

std::string Place(TasWorld& world, const std::vector<TasPodSet>& pod_sets) {
  return Text(world, PlaceTasWorkload(world.tree(), pod_sets, world, world.scratch()));
}

std::string Repair(TasWorld& world, const TasPodSet& pod_set,
                   const std::vector<TasStanding>& standing) {
  world.Assume(0, [&] {
    std::vector<TasShare> shares;
    for (const TasStanding& s : standing) {
      if (s.domain >= 0) shares.push_back({s.domain, s.count});
    }
    // A failed node has no room left, whatever stood there.
    for (const TasStanding& s : standing) {
      if (s.domain >= 0 && s.failed >= 0) shares.push_back({s.domain, 4 - s.count});
    }
    return shares;
  }());
  return Text(world, RepairTasWorkload(world.tree(), {&pod_set, 1}, {&standing, 1}, world,
                                       world.scratch()));
}

TasPodSet Asks(TasRequest request) {
  TasPodSet pod_set;
  pod_set.request = std::move(request);
  return pod_set;
}

TEST_CASE("A pod set leaves less room to the next, the first failure ends it") {
  TasWorld world = Hosts();
  CHECK(Place(world, {Asks(Required(2, 3)), Asks(Required(2, 1)), Asks(Required(2, 4)),
                      Asks(Required(2, 5)), Asks(Required(2, 1))}) ==
        "n1:3 | n1:1 | n2:4 | 4 of 5");
}

TEST_CASE("A workload that grows or shrinks keeps what stands") {
  TasPodSet pod_set = Asks(Unconstrained(2, 6));
  pod_set.previous = {{1, 2}, {3, 2}};
  TasWorld world = Hosts();
  CHECK(Place(world, {pod_set}) == "n2:4 n4:2");
  pod_set.request.count = 3;
  CHECK(Place(world, {pod_set}) == "n2:2 n4:1");
  pod_set.previous = {{1, 2}, {-1, 2}};
  TasWorld other = Hosts();
  CHECK(Place(other, {pod_set}) == "n1:3");
}

TEST_CASE("A group fails as a whole, and at its workers only when they are to grow") {
  TasPodSet leader = Asks(Unconstrained(2, 1));
  TasPodSet workers = Asks(Unconstrained(2, 100));
  leader.group = workers.group = 0;
  leader.request.leader = workers.request.leader = true;
  const auto failed = [&] {
    TasWorld world = Hosts();
    TasScratch scratch;
    const std::vector<TasPodSet> pod_sets = {leader, workers};
    std::vector<int32_t> sets;
    for (const TasAnswer& answer : PlaceTasWorkload(world.tree(), pod_sets, world, scratch)) {
      CHECK(answer.failure);
      sets.push_back(answer.pod_set);
    }
    return sets;
  };
  CHECK(failed() == std::vector<int32_t>{0, 1});
  leader.previous = {{1, 1}};
  CHECK(failed() == std::vector<int32_t>{0, 1});
  workers.previous = {{1, 2}};
  CHECK(failed() == std::vector<int32_t>{1});
  leader.previous.reset();
  CHECK(failed() == std::vector<int32_t>{1});
  workers.previous = {{-1, 2}};
  CHECK(failed() == std::vector<int32_t>{0, 1});
}

TEST_CASE("One failed node: inside of the required domain") {
  TasWorld world = Hosts();
  CHECK(Repair(world, Asks(Required(1, 6)), {{0, 4, 0}, {1, 2, -1}}) == "n2:2 n3:4");
  TasWorld full = Hosts();
  CHECK(Repair(full, Asks(Required(1, 8)), {{3, 4, 0}, {4, 4, -1}}) == "0 of 4");
}

TEST_CASE("One failed node that breaks a slice: inside of the slice's domain") {
  TasWorld world = Hosts();
  CHECK(Repair(world, Asks(Required(0, 4, {{1, 4}})), {{0, 2, 0}, {1, 2, -1}}) == "n2:4");
}

TEST_CASE("Slices alone that a failed node breaks are repaired, which Kueue cannot") {
  TasPodSet pod_set = Asks(Unconstrained(0, 4, {{1, 4}}));
  pod_set.slices_alone = true;
  TasWorld world = Hosts();
  CHECK(Repair(world, pod_set, {{0, 2, 0}, {1, 2, -1}}) == "n2:4");
  pod_set.request = Exact(pod_set.request);
  TasWorld exact = Hosts();
  CHECK(Repair(exact, pod_set, {{0, 2, 0}, {1, 2, -1}}) == "failure 3");
}

TEST_CASE("A node that should stand but is gone: the repair is refused") {
  TasWorld world = Hosts();
  const std::string stale =
      "failure " + std::to_string(static_cast<int>(TasFailure::Kind::kStaleAssignment));
  CHECK(Repair(world, Asks(Unconstrained(2, 4)), {{0, 2, 0}, {-1, 2, -1}}) == stale);
}

TEST_CASE("Several failed nodes are replaced at once, broken slices first") {
  TasWorld world = Hosts();
  const std::vector<TasStanding> standing = {{0, 4, 0}, {1, 2, -1}, {3, 2, 1}, {4, 4, -1}};
  // r1 lost 4 of 6, r2 lost 2 of 6: the slices of 6 need 4 in r1 and 2 in r2.
  TasPodSet pod_set = Asks(Required(0, 12, {{1, 6}}));
  CHECK(Repair(world, pod_set, standing) == "0 of 2");  // n5 is full
  TasWorld other = Hosts();
  CHECK(Repair(other, Asks(Required(0, 8, {{1, 4}})),
               {{0, 1, 0}, {1, 3, -1}, {3, 3, 1}, {4, 1, -1}}) == "n2:4 n5:4");
}

TEST_CASE("Several failed nodes: what is left over goes where the pod set asks") {
  TasWorld world = Hosts();
  const std::vector<TasStanding> standing = {{0, 2, 0}, {1, 2, -1}, {3, 4, 1}};
  TasPodSet pod_set = Asks(Required(0, 8, {{1, 4}}));
  CHECK(Repair(world, pod_set, standing) == "n2:4 n3:4");
  TasWorld gone = Hosts();
  CHECK(Repair(gone, pod_set, {{-1, 2, 0}, {1, 2, -1}, {-1, 4, 1}}) == "n1:4 n2:4");
}

TEST_CASE("Words to requests, and what contradicts in them") {
  TasWorld world = Hosts();
  const auto kind = [&](const TasWords& words) {
    const auto resolved = ResolveTas(world.tree(), 2, words, 8);
    const TasFailure* failure = std::get_if<TasFailure>(&resolved);
    return failure ? failure->kind : TasFailure::Kind::kNoFit;
  };
  using Kind = TasFailure::Kind;
  TasWords words;
  CHECK(std::get<TasRequest>(ResolveTas(world.tree(), 2, words, 8)).level == 2);
  words.given = true;
  CHECK(kind(words) == Kind::kLevelNotSpecified);
  words.slices = {{"rack", 4}};
  CHECK(std::get<TasRequest>(ResolveTas(world.tree(), 2, words, 8)).level == 0);
  words.required = "row";
  CHECK(kind(words) == Kind::kUnknownLevel);
  words.required = std::string(kHostnameLabel);
  CHECK(kind(words) == Kind::kSliceLevelAbovePodSetLevel);
  words.required = "b";
  CHECK(kind(words) == Kind::kNoFit);
  words.slices = {{"rack", std::nullopt}};
  CHECK(kind(words) == Kind::kSliceSizeMissing);
  words.slices = {{"row", 4}};
  CHECK(kind(words) == Kind::kUnknownSliceLevel);
  words.slices = {{"rack", 4}, {"rack", 2}};
  CHECK(kind(words) == Kind::kSliceLayersNotDescending);
  words.slices = {{"rack", 4}, {"node", 3}};
  CHECK(kind(words) == Kind::kSliceLayerSizeNotDivisor);
}

}  // namespace
}  // namespace gangplan::tas_workload_test
