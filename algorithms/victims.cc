#include "algorithms/victims.h"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

#include "algorithms/packs.h"

namespace gangplan {
namespace {

// Sets of groups, always in the order of putting back: the highest priority first.
using Groups = std::vector<int32_t>;

// Compares as victims do: at the first place where two sets differ the one with the higher priority
// has more victims of that priority, and a set costs less than one that has it and more.
struct Cost {
  std::vector<int64_t> priorities;  // of the victims, falling
  int64_t pods = 0;
  bool operator<(const Cost& other) const {
    return std::tie(priorities, pods) < std::tie(other.priorities, other.pods);
  }
};

// So deep does the search go; a set of more victims is not improved.
constexpr size_t kMostVictims = 256;

class Search {
 public:
  Search(const VictimsRequest& request, const PlaceWithout& place)
      : request_(request), place_(place) {}

  VictimsResult Run() {
    if (Fits({})) return Answer(VictimsResult::Outcome::kNotNeeded);
    if (undecided_) return Answer(VictimsResult::Outcome::kNotDecided);
    const std::vector<Groups> hosts = Hosts();
    const Groups lower = Joined(hosts);
    if (lower.empty() || !Fits(lower))
      return Answer(undecided_ ? VictimsResult::Outcome::kNotDecided
                               : VictimsResult::Outcome::kNotPossible);
    Keep(Reprieve(lower));
    most_checks_ = checks_ + request_.budget.checks;
    for (const Groups& host : hosts) SearchHost(host);
    if (undecided_ && !EachIsNeeded()) {
      best_.clear();
      return Answer(VictimsResult::Outcome::kNotDecided);
    }
    Fits(best_);
    std::sort(best_.begin(), best_.end(),
              [&](int32_t a, int32_t b) { return at(a).name < at(b).name; });
    return Answer(VictimsResult::Outcome::kFound);
  }

 private:
  const RunningGroup& at(int32_t group) const {
    return request_.running[static_cast<size_t>(group)];
  }

  bool Fits(const Groups& gone) {
    ++checks_;
    last_ = place_(gone);
    const bool fits = last_.outcome == Outcome::kPlaced;
    undecided_ = undecided_ || (!fits && !last_.proven);
    return fits;
  }

  // Sends back the victims that can stay after all; false when of one that is not decided. Then the
  // answer to that is the latest.
  bool EachIsNeeded() {
    for (size_t i = 0; i < best_.size();) {
      Groups fewer = best_;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (Fits(fewer)) {
        best_ = std::move(fewer);
        i = 0;
        continue;
      }
      if (!last_.proven) return false;
      ++i;
    }
    return true;
  }

  VictimsResult Answer(VictimsResult::Outcome outcome) {
    return {outcome, std::move(best_), std::move(last_), !ended_ && !undecided_, checks_};
  }

  // The highest priority first, then the most pods: who is put back early stays.
  bool IsBefore(int32_t a, int32_t b) const {
    return std::make_tuple(at(b).priority, at(b).pods, std::string_view(at(a).name)) <
           std::make_tuple(at(a).priority, at(a).pods, std::string_view(at(b).name));
  }

  Groups Lower() const {
    Groups lower;
    for (int32_t i = 0; i < static_cast<int32_t>(request_.running.size()); ++i)
      if (request_.priority > 0 && at(i).priority < request_.priority) lower.push_back(i);
    std::sort(lower.begin(), lower.end(), [&](int32_t a, int32_t b) { return IsBefore(a, b); });
    return lower;
  }

  // The groups that may go, for each host, in the order of putting back; hosts by their leaves.
  std::vector<Groups> Hosts() const {
    if (request_.hosts.empty()) return {Lower()};
    std::vector<Tree::Range> ranges = request_.hosts;
    const auto before = [](const Tree::Range& a, const Tree::Range& b) {
      return a.begin < b.begin;
    };
    std::sort(ranges.begin(), ranges.end(), before);
    std::vector<Groups> hosts(ranges.size());
    for (const int32_t group : Lower()) {
      for (const int32_t leaf : at(group).leaves) {
        auto range = std::upper_bound(ranges.begin(), ranges.end(), Tree::Range{leaf, 0}, before);
        if (range == ranges.begin() || leaf >= (--range)->end) continue;
        Groups& host = hosts[static_cast<size_t>(range - ranges.begin())];
        if (host.empty() || host.back() != group) host.push_back(group);
      }
    }
    return hosts;
  }

