#include "extender/app/service.h"

#include <algorithm>

#include "extender/observe/log.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr absl::Duration kTick = absl::Milliseconds(50);
constexpr absl::Duration kClosedCheck = absl::Seconds(1);

std::string_view NameOf(BindOutcome outcome) {
  constexpr std::string_view kNames[] = {"bound",   "elsewhere",   "gone",
                                         "refused", "not_written", "unknown"};
  return kNames[static_cast<int>(outcome)];
}

std::vector<std::string_view> NamesAt(const OfferedNodes& nodes,
                                      const std::vector<int32_t>& indices) {
  std::vector<std::string_view> names;
  names.reserve(indices.size());
  for (int32_t index : indices) names.push_back(nodes.names[static_cast<size_t>(index)]);
  return names;
}

}  // namespace

// The engine is timed here: the planner itself has no clock.
PlannerOptions Service::OptionsFrom(const Settings& settings) {
  PlannerOptions options;
  options.topology = settings.topologies.front();
  options.live_topology = LevelsFrom(settings);
  options.sakkara_groups = settings.sakkara_groups;
  options.scheduler_names = settings.scheduler_names;
  options.all_jobs = settings.jobs == JobGroups::kAll;
  options.start_at_first_member = settings.gang.start_when == StartWhen::kFirstMember;
  options.gather_timeout = settings.gang.gather_timeout;
  options.bind_timeout = settings.server.bind_timeout;
  options.reject_max = settings.reject_max;
  if (settings.strategy == EngineStrategy::kTas) options.engine_for_all = Strategy::kTas;
  if (settings.strategy == EngineStrategy::kExact) options.engine_for_all = Strategy::kExact;
  options.tas.balanced = settings.tas.balanced_placement;
  options.preferred_affinity = settings.tas.preferred_affinity;
  options.tas.compatibility =
      settings.tas.kueue_exact ? KueueCompatibility::kExact : KueueCompatibility::kFixed;
  options.engine = [this](const PlacementView& now, const std::function<PlacementView()>& empty,
                          const PlacementRequest& request, const Budget& budget) {
    absl::Time start = clock_.Now();
    Solved solved{Place(now, empty, request, budget), {}};
    solved.took = clock_.Now() - start;
    metrics_.CountSolve(Name(solved.result.outcome), solved.took);
    return solved;
  };
  return options;
}

Service::Service(const Settings& settings, Cluster& cluster, gangplan::Metrics& metrics,
                 const Clock& clock, std::function<std::vector<CallId>()> closed_calls)
    : cluster_(cluster),
      metrics_(metrics),
      clock_(clock),
      closed_calls_(std::move(closed_calls)),
      topology_source_(settings.topology_source),
      sakkara_groups_(settings.sakkara_groups),
      topology_namespace_(settings.topology_namespace),
      live_topology_(settings.topologies.front().name),
      nominate_(settings.wake == WakeBy::kNominate),
      planner_(OptionsFrom(settings)),
      trees_(live_topology_) {}

// Runs `function` on the planner, then carries out what it asked for, outside of the lock.
template <typename Function>
auto Service::WithPlanner(Function function) {
  Effects effects;
  if constexpr (std::is_void_v<decltype(function(planner_))>) {
    {
      MutexLock lock(mutex_);
      function(planner_);
      effects = planner_.TakeEffects();
    }
    Run(std::move(effects));
  } else {
    auto result = [&] {
      MutexLock lock(mutex_);
      auto value = function(planner_);
      effects = planner_.TakeEffects();
      return value;
    }();
    Run(std::move(effects));
    return result;
  }
}

Service::~Service() { Stop(); }

absl::Status Service::Start() {
  ticker_ = std::thread([this] { TickLoop(); });
  return cluster_.Start(this);
}

void Service::Drain() {
  draining_ = true;
  WithPlanner([](Planner& planner) { planner.AnswerHeldCalls("gangplan is stopping"); });
}

void Service::Stop() {
  {
    MutexLock lock(tick_mutex_);
    if (stopping_) return;
    stopping_ = true;
  }
  tick_wake_.notify_all();
  if (ticker_.joinable()) ticker_.join();
  cluster_.Stop();
  MutexLock lock(calls_mutex_);
  for (auto& [id, answer] : calls_) answer.set_value("gangplan is stopping");
  calls_.clear();
}

