#include "tests/simulation/scheduler.h"

#include <algorithm>

#include "fmt/format.h"
#include "tests/simulation/room.h"

namespace gangplan::simulation {
Scheduler::Scheduler(Timeline& time, Random& random, ApiServer& api, Service& service,
                     Options options)
    : time_(time), random_(random), api_(api), service_(service), options_(options) {}

void Scheduler::Start() {
  ++life_;
  watch_ = api_.Watch(this, absl::Milliseconds(500));
  CycleAgain();
}

void Scheduler::Kill() {
  ++life_;
  api_.Unwatch(watch_);
  watch_ = 0;
  synced_ = false;
  for (const auto& [uid, entry] : queue_) {
    if (entry.call != 0) service_.CloseCall(entry.call);
  }
  pods_.clear();
  nodes_.clear();
  queue_.clear();
  assumed_.clear();
}

void Scheduler::BreakStream(Kind kind) {
  if (alive()) api_.BreakStream(watch_, kind);
}

void Scheduler::Later(absl::Duration delay, std::function<void()> what) {
  time_.After(delay, [this, life = life_, what = std::move(what)] {
    if (life == life_) what();
  });
}

// One pod at a time; it looks more often than pods come, as the real one does.
void Scheduler::CycleAgain() {
  Later(random_.Millis(1, options_.cycle), [this] {
    bool any = false;
    for (auto& [uid, entry] : queue_) {
      if (entry.place == Place::kBackoff && entry.until <= time_.now())
        entry.place = Place::kActive;
      if (entry.place == Place::kUnschedulable && entry.since + options_.flush <= time_.now())
        entry.place = Place::kActive;
      any = any || entry.place == Place::kActive;
    }
    if (any && synced_) {
      Cycle();
      CycleAgain();
    } else {
      Later(absl::Milliseconds(100), [this] { CycleAgain(); });
    }
  });
}

std::string Scheduler::Pop() {
  std::string best;
  auto rank = [&](const std::string& uid) {
    return std::make_pair(-pods_.at(uid).priority, queue_.at(uid).order);
  };
  for (const auto& [uid, entry] : queue_) {
    if (entry.place == Place::kActive && (best.empty() || rank(uid) < rank(best))) best = uid;
  }
  return best;
}

void Scheduler::Cycle() {
  std::string uid = Pop();
  PodFacts pod = pods_.at(uid);
  if (pod.terminating) {
    queue_.erase(uid);
    return;
  }
  Schedule(pod, queue_.at(uid));
}

Scheduler::Standing Scheduler::StandingFor(const PodFacts& pod) const {
  Standing standing;
  for (const auto& [uid, other] : pods_) {
    if (uid == pod.uid || other.finished()) continue;
    const auto assumed = assumed_.find(uid);
    if (!other.node_name.empty())
      standing[other.node_name].push_back(&other);
    else if (assumed != assumed_.end())
      standing[assumed->second].push_back(&other);
    else if (!other.nominated_node_name.empty() && other.priority >= pod.priority)
      standing[other.nominated_node_name].push_back(&other);
  }
  return standing;
}

// No pod here tolerates a taint.
bool Scheduler::Fits(const PodFacts& pod, const NodeFacts& node,
                     const std::vector<const PodFacts*>& standing) const {
  if (!node.ready || node.unschedulable || !node.taints.empty()) return false;
  if (pod.filter.required_terms && !MatchesSelector(pod.filter, node)) return false;
  if (rules.Refuses(pod, node, standing)) return false;
  Amounts needed = AmountsOf(pod.requests);
  for (const PodFacts* other : standing) needed += AmountsOf(other->requests);
  return needed.FitsIn(AmountsOf(node.allocatable));
}

std::string Scheduler::FindPlace(const PodFacts& pod, Standing& standing, bool& error) {
  auto nominated = nodes_.find(pod.nominated_node_name);
  if (nominated != nodes_.end() && Fits(pod, nominated->second, standing[nominated->first])) {
    if (!options_.asks) return nominated->first;
    FilterDecision decision = service_.Filter(pod, {nominated->first});
    if (decision.error.empty() && !decision.passed.empty()) return nominated->first;
  }
  std::vector<std::string> names;
  for (const auto& [name, node] : nodes_) names.push_back(name);
  std::vector<std::string> offer;
  for (size_t i = 0; i < names.size() && offer.size() < static_cast<size_t>(options_.sample); ++i) {
    const std::string& name = names[(next_start_ + i) % names.size()];
    if (Fits(pod, nodes_.at(name), standing[name])) offer.push_back(name);
  }
  if (!names.empty())
    next_start_ = (next_start_ + static_cast<size_t>(options_.sample)) % names.size();
  if (offer.empty()) return "";  // the extender is not called at all
  if (!options_.asks) return random_.OneOf(offer);
  FilterDecision decision = service_.Filter(pod, offer);
  bool lost = service_.faults.on && random_.OneIn(50);
  error = lost || !decision.error.empty();
  if (error || decision.passed.empty()) return "";
  return offer[decision.passed[static_cast<size_t>(
      random_.Between(0, static_cast<int64_t>(decision.passed.size()) - 1))]];
}

void Scheduler::Schedule(const PodFacts& pod, Entry& entry) {
  bool error = false;
  Standing standing = StandingFor(pod);
  std::string node = FindPlace(pod, standing, error);
  if (trace) {
    trace(fmt::format("schedule {}: {}", pod.name,
                      !node.empty() ? node
                      : error       ? "error"
                                    : "no node"));
  }
  if (!node.empty()) {
    Assume(pod, node);
    return;
  }
  if (!error && pod.priority > 0 && Preempt(pod, standing)) {
    entry.place = Place::kUnschedulable;
    entry.since = time_.now();
    return;
  }
  // A failed attempt clears the nomination.
  if (!pod.nominated_node_name.empty()) {
    time_.After(random_.Millis(1, 30), [this, uid = pod.uid] { api_.Nominate(uid, ""); });
  }
  Failed(pod.uid, entry, error);
}

void Scheduler::Failed(const std::string&, Entry& entry, bool error) {
  ++entry.failures;
  entry.call = 0;
  absl::Duration wait = absl::Seconds(std::min(1 << std::min(entry.failures - 1, 4), 10));
  entry.place = error ? Place::kBackoff : Place::kUnschedulable;
  entry.until = time_.now() + wait;
  entry.since = time_.now();
}

void Scheduler::Assume(const PodFacts& pod, const std::string& node) {
  Entry& entry = queue_.at(pod.uid);
  entry.place = Place::kBinding;
  entry.order = next_order_++;
  int64_t attempt = entry.order;
  assumed_[pod.uid] = node;
  Later(random_.Millis(0, 50),
        [this, uid = pod.uid, name = RefOf(pod), node, attempt, life = life_] {
          auto done = [this, uid, attempt, life](const std::string& error) {
            if (life == life_) BindDone(uid, attempt, error);
          };
          if (!options_.asks) return done(BindAlone(name, node));
          auto it = queue_.find(uid);
          if (it != queue_.end() && it->second.order == attempt) {
            it->second.call = service_.Bind(name, node, done);
            CallId call = it->second.call;
            Later(options_.bind_timeout, [this, uid, attempt, call] {
              auto entry_it = queue_.find(uid);
              if (entry_it == queue_.end() || entry_it->second.order != attempt ||
                  entry_it->second.call != call)
                return;
              service_.CloseCall(call);
              BindDone(uid, attempt, "time-out");
            });
          } else {
            service_.Bind(name, node, done);  // deleted meanwhile: the real one calls all the same
          }
        });
}

// By itself, as where it has no extender.
std::string Scheduler::BindAlone(const PodRef& pod, const std::string& node) {
  BindingWrite write;
  write.pod = pod;
  write.node = node;
  return api_.Bind(write) == BindOutcome::kBound ? "" : "refused";
}

void Scheduler::BindDone(const std::string& uid, int64_t attempt, const std::string& error) {
  auto it = queue_.find(uid);
  if (it == queue_.end() || it->second.order != attempt) return;
  if (trace) trace(fmt::format("bind of {} answered: {}", pods_.at(uid).name, error));
  it->second.call = 0;
  if (error.empty()) {
    queue_.erase(it);  // assumed until the watch shows it
    return;
  }
  assumed_.erase(uid);
  if (!pods_.at(uid).nominated_node_name.empty()) {
    time_.After(random_.Millis(1, 30), [this, uid] { api_.Nominate(uid, ""); });
  }
  Failed(uid, it->second, true);
  WakeAll();
}

void Scheduler::WakeAll() {
  for (auto& [uid, entry] : queue_) {
    if (entry.place != Place::kUnschedulable) continue;
    entry.place = entry.until > time_.now() ? Place::kBackoff : Place::kActive;
  }
}

// A victim may have succeeded before it is deleted. It is left then: with the gang's last pods goes
// all that could tell that the gang has run.
bool Scheduler::IsLastSign(const std::string& uid) const {
  auto it = api_.pods().find(uid);
  return it != api_.pods().end() && it->second.finished();
}

// Nodes that failed in-tree, with the victims whose going would make room.
bool Scheduler::Preempt(const PodFacts& pod, Standing& standing) {
  std::vector<PreemptCandidate> candidates;
  for (const auto& [name, node] : nodes_) {
    if (Fits(pod, node, standing[name])) continue;  // it was ours to reject: unresolvable
    std::vector<const PodFacts*> staying;
    PreemptCandidate candidate{name, {}};
    for (const PodFacts* other : standing[name]) {
      const bool here = !other->node_name.empty() || assumed_.contains(other->uid);
      if (here && other->priority < pod.priority && !other->terminating)
        candidate.victims.push_back(other->uid);
      else
        staying.push_back(other);
    }
    if (!candidate.victims.empty() && Fits(pod, node, staying)) candidates.push_back(candidate);
  }
  if (candidates.empty()) return false;
  std::vector<int32_t> kept = {0};
  if (options_.asks) kept = service_.Preempt(pod, candidates);
  if (kept.empty()) return false;
  const PreemptCandidate& chosen = candidates[static_cast<size_t>(kept.front())];
  if (trace) trace(fmt::format("{} preempts on {}", pod.name, chosen.node));
  time_.After(random_.Millis(1, 30),
              [this, uid = pod.uid, node = std::string(chosen.node)] { api_.Nominate(uid, node); });
  for (std::string_view victim : chosen.victims) {
    time_.After(random_.Millis(1, 50), [this, uid = std::string(victim)] {
      if (!IsLastSign(uid)) api_.DeletePod(uid, absl::Milliseconds(200));
    });
  }
  return true;
}

void Scheduler::SeePod(const PodFacts& pod) {
  auto known = pods_.find(pod.uid);
  bool was_bound = known != pods_.end() && !known->second.node_name.empty();
  bool changed = known == pods_.end() || !(known->second == pod);
  pods_[pod.uid] = pod;
  bool ours = pod.scheduler_name == "gangplan";
  if (!pod.node_name.empty() || pod.finished()) {
    assumed_.erase(pod.uid);
    queue_.erase(pod.uid);
    if (!was_bound || pod.finished() || changed) WakeAll();
    return;
  }
  auto queued = queue_.find(pod.uid);
  if (pod.terminating || !ours || pod.gated()) {
    if (queued != queue_.end() && queued->second.place != Place::kBinding) queue_.erase(queued);
    return;
  }
  if (assumed_.contains(pod.uid)) return;
  if (queued == queue_.end()) {
    Entry entry;
    entry.order = next_order_++;
    queue_[pod.uid] = entry;
  } else if (queued->second.place == Place::kUnschedulable && changed) {
    queued->second.place = queued->second.until > time_.now() ? Place::kBackoff : Place::kActive;
  }
}

void Scheduler::SeePodGone(const std::string& uid) {
  bool wakes = assumed_.contains(uid);
  auto it = pods_.find(uid);
  wakes = wakes || (it != pods_.end() && !it->second.node_name.empty());
  assumed_.erase(uid);
  queue_.erase(uid);
  pods_.erase(uid);
  if (wakes) WakeAll();
}

void Scheduler::SeeNode(const NodeFacts& node) {
  nodes_[node.name] = node;
  WakeAll();
}

void Scheduler::SeeNodeGone(const std::string& name) {
  nodes_.erase(name);
  WakeAll();
}

}  // namespace gangplan::simulation
