#include "algorithms/exact/several.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "algorithms/exact/alike.h"
#include "algorithms/exact/ask.h"
#include "algorithms/exact/crowd.h"
#include "algorithms/exact/gap.h"
#include "algorithms/exact/greedy.h"
#include "algorithms/exact/one_domain.h"
#include "algorithms/exact/own_rules.h"
#include "algorithms/exact/shapes.h"
#include "algorithms/exact/work.h"
#include "topology/base/check.h"

namespace gangplan::exact {
namespace {

// What is beside the steps of a solve: of each question, and of each look at the room of one leaf.
constexpr int64_t kQuestion = 800;
constexpr int64_t kLookEach = 8;
// Bytes of the tables of sums that leaves with something put on them may need.
constexpr int64_t kMostTableBytes = int64_t{64} << 20;

class SeveralSearch {
 public:
  SeveralSearch(const PlacementView& view, const PlacementRequest& request,
                const std::vector<Terms>& terms, bool counted, int64_t& steps)
      : tree_(*view.tree),
        terms_(terms),
        members_(AllMembers(request)),
        shapes_(view, request, counted),
        steps_(steps) {
    for (size_t shape = 0; shape < shapes_.all().size(); ++shape)
      if (shape != shapes_.main()) few_.insert(few_.end(), shapes_.all()[shape].missing, shape);
  }

  SetsAnswer Run(const PlacementRequest& request);

 private:
  bool ended() const { return steps_ <= 0; }
  Answer Ask(const FitCounts& counts, std::span<const SpecialLeaf> special,
             std::span<const Terms> terms);
  int64_t QuestionSteps() const { return kQuestion + tree_.leaf_count() / 2; }
  void AsCrowd();
  bool Bound();
  void Keep(const Answer& one);
  void Alone();
  bool Joint();
  bool OneByOne(int32_t fixed);
  void Start(int level, const std::vector<int32_t>& hopeful);
  void Try(const std::vector<LeafMembers>& target, GreedyOrder order, Tree::Range within);
  std::vector<LeafMembers> RoomIn(Tree::Range leaves) const;
  bool IsTooLarge() const;
  void Put(size_t next);
  Mix PutOn(int32_t leaf) const { return MixOn(put_, leaf, shapes_.all().size()); }
  void PutAt(size_t next, int32_t leaf);
  void PutLast(int level, std::span<const int32_t> leaves);
  std::vector<int64_t> LeastCost(int level, std::span<const int32_t> leaves);
  void Evaluate();
  std::vector<SpecialLeaf> Special() const;
  void Deal(const PlacementRequest& request, SetsAnswer& answer) const;