FilterReply Service::Filter(const FilterRequest& request) {
  FilterReply reply;
  static const Offer kNoNodes;
  const Offer& offer = request.nodes ? request.nodes->names : kNoNodes;
  FilterDecision decision = WithPlanner(
      [&](Planner& planner) { return planner.Filter(clock_.Now(), request.pod, offer); });
  if (!decision.error.empty()) {
    reply.error = std::move(decision.error);
    return reply;
  }
  reply.passed = std::move(decision.passed);
  if (request.nodes && !decision.rejected.empty()) {
    reply.unresolvable.push_back(
        {NamesAt(*request.nodes, decision.rejected), std::move(decision.text)});
  }
  return reply;
}

// Filter has left one node of a member, and has no opinion on foreign pods.
std::vector<HostScore> Service::Prioritize(const FilterRequest&) { return {}; }

std::string Service::Bind(const BindRequest& request, const Connection& connection) {
  CallId id = connection.id;
  std::future<std::string> answer;
  {
    MutexLock lock(calls_mutex_);
    answer = calls_[id].get_future();
  }
  PodRef pod{request.pod_namespace, request.pod_name, request.pod_uid};
  BindDecision decision = WithPlanner([&](Planner& planner) {
    if (draining_) return BindDecision{false, "gangplan is stopping"};
    return planner.Bind(clock_.Now(), id, pod, request.node, connection.accepted);
  });
  if (decision.held) return answer.get();
  MutexLock lock(calls_mutex_);
  calls_.erase(id);
  return decision.error;
}

std::vector<PreemptReplyNode> Service::Preempt(const PreemptRequest& request) {
  std::vector<PreemptCandidate> candidates;
  for (const PreemptNode& node : request.nodes) {
    candidates.push_back({node.node, {node.victim_uids.begin(), node.victim_uids.end()}});
  }
  std::vector<int32_t> kept = WithPlanner(
      [&](Planner& planner) { return planner.Preempt(clock_.Now(), request.pod, candidates); });
  std::vector<PreemptReplyNode> reply;
  for (int32_t index : kept) {
    const PreemptNode& node = request.nodes[static_cast<size_t>(index)];
    reply.push_back(
        {node.node, candidates[static_cast<size_t>(index)].victims, node.pdb_violations});
  }
  return reply;
}

bool Service::Ready() {
  MutexLock lock(mutex_);
  return planner_.synced() && !draining_;
}

void Service::OnEvents(std::vector<ClusterEvent> events) {
  std::vector<EventNote> notes;
  WithPlanner([&](Planner& planner) {
    absl::Time now = clock_.Now();
    for (const ClusterEvent& event : events) Apply(planner, now, event, notes);
  });
  for (EventNote& note : notes) cluster_.Emit(std::move(note));
  for (const ClusterEvent& event : events) {
    if (const auto* gone = std::get_if<TopologyDeleted>(&event)) TellTopologyGone(*gone);
  }
  if (!told_synced_) TellSynced();
}

void Service::Apply(Planner& planner, absl::Time now, const ClusterEvent& event,
                    std::vector<EventNote>& notes) {
  if (const auto* node = std::get_if<NodeFacts>(&event)) {
    const bool tree = topology_source_ == TopologySource::kSakkara;
    absl::Status status = planner.OnNode(now, tree ? trees_.Placed(*node) : *node);
    if (!status.ok())
      Log(LogLevel::kError, "node not taken", {{"node", node->name}, {"why", Message(status)}});
  } else if (const auto* gone = std::get_if<NodeDeleted>(&event)) {
    planner.OnNodeDeleted(now, gone->name);
  } else if (const auto* pod = std::get_if<PodFacts>(&event)) {
    planner.OnPod(now, *pod);
  } else if (const auto* deleted = std::get_if<PodDeleted>(&event)) {
    planner.OnPodDeleted(now, deleted->uid);
  } else if (const auto* topology = std::get_if<Topology>(&event)) {
    TakeTopology(planner, now, *topology);
  } else if (const auto* object = std::get_if<ConfigMapSeen>(&event)) {
    TakeObject(planner, now, *object, notes);
  } else if (const auto* lost = std::get_if<ConfigMapDeleted>(&event)) {
    LoseObject(planner, now, *lost);
  }
}

void Service::OnSynced() {
  WithPlanner([&](Planner& planner) {
    listed_ = true;
    TakeTrees(planner, clock_.Now());
    planner.OnSynced(clock_.Now());
  });
  TellSynced();
}

void Service::Run(Effects effects) {
  for (Effect& effect : effects) {
    std::visit([this](auto& one) { RunOne(std::move(one)); }, effect);
  }
}

