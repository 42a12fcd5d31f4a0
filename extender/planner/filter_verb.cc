// Filter: a member gets its planned node alone, who waits gets a reason, and a foreign pod all but
// the nodes whose room is held.
#include <algorithm>
#include <numeric>

#include "absl/container/flat_hash_set.h"
#include "extender/planner/firm_room.h"
#include "extender/planner/limits.h"
#include "extender/planner/verbs.h"
#include "topology/base/text_map.h"

namespace gangplan {
namespace {

FilterDecision Failure(std::string error) {
  FilterDecision decision;
  decision.error = std::move(error);
  return decision;
}

FilterDecision RejectAll(const Offer& offer, std::string text) {
  FilterDecision decision;
  decision.rejected.resize(offer.size());
  std::iota(decision.rejected.begin(), decision.rejected.end(), 0);
  decision.text = std::move(text);
  return decision;
}

// kube-scheduler tries a gang of its own again at once, without a pause, when one of it is
// rejected; after an error it waits.
FilterDecision Refuse(const PodFacts& pod, const Offer& offer, std::string text) {
  return pod.scheduling_group.empty() ? RejectAll(offer, std::move(text))
                                      : Failure(std::move(text));
}

FilterDecision PassOnly(const Offer& offer, int32_t index, std::string text) {
  FilterDecision decision = RejectAll(offer, std::move(text));
  decision.rejected.erase(decision.rejected.begin() + index);
  decision.passed.push_back(index);
  return decision;
}

int32_t IndexOf(const Offer& offer, std::string_view name) {
  auto it = std::find(offer.begin(), offer.end(), name);
  return it == offer.end() ? -1 : static_cast<int32_t>(it - offer.begin());
}

// Of the pod's planned node; -1: it is not offered. REQUIRES: the pod has a slot with a node.
int32_t IndexOfPlanned(const Model& model, const Group& group, const PodFacts& pod,
                       const Offer& offer) {
  return IndexOf(offer, model.NodeName(group.slot(group.Find(pod.uid)->slot).node));
}

std::string ElsewhereText(const Group& group) {
  return fmt::format("gang {}: planned on another node", group.name());
}

// The scheduler gets the pod's planned node, the one at `index`.
FilterDecision Pass(Waker& waker, const Group& group, const PodFacts& pod, const Offer& offer,
                    int32_t index) {
  waker.MarkRejected(pod.uid, false);
  waker.Passed(pod.uid, true);
  return PassOnly(offer, index, ElsewhereText(group));
}

constexpr std::string_view kOnItsWay = "the pod's Binding is on its way";
constexpr std::string_view kForgottenCall =
    "the scheduler has forgotten this call: it asks for the pod again";
constexpr std::string_view kTooManyUnconfirmed =
    "too many pods wait for gangplan's watch to show them; this one is tried again";

}  // namespace

void Split(FilterDecision& decision, const Offer& offer) {
  if (!decision.kept) return;
  const absl::flat_hash_set<std::string_view, TextHash, TextEqual> kept(decision.kept->begin(),
                                                                        decision.kept->end());
  decision.passed.reserve(offer.size());
  auto outside = decision.outside.begin();
  for (int32_t i = 0; i < static_cast<int32_t>(offer.size()); ++i) {
    if (outside != decision.outside.end() && *outside == i) {
      ++outside;
      continue;
    }
    const bool rejected = !kept.empty() && kept.contains(offer[static_cast<size_t>(i)]);
    (rejected ? decision.rejected : decision.passed).push_back(i);
  }
  decision.kept.reset();
}

FilterDecision SchedulerVerbs::Filter(absl::Time now, const Readiness& ready, const PodFacts& pod,
                                      const Offer& offer) {
  if (!ready.not_ready.empty()) return Failure(ready.not_ready);
  if (books_.pods.Buried(pod.uid)) return Failure("the pod was deleted");
  asks_ = true;
  // The scheduler asks of no such pod; what it is bound to, or that it has ended, the watch tells.
  if (!pod.node_name.empty()) return Failure("the pod is bound already");
  if (pod.finished() || pod.terminating) return Failure(std::string(kIsLeaving));
  early_.Answer(pod.uid, kForgottenCall);
  const KnownPod* known = roster_.Asked(now, pod);
  if (known == nullptr) return Failure(std::string(kTooManyUnconfirmed));
  const KnownPod& record = *known;
  if (record.leaving) return Failure(std::string(kIsLeaving));
  if (record.kin == Kin::kWaitsForOwner && record.group == 0) {
    FilterDecision unread = Failure("gangplan is reading the pod's owner to learn its group");
    unread.owner_unread = true;
    return unread;
  }
  // Room may be that of a gang of which some runs already.
  if (!ready.recovering.empty()) return Failure(ready.recovering);
  if (record.group != 0) return FilterMember(now, ready, record.group, pod, offer);
  if (record.kin == Kin::kClaimRefused) return Failure(*record.text);
  if (books_.desk.AttemptOf(pod.uid) != nullptr) return Failure(std::string(kOnItsWay));
  return FilterForeign(pod, offer);
}

// The nodes with holds that matter: those of the offer, or all of them where these are fewer.
std::vector<NodeIndex> SchedulerVerbs::HeldOf(const Offer& offer) const {
  const Ledger& ledger = books_.ledger;
  if (ledger.held_node_count() < offer.size()) return ledger.HeldNodes();
  std::vector<NodeIndex> nodes;
  for (std::string_view name : offer) {
    const NodeIndex node = ledger.model().FindNode(name);
    if (node != kNoNode && ledger.HasHolds(node)) nodes.push_back(node);
  }
  return nodes;
}

bool SchedulerVerbs::IsKueues(NodeIndex node) const {
  return books_.kueue.any() && books_.kueue.IsOn(books_.ledger.model().NodeName(node));
}

// What of the node's the pod may have beside what is free: of holds, and of what Kueue has given.
ResourceList SchedulerVerbs::OpenOn(NodeIndex node, const PodFacts& pod) const {
  ResourceList open = books_.ledger.Yielding(node, pod.priority);
  if (IsKueues(node))
    AddResources(open, books_.kueue.OpenTo(pod, books_.ledger.model().NodeName(node)));
  return open;
}

// Of the offer, where room that Kueue has given to others, and holds beside that, leave too little.
std::vector<std::string> SchedulerVerbs::KeptByKueue(const PodFacts& pod,
                                                     const Offer& offer) const {
  std::vector<std::string> kept;
  if (!books_.kueue.any()) return kept;
  for (const std::string_view name : offer) {
    if (!books_.kueue.IsOn(name)) continue;
    const NodeIndex node = books_.ledger.model().FindNode(name);
    if (!books_.ledger.HasRoomWith(node, pod.requests, OpenOn(node, pod))) kept.emplace_back(name);
  }
  return kept;
}

FilterDecision SchedulerVerbs::FilterForeign(const PodFacts& pod, const Offer& offer) const {
  const Ledger& ledger = books_.ledger;
  FilterDecision decision;
  std::vector<std::string>& kept = decision.kept.emplace();
  std::vector<NodeIndex> asked = HeldOf(offer);
  std::erase_if(asked, [&](NodeIndex node) { return IsKueues(node); });
  for (NodeIndex node : ledger.KeptByHolds(asked, pod.requests, pod.priority))
    kept.push_back(ledger.model().NodeName(node));
  const std::vector<std::string> kueues = KeptByKueue(pod, offer);
  kept.insert(kept.end(), kueues.begin(), kueues.end());
  const FirmRoom firm(books_, pod.priority);
  for (const auto& [node, held] : firm.held()) {
    const ResourceList freed = OpenOn(node, pod);
    if (!ledger.HasRoomWith(node, firm.With(node, pod.requests), freed))
      kept.push_back(ledger.model().NodeName(node));
  }
  decision.text = books_.named.any() ? "room is held for a gang, or kept for a reservation"
                                     : "room is held for a gang";
  if (!kueues.empty())
    decision.text += fmt::format(", or is that of {}", books_.kueue.ToldTo(pod.ns, kueues));
  if (!options_.nodes.empty()) LeaveOutside(offer, decision);
  return decision;
}

bool SchedulerVerbs::IsOurs(std::string_view name) const {
  const Model& model = books_.ledger.model();
  const NodeIndex node = model.FindNode(name);
  return node != kNoNode && model.Facts(node) != nullptr;
}

// Nodes of other pairs, and those of which nobody has told us yet whose they are. Where no other is
// offered, but may be the next time, that is an error, after which the scheduler asks again by
// itself. O(offer) look-ups.
void SchedulerVerbs::LeaveOutside(const Offer& offer, FilterDecision& decision) const {
  const Model& model = books_.ledger.model();
  bool untold = false;
  for (int32_t i = 0; i < std::ssize(offer); ++i) {
    const std::string_view name = offer[static_cast<size_t>(i)];
    if (IsOurs(name)) continue;
    const NodeIndex node = model.FindNode(name);
    untold |= node == kNoNode || model.ForeignLabels(node) == nullptr;
    decision.outside.push_back(i);
  }
  decision.outside_text = fmt::format("not one of this scheduler's nodes ({})", options_.nodes);
  const bool sample = std::ssize(offer) >= options_.nominate_from;
  if (offer.empty() || decision.outside.size() < offer.size() || !(untold || sample)) return;
  decision = Failure(fmt::format(
      "none of the {} nodes that the scheduler offers is one of its own ({}){}", offer.size(),
      options_.nodes,
      untold ? ", and some are not known yet"
             : ": its profile lacks addedAffinity for these, so that it tries those of others"));
}

FilterDecision SchedulerVerbs::FilterMember(absl::Time now, const Readiness& ready, GroupId id,
                                            const PodFacts& pod, const Offer& offer) {
  Group* group = books_.groups.Find(id);
  const BindingAttempt* attempt = books_.desk.AttemptOf(pod.uid);
  const bool doubtful = attempt != nullptr && attempt->doubtful();
  if (!group->stale().empty() && !doubtful) {
    return Failure(
        fmt::format("gang {}: {}; the gang is planned anew when the Bindings on their way are done",
                    group->name(), group->stale()));
  }
  if (const Member& member = *group->Find(pod.uid); !member.sound()) {
    books_.waker.MarkRejected(pod.uid, true);
    return Refuse(pod, offer, fmt::format("gang {}: invalid: {}", group->name(), member.problem));
  }
  plans_.DropCall(*group, pod.uid, kForgottenCall);
  if (group->SetAsked(pod.uid, now)) books_.lifecycle.Fire(id, GroupEvent::kAsked);
  if (group->WaitsForRoom() && plans_.MayGain(*group))
    books_.lifecycle.Fire(id, GroupEvent::kCapacityGained);
  plans_.Settle(now);
  group = books_.groups.Find(id);
  const Member* member = group == nullptr ? nullptr : group->Find(pod.uid);
  if (member == nullptr) return Failure("the pod's gang is gone");
  if (member->slot < 0 && group->planned()) {
    books_.waker.MarkRejected(pod.uid, true);
    const PodSet& set = group->pod_sets().at(member->pod_set);
    const std::string whose = group->pod_sets().sets().size() == 1 ? "" : " of pod set " + set.name;
    const std::string small = books_.groups.WhyKeptSmall(*group, member->pod_set);
    // Of kube-scheduler's own, too: the others pass meanwhile.
    return RejectAll(offer, fmt::format("gang {} already has its {} members{}{}{}", group->name(),
                                        set.count, whose, small.empty() ? "" : "; ", small));
  }
  const bool waits = member->slot < 0 || group->slot(member->slot).state == SlotState::kEmpty;
  if (waits) return Wait(ready, *group, pod, offer);
  if (!books_.nominations.MayGo(*group, *member)) return Failure(std::string(kOnItsWay));
  return FilterSlot(now, ready, *group, pod, offer);
}

// Few waiting pods are rejected, and woken by events; many answer Error and are polled, because
// every event in the cluster would wake all of the rejected ones.
FilterDecision SchedulerVerbs::Wait(const Readiness& ready, Group& group, const PodFacts& pod,
                                    const Offer& offer) {
  if (plans_.IsSolvedOutside(group.id()))
    return Failure(fmt::format("gang {} is being placed", group.name()));
  if (books_.queue.Waits(group.id()))
    return Failure(fmt::format("gang {} waits for its turn to be placed", group.name()));
  const Verdict& told = group.verdict();
  std::string text =
      told.reason.empty() ? fmt::format("gang {} waits for room", group.name()) : told.reason;
  if (!options_.nodes.empty())
    text += fmt::format("; this scheduler's nodes are those with {}", options_.nodes);
  const bool of_room = told.decided && !told.early && !told.short_in_all && !told.kept_back;
  if (const std::string kueue = of_room ? books_.kueue.ToldTo(pod.ns) : ""; !kueue.empty())
    text +=
        fmt::format("; room that is not free by now is that of {}, whose pods are to come", kueue);
  if (!ready.topology_fault.empty()) text += fmt::format("; {}", ready.topology_fault);
  const bool few = pod.scheduling_group.empty() && (books_.waker.Rejected(pod.uid) ||
                                                    books_.waker.rejected() < options_.reject_max);
  if (!few) {
    group.SetAnswered(WaitAnswer::kError);
  } else if (group.answered() == WaitAnswer::kNone) {
    group.SetAnswered(WaitAnswer::kRejection);
  }
  if (!few) return Failure(std::move(text));
  books_.waker.MarkRejected(pod.uid, true);
  return RejectAll(offer, std::move(text));
}

FilterDecision SchedulerVerbs::FilterSlot(absl::Time now, const Readiness& ready, Group& group,
                                          const PodFacts& pod, const Offer& offer) {
  const Model& model = books_.ledger.model();
  books_.waker.MarkRejected(pod.uid, false);
  books_.waker.Passed(pod.uid, false);
  const auto pass = [&](int32_t index) { return Pass(books_.waker, group, pod, offer, index); };
  const int32_t index = IndexOfPlanned(model, group, pod, offer);
  // The scheduler asks for the nominated node alone at first: the whole list follows.
  const bool lone = offer.size() == 1 && offer.front() == pod.nominated_node_name;
  const bool question = books_.waker.IsQuestion(pod.uid, lone && index < 0);
  if (index >= 0) return pass(index);
  if (question) return RejectAll(offer, ElsewhereText(group));
  if (TakeOfferedSlot(group, pod.uid, offer, false))
    return pass(IndexOfPlanned(model, group, pod, offer));
  return NotOffered(now, ready, group, pod, offer);
}

// The scheduler was not asked for the planned node yet: it is pointed to it. When it was, and does
// not offer it, it is asked once more, by an error; when it does not offer it again, it can not
// take this pod there, for a reason that is not modelled.
FilterDecision SchedulerVerbs::NotOffered(absl::Time now, const Readiness& ready, Group& group,
                                          const PodFacts& pod, const Offer& offer) {
  const Member& member = *group.Find(pod.uid);
  const std::string planned = books_.ledger.model().NodeName(group.slot(member.slot).node);
  const bool held = group.slot(member.slot).state == SlotState::kHeld;
  books_.waker.MarkRejected(pod.uid, true);
  if (pod.nominated_node_name != planned) {
    books_.waker.NominateAgain(now, member.pod, planned);
  } else if (!held) {
    return Failure(std::string(kOnItsWay));
  } else if (!LearnRefusals(now, group, pod, offer)) {
    books_.waker.MarkRejected(pod.uid, false);
    books_.nominations.WithdrawFrom(group.slot(member.slot).node);
    return Failure(fmt::format(
        "gang {}: the scheduler did not offer the planned node {}; it is asked once more",
        group.name(), planned));
  } else if (TakeOfferedSlot(group, pod.uid, offer, true)) {
    return Pass(books_.waker, group, pod, offer,
                IndexOfPlanned(books_.ledger.model(), group, pod, offer));
  } else {
    const GroupId id = group.id();
    plans_.MoveSlot(group, pod.uid);
    plans_.Settle(now);
    Group* after = books_.groups.Find(id);
    const Member* moved = after == nullptr ? nullptr : after->Find(pod.uid);
    if (moved == nullptr) return Failure("the pod's gang is gone");
    const bool waits = moved->slot < 0 || after->slot(moved->slot).state == SlotState::kEmpty;
    if (waits) return Wait(ready, *after, pod, offer);
  }
  return Refuse(pod, offer,
                fmt::format("gang {}: the scheduler did not offer the planned node", group.name()));
}

// The planned node is refused. False: that is in doubt only.
bool SchedulerVerbs::LearnRefusals(absl::Time now, const Group& group, const PodFacts& pod,
                                   const Offer& offer) {
  const Member& member = *group.Find(pod.uid);
  const NodeIndex planned = group.slot(member.slot).node;
  const bool believed = books_.refusals.Has(group.id(), member.pod_set, planned) ||
                        books_.refusals.Doubt(now, group.id(), member.pod_set, planned);
  const absl::Time until = now + kAvoidFor;
  if (believed)
    books_.refusals.Learn(group.id(), member.pod_set, planned, until, pod.scheduler_words);
  const bool sample = static_cast<int32_t>(offer.size()) >= options_.nominate_from;
  if (!sample) LearnOthers(now, group, pod, offer);
  return believed;
}

// A list that is not a sample tells of all nodes at once: one that is not in it although its room
// is free and no neighbour rules it out is refused, too. O(nodes), by the second list alone.
void SchedulerVerbs::LearnOthers(absl::Time now, const Group& group, const PodFacts& pod,
                                 const Offer& offer) {
  const Model& model = books_.ledger.model();
  const int32_t pod_set = group.Find(pod.uid)->pod_set;
  const PodSet& set = group.pod_sets().at(pod_set);
  if (set.shape < 0) return;
  std::set<NodeIndex> offered;
  for (std::string_view name : offer) offered.insert(model.FindNode(name));
  const auto others = books_.refusals.List(now, group.id(), pod_set, std::move(offered));
  if (!others) return;
  const Neighbours::Ruled ruled = books_.placer.RuledOut(group, set);
  const std::span<const int32_t> leaves = model.Counts(set.shape).levels.back();
  std::vector<bool> refused;
  for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    const NodeIndex node = model.NodeOfLeaf(group.topology(), static_cast<int32_t>(leaf));
    if (leaves[leaf] == 0 || ruled.Has(static_cast<int32_t>(leaf))) continue;
    if (books_.ledger.HasHolds(node) || !others->Has(node)) continue;
    const auto index = static_cast<size_t>(node);
    if (index >= refused.size()) refused.resize(index + 1);
    refused[index] = true;
  }
  plans_.round().Spend(static_cast<int64_t>(leaves.size()));
  books_.refusals.LearnOthers(group.id(), pod_set, std::move(refused), now + kAvoidFor,
                              pod.scheduler_words);
}

