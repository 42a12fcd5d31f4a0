#include "tests/support/tas_reference/reference.h"

#include <algorithm>

#include "tests/support/tas_reference/repair.h"
#include "topology/tree.h"

namespace gangplan::tas_reference {
namespace {

using conformance::PlacementAnswer;

struct Group {
  const CasePodSet* workers = nullptr;
  const CasePodSet* leader = nullptr;
};

// Groups in the order of their first pod sets; of two pod sets the smaller leads, the second when
// they are equal.
std::vector<Group> GroupsOf(const PlacementCase& placement_case) {
  std::vector<Group> groups;
  for (const CasePodSet& pod_set : placement_case.pod_sets) {
    if (pod_set.count == 0) continue;
    const auto known = std::find_if(groups.begin(), groups.end(), [&](const Group& g) {
      return !pod_set.group.empty() && g.workers->group == pod_set.group;
    });
    if (known == groups.end()) {
      groups.push_back({&pod_set, nullptr});
    } else {
      known->leader = &pod_set;
      if (known->leader->count > known->workers->count) std::swap(known->leader, known->workers);
    }
  }
  return groups;
}

bool HasStaleHost(const Tree& tree, const CasePodSet* pod_set) {
  if (pod_set == nullptr || !pod_set->previous_assignment) return false;
  const auto& domains = pod_set->previous_assignment->domains;
  return std::any_of(domains.begin(), domains.end(),
                     [&](const auto& domain) { return tree.Leaf(domain.values) < 0; });
}

int64_t PodsOf(const Assignment& assignment) {
  int64_t pods = 0;
  for (const conformance::DomainCount& domain : assignment.domains) pods += domain.count;
  return pods;
}

std::map<int, int64_t> ByLeaf(const Tree& tree, const Assignment& assignment) {
  std::map<int, int64_t> pods;
  for (const conformance::DomainCount& domain : assignment.domains)
    pods[tree.Leaf(domain.values)] += domain.count;
  return pods;
}

// The first pods of the assignment.
Assignment Shortened(Assignment assignment, int64_t pods) {
  Assignment result{assignment.levels, {}};
  for (conformance::DomainCount domain : assignment.domains) {
    domain.count = std::min(domain.count, pods);
    pods -= domain.count;
    if (domain.count > 0) result.domains.push_back(domain);
  }
  return result;
}

class Workload {
 public:
  Workload(const PlacementCase& placement_case, Compatibility compatibility)
      : compatibility_(compatibility), world_(MakeWorld(placement_case)) {}

  PlacementAnswer RepairAll() {
    for (const CasePodSet& pod_set : world_.placement_case->pod_sets) {
      std::variant<Assignment, Failure> result = Repair(world_, pod_set, compatibility_);
      answer_.push_back({pod_set.name, std::visit([](auto& r) { return Result(r); }, result)});
      if (std::holds_alternative<Failure>(result)) break;
    }
    return answer_;
  }

  PlacementAnswer PlaceAll() {
    for (const Group& group : GroupsOf(*world_.placement_case)) {
      if (!PlaceGroup(group)) break;
    }
    return answer_;
  }

 private:
  using Result = std::variant<Assignment, Failure>;

  bool PlaceGroup(const Group& group) {
    const bool elastic =
        world_.placement_case->options.elastic_delta && group.workers->previous_assignment;
    if (!elastic || HasStaleHost(world_.tree, group.workers) ||
        HasStaleHost(world_.tree, group.leader)) {
      return PlaceNew(group, group.leader, group.workers->count, {});
    }
    const CasePodSet* leader = group.leader;
    if (leader != nullptr && leader->previous_assignment) {
      Keep(*leader, *leader->previous_assignment);
      leader = nullptr;
    }
    const Assignment& previous = *group.workers->previous_assignment;
    const int64_t more = group.workers->count - PodsOf(previous);
    if (more <= 0) {
      Keep(*group.workers, Shortened(previous, group.workers->count));
      return true;
    }
    const std::map<int, int64_t> pods = ByLeaf(world_.tree, previous);
    Assume(world_, *group.workers, pods);
    if (PlaceNew(group, leader, more, pods)) return true;
    // It does not grow: only the workers are told.
    if (group.leader != nullptr)
      std::erase_if(answer_, [&](const auto& a) { return a.pod_set == group.leader->name; });
    return false;
  }

  void Keep(const CasePodSet& pod_set, const Assignment& assignment) {
    Assume(world_, pod_set, ByLeaf(world_.tree, assignment));
    answer_.push_back({pod_set.name, assignment});
  }

  // Places `count` more workers beside those that stay, and the leader if there is one.
  bool PlaceNew(const Group& group, const CasePodSet* leader, int64_t count,
                std::map<int, int64_t> workers) {
    std::variant<Ask, Failure> made =
        MakeAsk(*world_.placement_case, world_.tree, {group.workers->topology}, compatibility_);
    if (auto* failure = std::get_if<Failure>(&made)) return Fail(group, *failure);
    Ask& ask = std::get<Ask>(made);
    ask.workers = group.workers;
    ask.leader = leader;
    ask.count = count;
    std::variant<Placed, Failure> result = Place(world_, ask);
    if (auto* failure = std::get_if<Failure>(&result)) return Fail(group, *failure);
    const Placed& placed = std::get<Placed>(result);
    Assume(world_, *group.workers, placed.workers);
    for (const auto& [leaf, pods] : placed.workers) workers[leaf] += pods;
    answer_.push_back({group.workers->name, ToAssignment(world_.tree, workers)});
    if (leader == nullptr) return true;
    Assume(world_, *leader, placed.leaders);
    answer_.push_back({leader->name, ToAssignment(world_.tree, placed.leaders)});
    return true;
  }

  // A group fails as a whole.
  bool Fail(const Group& group, const Failure& failure) {
    for (const CasePodSet* pod_set : {group.leader, group.workers}) {
      if (pod_set == nullptr) continue;
      std::erase_if(answer_, [&](const auto& a) { return a.pod_set == pod_set->name; });
      answer_.push_back({pod_set->name, failure});
    }
    return false;
  }

  const Compatibility compatibility_;
  World world_;
  PlacementAnswer answer_;
};

}  // namespace

PlacementAnswer ReferenceAnswer(const PlacementCase& placement_case, Compatibility compatibility) {
  Workload workload(placement_case, compatibility);
  return placement_case.replacement ? workload.RepairAll() : workload.PlaceAll();
}

}  // namespace gangplan::tas_reference
