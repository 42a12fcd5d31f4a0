// A cluster written as its hosts and what fits there, and requests to the tas engine on it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/tas/repair.h"
#include "fmt/format.h"
#include "tests/support/catch.h"
#include "tests/support/cluster_facts.h"

namespace gangplan {

struct HostSpec {
  std::string block;
  std::string rack;
  std::string host;
  int32_t pods = 0;
  int32_t beside_leader = 0;
  bool leads = false;
  int64_t score = 0;
};

// Also the capacity of workloads whose pods all have one shape.
class TasWorld : public TasCapacity {
 public:
  explicit TasWorld(std::vector<HostSpec> hosts) : specs_(std::move(hosts)) {
    std::vector<NodeFacts> nodes;
    std::vector<const NodeFacts*> pointers;
    for (const HostSpec& spec : specs_)
      nodes.push_back(MakeNode(spec.host, {{"b", spec.block}, {"r", spec.rack}}));
    for (const NodeFacts& node : nodes) pointers.push_back(&node);
    tree_ = Tree(BlockRackNode(), pointers);
    for (int32_t source : tree_.leaf_source()) room_.push_back(specs_[source].pods);
  }

  const Tree& tree() const { return tree_; }
  TasScratch& scratch() { return scratch_; }

  int32_t Host(std::string_view name) const {
    for (int32_t host = 0; host < tree_.leaf_count(); ++host) {
      if (tree_.name(2, host) == name) return host;
    }
    return -1;
  }

  TasCounts Counts(int32_t, int32_t leader) override {
    counts_.levels.assign(3, {});
    for (int level = 0; level < 3; ++level) counts_.levels[level].resize(tree_.size(level));
    beside_.clear();
    leads_.clear();
    scores_.clear();
    bool scored = false;
    for (int32_t host = 0; host < tree_.leaf_count(); ++host) {
      const HostSpec& spec = specs_[tree_.leaf_source()[host]];
      int32_t at = host;
      for (int level = 2; level >= 0; at = tree_.parent(level, at), --level)
        counts_.levels[level][at] += room_[host];
      beside_.push_back(spec.beside_leader);
      leads_.push_back(spec.leads ? 1 : 0);
      scores_.push_back(spec.score);
      scored = scored || spec.score != 0;
    }
    TasCounts counts;
    counts.lowest = 2;
    counts.workers = &counts_;
    if (leader >= 0) counts.workers_beside_leader = beside_;
    if (leader >= 0) counts.leader_fits = leads_;
    if (scored) counts.affinity = scores_;
    return counts;
  }

  void Assume(int32_t, std::span<const TasShare> shares) override {
    for (const TasShare& share : shares) room_[share.domain] -= share.count;
  }

  // "n1:2 n2:1", " leader n3" after it; "2 of 4" or "1 of 2 slices" when it does not fit.
  std::string Place(const TasRequest& request) {
    TasResult result;
    PlaceTas(tree_, Counts(0, request.leader ? 1 : -1), request, scratch_, result);
    if (result.failure) return Text(*result.failure);
    std::string text = Text(result.workers);
    return result.leader < 0 ? text : text + " leader " + tree_.name(2, result.leader);
  }

  std::string Text(std::span<const TasShare> shares) const {
    std::string text;
    for (const TasShare& share : shares)
      text +=
          fmt::format("{}{}:{}", text.empty() ? "" : " ", tree_.name(2, share.domain), share.count);
    return text;
  }

  static std::string Text(const TasFailure& failure) {
    if (failure.kind == TasFailure::Kind::kNoFit)
      return fmt::format("{} of {}{}", failure.fit, failure.of, failure.in_slices ? " slices" : "");
    std::string text = fmt::format("failure {}", static_cast<int>(failure.kind));
    for (const TasLayerFit& layer : failure.layers)
      text += fmt::format(" {}:{}/{}", layer.level, layer.fit, layer.need);
    return text;
  }

 private:
  std::vector<HostSpec> specs_;
  Tree tree_;
  std::vector<int32_t> room_;
  FitCounts counts_;
  std::vector<int32_t> beside_, leads_;
  std::vector<int64_t> scores_;
  TasScratch scratch_;
};

inline TasRequest Required(int level, int32_t count, std::vector<TasLayer> slices = {}) {
  TasRequest request;
  request.mode = TasRequest::Mode::kRequired;
  request.level = level;
  request.count = count;
  request.slices = std::move(slices);
  return request;
}

inline TasRequest Preferred(int level, int32_t count, std::vector<TasLayer> slices = {}) {
  TasRequest request = Required(level, count, std::move(slices));
  request.mode = TasRequest::Mode::kPreferred;
  return request;
}

inline TasRequest Unconstrained(int level, int32_t count, std::vector<TasLayer> slices = {}) {
  TasRequest request = Required(level, count, std::move(slices));
  request.mode = TasRequest::Mode::kUnconstrained;
  return request;
}

inline TasRequest Exact(TasRequest request) {
  request.compatibility = KueueCompatibility::kExact;
  return request;
}

}  // namespace gangplan
