// The pod sets of a group: what their first sound members told of the templates, and what these
// make of each other. Plain values with the rules that keep them together; knows neither members
// nor slots.
//
// Invariant: the sets lie one after another over the slots 0 .. size - 1.
// Thread rule: the planner's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "extender/frontends/group_spec.h"
#include "topology/model.h"
#include "topology/pod_facts.h"

namespace gangplan {

// What becomes of the room of a set whose template was told anew.
enum class Retelling : uint8_t {
  kSame,   // it stays
  kNodes,  // it stays where its node lets the pods in
  kOther,  // it is of no use
};

// Its name is empty where it is the only one, and was given none.
struct PodSet : PodSetSpec {
  int32_t first = 0;    // its slots are first .. first + count - 1; slot first + r is its rank r
  int32_t members = 0;  // sound ones, also those that have succeeded
  int32_t waiting = 0;  // of these, those that have not run yet
  int32_t spare = 0;    // so many of its slots are to go when they come free
  int32_t gone = 0;     // of those that its pods tell so many have succeeded, and are not counted
  bool known = false;   // the template was told; all but name and count says nothing before
  // Its only pod is made when those of the others are ready: nobody waits for it.
  bool last = false;
  // Nobody waits who agrees with it, and who runs may have been resized since: the next pod that
  // waits tells it anew.
  bool provisional = false;
  // Its pods say which nodes they may use by name, so few that the scheduler looks at all of them.
  bool names_nodes = false;
  bool never_preempts = false;             // its pods say so (preemptionPolicy)
  int64_t room_taken = 0;                  // by each of its pods, as GroupSpec has it
  int32_t spares = 0;                      // nodes that the gang keeps for what it may lose
  bool foretold = false;                   // by what makes the pods: none of them has been seen yet
  Retelling retelling = Retelling::kSame;  // of its template, when it was told last
  int32_t grace = 0;                       // seconds that each of its pods may take to stop
  ResourceList demand;
  NodeFilter filter;  // as its user has it
  // Where members of it were released to from their gates, and may go no more elsewhere: in place
  // of the required terms of `filter`, for all of them. Empty: nowhere yet.
  std::vector<NodeSelectorTerm> pin;
  std::string pin_words;  // of kPinnedAnnotation
  std::vector<PreferredTerm> preferred_terms;
  ProfileRef profile;       // of the member that told the template
  ShapeId shape = -1;       // demand and filter in the model; -1: not asked for yet
  int32_t tie = -1;         // two sets of one number go together
  int32_t first_index = 0;  // the owner's index of its rank 0

  int32_t claimed() const { return count - spare; }
  bool Has(int32_t slot) const { return slot >= first && slot < first + count; }
  // Where it is planned.
  NodeFilter Where() const;
};

// What a template says before there is a pod of it.
struct Foretold {
  PodFacts pod;
  GroupSpec spec;
  size_t index = 0;  // of its owner's templates
  friend bool operator==(const Foretold&, const Foretold&) = default;
};

class PodSets {
 public:
  bool empty() const { return sets_.empty(); }
  int32_t size() const { return size_; }      // members of all sets; 0: no sound member was seen
  int32_t unseen() const { return unseen_; }  // sets with slots whose template is not known
  int32_t claimed() const;                    // the size without spare slots
  // Of a resource, by all members of the sets that are known; of pods one each.
  int64_t Asked(std::string_view resource) const;
  const std::vector<PodSet>& sets() const { return sets_; }
  const PodSet& at(int32_t set) const { return sets_[static_cast<size_t>(set)]; }
  // By slot. O(sets).
  int32_t IndexOf(int32_t slot) const;
  const PodSet& Of(int32_t slot) const { return at(IndexOf(slot)); }
  // What the words of all sets contradict each other in; empty: nothing.
  const std::string& fault() const { return fault_; }
  const FrontEnd* front_end() const { return front_end_; }  // null: no sound member was seen
  TopologyIndex topology() const { return topology_; }      // of the template that was told last
  // Of the words of the first set that has one; empty: the rules are what they are.
  const std::vector<Rung>& ladder() const;
  // Whose rules are in force. A ladder with fewer rungs is at its last one.
  size_t rung() const { return rung_; }
  bool RungsLeft() const { return rung_ + 1 < ladder().size(); }
  void SetRung(size_t rung);
  // Whatever its words say, what it lacks may go anywhere: until it is told anew.
  bool relaxed() const { return relaxed_; }
  void SetRelaxed(bool relaxed) { relaxed_ = relaxed; }
  LevelRules RulesInForce(const PodSet& set) const {
    return relaxed_ ? LevelRules(set.rules.size()) : set.rules;
  }
  LevelRules OwnRulesInForce(const PodSet& set) const {
    return relaxed_ ? LevelRules() : set.own_rules;
  }
  std::vector<PodSetSpec> Specs() const { return {sets_.begin(), sets_.end()}; }

