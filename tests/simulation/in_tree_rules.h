// What the scheduler's own plugins refuse without asking anybody. What pods say of themselves: one
// member a node (self anti-affinity on the host name), a port of the host, the zone of a volume;
// and nodes or members that are refused for a reason that nobody can model.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topology/node_facts.h"
#include "topology/pod_facts.h"

namespace gangplan::simulation {

// Of nodes: the topology that they are in, where that is told by a label.
inline constexpr std::string_view kNetLabel = "example.com/net";

struct InTreeTraits {
  bool one_a_node = false;
  bool host_port = false;           // the same one for all pods that have it, whoever they are
  std::optional<std::string> zone;  // a domain, as DomainAt has it
  int zone_level = 0;
  std::optional<std::string> net;  // nodes with this value of kNetLabel
  friend bool operator==(const InTreeTraits&, const InTreeTraits&) = default;
};

// The pod says them, in the words of its facts.
void SayTraits(const InTreeTraits& traits, PodFacts& pod);

class InTreeRules {
 public:
  void Set(const std::string& owner_uid, InTreeTraits traits) { traits_[owner_uid] = traits; }
  void RefuseNode(const std::string& owner_uid, const std::string& node);
  // A member, as MemberName has it.
  void RefuseEverywhere(const std::string& member) { nowhere_.insert(member); }
  void ForgetNodes() { refused_.clear(); }
  // Some rule is about this owner's pods.
  bool Restrict(const std::string& owner_uid) const;

  // `standing`: the other pods that stand there as the scheduler sees it.
  bool Refuses(const PodFacts& pod, const NodeFacts& node,
               const std::vector<const PodFacts*>& standing) const;

 private:
  const InTreeTraits* TraitsOf(const PodFacts& pod) const;

  std::map<std::string, InTreeTraits> traits_;             // by owner
  std::set<std::pair<std::string, std::string>> refused_;  // owner, node
  std::set<std::string> nowhere_;
};

}  // namespace gangplan::simulation
