// The planner's reports as JSON for programs and as text for people: what /v1 and `gangplan
// explain` show. Pure functions of reports; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "extender/planner/planner.h"
#include "topology/base/json_text.h"
#include "topology/tree.h"

namespace gangplan {

std::string GroupJson(const GroupReport& report);
std::string GroupsJson(const std::vector<GroupReport>& reports);

// One line of a list.
struct ListedGroup {
  GroupReport report;
  std::string where;  // of WhereText
};
// GroupsJson, and of each group `where` and `why`: its reason without what other fields say.
std::string ListJson(const std::vector<ListedGroup>& groups);

// `plan` of a gang that has nodes: where, how far apart, which levels it crosses, and how near that
// is to the best. REQUIRES: it has some.
void WritePlan(JsonText& json, const GroupReport& report);

// The reason as pods are told it, without whose it is and how it came out.
std::string_view BareReason(const GroupReport& report);
// Likewise of the group "namespace/name".
std::string_view BareReason(std::string_view reason, std::string_view name, Outcome outcome);

// Where the members stand or have room: the lowest domain that has all of them, else the first
// domains below the top, and on how many nodes; empty: nowhere. O(slots).
std::string WhereText(const GroupReport& report);

// Many lines: the group, what it asks, where it stands or why it waits, rank by rank.
std::string GroupText(const GroupReport& report, absl::Time now);

// Of /v1/history: `lines`, each with `at` (RFC 3339, UTC), `state`, `bound`, `size` and `why` (a
// bare reason), and how many older ones were `dropped`.
std::string HistoryJson(std::string_view name, const GroupHistory& history);

// What stands on one node, for the drawing of the tree.
struct NodeView {
  std::string name;
  std::string path;  // domain names from the top, joined by '/'
  bool usable = false;
  int64_t capacity = 0;  // of the resource that is shown
  int64_t used = 0;
  int64_t held = 0;
};
struct TopologyView {
  struct Named {
    std::string name;
    std::vector<std::string> levels;
  };
  std::vector<Named> topologies;  // of several the name stands at the head of their nodes' paths
  std::string resource;
  std::vector<NodeView> nodes;  // depth first
  std::vector<UnplacedNode> unplaced;
};
std::string TopologyJson(const TopologyView& view);

}  // namespace gangplan