  const Tree& tree_;
  const std::vector<Terms>& terms_;
  const int32_t members_;
  const Shapes shapes_;
  int64_t& steps_;
  std::vector<size_t> few_;     // the shape of each pod that is put by itself
  std::map<int32_t, Mix> put_;  // where these are
  std::set<std::map<int32_t, Mix>> seen_;
  std::vector<int64_t> bound_;  // no placement costs less
  std::vector<int32_t> signs_;  // by leaf: see LeafSigns
  std::vector<char> hint_;      // by leaf: used by the placement of the bound
  std::vector<LeafMembers> bound_leaves_;
  bool done_ = false;
  bool cut_ = false;  // some question had no answer
  int32_t most_ = 0;
  std::vector<int64_t> cost_;
  std::vector<LeafMembers> best_;
  std::map<int32_t, Mix> best_put_;
};

// Where something stands or is put: the members there, and room for more of the main shape.
std::vector<SpecialLeaf> SeveralSearch::Special() const {
  std::map<int32_t, Mix> all = put_;
  for (int32_t leaf : shapes_.standing()) all.try_emplace(leaf, shapes_.all().size(), 0);
  std::vector<SpecialLeaf> special;
  CountWork(Work::kFind, 3 * std::ssize(all));
  for (const auto& [leaf, mix] : all) {
    special.push_back(
        {leaf, shapes_.Stands(leaf) + PodsIn(mix), shapes_.Fit(leaf, shapes_.main(), mix)});
  }
  return special;
}

Answer SeveralSearch::Ask(const FitCounts& counts, std::span<const SpecialLeaf> special,
                          std::span<const Terms> terms) {
  Answer answer = AskOne(tree_, counts, special, terms, members_, steps_);
  cut_ = cut_ || answer.cut;
  return answer;
}

// All few pods at once, where it is known what the best is then.
void SeveralSearch::AsCrowd() {
  const CrowdAnswer crowd = AskCrowd(tree_, shapes_, terms_, members_, steps_);
  bound_ = crowd.bound;
  put_ = crowd.put.value_or(put_);
  if (!put_.empty() && !IsTooLarge() && seen_.insert(put_).second) Evaluate();
  put_.clear();
}

// As if every leaf had the mix with which it holds the most. False: not even so there is a
// placement.
bool SeveralSearch::Bound() {
  FitCounts counts;
  counts.levels.resize(tree_.level_count());
  std::vector<int32_t>& most = counts.levels.back();
  most = shapes_.MostTogether(steps_);
  for (int32_t& pods : most) pods = std::min(pods, kMaxLeafCount);
  std::vector<SpecialLeaf> special;
  for (int32_t leaf : shapes_.standing())
    special.push_back({leaf, shapes_.Stands(leaf), most[leaf]});
  counts.RollUp(tree_);
  const Answer answer = Ask(counts, special, terms_);
  hint_.assign(tree_.leaf_count(), 0);
  if (answer.cut) return true;
  most_ = answer.most;
  if (!answer.solution) return false;
  bound_leaves_ = answer.solution->leaves;
  for (const LeafMembers& leaf : bound_leaves_) hint_[leaf.leaf] = 1;
  bound_ = std::max(bound_, answer.solution->best ? answer.solution->costs : answer.bounds);
  done_ = !best_.empty() && cost_ == bound_;
  return true;
}

// All room of the main shape there, as if it were wanted.
std::vector<LeafMembers> SeveralSearch::RoomIn(Tree::Range leaves) const {
  const std::vector<int32_t>& counts = shapes_.counts(shapes_.main()).levels.back();
  std::vector<LeafMembers> room;
  for (int32_t leaf = leaves.begin; leaf < leaves.end; ++leaf)
    room.push_back({leaf, counts[leaf] + shapes_.Stands(leaf)});
  return room;
}

void SeveralSearch::Try(const std::vector<LeafMembers>& target, GreedyOrder order,
                        Tree::Range within) {
  if (done_ || (ended() && !best_.empty())) return;
  put_ = PutGreedily(tree_, shapes_, target, order, within, steps_).value_or(put_);
  if (!put_.empty() && !IsTooLarge() && seen_.insert(put_).second) Evaluate();
  put_.clear();
}

// Some placement first, for the case that the steps end: the few pods by the look of two others,
// that of the bound and one of members of the main shape alone; then domain by domain where the
// members must share one.
void SeveralSearch::Start(int level, const std::vector<int32_t>& hopeful) {
  const Tree::Range everywhere{0, tree_.leaf_count()};
  const Answer alone = Ask(shapes_.counts(shapes_.main()), Special(), terms_);
  std::vector<std::vector<LeafMembers>> targets;
  if (!bound_leaves_.empty()) targets.push_back(bound_leaves_);
  if (alone.solution) targets.push_back(alone.solution->leaves);
  for (const std::vector<LeafMembers>& target : targets) {
    for (const GreedyOrder order : {GreedyOrder::kByLoss, GreedyOrder::kInside})
      Try(target, order, everywhere);
  }
  if (level < 0 || !best_.empty()) return;
  for (int32_t domain : hopeful) {
    const Tree::Range leaves = tree_.leaves(level, domain);
    Try(RoomIn(leaves), GreedyOrder::kByLoss, leaves);
    if (!best_.empty() || ended()) return;
  }
}

// A question with so many leaves that are not like others is one for the search, which comes to
// them only as far as the steps go.
bool SeveralSearch::IsTooLarge() const {
  int64_t parts = 0;
  for (const Terms& level : terms_) parts = std::max(parts, int64_t{level.parts});
  const int64_t set = int64_t{members_} / 8 + 8;
  return static_cast<int64_t>(put_.size()) * set > kMostTableBytes / (parts + 1);
}

void SeveralSearch::Put(size_t next) {
  if (done_ || ended() || !seen_.insert(put_).second) return;
  if (next == few_.size()) return Evaluate();
  if (signs_.empty()) {
    signs_ = LeafSigns(tree_, shapes_, steps_);
    if (ended()) return;
  }
  steps_ -= tree_.leaf_count();
  std::vector<int32_t> leaves = DifferentLeaves(tree_, signs_, put_, hint_);
  steps_ -= (shapes_.FitSteps() - 1) * std::ssize(leaves);
  std::erase_if(leaves,
                [&](int32_t leaf) { return shapes_.Fit(leaf, few_[next], PutOn(leaf)) == 0; });
  if (next + 1 == few_.size()) return PutLast(0, leaves);
  for (int32_t leaf : leaves) {
    PutAt(next, leaf);
    if (done_ || ended()) return;
  }
}

// Puts pod `next` on the leaf, goes on with the next one, and takes it back.
void SeveralSearch::PutAt(size_t next, int32_t leaf) {
  const std::map<int32_t, Mix> before = put_;
  Mix mix = PutOn(leaf);
  ++mix[few_[next]];
  put_[leaf] = mix;
  Put(next + 1);
  put_ = before;
}

// What the levels down to `level` cost at least with the last pod on one of these leaves of one
// domain of that level: as if it stood where that leaves the most room, and without the rules
// below. Empty when it cannot stand there.
std::vector<int64_t> SeveralSearch::LeastCost(int level, std::span<const int32_t> leaves) {
  steps_ -= QuestionSteps() + kLookEach * shapes_.FitSteps() * std::ssize(leaves);
  const size_t last = few_.back();
  int32_t roomy = leaves.front(), most = INT32_MIN;
  for (int32_t leaf : leaves) {
    Mix mix = PutOn(leaf);
    const int32_t without = shapes_.Fit(leaf, shapes_.main(), mix);
    ++mix[last];
    const int32_t gain = shapes_.Fit(leaf, shapes_.main(), mix) - without;
    if (gain <= most) continue;
    most = gain;
    roomy = leaf;
  }
  const std::map<int32_t, Mix> before = put_;
  Mix mix = PutOn(roomy);
  ++mix[last];
  put_[roomy] = mix;
  const std::vector<SpecialLeaf> special = Special();
  put_ = before;
  const Answer answer =
      Ask(shapes_.counts(shapes_.main()), special, std::span<const Terms>(terms_).first(level + 1));
  if (!answer.solution && !answer.cut) return {};
  if (answer.cut || !answer.solution->best) return std::vector<int64_t>(level + 1, INT64_MIN);
  return answer.solution->costs;
}

// Domain by domain, the one that can be the best first; one that costs more than what was found is
// left out.
void SeveralSearch::PutLast(int level, std::span<const int32_t> leaves) {
  struct Part {
    std::vector<int64_t> cost;
    std::vector<int32_t> leaves;
  };
  if (level == tree_.leaf_level()) {
    for (int32_t leaf : leaves) {
      PutAt(few_.size() - 1, leaf);
      if (done_ || ended()) return;
    }
    return;
  }
  std::map<int32_t, size_t> number;
  std::vector<Part> parts;
  for (int32_t leaf : leaves) {
    const auto [at, fresh] = number.try_emplace(tree_.Ancestor(leaf, level), parts.size());
    if (fresh) parts.emplace_back();
    parts[at->second].leaves.push_back(leaf);
  }
  for (Part& part : parts) part.cost = LeastCost(level, part.leaves);
  std::erase_if(parts, [](const Part& part) { return part.cost.empty(); });
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return a.cost < b.cost; });
  for (const Part& part : parts) {
    if (done_ || ended()) return;
    const bool worse =
        !best_.empty() && std::lexicographical_compare(cost_.begin(), cost_.begin() + level + 1,
                                                       part.cost.begin(), part.cost.end());
    if (worse) return;
    PutLast(level + 1, part.leaves);
  }
}

