// What the scheduler asks and what it is answered: filter, bind and preempt over the planner's
// books. Each verb decides by what stands; changes come from its events, in the facade's loop.
//
// Thread rule: the planner's.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "extender/planner/early_calls.h"
#include "extender/planner/plans.h"
#include "extender/planner/roster.h"
#include "extender/planner/verb_answers.h"

namespace gangplan {

// What filter and bind answer of such a pod.
inline constexpr std::string_view kIsLeaving = "the pod is being deleted or has finished";

struct VerbOptions {
  int32_t reject_max = 100;     // waiting pods answered by rejection; beyond: by Error
  int32_t nominate_from = 100;  // a shorter list is all that the scheduler has
  bool start_at_first_member = false;
  std::string nodes;  // which are ours, for people; empty: all of the cluster
};

// Why no member is answered, or nobody at all; empty: they are.
struct Readiness {
  std::string not_ready;       // the lists or the levels are not there
  std::string recovering;      // groups are being found again
  std::string topology_fault;  // told to those that wait
};

class FirmRoom;

class SchedulerVerbs {
 public:
  SchedulerVerbs(const VerbOptions& options, const Books& books, Plans& plans, Roster& roster)
      : options_(options), books_(books), plans_(plans), roster_(roster), early_(books.outbox) {}

  void SetRejectMax(int32_t most) { options_.reject_max = most; }
  FilterDecision Filter(absl::Time now, const Readiness& ready, const PodFacts& pod,
                        const Offer& offer);
  // `received`: when the call was accepted; its deadline counts from there.
  BindDecision Bind(absl::Time now, const Readiness& ready, CallId call, const PodRef& pod,
                    std::string_view node, absl::Time received);
  // The watch has shown the pod: a call of it that has come before is judged now.
  void OnShown(absl::Time now, const Readiness& ready, std::string_view uid);
  EarlyCalls& early() { return early_; }
  const EarlyCalls& early() const { return early_; }
  std::vector<int32_t> Preempt(absl::Time now, const Readiness& ready, const PodFacts& pod,
                               const std::vector<PreemptCandidate>& candidates);

 private:
  // filter_verb.cc
  std::vector<NodeIndex> HeldOf(const Offer& offer) const;
  FilterDecision FilterForeign(const PodFacts& pod, const Offer& offer) const;
  bool IsKueues(NodeIndex node) const;
  ResourceList OpenOn(NodeIndex node, const PodFacts& pod) const;
  std::vector<std::string> KeptByKueue(const PodFacts& pod, const Offer& offer) const;
  bool IsOurs(std::string_view node) const;  // and exists
  void LeaveOutside(const Offer& offer, FilterDecision& decision) const;
  FilterDecision FilterMember(absl::Time now, const Readiness& ready, GroupId group,
                              const PodFacts& pod, const Offer& offer);
  FilterDecision FilterSlot(absl::Time now, const Readiness& ready, Group& group,
                            const PodFacts& pod, const Offer& offer);
  FilterDecision NotOffered(absl::Time now, const Readiness& ready, Group& group,
                            const PodFacts& pod, const Offer& offer);
  FilterDecision Wait(const Readiness& ready, Group& group, const PodFacts& pod,
                      const Offer& offer);
  // `any`: also the slot of a member that the scheduler may count there already.
  bool TakeOfferedSlot(Group& group, const std::string& uid, const Offer& offer, bool any);
  bool LearnRefusals(absl::Time now, const Group& group, const PodFacts& pod, const Offer& offer);
  void LearnOthers(absl::Time now, const Group& group, const PodFacts& pod, const Offer& offer);

  // bind_verb.cc
  BindDecision HoldEarly(absl::Time now, EarlyCall call);
  BindDecision BindForeign(absl::Time now, CallId call, const PodRef& pod, std::string_view node,
                           absl::Time received);
  BindDecision BindMember(absl::Time now, CallId call, Group& group, const std::string& uid,
                          std::string_view node, absl::Time received);

  // preempt_verb.cc
  struct Victims;
  using RunningOf = absl::flat_hash_map<GroupId, int32_t>;  // members that run, by group

  Victims Judge(const PreemptCandidate& candidate, RunningOf& running) const;
  int32_t Running(const Group& group) const;
  bool HasRoomFor(const PodFacts& pod, const FirmRoom& firm, const PreemptCandidate& candidate,
                  NodeIndex node) const;

  VerbOptions options_;
  Books books_;
  Plans& plans_;
  Roster& roster_;
  EarlyCalls early_;
  bool asks_ = false;  // filter was asked of some pod: a scheduler may be set up without it
};

}  // namespace gangplan