void Service::RunOne(BindingWrite effect) {
  auto done = Settle({effect.pod, effect.node, effect.attempt});
  cluster_.Bind(std::move(effect), std::move(done));
}

void Service::RunOne(BindingRead effect) {
  auto done = Settle(effect);
  cluster_.Prove(std::move(effect), std::move(done));
}

// Tells the planner what became of the Binding that `about` is about.
std::function<void(BindResult)> Service::Settle(BindingRead about) {
  return [this, about = std::move(about)](const BindResult& result) { Settled(about, result); };
}

void Service::Settled(const BindingRead& about, const BindResult& result) {
  const PodRef& pod = about.pod;
  metrics_.CountBinding(NameOf(result.outcome));
  // An outcome that is not known yet is read again and again; the metric tells how often.
  if (result.outcome != BindOutcome::kBound && result.outcome != BindOutcome::kUnknown) {
    Log(LogLevel::kWarn, "binding not done",
        {{"pod", pod.ns + "/" + pod.name}, {"node", about.node}, {"why", result.message}});
  }
  WithPlanner([&](Planner& planner) {
    planner.OnBindResult(clock_.Now(), pod, about.node, about.attempt, result);
  });
}

void Service::RunOne(AnswerCall effect) {
  MutexLock lock(calls_mutex_);
  auto it = calls_.find(effect.call);
  if (it == calls_.end()) return;
  it->second.set_value(std::move(effect.error));
  calls_.erase(it);
}

void Service::RunOne(CommitReady effect) {
  std::vector<CallId> closed = closed_calls_();
  WithPlanner([&](Planner& planner) { planner.Commit(clock_.Now(), effect.group, closed); });
}

void Service::RunOne(Nomination effect) {
  if (!nominate_) {
    Wake(effect.pod);
    return;
  }
  PodRef pod = effect.pod;
  cluster_.Nominate(std::move(effect), [this, pod](absl::Status status) {
    metrics_.CountNomination(status.ok() ? "ok" : "error");
    if (status.ok() || absl::IsNotFound(status)) return;
    bool never = absl::IsPermissionDenied(status) || absl::IsUnimplemented(status);
    if (never && nominate_.exchange(false)) {
      Log(LogLevel::kWarn, "nominations do not work here, pods are woken by annotation",
          {{"why", Message(status)}});
    }
    Wake(pod);
  });
}

void Service::Wake(const PodRef& pod) {
  cluster_.Wake(pod, [this](const absl::Status&) { metrics_.CountWake(); });
}

void Service::RunOne(OwnerRead effect) {
  std::string uid = effect.owner.uid;
  cluster_.ReadOwner(std::move(effect), [this, uid](absl::StatusOr<OwnerFacts> owner) {
    WithPlanner([&](Planner& planner) { planner.OnOwner(clock_.Now(), uid, owner); });
  });
}

void Service::RunOne(WriteResults effect) {
  cluster_.WriteData(std::move(effect.write), Written(effect.group));
}

void Service::RunOne(WriteMemberLabels effect) {
  cluster_.WriteLabels(std::move(effect.write), Written(effect.group));
}

// Tells the planner of a group's results what became of the write.
std::function<void(absl::Status)> Service::Written(int64_t group) {
  return [this, group](const absl::Status& status) {
    const bool gone = absl::IsNotFound(status) || absl::IsAborted(status);
    const bool again = !status.ok() && !gone;
    if (again) {
      results_log_.Log(LogLevel::kWarn, "results of a group not written",
                       {{"why", Message(status)}});
    }
    WithPlanner([&](Planner& planner) { planner.OnResultsWritten(clock_.Now(), group, again); });
  };
}

void Service::RunOne(EventNote effect) {
  cluster_.Emit(std::move(effect));
}

void Service::DropClosedCalls() {
  std::vector<CallId> closed = closed_calls_();
  if (closed.empty()) return;
  WithPlanner([&](Planner& planner) { planner.OnCallsClosed(closed); });
}

void Service::TickLoop() {
  absl::Time next_check = clock_.Now();
  for (;;) {
    {
      std::unique_lock<Mutex> lock(tick_mutex_);
      if (stopping_) return;
      tick_wake_.wait_for(lock, absl::ToChronoMilliseconds(kTick));
      if (stopping_) return;
    }
    if (clock_.Now() >= next_check) {
      next_check = clock_.Now() + kClosedCheck;
      DropClosedCalls();
    }
    WithPlanner([&](Planner& planner) { planner.Tick(clock_.Now()); });
  }
}

}  // namespace gangplan
