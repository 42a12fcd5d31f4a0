#include "extender/planner/planner.h"

#include "extender/planner/advice_search.h"
#include "extender/planner/owner_key.h"
#include "extender/planner/planner_rooms.h"
#include "extender/planner/room_ask.h"

namespace gangplan {
Planner::Planner(PlannerOptions options) : rooms_(std::make_unique<Rooms>(std::move(options))) {}

Planner::~Planner() = default;

Planner::Rooms& Planner::Begin() {
  rooms_->plans.round().Begin();
  return *rooms_;
}

// ---- facts

absl::Status Planner::OnNode(absl::Time now, const NodeFacts& node) {
  Rooms& r = Begin();
  if (!IsWithin(r.options.nodes, node.labels)) {
    const absl::Status status = r.PutForeign(node);
    r.FitKueue(node.name);
    r.Settle(now);
    return status;
  }
  const NodeIndex before = r.ledger.model().FindNode(node.name);
  const bool moved = before != kNoNode && r.HasMoved(before, node);
  if (moved || r.HasShrunk(before, node)) r.plans.NoteShrunk();
  absl::Status status = r.PutOurs(node);
  if (!status.ok()) return status;
  const NodeIndex index = r.ledger.model().FindNode(node.name);
  r.refusals.Disturb(index);  // a list may be older than what it is now
  r.failed_nodes.OnNode(now, node);
  r.FitKueue(node);
  r.plans.CheckNode(index, moved);
  r.Settle(now);
  return absl::OkStatus();
}

void Planner::OnNodeDeleted(absl::Time now, std::string_view name) {
  Rooms& r = Begin();
  const NodeIndex node = r.ForgetNode(name);
  if (node == kNoNode) return;
  const bool held = r.ledger.HasHolds(node);
  const bool ours = r.ledger.model().Facts(node) != nullptr;
  r.ledger.RemoveNode(name);
  if (ours) r.failed_nodes.OnNodeDeleted(now, name);
  r.shares.Note();
  r.FitKueue(name);
  if (held) r.plans.CheckNode(node);
  r.Settle(now);
}

void Planner::OnPod(absl::Time now, const PodFacts& pod) {
  Begin().TakePod(now, pod);
  if (rooms_->verbs.early().Holds(pod.uid)) rooms_->verbs.OnShown(now, rooms_->Ready(), pod.uid);
  rooms_->plans.OnPodGone(now, pod.uid);
  rooms_->kept.OnPodGone(pod.uid);
  rooms_->preemptions.OnPod(now, pod);
  rooms_->pod_groups.OnPod(now, pod);
  rooms_->ready_times.OnPod(now, pod);
  rooms_->Settle(now);
}

void Planner::OnPodDeleted(absl::Time now, std::string_view uid) {
  Begin().ForgetPod(now, uid);
  rooms_->verbs.early().Answer(uid, "the pod was deleted");
  rooms_->pod_groups.OnPodDeleted(now, uid);
  rooms_->ready_times.OnPodDeleted(now, uid);
  rooms_->plans.OnPodGone(now, uid);
  rooms_->kept.OnPodGone(uid);
  rooms_->Settle(now);
}

void Planner::OnOwner(absl::Time now, std::string_view owner_key,
                      const absl::StatusOr<OwnerFacts>& owner) {
  Begin().roster.OnOwner(now, owner_key, owner);
  if (owner.ok()) rooms_->pod_groups.OnObject(now, UidOf(owner_key), *owner);
  if (rooms_->owners.IsGone(owner_key)) {
    rooms_->jobs.OnOwnerGone(owner_key);
    rooms_->plans.OnOwnerGone(owner_key);
  }
  rooms_->Settle(now);
}

void Planner::OnJob(absl::Time now, const JobFacts& job) {
  Begin().jobs.OnJob(now, job);
  rooms_->Settle(now);
}

void Planner::OnJobLeft(absl::Time now, std::string_view uid) {
  Begin().jobs.OnJobLeft(now, uid);
  rooms_->Settle(now);
}

void Planner::OnAdmissionRule(absl::Time now, const AdmissionRule& rule, bool stands) {
  Begin().jobs.OnAdmissionRule(rule, stands);
  rooms_->Settle(now);
}

// ---- verbs

void Planner::SetActive(absl::Time now, bool active) {
  Rooms& r = Begin();
  if (r.outbox.active() == active) return;
  r.outbox.SetNow(now);
  r.outbox.SetActive(active);
  r.activated.reset();
  if (!active) return r.yielding.ForgetOwnMarks();
  r.activated = 0;
  if (r.synced && !r.recovering) r.BeginToPlan(now);
  r.Activate();
  r.Settle(now);
}

FilterDecision Planner::Filter(absl::Time now, const PodFacts& pod, const Offer& offer) {
  SetActive(now, true);
  FilterDecision decision = rooms_->verbs.Filter(now, rooms_->Ready(), pod, offer);
  rooms_->Settle(now);
  return decision;
}

std::vector<int32_t> Planner::Prioritize(absl::Time now, const PodFacts& pod, const Offer& offer) {
  return rooms_->steering.Score(now, pod, offer);
}

BindDecision Planner::Bind(absl::Time now, CallId call, const PodRef& pod, std::string_view node,
                           absl::Time received) {
  SetActive(now, true);
  BindDecision decision = rooms_->verbs.Bind(now, rooms_->Ready(), call, pod, node, received);
  rooms_->Settle(now);
  return decision;
}

std::vector<int32_t> Planner::Preempt(absl::Time now, const PodFacts& pod,
                                      const std::vector<PreemptCandidate>& candidates) {
  SetActive(now, true);
  std::vector<int32_t> kept = rooms_->verbs.Preempt(now, rooms_->Ready(), pod, candidates);
  rooms_->Settle(now);
  return kept;
}

// ---- outcomes

void Planner::OnCallsClosed(absl::Time now, const std::vector<CallId>& closed) {
  Begin().DropClosed(closed);
  rooms_->Settle(now);
}

void Planner::AnswerHeldCalls(std::string_view why) {
  Rooms& r = Begin();
  for (const std::string& uid : r.desk.PodsOf(r.desk.HeldCalls())) {
    Group* group = r.groups.Find(r.pods.At(uid).group);
    if (group != nullptr && r.desk.Awaits(uid)) r.plans.DropCall(*group, uid, why);
  }
  r.verbs.early().AnswerAll(why);
}

void Planner::Commit(absl::Time now, int64_t id, const std::vector<CallId>& closed) {
  Rooms& r = Begin();
  r.DropClosed(closed);
  // Room that has just come free may be enough for who goes before it.
  r.plans.LookForGains();
  r.plans.Settle(now);
  if (Group* group = r.groups.Find(id)) r.plans.Commit(now, *group);
  r.Settle(now);
}

void Planner::OnNotWoken(absl::Time now, std::string_view uid) {
  Begin().waker.NotSent(now, uid);
  rooms_->Settle(now);
}

void Planner::OnBindResult(absl::Time now, const PodRef& pod, std::string_view node,
                           int64_t attempt, const BindResult& result) {
  Rooms& r = Begin();
  (void)node;  // that of the attempt
  const std::optional<Settlement> settled = r.desk.OnResult(now, pod.uid, attempt, result);
  const KnownPod* record = r.pods.Find(pod.uid);
  if (!settled || record == nullptr) return;
  const bool bound = settled->outcome == BindOutcome::kBound;
  if (Group* group = r.groups.Find(record->group)) {
    const GroupId id = group->id();
    r.plans.OnSettlement(now, *group, *settled);
    r.roster.FollowOwner(now, id);
  } else {
    r.desk.Answer(pod.uid, bound ? std::string() : settled->message);
    if (!bound && !record->bound) r.GiveBack(pod.uid);
  }
  r.ReadStale(now);
  r.Settle(now);
}

void Planner::OnResultsWritten(absl::Time now, int64_t group, bool again) {
  rooms_->results.OnWritten(now, group, again);
}

void Planner::OnRankListWritten(absl::Time now, const ConfigMapRef& object, bool again) {
  rooms_->rank_lists.OnWritten(now, object, again);
}

void Planner::OnPodGroupWritten(absl::Time now, std::string_view ns, std::string_view name,
                                const absl::Status& status) {
  rooms_->pod_groups.OnWritten(now, ns, name, status);
}

void Planner::OnJobWritten(absl::Time now, std::string_view uid, int64_t attempt,
                           const absl::Status& status) {
  Rooms& r = Begin();
  if (Evictions::IsOurs(attempt)) {
    r.evictions.OnJobWritten(now, uid, attempt, status);
  } else {
    r.jobs.OnWritten(now, uid, attempt, status);
  }
  rooms_->Settle(now);
}

void Planner::OnReleased(absl::Time now, std::string_view uid, int64_t attempt,
                         const absl::Status& status) {
  Begin().gates.OnReleased(now, uid, attempt, status);
  rooms_->Settle(now);
}

void Planner::OnPodDelete(absl::Time now, std::string_view uid, int64_t attempt,
                          const absl::Status& status) {
  Rooms& r = Begin();
  if (Evictions::IsOurs(attempt)) {
    r.evictions.OnPodWritten(now, uid, attempt, status);
  } else if (attempt == FailedNodes::kAttempt) {
    r.failed_nodes.OnDeleted(uid, status);
  } else {
    r.gates.OnDeleted(now, uid, attempt, status);
  }
  rooms_->Settle(now);
}

void Planner::OnSolved(absl::Time now, const SolveTask& task) {
  Begin().plans.OnSolved(now, task);
  rooms_->Settle(now);
}

// ---- time

void Planner::Tick(absl::Time now, bool sees) {
  Rooms& r = Begin();
  r.outbox.SetNow(now);
  r.SetSees(now, sees);
  if (!r.synced) return;
  r.plans.round().Owe();
  r.groups.FreeErased();
  r.ledger.FreeSpent();
  r.owners.Tick(now);
  r.roster.JudgeRead(now);
  r.FinishRecovery(now);
  if (r.recovering) return r.Settle(now);
  r.ReadStale(now);
  r.roster.Tick(now);
  r.jobs.Tick(now);
  r.gates.Tick(now);
  r.ladders.Tick(now);
  r.evictions.Tick(now);
  r.failed_nodes.Tick(now);
  r.restarts.Tick(now);
  r.ready_times.Tick(now);
  r.left_nodes.Tick();
  r.vacant.Tick(now);
  r.TickKueue(now);
  r.plans.TickVictims(now);
  r.plans.FollowShares(now);
  r.preemptions.Follow(now);
  r.plans.round().Spend(r.spares.Tick(now));
  r.named_reservations.Follow(now);
  r.Act(now);
  r.Activate();
  r.nominations.SendRest();
  r.plans.SolveNextOutside();
  r.plans.LookForGains();
  r.Settle(now);
  r.TickTouched(now);
  r.desk.ReadDoubtful(now);
}

bool Planner::busy() const {
  if (!rooms_->synced) return false;
  return rooms_->plans.busy() || rooms_->ledger.AnySpent() || rooms_->activated ||
         rooms_->joining || rooms_->owners.AnyRead() || rooms_->roster.AnyReread() ||
         rooms_->jobs.busy() || rooms_->gates.busy() ||
         (rooms_->plans.planning() && rooms_->named.AnyToFit());
}

Effects Planner::TakeEffects() { return rooms_->outbox.Take(); }

// ---- reads

bool Planner::synced() const { return rooms_->synced; }
bool Planner::listed() const { return rooms_->listed; }
bool Planner::levels_known() const { return rooms_->AllLevelsKnown(); }
bool Planner::recovering() const { return rooms_->recovering; }
std::string Planner::WhyNotReady() const {
  Readiness ready = rooms_->Ready();
  return ready.not_ready.empty() ? std::move(ready.recovering) : std::move(ready.not_ready);
}
const Model& Planner::model() const { return rooms_->ledger.model(); }
std::vector<CallId> Planner::HeldCalls() const {
  std::vector<CallId> calls = rooms_->desk.HeldCalls();
  for (CallId early : rooms_->verbs.early().Calls()) calls.push_back(early);
  return calls;
}
PlannerStats Planner::Stats() const {
  PlannerStats stats = rooms_->reports.Stats();
  stats.held_calls += std::ssize(rooms_->verbs.early().Calls());
  stats.refused_suspensions = rooms_->jobs.refused_suspensions();
  stats.evicted_groups = rooms_->evictions.begun();
  stats.templates_read = rooms_->jobs.templates_read();
  stats.reservations = rooms_->named_reservations.Counts();
  return stats;
}

std::vector<GroupReport> Planner::List(GroupId after, size_t most) const {
  return rooms_->reports.List(after, most);
}

std::vector<GroupReport> Planner::ListAlone(std::string& after, size_t most) const {
  return rooms_->jobs.List(after, most);
}

std::optional<GroupReport> Planner::Report(std::string_view name) const {
  const Group* group = rooms_->groups.FindByName(name);
  return group == nullptr ? rooms_->jobs.Report(name) : Report(group->id());
}

std::optional<GroupReport> Planner::Report(GroupId id) const {
  const Group* group = rooms_->groups.Find(id);
  if (group == nullptr) return std::nullopt;
  GroupReport report = rooms_->reports.Describe(*group);
  report.id = id;
  if (report.reason.empty()) report.reason = rooms_->jobs.WhyHeld(group->id());
  return report;
}

std::string Planner::GroupWith(std::string_view asked, AskedBy by, GroupId& after,
                               int64_t most) const {
  return rooms_->reports.NameWith(asked, by, after, most);
}

GroupHistory Planner::HistoryOf(std::string_view name) const {
  const GroupHistory* history = rooms_->lifecycle.history().Of(name);
  return history == nullptr ? GroupHistory() : *history;
}

std::shared_ptr<SolveTask> Planner::Question(std::string_view name) const {
  const Group* group = rooms_->groups.FindByName(name);
  return group == nullptr ? nullptr : rooms_->reports.Question(*group);
}

std::shared_ptr<AdviceQuestion> Planner::AskAdvice(absl::Time now, std::string_view name) const {
  const Group* group = rooms_->groups.FindByName(name);
  const AdviceSearch search(rooms_->books);
  if (group == nullptr || !search.LacksRoomAlone(*group)) return nullptr;
  const std::vector<int32_t> wanted = rooms_->reports.WaitsWith(*group);
  if (wanted.empty()) return nullptr;
  std::shared_ptr<AdviceQuestion> question = search.Ask(now, *group, wanted);
  question->ns = group->key().ns;
  question->regarding = rooms_->ToldFor(*group);
  return question;
}

std::shared_ptr<const RoomAsk> Planner::AskRoom(std::string_view name) const {
  const Group* group = rooms_->groups.FindByName(name);
  if (group == nullptr) return nullptr;
  auto ask =
      std::make_shared<RoomAsk>(AskOf(rooms_->books, *group, rooms_->reports.WaitsWith(*group)));
  ask->regarding = rooms_->ToldFor(*group);
  return ask;
}

void Planner::OnBooking(std::string_view name, LabelSet annotations) {
  Group* group = rooms_->groups.FindByName(name);
  if (group != nullptr) group->SetBooked(std::move(annotations));
}

std::vector<ReservationReport> Planner::ListReservations() const {
  return rooms_->named_reservations.List();
}

std::string Planner::WhyLeft(std::string_view name) const { return rooms_->left.Why(name); }

std::string Planner::BrokenInvariant() const {
  for (std::string broken : {rooms_->ledger.BrokenInvariant(), rooms_->groups.BrokenInvariant(),
                             rooms_->desk.BrokenInvariant(), rooms_->plans.BrokenInvariant(),
                             rooms_->pods.BrokenInvariant(rooms_->ledger),
                             rooms_->named.BrokenInvariant(), rooms_->kueue.BrokenInvariant()}) {
    if (!broken.empty()) return broken;
  }
  return {};
}

}  // namespace gangplan
