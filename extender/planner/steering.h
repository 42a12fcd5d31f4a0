// Where a pod of no gang breaks the least: what gangs need (those that run and those that wait; the
// commonest needs) is held against the nodes, and the domains of which such a gang must have one.
// What is too full for another one already is the best place; what would be too full with this pod
// is the worst. Answers `prioritize`, which the scheduler asks where it is told to.
//
// Keeps a user of each shape that it looks at. Thread rule: the planner's.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "extender/planner/books.h"
#include "topology/pod_facts.h"

namespace gangplan {

class Steering {
 public:
  static constexpr int32_t kBest = 10;  // as kube-scheduler has it of an extender

  explicit Steering(const Books& books) : books_(books) {}

  // Of each of the offered nodes, in their order; 0 of nodes that are in no tree, and what is in
  // one topology breaks nothing of what is needed in another. Empty: no opinion, since nothing is
  // to be kept whole, the pod is a member, whose node is chosen, there are more than
  // kMaxSteeredNodes, or it asks for more than kMaxSteeredRequests. O(needs x (nodes + nodes that
  // changed since the last call)), and now and then O(groups), of which kSteeredGroups are looked
  // at, of one namespace kSteeredOfOne. Each namespace has its share of the needs, however many
  // gangs it has.
  std::vector<int32_t> Score(absl::Time now, const PodFacts& pod,
                             const std::vector<std::string_view>& offer);
  // The levels are others: what is needed is looked for anew.
  void Forget();

 private:
  // So many of a shape in one domain of the level; on each node one of each shape.
  struct Need {
    int level = 0;
    int32_t count = 0;
    ShapeId shape = -1;
    friend auto operator<=>(const Need&, const Need&) = default;
  };

  // A need, in how many groups, and of which namespace most of these are.
  struct Asked {
    Need need;
    int32_t groups = 0;
    std::string_view ns = {};
  };
  std::vector<Asked> AskedMost() const;
  void Count(const Group& group, std::map<Need, std::map<std::string_view, int32_t>>& groups) const;
  void Look(absl::Time now);
  int32_t PointsOf(const Need& need, int32_t leaf, ShapeId pod) const;

  const Books books_;
  absl::Time look_ = absl::InfinitePast();
  std::vector<Need> needs_;
};

}  // namespace gangplan
