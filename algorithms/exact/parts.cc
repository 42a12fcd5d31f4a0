#include "algorithms/exact/parts.h"

#include <algorithm>

#include "topology/base/check.h"
#include "topology/fit_counts.h"

namespace gangplan::exact {
namespace {

Part PartOf(const PodSetRequest& set, int32_t index, size_t shape, size_t levels) {
  Part part;
  part.pod_sets = {index};
  part.shape = shape;
  Terms free;
  free.kind = LevelRule::Kind::kAny;
  part.own.assign(levels, free);
  part.ruled.assign(levels, 0);
  for (size_t level = 0; level < set.rules.size(); ++level) {
    if (!set.rules[level]) continue;
    part.own[level] = TermsOf(set.rules[level]);
    part.ruled[level] = 1;
    part.bottom = static_cast<int>(level);
  }
  return part;
}

}  // namespace

Parts::Parts(const PlacementView& view, const PlacementRequest& request, bool counted)
    : shapes_(view, request, counted) {
  std::vector<size_t> shape_of(request.pod_sets.size());
  for (size_t shape = 0; shape < shapes_.all().size(); ++shape)
    for (const int32_t set : shapes_.all()[shape].pod_sets) shape_of[set] = shape;
  std::vector<size_t> part_of;
  for (size_t set = 0; set < request.pod_sets.size(); ++set) {
    const auto index = static_cast<int32_t>(set);
    Part fresh = PartOf(request.pod_sets[set], index, shape_of[set], request.rules.size());
    size_t part = 0;
    while (part < parts_.size() &&
           (fresh.bottom >= 0 || parts_[part].bottom >= 0 || parts_[part].shape != fresh.shape))
      ++part;
    if (part == parts_.size())
      parts_.push_back(std::move(fresh));
    else
      parts_[part].pod_sets.push_back(index);
    parts_[part].count += request.pod_sets[set].count;
    part_of.push_back(part);
  }
  for (Part& part : parts_) part.missing = part.count;
  for (const FixedMember& member : request.fixed) {
    const size_t part = part_of[static_cast<size_t>(member.pod_set)];
    --parts_[part].missing;
    ++standing_.try_emplace(member.leaf, parts_.size(), 0).first->second[part];
  }
}

int Parts::bottom() const {
  int bottom = -1;
  for (const Part& part : parts_) bottom = std::max(bottom, part.bottom);
  return bottom;
}

int32_t Parts::Stands(int32_t leaf, size_t part) const {
  const auto found = standing_.find(leaf);
  return found == standing_.end() ? 0 : found->second[part];
}

Mix Parts::Fresh(int32_t leaf, const PartCounts& members) const {
  Mix mix(shapes_.all().size(), 0);
  for (size_t part = 0; part < parts_.size(); ++part)
    mix[parts_[part].shape] += members[part] - Stands(leaf, part);
  return mix;
}

int32_t Parts::Fit(int32_t leaf, size_t part, const PartCounts& members) const {
  const int32_t fit = shapes_.Fit(leaf, parts_[part].shape, Fresh(leaf, members));
  return std::min(fit, parts_[part].missing);
}

bool Parts::Holds(int32_t leaf, const PartCounts& members) const {
  const Mix all = Fresh(leaf, members);
  Mix put(all.size(), 0);
  for (size_t shape = 0; shape < all.size(); ++shape) {
    if (all[shape] > 0 && shapes_.Fit(leaf, shape, put) < all[shape]) return false;
    put[shape] = all[shape];
  }
  return true;
}

PartCounts Parts::StandingIn(const Tree& tree, int level, int32_t domain) const {
  PartCounts stand(parts_.size(), 0);
  const Tree::Range leaves = tree.leaves(level, domain);
  for (auto at = standing_.lower_bound(leaves.begin);
       at != standing_.end() && at->first < leaves.end; ++at)
    AddTo(stand, at->second);
  return stand;
}

PartCounts Parts::MostIn(const Tree& tree, int level, int32_t domain) const {
  PartCounts most = StandingIn(tree, level, domain);
  for (size_t part = 0; part < most.size(); ++part)
    most[part] +=
        std::min(parts_[part].missing, shapes_.counts(parts_[part].shape).at(level)[domain]);
  return most;
}

bool Parts::ShapesFit(const PartCounts& members, const PartCounts& standing, int level,
                      int32_t domain) const {
  Mix fresh(shapes_.all().size(), 0);
  for (size_t part = 0; part < parts_.size(); ++part)
    fresh[parts_[part].shape] += members[part] - standing[part];
  for (size_t shape = 0; shape < fresh.size(); ++shape)
    if (fresh[shape] > shapes_.counts(shape).at(level)[domain]) return false;
  return true;
}

std::vector<std::vector<int32_t>> Parts::Deal(const PlacementRequest& request,
                                              const PartPlacement& placed) const {
  std::vector<int32_t> missing;
  for (const PodSetRequest& set : request.pod_sets) missing.push_back(set.count);
  for (const FixedMember& member : request.fixed) --missing[member.pod_set];
  std::vector<std::vector<int32_t>> leaves(missing.size());
  for (size_t part = 0; part < parts_.size(); ++part) {
    std::vector<int32_t> all;
    for (const auto& [leaf, members] : placed)
      all.insert(all.end(), members[part] - Stands(leaf, part), leaf);
    auto from = all.begin();
    for (const int32_t set : parts_[part].pod_sets) {
      leaves[set].assign(from, from + missing[set]);
      from += missing[set];
    }
    GANGPLAN_CHECK(from == all.end());
  }
  return leaves;
}

}  // namespace gangplan::exact