void SeveralSearch::Evaluate() {
  steps_ -= QuestionSteps();
  const std::vector<SpecialLeaf> special = Special();
  const Answer answer = Ask(shapes_.counts(shapes_.main()), special, terms_);
  if (!answer.solution) return;
  if (!best_.empty() && !(answer.solution->costs < cost_)) return;
  cost_ = answer.solution->costs;
  best_ = answer.solution->leaves;
  best_put_ = put_;
  done_ = cost_ == bound_;
}

// Members of each shape to its pod sets, the first set first.
void SeveralSearch::Deal(const PlacementRequest& request, SetsAnswer& answer) const {
  std::vector<std::vector<int32_t>> by_shape(shapes_.all().size());
  for (const LeafMembers& leaf : best_) {
    int32_t rest = leaf.members - shapes_.Stands(leaf.leaf);
    const auto put = best_put_.find(leaf.leaf);
    for (size_t shape = 0; shape < by_shape.size() && put != best_put_.end(); ++shape) {
      by_shape[shape].insert(by_shape[shape].end(), put->second[shape], leaf.leaf);
      rest -= put->second[shape];
    }
    by_shape[shapes_.main()].insert(by_shape[shapes_.main()].end(), rest, leaf.leaf);
  }
  std::vector<int32_t> missing;
  for (const PodSetRequest& set : request.pod_sets) missing.push_back(set.count);
  for (const FixedMember& member : request.fixed) --missing[member.pod_set];
  answer.leaves.resize(missing.size());
  for (size_t shape = 0; shape < by_shape.size(); ++shape) {
    auto from = by_shape[shape].begin();
    for (int32_t set : shapes_.all()[shape].pod_sets) {
      answer.leaves[set].assign(from, from + missing[set]);
      from += missing[set];
    }
    GANGPLAN_CHECK(from == by_shape[shape].end());
  }
}

