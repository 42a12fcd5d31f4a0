// The splits of a packed level with the largest squares, against all splits of a few siblings.
#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <vector>

#include "algorithms/exact/fullest.h"
#include "algorithms/exact/packed_splits.h"
#include "algorithms/exact/shapes.h"
#include "algorithms/leaf_room.h"
#include "tests/algorithms/exact_world.h"
#include "tests/algorithms/mixed_cluster.h"
#include "tests/support/rounds.h"

namespace gangplan::exact_splits_test {
namespace {

using exact::Loads;
using exact::Run;
using exact::Terms;

// Loads of a gang with so many pods of each other shape.
class OtherShapes {
 public:
  explicit OtherShapes(std::span<const int32_t> others) {
    std::vector<size_t> source;
    tree_ = BuildTree({1, {{0, 0}}}, std::vector<size_t>{0}, source);
    cluster_.free.push_back({100, 100});
    request_.pod_sets.push_back({"workers", 50, 0, false});
    cluster_.demands.push_back({1, 0});
    for (const int32_t count : others) {
      const auto set = static_cast<int32_t>(request_.pod_sets.size());
      request_.pod_sets.push_back({fmt::format("others{}", set), count, 0, false});
      cluster_.demands.push_back({0, set});
    }
    request_.rules.resize(static_cast<size_t>(tree_.level_count()));
  }

  Loads Make() {
    const PlacementView view{&tree_, cluster_.Counts(tree_), &cluster_};
    return Loads(exact::Shapes(view, request_, false));
  }

 private:
  Tree tree_;
  MixedCluster cluster_;
  PlacementRequest request_;
};

// All splits over so many siblings, and of these the ones with the largest squares.
class AllSplits {
 public:
  AllSplits(std::span<const int32_t> rows, const Loads& loads, const Terms& terms)
      : rows_(rows), loads_(loads), terms_(terms) {}

  void Visit(size_t sibling, int32_t used, int32_t load, int32_t members) {
    const auto width = static_cast<size_t>(loads_.count());
    if (used == 0 && load == 0 && members == 0) return Keep();
    if (used == 0 || members <= 0 || sibling * width == rows_.size()) return;
    Visit(sibling + 1, used, load, members);
    for (int32_t part = 0; part <= load; ++part) {
      if (!loads_.Within(part, load)) continue;
      const int32_t most = rows_[sibling * width + static_cast<size_t>(part)];
      for (int32_t value = terms_.least(loads_.pods(part)); value <= most; value += terms_.factor) {
        values_.push_back(value);
        Visit(sibling + 1, used - 1, load - part, members - value);
        values_.pop_back();
      }
    }
  }

  int64_t squares = -1;
  std::set<std::vector<int32_t>> splits;  // the largest value first

 private:
  void Keep() {
    int64_t all = 0;
    for (const int32_t value : values_) all += int64_t{value} * value;
    if (all < squares) return;
    if (all > squares) splits.clear();
    squares = all;
    std::vector<int32_t> sorted = values_;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    splits.insert(sorted);
  }

  std::span<const int32_t> rows_;
  const Loads& loads_;
  const Terms& terms_;
  std::vector<int32_t> values_;
};

class SplitCases {
 public:
  explicit SplitCases(uint32_t seed) : random_(seed) {}

  int32_t UpTo(int32_t most) {
    return static_cast<int32_t>(random_() % (static_cast<uint32_t>(most) + 1));
  }

  Terms NextTerms() {
    Terms terms;
    terms.factor = UpTo(3) == 0 ? 2 : 1;
    terms.min = UpTo(3) == 0 ? 2 : 1;
    return terms;
  }

  // Of a few siblings; many hold as much as others, and some more beside a part than without.
  std::vector<int32_t> Rows(const Loads& loads, const Terms& terms) {
    std::vector<int32_t> rows;
    const int32_t largest = 4 + UpTo(4);
    for (int32_t siblings = 3 + UpTo(2); siblings > 0; --siblings) {
      for (int32_t part = 0; part < loads.count(); ++part) {
        const int32_t least = terms.least(loads.pods(part));
        const int32_t most = UpTo(largest) / terms.factor * terms.factor;
        rows.push_back(part == 0 ? (most < least ? 0 : most) : most < least ? -1 : most);
      }
    }
    return rows;
  }

 private:
  std::mt19937 random_;
};

std::set<std::vector<int32_t>> ValuesOf(const std::vector<std::vector<Run>>& splits) {
  std::set<std::vector<int32_t>> all;
  for (const std::vector<Run>& split : splits) {
    std::vector<int32_t> values;
    for (const Run& run : split) values.insert(values.end(), run.count, run.value);
    all.insert(std::move(values));
  }
  return all;
}

}  // namespace

TEST_CASE("exact: the nearest splits of a packed level are those with the largest squares") {
  SplitCases cases(91);
  int known = 0, some = 0;
  for (int round = 0; round < Rounds(4'000); ++round) {
    std::vector<int32_t> others = {2 + cases.UpTo(3)};
    if (cases.UpTo(3) == 0) others = {1 + cases.UpTo(1), 1};
    const Loads loads = OtherShapes(others).Make();
    const Terms terms = cases.NextTerms();
    const std::vector<int32_t> rows = cases.Rows(loads, terms);
    int64_t steps = kPlannersSteps;
    const exact::Fullest fullest(rows, loads, steps);
    const int32_t used = 1 + cases.UpTo(fullest.siblings() - 1), load = loads.whole();
    const int64_t full = fullest.HeldWithin(used - 1, load);
    const auto members = static_cast<int32_t>(full) + terms.factor * cases.UpTo(6);
    if (members - full < terms.least(loads.pods(load))) continue;
    const exact::PackedSplits found =
        exact::FindPackedSplits(fullest, loads, terms, load, used, members, steps);
    AllSplits all(rows, loads, terms);
    all.Visit(0, used, load, members);
    INFO("round " << round << ": rows " << fmt::format("{}", fmt::join(rows, " ")) << ", others "
                  << fmt::format("{}", fmt::join(others, " ")) << ", used " << used << ", members "
                  << members << ", min " << terms.min << ", factor " << terms.factor);
    if (!found.known) continue;
    ++known;
    some += all.splits.empty() ? 0 : 1;
    REQUIRE(found.squares == all.squares);
    REQUIRE(ValuesOf(found.splits) == all.splits);
  }
  CHECK(known > 500);
  CHECK(some > 100);
}

}  // namespace gangplan::exact_splits_test