  Groups Joined(const std::vector<Groups>& hosts) const {
    Groups all;
    for (const Groups& host : hosts) all.insert(all.end(), host.begin(), host.end());
    std::sort(all.begin(), all.end(), [&](int32_t a, int32_t b) { return IsBefore(a, b); });
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  // How many of `open` from its front can stay while `gone` and the rest of `open` go; about
  // `guess`, where it is small: of many victims each costs few questions then.
  // REQUIRES: none can stay at least.
  size_t Staying(const Groups& gone, std::span<const int32_t> open, size_t guess) {
    size_t can = 0, cannot = open.size() + 1;
    for (size_t step = std::max<size_t>(guess, 1); can + 1 < cannot; step *= 2) {
      const size_t middle = can + std::min(step, (cannot - can) / 2);
      Groups all = gone;
      all.insert(all.end(), open.begin() + static_cast<std::ptrdiff_t>(middle), open.end());
      (Fits(all) ? can : cannot) = middle;
    }
    return can;
  }

  // Of groups that make room when all of them go, those that remain when each that can stay does,
  // one after the other.
  Groups Reprieve(std::span<const int32_t> open) {
    Groups gone;
    size_t guess = open.size();
    while (!open.empty()) {
      const size_t staying = Staying(gone, open, guess);
      if (staying == open.size()) break;
      guess = staying;
      gone.push_back(open[staying]);
      open = open.subspan(staying + 1);
    }
    return gone;
  }

  Cost CostOf(const Groups& set) const {
    Cost cost;
    for (const int32_t group : set) {
      cost.priorities.push_back(at(group).priority);
      cost.pods += at(group).pods;
    }
    return cost;
  }

  void Keep(Groups set) {
    best_cost_ = CostOf(set);
    best_ = std::move(set);
  }

  bool BudgetEnds() {
    if (checks_ >= most_checks_) ended_ = true;
    return ended_;
  }

  void SearchHost(const Groups& host) {
    if (host.empty() || BudgetEnds() || !Fits(host)) return;
    Groups set = Reprieve(host);
    if (CostOf(set) < best_cost_) Keep(std::move(set));
    Branch({}, host);
  }

  // Looks at every set that is `gone` and some of `open`. REQUIRES: `gone` alone makes no room, all
  // of them together do.
  void Branch(Groups gone, std::span<const int32_t> open) {
    if (BudgetEnds()) return;
    if (gone.size() >= kMostVictims) {
      ended_ = true;
      return;
    }
    // Somebody of the first that cannot all stay has to go. The last of them first: the others
    // stay.
    const size_t staying = Staying(gone, open, open.size());
    for (size_t i = staying + 1; i-- > 0;) {
      if (BudgetEnds()) return;
      gone.push_back(open[i]);
      Try(gone, open.subspan(i + 1));
      gone.pop_back();
    }
  }

  void Try(const Groups& gone, std::span<const int32_t> open) {
    if (!(CostOf(gone) < best_cost_)) return;
    if (Fits(gone)) return Keep(gone);
    if (open.empty()) return;
    // One more has to go, and the last to be put back costs least.
    Groups least = gone;
    least.push_back(open.back());
    if (CostOf(least) < best_cost_) Branch(gone, open);
  }

  const VictimsRequest& request_;
  const PlaceWithout& place_;
  Groups best_;
  Cost best_cost_;
  PlacementResult last_;  // of the latest question
  int64_t checks_ = 0;
  int64_t most_checks_ = 0;
  bool ended_ = false;
  bool undecided_ = false;  // an answer was not proven
};

}  // namespace

VictimsResult FindVictims(const VictimsRequest& request, const PlaceWithout& place) {
  return Search(request, place).Run();
}

std::vector<Tree::Range> HostsOf(const Tree& tree, const PlacementRequest& request) {
  const int level = HardFromTop(request);
  std::vector<Tree::Range> hosts;
  for (int32_t i = 0; level >= 0 && i < tree.size(level); ++i)
    hosts.push_back(tree.leaves(level, i));
  return hosts;
}

}  // namespace gangplan
