#include "algorithms/pack.h"

#include <algorithm>
#include <tuple>

#include "topology/base/check.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

class Packer {
 public:
  Packer(const Tree& tree, const FitCounts& counts, const PlacementRequest& request)
      : tree_(tree), counts_(counts), hard_(HardLevel(request)) {
    for (const FixedMember& member : request.fixed) fixed_.push_back(member.leaf);
    std::sort(fixed_.begin(), fixed_.end());
    need_ = request.pod_sets.front().count - static_cast<int32_t>(request.fixed.size());
  }

  PlacementResult Run();
  const std::vector<int32_t>& leaves() const { return leaves_; }

 private:
  int32_t Count(int level, int32_t index) const {
    return counts_.at(level)[static_cast<size_t>(index)];
  }
  int32_t FixedIn(int level, int32_t index) const;
  bool StartAtFixed();
  bool StartAnywhere();
  bool Better(int level, int32_t a, int32_t b) const;
  void Fill(int level, int32_t index, int32_t need);
  void FillRest(int level, std::vector<int32_t> children, int32_t need);
  void FillWholeTree();

  const Tree& tree_;
  const FitCounts& counts_;
  const int hard_;
  int32_t need_ = 0;
  std::vector<int32_t> fixed_;   // leaves of standing members, ascending
  std::vector<int32_t> leaves_;  // one per placed member
  std::string problem_;
};

int32_t Packer::FixedIn(int level, int32_t index) const {
  Tree::Range range = tree_.leaves(level, index);
  return static_cast<int32_t>(std::lower_bound(fixed_.begin(), fixed_.end(), range.end) -
                              std::lower_bound(fixed_.begin(), fixed_.end(), range.begin));
}

// The smallest domain around the standing members that has room for the rest.
bool Packer::StartAtFixed() {
  for (int level = tree_.leaf_level(); level >= 0; --level) {
    int32_t index = tree_.Ancestor(fixed_.front(), level);
    bool together = FixedIn(level, index) == static_cast<int32_t>(fixed_.size());
    if (!together && level == hard_) {
      problem_ = fmt::format("standing members are in more than one {}", tree_.level(level).name);
      return false;
    }
    if (together && Count(level, index) >= need_) {
      Fill(level, index, need_);
      return true;
    }
    if (level <= hard_) return false;
  }
  FillWholeTree();
  return need_ <= static_cast<int32_t>(leaves_.size());
}

bool Packer::Better(int level, int32_t a, int32_t b) const {
  for (; level >= 0; --level) {
    if (Count(level, a) != Count(level, b)) return Count(level, a) < Count(level, b);
    a = tree_.parent(level, a);
    b = tree_.parent(level, b);
    if (a == b) return false;
  }
  return false;
}

bool Packer::StartAnywhere() {
  for (int level = tree_.leaf_level(); level >= std::max(hard_, 0); --level) {
    int32_t best = -1;
    for (int32_t index = 0; index < tree_.size(level); ++index) {
      if (Count(level, index) >= need_ && (best < 0 || Better(level, index, best))) best = index;
    }
    if (best < 0) continue;
    Fill(level, best, need_);
    return true;
  }
  if (hard_ >= 0) return false;
  FillWholeTree();
  return need_ <= static_cast<int32_t>(leaves_.size());
}

void Packer::Fill(int level, int32_t index, int32_t need) {
  if (level == tree_.leaf_level()) {
    leaves_.insert(leaves_.end(), static_cast<size_t>(need), index);
    return;
  }
  Tree::Range range = tree_.children(level, index);
  std::vector<int32_t> children;
  for (int32_t child = range.begin; child < range.end; ++child) {
    if (Count(level + 1, child) > 0) children.push_back(child);
  }
  FillRest(level + 1, std::move(children), need);
}

// Spends `need` members on `children` of `level`: those with standing members first, then as few
// others as possible. Members beyond all room are left out.
void Packer::FillRest(int level, std::vector<int32_t> children, int32_t need) {
  std::stable_sort(children.begin(), children.end(), [&](int32_t a, int32_t b) {
    return std::make_tuple(-FixedIn(level, a), -Count(level, a), a) <
           std::make_tuple(-FixedIn(level, b), -Count(level, b), b);
  });
  for (size_t next = 0; next < children.size() && need > 0; ++next) {
    size_t chosen = next;
    if (FixedIn(level, children[next]) == 0 && Count(level, children[next]) >= need) {
      // The order is fullest first: the last that still holds the rest is the tightest; of equals the first.
      while (chosen + 1 < children.size() && Count(level, children[chosen + 1]) >= need) ++chosen;
      while (chosen > next && Count(level, children[chosen - 1]) == Count(level, children[chosen])) --chosen;
    }
    int32_t share = std::min(need, Count(level, children[chosen]));
    Fill(level, children[chosen], share);
    need -= share;
    if (chosen != next) break;
  }
}

void Packer::FillWholeTree() {
  std::vector<int32_t> tops;
  int64_t room = 0;
  for (int32_t index = 0; index < tree_.size(0); ++index) {
    if (Count(0, index) > 0) tops.push_back(index);
    room += Count(0, index);
  }
  if (room >= need_) FillRest(0, std::move(tops), need_);
}

PlacementResult Packer::Run() {
  PlacementResult result;
  bool placed = need_ == 0 || tree_.leaf_count() == 0
                    ? need_ == 0
                    : fixed_.empty() ? StartAnywhere() : StartAtFixed();
  if (!problem_.empty()) {
    result.problem = problem_;
    return result;
  }
  result.outcome = placed ? Outcome::kPlaced : Outcome::kWait;
  result.deciding_level = placed ? -1 : hard_;
  std::sort(leaves_.begin(), leaves_.end());
  return result;
}

}  // namespace

int HardLevel(const PlacementRequest& request) {
  for (size_t level = request.rules.size(); level-- > 0;) {
    if (request.rules[level] && request.rules[level]->hard) return static_cast<int>(level);
  }
  return -1;
}

std::string PackProblem(const Tree& tree, const PlacementRequest& request) {
  if (request.pod_sets.size() != 1) return "several pod sets in one group are not supported yet";
  for (size_t level = 0; level < request.rules.size(); ++level) {
    if (!request.rules[level]) continue;
    const LevelRule& rule = *request.rules[level];
    const std::string& name = tree.level(static_cast<int>(level)).name;
    std::string_view word = rule.kind == LevelRule::Kind::kSpread ? "spread"
                            : rule.partitions                     ? "partitions"
                            : rule.min                            ? "min"
                            : rule.max                            ? "max"
                            : rule.factor                         ? "factor"
                                                                  : "";
    if (!word.empty()) return fmt::format("{}: {} is not supported yet, pack is", name, word);
  }
  return {};
}

PlacementResult Pack(const PlacementView& view, const PlacementRequest& request) {
  GANGPLAN_CHECK(view.counts.size() == 1);
  Packer packer(*view.tree, *view.counts.front(), request);
  PlacementResult result = packer.Run();
  if (result.outcome != Outcome::kPlaced) return result;
  const PodSetRequest& set = request.pod_sets.front();
  std::vector<int32_t> taken;
  for (const FixedMember& member : request.fixed) taken.push_back(member.rank);
  std::sort(taken.begin(), taken.end());
  int32_t rank = set.first_rank;
  for (int32_t leaf : packer.leaves()) {
    while (std::binary_search(taken.begin(), taken.end(), rank)) ++rank;
    result.members.push_back({0, rank++, leaf});
  }
  return result;
}

}  // namespace gangplan
