#include "tests/simulation/in_tree_rules.h"

#include <algorithm>

#include "tests/simulation/room.h"
#include "tests/support/planner_world.h"
#include "tests/support/query.h"
#include "topology/implied_resource.h"

namespace gangplan::simulation {

void SayTraits(const InTreeTraits& traits, PodFacts& pod) {
  if (traits.one_a_node)
    AddResources(pod.requests, {{ApartFrom("pods of " + pod.controller->uid), kWholeNode}});
  if (traits.host_port) AddResources(pod.requests, {{HostPort(7000, "TCP"), kWholeNode}});
  if (traits.net) SetWord(pod.filter.node_selector, kNetLabel, *traits.net);
  if (!traits.zone) return;
  const std::vector<std::string> path = Split(*traits.zone, '/');
  constexpr std::string_view kKeys[] = {"example.com/block", "example.com/rack"};
  for (size_t i = 0; i < path.size(); ++i) SetWord(pod.filter.node_selector, kKeys[i], path[i]);
}

const InTreeTraits* InTreeRules::TraitsOf(const PodFacts& pod) const {
  if (!pod.controller) return nullptr;
  const auto found = traits_.find(pod.controller->uid);
  return found == traits_.end() ? nullptr : &found->second;
}

void InTreeRules::RefuseNode(const std::string& owner_uid, const std::string& node) {
  refused_.insert({owner_uid, node});
}

bool InTreeRules::Restrict(const std::string& owner_uid) const {
  const auto traits = traits_.find(owner_uid);
  if (traits != traits_.end() && !(traits->second == InTreeTraits{})) return true;
  const auto refused = refused_.lower_bound({owner_uid, ""});
  return refused != refused_.end() && refused->first == owner_uid;
}

bool InTreeRules::Refuses(const PodFacts& pod, const NodeFacts& node,
                          const std::vector<const PodFacts*>& standing) const {
  if (pod.controller && refused_.contains({pod.controller->uid, node.name})) return true;
  if (nowhere_.contains(MemberName(pod))) return true;
  const InTreeTraits* traits = TraitsOf(pod);
  if (traits == nullptr) return false;
  if (traits->zone && DomainAt(node, traits->zone_level) != *traits->zone) return true;
  const std::string* net = FindLabel(node.labels, kNetLabel);
  if (traits->net && (net == nullptr || *net != *traits->net)) return true;
  return std::any_of(standing.begin(), standing.end(), [&](const PodFacts* other) {
    const InTreeTraits* others = TraitsOf(*other);
    const bool kin = other->controller && other->controller->uid == pod.controller->uid;
    return (traits->one_a_node && kin) ||
           (traits->host_port && others != nullptr && others->host_port);
  });
}

}  // namespace gangplan::simulation