  // What makes the pod differ from its group's templates; empty when nothing does. A pod that runs
  // may have been resized since it came. `by_owner`: how many there are of each set is not the
  // pod's to say.
  std::string Difference(const PodFacts& pod, const GroupSpec& spec, bool by_owner) const;
  // As the pod would say it with the list of these sets, where that is another one than the owner's
  // that it was read by. Nothing: it is no other, or its own set is not among these.
  std::optional<GroupSpec> InOwnList(const GroupSpec& spec) const;
  int32_t Find(std::string_view name) const;  // -1: there is none
  // One more sound member; the first one tells the template of its set, and any one how long its
  // pods run. True: it did, and that is news.
  bool Learn(const PodFacts& pod, const GroupSpec& spec);
  // No part of the template: whoever was asked for it may say it later, and what was said last
  // counts. True: it is news.
  bool LearnRuntime(int32_t set, int64_t room_taken);
  // The template of a set, and the sets where there are none yet, before there is a pod. The first
  // one that waits tells it anew; room that was found for what was foretold stays when it asks for
  // the same.
  void Foretell(const Foretold& told);
  // Likewise of a set that is made last, which stays as it was foretold until a pod of it comes.
  void ForetellLast(const Foretold& told);
  // No pod has told a template.
  bool only_foretold() const;
  // The set's pods will have this filter: what was foretold of it is another one now.
  void SetFilter(int32_t set, const NodeFilter& filter);
  // From now on its pods are released to there, or nowhere any more.
  void SetPin(int32_t set, std::vector<NodeSelectorTerm> terms, std::string words);
  void Run(int32_t set);              // one of its members runs, or has succeeded, that did not
  void Lose(int32_t set, bool runs);  // one member less
  // That the gang asks for, by name, of the words of the first set that has one; empty: none.
  const std::string& reservation() const;
  // The set's template is told anew by its next member.
  void Unlearn(int32_t set);
  void Clear();  // so is everything. REQUIRES: no template is known
  bool any_dropped() const { return !dropped_.empty(); }
  // Shapes that no set has any more; the model is to let them go.
  std::vector<ShapeId> TakeDropped() { return std::exchange(dropped_, {}); }
  // All sets are known: finds what their words make of each other. True: ranks are others now.
  bool Tie();
  // One more, of which there is nothing yet.
  void Append(std::string_view name);
  // Another count for this set, of which nothing is spare then.
  void Resize(int32_t set, int32_t count);
  void TakeSpare();  // away. REQUIRES: there are no slots
  void SetSpare(int32_t set, int32_t spare) { sets_[static_cast<size_t>(set)].spare = spare; }
  void SetGone(int32_t set, int32_t gone) { sets_[static_cast<size_t>(set)].gone = gone; }
  void SetShape(int32_t set, ShapeId shape) { sets_[static_cast<size_t>(set)].shape = shape; }

  std::string BrokenInvariant() const;

 private:
  void MakeSets(const GroupSpec& spec);
  void Tell(PodSet& set, const PodFacts& pod, const GroupSpec& spec, bool provisional);
  void DropShape(PodSet& set);
  void TakeRung(PodSet& set) const;
  static void Waits(PodSet& set, int32_t more);
  void CountUnseen();

  std::vector<PodSet> sets_;
  std::vector<ShapeId> dropped_;
  int32_t size_ = 0;
  int32_t unseen_ = 0;
  bool relaxed_ = false;
  std::string fault_;
  const FrontEnd* front_end_ = nullptr;
  TopologyIndex topology_ = 0;
  size_t rung_ = 0;
};

}  // namespace gangplan
