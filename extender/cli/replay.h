// The gangs of a saved cluster placed anew, as if all of them waited together, and what differs
// then. One that runs and is not just what a fresh one of it would be stays where it is: placed
// anew it would be another gang. Pure but for the planner that is asked; one thread.
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

// It runs, and has not just as many living members as a fresh one of it would ask for: some have
// finished, are going or missing, or it has grown beyond its least number.
bool Stays(const GroupReport& gang);

// `objects` with the pods of these gangs as they were before they were placed: bound nowhere,
// behind the gate of nobody, with the affinity of their user alone; with `nodes` only those that
// stand there, else without the gangs that stay. Those that have finished or are going stay.
ObjectList Unplaced(ObjectList objects, const std::vector<GroupReport>& gangs,
                    const std::set<std::string>* nodes = nullptr);

// Where one gang is, or why it is nowhere.
struct GangPlace {
  std::string text;  // for people
  // Of its members that have not finished, in order; of each as often as it has members.
  std::vector<std::string> nodes;
  int64_t wanted = 0;  // members without those
};
struct ReplayedGang {
  std::string name;
  GroupKey key;
  GangPlace before;
  GangPlace after;
  bool stays = false;  // before

  bool differs() const {
    if (stays) return after.nodes.empty();  // it is no gang any more
    return before.nodes != after.nodes || (before.nodes.empty() && before.text != after.text);
  }
};
void WritePlace(JsonText& json, std::string_view key, const GangPlace& place);

// Each gang of the one or the other, by name.
std::vector<ReplayedGang> CompareGangs(const std::vector<GroupReport>& before,
                                       const std::vector<GroupReport>& after);

}  // namespace gangplan