// The answer to all that was asked.
void SeveralSearch::Keep(const Answer& one) {
  done_ = one.solution->best;
  cost_ = one.solution->costs;
  bound_ = one.bounds;
  best_ = one.solution->leaves;
}

// The few pods as loads: one question. False: that takes too many steps.
bool SeveralSearch::Joint() {
  const Loads loads(shapes_);
  steps_ -= int64_t{loads.whole()} * tree_.leaf_count();
  const Answer one =
      AskOne(tree_, shapes_.counts(shapes_.main()), Special(), terms_, members_, steps_, &loads);
  if (one.cut) return false;
  most_ = one.most;
  if (!one.solution) return true;
  Keep(one);
  for (const LeafMembers& leaf : best_)
    if (leaf.load > 0) best_put_[leaf.leaf] = loads.mix(leaf.load);
  return true;
}

// The few pods are put one after the other. False: there is no placement.
bool SeveralSearch::OneByOne(int32_t fixed) {
  AsCrowd();
  if (done_) return true;
  const int level = OneDomainLevel(terms_);
  const std::vector<int32_t> hopeful = HopefulDomains(tree_, shapes_, level);
  const int32_t most = MostInOneDomain(tree_, shapes_, level);
  const bool bound = Bound();
  most_ = std::min({bound ? members_ : most_, members_ - 1, most + fixed});
  if (!bound || hopeful.empty()) return false;
  Start(level, hopeful);
  Put(0);
  return true;
}

void SeveralSearch::Alone() {
  const Answer one = Ask(shapes_.counts(shapes_.main()), Special(), terms_);
  most_ = one.most;
  if (one.solution) Keep(one);
}

SetsAnswer SeveralSearch::Run(const PlacementRequest& request) {
  SetsAnswer answer;
  if (tree_.leaf_count() == 0) {
    answer.proven = true;
    return answer;
  }
  const bool joint = !few_.empty() && few_.size() <= Loads::kMostPods && Joint();
  if (few_.empty()) {
    Alone();
  } else if (!joint && !OneByOne(static_cast<int32_t>(request.fixed.size()))) {
    answer.proven = true;
    answer.most = most_;
    return answer;
  }
  answer.placed = !best_.empty();
  answer.best = done_ || (answer.placed && !joint && !ended() && !cut_);
  if (answer.placed && !answer.best && !bound_.empty()) answer.gap = GapOf(terms_, cost_, bound_);
  answer.proven = !answer.placed && (joint || few_.empty() || !ended()) && !cut_;
  answer.most = most_;
  if (answer.placed) Deal(request, answer);
  return answer;
}

}  // namespace

SetsAnswer AskSets(const PlacementView& view, const PlacementRequest& request,
                   const std::vector<Terms>& terms, bool counted, int64_t& steps) {
  if (HasOwnRules(request)) return AskWithOwnRules(view, request, terms, counted, steps);
  return SeveralSearch(view, request, terms, counted, steps).Run(request);
}

}  // namespace gangplan::exact