// An unranked member may take any held slot of its pod set whose node is offered and whose own
// member, if there is one, the scheduler does not count there yet: where it did, the node would
// look too full for the others until it knows better. Where the own node is of no use that counts
// for less: two members may each need the other one's node.
bool SchedulerVerbs::TakeOfferedSlot(Group& group, const std::string& uid, const Offer& offer,
                                     bool any) {
  const Member& member = *group.Find(uid);
  const int32_t own = member.slot;
  if (member.rank >= 0 || group.slot(own).state != SlotState::kHeld) return false;
  const TextSet offered(offer.begin(), offer.end());
  const PodSet& set = group.pod_sets().at(member.pod_set);
  for (int32_t i = set.first; i < set.first + set.count; ++i) {
    if (i == own || group.slot(i).state != SlotState::kHeld) continue;
    const Member* other = group.At(i);
    const std::string& node = books_.ledger.model().NodeName(group.slot(i).node);
    if (!offered.contains(node)) continue;
    if (other != nullptr && (other->in_bind || other->rank >= 0)) continue;
    if (other != nullptr && !any && books_.waker.MayStand(other->pod.uid, node)) continue;
    const std::string other_uid = other == nullptr ? "" : other->pod.uid;
    group.Swap(own, i);
    books_.waker.Reset(uid);
    if (!other_uid.empty()) {
      books_.waker.Reset(other_uid);
      books_.nominations.Send(group, other_uid);
    }
    return true;
  }
  return false;
}

}  // namespace gangplan
