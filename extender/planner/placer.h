// From a group to a plan: what is asked of the engine, and what its answer means. Owns nothing and
// changes nothing; the same model and group give the same plan.
//
// A question may be copied (SolveTask): the copy is asked on any thread, while the planner goes on,
// and its answer counts only if all of it still fits.
//
// Thread rule: the planner's.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "extender/frontends/front_end.h"
#include "extender/planner/engine_call.h"
#include "extender/planner/group.h"
#include "extender/planner/lesser_room.h"
#include "extender/planner/maintenance.h"
#include "extender/planner/named_room.h"
#include "extender/planner/refusals.h"
#include "extender/planner/solve_task.h"

namespace gangplan {

struct PlacerOptions {
  std::optional<Strategy> engine_for_all;  // engines.strategy; nothing: the words choose
  TasOptions tas;                          // of groups that `tas` places
  bool preferred_affinity = false;         // of such groups, counts
  int32_t max_held_calls = 0;              // members that can wait in bind at once; 0: no limit
  int64_t most_within = INT64_MAX;         // ... whose Bindings are written in server.bindTimeout
  bool start_at_first_member = false;
  int32_t leaves_of_several = kMaxLeavesOfSeveral;
  Engine engine = PlaceUntimed;
};

// Where the wanted slots go, or why they go nowhere.
struct Plan {
  std::vector<std::pair<int32_t, NodeIndex>> places;  // slot, node; in the order of the slots
  Verdict verdict;
  absl::Duration took;
  std::optional<PlanQuality> quality;  // of one by `exact`
  bool placed() const { return verdict.outcome == Outcome::kPlaced; }
  std::vector<NodeIndex> nodes() const;  // by slot
};

class Placer {
 public:
  Placer(PlacerOptions options, const Ledger& ledger, const Refusals& refusals,
         const Maintenance& maintenance, const NamedRoom& named)
      : options_(std::move(options)),
        ledger_(ledger),
        refusals_(refusals),
        maintenance_(maintenance),
        named_(named) {}

  // Which engine is asked, and how, from now on.
  void SetEngines(std::optional<Strategy> for_all, const TasOptions& tas, bool preferred_affinity) {
    options_.engine_for_all = for_all;
    options_.tas = tas;
    options_.preferred_affinity = preferred_affinity;
  }
  EngineChoice EngineOf(const Group& group) const;
  // Why the group's words cannot be asked for; empty: they can.
  std::string FaultOf(const Group& group) const;
  // REQUIRES: Placeable, no fault, a shape in every known pod set, `wanted` not empty.
  Plan Place(const Group& group, const std::vector<int32_t>& wanted, const Budget& budget) const;
  // More fits on these leaves than when it was placed last: false when that can not be enough, also
  // with the room of those who give way (`lesser`; null: nobody does). Adds what it looks at: pod
  // sets x (leaves, or the domains of the first level, which are summed up many at once).
  bool MayProfit(const Group& group, const std::vector<int32_t>& leaves, LesserRoom* lesser,
                 int64_t& work) const;
  // The same question by itself, as if the holds `behind` were not there. O(nodes) a shape, and
  // O(log shapes) a hold.
  std::shared_ptr<SolveTask> CopyOf(const Group& group, const std::vector<int32_t>& wanted,
                                    const std::vector<PromisedRoom>& behind = {}) const;
  // Likewise, with the question who has to go, of nobody so far; the newcomer is of this rank.
  std::shared_ptr<SolveTask> VictimCopyOf(const Group& group, const std::vector<int32_t>& wanted,
                                          size_t rank) const;
  // A solve of it ends within the planner's own time: of one shape always, of several where there
  // are not too many nodes for the pods beside the main shape.
  bool IsShort(const Group& group) const;
  // The deepest level of which one domain has to hold all members of the set; -1: there is none.
  int OneDomain(const Group& group, const PodSet& set) const;
  // The same of the set by itself, by its own rules, too.
  int OneDomainOfSet(const Group& group, const PodSet& set) const;
  // Members of it run in two domains of which its rules allow one: a node was moved. O(slots).
  bool IsTorn(const Group& group) const;
  // A member in this slot on that node has the domains that the rules let it have, beside those
  // that run: one of each pod set tells. O(pod sets x levels), and the slots before those.
  bool StandsBeside(const Group& group, int32_t slot, NodeIndex node) const;
  // What a copy has answered, in today's names. REQUIRES: the group would still ask it.
  Plan PlanOf(const Group& group, const SolveTask& task) const;
  bool WouldAsk(const Group& group, const SolveTask& task) const;
  // Leaves where the set's members may not stand now, for those who stand. REQUIRES: it is known.
  Neighbours::Ruled RuledOut(const Group& group, const PodSet& set) const;
  // None of the places is on such a leaf, nor on a node that maintenance keeps it off.
  bool Allows(const Group& group, const Plan& plan) const;
  // Likewise of whoever begins there at a later time, of maintenance alone.
  bool MeetsMaintenance(const Group& group, absl::Time begins, const Plan& plan) const;
  // For a question about a later time: off the nodes that maintenance keeps from a gang that gets
  // its room at that time; InfiniteFuture: off all where there is to be any.
  void AvoidMaintenance(const Group& group, absl::Time begins, SolveTask& task) const;
  bool AnyMaintenance() const { return maintenance_.any(); }
  // Likewise off these nodes.
  void Avoid(const Group& group, std::span<const NodeIndex> nodes, SolveTask& task) const;
  // It waits, and maintenance might let it in if somebody told how long it runs.
  bool WantsRuntime(const Group& group) const {
    return group.WaitsForRoom() && maintenance_.WantsRuntime(group);
  }
  // How many nodes maintenance keeps it off: so many are looked at for a question. O(log nodes).
  int64_t KeptOff(const Group& group) const { return std::ssize(maintenance_.KeptFrom(group)); }
  int64_t solves(Outcome outcome) const { return solves_[static_cast<size_t>(outcome)]; }
  NodeIndex FindNode(std::string_view name) const { return ledger_.model().FindNode(name); }
  // The units that hold the node from the top, the node last; the node alone without a place.
  std::vector<std::string_view> UnitsOf(NodeIndex node) const;
  // The deepest domain that holds all of them: "block-2/rack-3"; "the cluster", or its topology,
  // where none does.
  std::string DomainText(const std::vector<NodeIndex>& nodes) const;
  // Leaves where this pod set may not go, in no order: for maintenance, its reservation, what the
  // scheduler refused, its neighbours. O(leaves).
  std::vector<int32_t> RefusedTo(const Group& group, int32_t set) const;

