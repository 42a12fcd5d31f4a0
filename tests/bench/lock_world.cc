#include "tests/bench/lock_world.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "extender/app/facts.h"
#include "extender/planner/owner_key.h"
#include "extender/planner/solve_task.h"
#include "fmt/format.h"
#include "topology/base/check.h"

namespace gangplan {
namespace {

constexpr std::string_view kOnCopy = "(not under the lock: a solve on a copy)";
constexpr size_t kPage = 500;       // objects of a list's page
constexpr size_t kOffered = 2'560;  // of 51,200 nodes, by the scheduler's default
constexpr int kQuietTicks = 20;     // so many in a row without work: nobody waits for a turn
constexpr absl::Duration kQuiet = absl::Microseconds(200);
constexpr absl::Duration kTick = absl::Milliseconds(50);
constexpr absl::Duration kBusyTick = absl::Milliseconds(1);

}  // namespace

std::vector<ClusterEvent> Deleted(const LockGang& gang) {
  std::vector<ClusterEvent> events;
  for (int32_t i = 0; i < gang.size; ++i) events.emplace_back(PodDeleted{LockPod(gang, i).uid});
  return events;
}

void TurnTimes::Add(std::string_view kind, absl::Duration spent) {
  auto known = std::find_if(kinds_.begin(), kinds_.end(),
                            [&](const auto& entry) { return entry.first == kind; });
  if (known == kinds_.end()) known = kinds_.insert(known, {std::string(kind), {}});
  known->second.Add(absl::ToDoubleMicroseconds(spent));
  if (kind == kOnCopy) return;
  locked_ += spent;
  if (spent > longest_.second) longest_ = {known->first, spent};
}

void TurnTimes::Print(absl::Duration most) const {
  fmt::print("{:<52} {:>8} {:>9} {:>9} {:>9}\n", "lock/kind of call, CPU in us", "calls", "p50",
             "p99", "longest");
  int beyond = 0;
  for (const auto& [kind, turns] : kinds_) {
    const bool locked = kind != kOnCopy;
    const bool long_one = locked && turns.Quantile(1) > absl::ToDoubleMicroseconds(most);
    beyond += static_cast<int>(long_one);
    fmt::print("{:<52} {:>8} {:>9.0f} {:>9.0f} {:>9.0f}{}\n", kind, turns.count(),
               turns.Quantile(0.5), turns.Quantile(0.99), turns.Quantile(1),
               long_one ? "  beyond" : "");
  }
  fmt::print("lock/{} of {} kinds beyond {} ms\n", beyond, kinds_.size(),
             absl::ToInt64Milliseconds(most));
}

LockWorld::LockWorld(int32_t nodes) {
  for (NodeFacts& node : LockNodes(nodes)) {
    node_names_.push_back(node.name);
    nodes_.emplace(node.name, std::move(node));
  }
  for (PodFacts& pod : LockForeignPods(nodes)) pods_.emplace(pod.uid, std::move(pod));
}

std::vector<ClusterEvent> LockWorld::Make(const LockGang& gang) {
  const OwnerFacts owner = LockOwner(gang);
  owners_[owner.ref.uid] = owner;
  std::vector<ClusterEvent> pods;
  for (int32_t i = 0; i < gang.size; ++i) {
    pods.emplace_back(LockPod(gang, i));
    Note(pods.back());
  }
  return pods;
}

// ---- facts

void LockWorld::Start(std::string_view as, PlannerOptions options) {
  options.topologies.resize(2);
  options.topologies[0].topology = {LockLevels()};
  options.topologies[1].topology = {LockLevels(), LockRings()};
  options.topologies[1].topology.name = "rings";
  before_ = std::exchange(planner_, std::make_unique<Planner>(std::move(options)));
  effects_.clear();
  const auto list = [&](std::string_view kind, const auto& objects) {
    std::vector<ClusterEvent> page;
    for (auto next = objects.begin(); next != objects.end();) {
      page.emplace_back((next++)->second);
      if (page.size() == kPage || next == objects.end()) Tell(kind, std::exchange(page, {}));
    }
  };
  list(fmt::format("{}: nodes of a list", as), nodes_);
  list(fmt::format("{}: pods of a list", as), pods_);
  Turn(fmt::format("{}: synced", as), [&](Planner& planner) { planner.OnSynced(now_); });
  CarryOut();
  while (planner_->recovering()) Tick(fmt::format("{}: a tick of the recovery", as));
}

void LockWorld::Note(const ClusterEvent& event) {
  if (const auto* node = std::get_if<NodeFacts>(&event)) {
    nodes_[node->name] = *node;
  } else if (const auto* gone = std::get_if<NodeDeleted>(&event)) {
    nodes_.erase(gone->name);
  } else if (const auto* pod = std::get_if<PodFacts>(&event)) {
    pods_[pod->uid] = *pod;
  } else if (const auto* deleted = std::get_if<PodDeleted>(&event)) {
    pods_.erase(deleted->uid);
  }
}

void LockWorld::Apply(Planner& planner, const ClusterEvent& event) {
  if (const auto* node = std::get_if<NodeFacts>(&event)) {
    GANGPLAN_CHECK(planner.OnNode(now_, *node).ok());
  } else if (const auto* gone = std::get_if<NodeDeleted>(&event)) {
    planner.OnNodeDeleted(now_, gone->name);
  } else if (const auto* pod = std::get_if<PodFacts>(&event)) {
    planner.OnPod(now_, *pod);
  } else if (const auto* deleted = std::get_if<PodDeleted>(&event)) {
    planner.OnPodDeleted(now_, deleted->uid);
  }
}

void LockWorld::Tell(std::string_view kind, std::vector<ClusterEvent> events) {
  for (const ClusterEvent& event : events) Note(event);
  for (size_t next = 0; next < events.size();) {
    Turn(kind, [&](Planner& planner) {
      next = TakeEvents(events, next, [&](const ClusterEvent& event) { Apply(planner, event); });
    });
  }
}

void LockWorld::Tell(std::string_view kind, const std::vector<ClusterEvent>& events, size_t each) {
  for (size_t i = 0; i < events.size(); i += each) {
    const auto begin = events.begin() + static_cast<ptrdiff_t>(i);
    const auto end = begin + static_cast<ptrdiff_t>(std::min(each, events.size() - i));
    Tell(kind, std::vector<ClusterEvent>(begin, end));
  }
}

// ---- what was asked for

void LockWorld::CarryOut() {
  while (!effects_.empty() || !bound_.empty()) {
    if (effects_.empty() || bound_.size() >= kWatched) {
      Tell("pods: bound, 8 of a watch", std::exchange(bound_, {}));
      continue;
    }
    const Effect effect = std::move(effects_.front());
    effects_.pop_front();
    std::visit([this](const auto& one) { Carry(one); }, effect);
  }
}

void LockWorld::Carry(const OwnerRead& read) {
  const auto known = owners_.find(read.owner.uid);
  GANGPLAN_CHECK(known != owners_.end());
  Turn("owner read", [&](Planner& planner) {
    planner.OnOwner(now_, OwnerKey(read.ns, read.owner.uid),
                    absl::StatusOr<OwnerFacts>(known->second));
  });
}

void LockWorld::Carry(const WriteBindings& all) {
  for (const auto& write : all.writes) Carry(*write);
}

void LockWorld::Carry(const BindingWrite& write) {
  Turn("settle: a Binding was written", [&](Planner& planner) {
    planner.OnBindResult(now_, write.pod, write.node, write.attempt, {BindOutcome::kBound, ""});
  });
  PodFacts pod = pods_.at(write.pod.uid);
  pod.node_name = write.node;
  for (const auto& [key, value] : write.annotations) SetLabel(pod.annotations, key, value);
  bound_.emplace_back(std::move(pod));
}

void LockWorld::Carry(const CommitReady& ready) {
  Turn("commit", [&](Planner& planner) { planner.Commit(now_, ready.group, {}); });
}

void LockWorld::Carry(const SolveOnCopy& solve) {
  const absl::Duration start = ThreadCpuTime();
  solve.task->Run();
  const absl::Duration spent = ThreadCpuTime() - start;
  times_.Add(kOnCopy, spent);
  const absl::Time begin = answered_.empty() ? now_ : std::max(now_, answered_.back().at);
  answered_.push_back({clock_runs_ ? begin + spent : now_, solve.task});
  TellSolved();
}

void LockWorld::TellSolved() {
  while (!answered_.empty() && answered_.front().at <= now_) {
    const std::shared_ptr<SolveTask> task = std::move(answered_.front().task);
    answered_.pop_front();
    Turn("solved", [&](Planner& planner) { planner.OnSolved(now_, *task); });
  }
}

void LockWorld::RunUntil(absl::Time end, const std::function<void()>& looked) {
  for (bool due = true; due;) {
    Turn("tick", [&](Planner& planner) { planner.Tick(now_); });
    TellSolved();
    CarryOut();
    looked();
    const bool busy = planner_->busy();
    const absl::Time next = answered_.empty() ? end : answered_.front().at;
    due = now_ < end && (busy || next < end);
    if (due) now_ = busy ? now_ + kBusyTick : std::max(now_, next);
  }
  now_ = std::max(now_, end);
}

void LockWorld::Tick(std::string_view kind) {
  now_ += kTick;
  Turn(kind, [&](Planner& planner) { planner.Tick(now_); });
  CarryOut();
}

void LockWorld::Rest(std::string_view kind) {
  for (int quiet = 0; quiet < kQuietTicks;) {
    const absl::Duration start = ThreadCpuTime();
    Tick(kind);
    quiet = ThreadCpuTime() - start < kQuiet ? quiet + 1 : 0;
  }
}

// ---- the scheduler

FilterDecision LockWorld::Filter(std::string_view kind, const PodFacts& pod, const Offer& offer) {
  FilterDecision decision =
      Turn(kind, [&](Planner& planner) { return planner.Filter(now_, pod, offer); });
  CarryOut();
  return decision;
}

std::map<std::string, std::string> LockWorld::PlannedNodes(const LockGang& gang) const {
  std::map<std::string, std::string> nodes;
  const std::optional<GroupReport> report = planner_->Report(gang.key());
  if (!report) return nodes;
  for (const GroupReport::SlotReport& slot : report->slots) {
    if (!slot.pod.empty() && !slot.node.empty()) nodes[slot.pod] = slot.node;
  }
  return nodes;
}

Offer LockWorld::OfferWith(std::string_view node) const {
  Offer offer(node_names_.begin(), node_names_.begin() + kOffered);
  if (!node.empty()) offer.back() = node;
  return offer;
}

std::vector<CallId> LockWorld::Call(const LockGang& gang, int32_t members) {
  const std::map<std::string, std::string> nodes = PlannedNodes(gang);
  std::vector<CallId> calls;
  for (int32_t i = 0; i < members; ++i) {
    const PodFacts pod = pods_.at(LockPod(gang, i).uid);
    const auto node = nodes.find(pod.name);
    if (node == nodes.end()) break;
    if (Filter("filter: a later pod", pod, OfferWith(node->second)).passed.size() != 1) break;
    calls.push_back(next_call_++);
    Turn(i + 1 < gang.size ? "bind: a member" : "bind: the last member", [&](Planner& planner) {
      return planner.Bind(now_, calls.back(), {pod.ns, pod.name, pod.uid}, node->second, now_);
    });
    CarryOut();
  }
  return calls;
}

bool LockWorld::Run(const LockGang& gang) {
  if (PlannedNodes(gang).size() != static_cast<size_t>(gang.size)) return false;
  return Call(gang, gang.size).size() == static_cast<size_t>(gang.size);
}

// ---- what changes

void LockWorld::SetOwner(const LockGang& gang, const LabelSet& annotations, int32_t size) {
  OwnerFacts& owner = owners_.at(LockOwner(gang).ref.uid);
  owner.annotations = annotations;
  owner.size = size;
}

void LockWorld::ReadOwner(std::string_view kind, const LockGang& gang) {
  const OwnerFacts& owner = owners_.at(LockOwner(gang).ref.uid);
  Turn(kind,
       [&](Planner& planner) { planner.OnOwner(now_, OwnerKey(owner.ns, owner.ref.uid), owner); });
  CarryOut();
}

NodeFacts LockWorld::Tainted(std::string_view name) const {
  NodeFacts tainted = node(name);
  tainted.taints.push_back({"broken", "yes", TaintEffect::kNoExecute});
  return tainted;
}

std::vector<std::string> LockWorld::Overfull() const {
  std::map<std::pair<std::string, std::string>, int64_t> used;  // by node and resource
  for (const auto& [uid, pod] : pods_) {
    if (pod.node_name.empty()) continue;
    for (const auto& asked : pod.requests) used[{pod.node_name, asked.name}] += asked.amount;
  }
  std::vector<std::string> overfull;
  for (const auto& [name, facts] : nodes_) {
    const auto beyond = [&, &node = name](const auto& has) {
      const auto taken = used.find({node, has.name});
      return taken != used.end() && taken->second > has.amount;
    };
    if (std::any_of(facts.allocatable.begin(), facts.allocatable.end(), beyond))
      overfull.push_back(name);
  }
  return overfull;
}

}  // namespace gangplan
