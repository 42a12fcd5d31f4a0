#include "algorithms/tas/repair.h"

#include <algorithm>
#include <map>

namespace gangplan {
namespace {

// The repair of one pod set.
class Repair {
 public:
  Repair(const Tree& tree, int32_t index, const TasPodSet& pod_set,
         std::span<const TasStanding> standing, TasCapacity& capacity, TasScratch& scratch)
      : tree_(tree),
        index_(index),
        pod_set_(pod_set),
        request_(pod_set.request),
        standing_(standing),
        capacity_(capacity),
        scratch_(scratch),
        lowest_(capacity.Counts(index, -1).lowest) {}

  TasAnswer Run() {
    TasAnswer answer{index_, {}, std::nullopt};
    if (!Split()) {
      answer.failure.emplace().kind = TasFailure::Kind::kStaleAssignment;
    } else if (lost_ == 0) {
      answer.shares = rest_;
    } else if (pod_set_.invalid) {
      answer.failure = pod_set_.invalid;
    } else {
      if (several_ ? !FillSlices() || !PlaceLeft() : !PlaceOnce()) answer.failure = failure_;
      answer.shares = MergeShares(std::move(rest_));
    }
    return answer;
  }

 private:
  bool fixed() const { return request_.compatibility == KueueCompatibility::kFixed; }

  // Tells the lost pods from the rest; false when some of the rest stand nowhere.
  bool Split() {
    int32_t nodes = 0;
    for (const TasStanding& standing : standing_) {
      bool lost = fixed() ? standing.failed >= 0 : standing.failed == 0;
      if (lost) {
        lost_ += standing.count;
        ++nodes;
      } else if (standing.domain < 0) {
        return false;
      } else {
        rest_.push_back({standing.domain, standing.count});
      }
    }
    several_ = nodes > 1;
    if (!rest_.empty()) first_rest_ = rest_.front().domain;
    return true;
  }

  // Where a required level keeps the pods.
  std::optional<Tree::Domain> RequiredDomain() const {
    if (first_rest_ < 0) return pod_set_.request.confine;
    if (request_.mode != TasRequest::Mode::kRequired) return std::nullopt;
    return Tree::Domain{request_.level, tree_.Ancestor(lowest_, first_rest_, request_.level)};
  }

  // Pods that stand, by domain of a level.
  std::map<int32_t, int32_t> StandingAt(int level) const {
    std::map<int32_t, int32_t> pods;
    for (const TasShare& share : rest_)
      pods[tree_.Ancestor(lowest_, share.domain, level)] += share.count;
    return pods;
  }

  // --- One failed node.

  bool PlaceOnce() {
    request_.confine = BrokenDomain();
    if (!request_.confine) {
      request_.confine = RequiredDomain();
    } else {
      KeepLayerThatFits();
      if (request_.slices.empty() && pod_set_.slices_alone && !fixed())
        return Fail(TasFailure::Kind::kLevelNotSpecified);
    }
    return PlaceMore(lost_);
  }

  // The first domain of the innermost layer that the lost pods break that just lacks them.
  std::optional<Tree::Domain> BrokenDomain() const {
    auto broken = std::find_if(request_.slices.rbegin(), request_.slices.rend(),
                               [&](const TasLayer& layer) { return lost_ % layer.size != 0; });
    if (broken == request_.slices.rend()) return std::nullopt;
    for (const auto& [domain, pods] : StandingAt(broken->level)) {
      if ((pods + lost_) % broken->size == 0) return Tree::Domain{broken->level, domain};
    }
    return std::nullopt;
  }

  // Of the layers only the innermost that the lost pods fill, as Kueue does.
  void KeepLayerThatFits() {
    std::vector<TasLayer> kept;
    for (const TasLayer& layer : request_.slices) {
      if (lost_ % layer.size == 0) kept = {layer};
    }
    request_.slices = std::move(kept);
  }

  // --- Several failed nodes.

  bool FillSlices() {
    const std::vector<TasLayer> layers = request_.slices;
    for (size_t at = layers.size(); at-- > 0;) {
      request_.slices.assign(layers.begin() + static_cast<std::ptrdiff_t>(at) + 1, layers.end());
      for (const auto& [domain, pods] : StandingAt(layers[at].level)) {
        int32_t missing =
            std::min(lost_, (layers[at].size - pods % layers[at].size) % layers[at].size);
        request_.confine = Tree::Domain{layers[at].level, domain};
        if (missing > 0 && !PlaceMore(missing)) return false;
      }
    }
    request_.slices = layers;
    return true;
  }

  bool PlaceLeft() {
    request_.confine = RequiredDomain();
    return lost_ == 0 || PlaceMore(lost_);
  }

  bool PlaceMore(int32_t count) {
    request_.count = count;
    PlaceTas(tree_, capacity_.Counts(index_, -1), request_, scratch_, result_);
    if (result_.failure) {
      failure_ = result_.failure;
      return false;
    }
    capacity_.Assume(index_, result_.workers);
    rest_.insert(rest_.end(), result_.workers.begin(), result_.workers.end());
    lost_ -= count;
    return true;
  }

  bool Fail(TasFailure::Kind kind) {
    failure_.emplace().kind = kind;
    return false;
  }

  const Tree& tree_;
  const int32_t index_;
  const TasPodSet& pod_set_;
  TasRequest request_;
  std::span<const TasStanding> standing_;
  TasCapacity& capacity_;
  TasScratch& scratch_;
  const int lowest_;
  TasResult result_;
  std::vector<TasShare> rest_;
  int32_t first_rest_ = -1;
  int32_t lost_ = 0;
  bool several_ = false;
  std::optional<TasFailure> failure_;
};

}  // namespace

std::vector<TasAnswer> RepairTasWorkload(const Tree& tree, std::span<const TasPodSet> pod_sets,
                                         std::span<const std::vector<TasStanding>> standing,
                                         TasCapacity& capacity, TasScratch& scratch) {
  std::vector<TasAnswer> answers;
  for (size_t i = 0; i < pod_sets.size(); ++i) {
    const int32_t index = static_cast<int32_t>(i);
    answers.push_back(Repair(tree, index, pod_sets[i], standing[i], capacity, scratch).Run());
    if (answers.back().failure) break;
  }
  return answers;
}

}  // namespace gangplan
