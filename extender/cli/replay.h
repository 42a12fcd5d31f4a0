// The gangs of a saved cluster placed anew, as if all of them waited together, and what differs
// then. Pure but for the planner that is asked; one thread.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "extender/planner/group_report.h"
#include "extender/protocol/kubernetes_objects.h"
#include "topology/base/json_text.h"

namespace gangplan {

// "namespace/name" of each pod that has a slot of one of them.
std::set<std::string> MembersOf(const std::vector<GroupReport>& gangs);

// `objects` with the pods of these gangs as they were before they were placed: bound nowhere,
// behind the gate of nobody, with the affinity of their user alone; with `nodes` only those that
// stand there. Those that have finished or are going stay.
ObjectList Unplaced(ObjectList objects, const std::vector<GroupReport>& gangs,
                    const std::set<std::string>* nodes = nullptr);

// Where one gang is, or why it is nowhere.
struct GangPlace {
  std::string text;                // for people
  std::vector<std::string> nodes;  // of its members, in order; of each as often as it has members
};
struct ReplayedGang {
  std::string name;
  std::string kind;
  GangPlace before;
  GangPlace after;

  bool differs() const {
    return before.nodes != after.nodes || (before.nodes.empty() && before.text != after.text);
  }
};
void WritePlace(JsonText& json, std::string_view key, const GangPlace& place);

// Each gang of the one or the other, by name.
std::vector<ReplayedGang> CompareGangs(const std::vector<GroupReport>& before,
                                       const std::vector<GroupReport>& after);

}  // namespace gangplan