 private:
  struct Ask;
  // Of a pod set: the counts of the domains of one level, and how many it needs.
  struct RoomAsked {
    std::span<const int32_t> counts;
    int32_t needed = 0;
    const LesserRoom::ByDomain* lesser = nullptr;
  };
  static bool FitSomewhere(const std::vector<RoomAsked>& asked);
  static bool FitBeside(const Tree& tree, const std::vector<RoomAsked>& asked, int level,
                        const std::vector<int32_t>& leaves);
  std::vector<int32_t> LeavesBeside(const Group& group, const NamedRoom::Reservation& own) const;
  int OneDomainBy(const Group& group, const LevelRules& rules) const;
  int32_t TogetherAt(const Group& group, const PodSet& set, int level) const;
  Ask AskFor(const Group& group, const std::vector<int32_t>& wanted) const;
  std::shared_ptr<SolveTask> Copy(const Group& group, const std::vector<int32_t>& wanted,
                                  bool gives_back) const;
  Plan PlanFrom(const Group& group, const PlacementRequest& request,
                const std::vector<int32_t>& wanted, const Solved& solved) const;
  std::vector<int32_t> LeavesInOrder(const Group& group, const PlacementResult& result) const;
  std::vector<int64_t> PreferenceOf(const Group& group, const PodSet& set) const;
  std::string WhoText(const Group& group) const;
  std::string RefusedText(const Group& group) const;
  std::string MaintenanceText(const Group& group) const;
  std::string UnlistedText(const Group& group) const;
  std::vector<int32_t> LeavesOf(const Group& group, std::span<const NodeIndex> nodes) const;
  const Tree& TreeOf(const Group& group) const { return ledger_.model().tree(group.topology()); }
  // placer_affinity.cc
  bool HasCompany(const Group& group, const PodSet& set) const;
  void AddAffinityRules(const Group& group, LevelRules& rules) const;
  std::string NeighbourText(const Group& group) const;

  PlacerOptions options_;
  const Ledger& ledger_;
  const Refusals& refusals_;
  const Maintenance& maintenance_;
  const NamedRoom& named_;
  mutable std::array<int64_t, 4> solves_ = {};  // by outcome; for metrics
};

}  // namespace gangplan
