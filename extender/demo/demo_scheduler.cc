#include "extender/demo/demo_scheduler.h"

#include <algorithm>

#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr absl::Duration kFirstBackoff = absl::Milliseconds(50);
constexpr int32_t kMostDoublings = 6;
constexpr size_t kMostOffered = 1'000;
constexpr int kMostBindCalls = 4'000;
constexpr int kSpareBinders = 64;

}  // namespace

DemoScheduler::DemoScheduler(std::string name, const Clock& clock)
    : name_(std::move(name)), clock_(clock), binders_(kMostBindCalls, kSpareBinders) {}

DemoScheduler::~DemoScheduler() {
  StopAsking();
  Join();
}

void DemoScheduler::Start(int verbs_port) {
  loop_ = std::thread([this, verbs_port] { Loop(verbs_port); });
}

void DemoScheduler::StopAsking() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (loop_.joinable()) loop_.join();
}

void DemoScheduler::Join() { binders_.Join(); }

void DemoScheduler::OnEvents(const std::vector<ClusterEvent>& events) {
  {
    MutexLock lock(mutex_);
    for (const ClusterEvent& event : events) Apply(event);
  }
  changed_.notify_all();
}

// The demo's nodes come once and stay.
void DemoScheduler::Apply(const ClusterEvent& event) {
  if (const auto* node = std::get_if<NodeFacts>(&event)) {
    free_.insert_or_assign(node->name, node->allocatable);
  } else if (const auto* pod = std::get_if<PodFacts>(&event)) {
    ApplyPod(*pod);
  } else if (const auto* gone = std::get_if<PodDeleted>(&event)) {
    const auto it = pods_.find(gone->uid);
    if (it == pods_.end()) return;
    Charge(it->second, "");
    pods_.erase(it);
    RoomGained();
  }
}

void DemoScheduler::ApplyPod(const PodFacts& facts) {
  Entry& entry = pods_[facts.uid];
  const bool had_room = !entry.charged.empty();
  const bool is_new = entry.facts.uid.empty();
  entry.facts = facts;
  if (facts.finished()) {
    Charge(entry, "");
    entry.stage = Stage::kDone;
    if (had_room) RoomGained();
  } else if (!facts.node_name.empty()) {
    Charge(entry, facts.node_name);
    entry.stage = Stage::kDone;
  } else if (is_new || entry.stage == Stage::kWaiting) {
    if (facts.scheduler_name == name_) Enqueue(entry);
  } else {
    entry.changed = true;
  }
}

// Takes the pod's room on `node` instead of where it took it before; empty: nowhere.
void DemoScheduler::Charge(Entry& entry, const std::string& node) {
  if (entry.charged == node) return;
  if (!entry.charged.empty()) AddResources(free_[entry.charged], entry.facts.requests);
  if (!node.empty()) AddResources(free_[node], entry.facts.requests, -1);
  entry.charged = node;
}

void DemoScheduler::Enqueue(Entry& entry) {
  entry.stage = Stage::kQueued;
  queue_.push_back(entry.facts.uid);
}

void DemoScheduler::RoomGained() {
  for (auto& [uid, entry] : pods_) {
    if (entry.stage == Stage::kWaiting) Enqueue(entry);
    if (entry.stage == Stage::kTrying) entry.changed = true;
  }
}

void DemoScheduler::BackOff(Entry& entry, std::string reason) {
  const int32_t doublings = std::min(entry.errors++, kMostDoublings);
  entry.stage = Stage::kBackingOff;
  entry.reason = std::move(reason);
  backing_off_.emplace(clock_.Now() + kFirstBackoff * (1 << doublings), entry.facts.uid);
}

bool DemoScheduler::Fits(const ResourceList& requests, const std::string& node) const {
  const auto found = free_.find(node);
  if (found == free_.end()) return false;
  return std::all_of(requests.begin(), requests.end(), [&](const ResourceAmount& wanted) {
    return std::any_of(found->second.begin(), found->second.end(), [&](const ResourceAmount& have) {
      return have.name == wanted.name && have.amount >= wanted.amount;
    });
  });
}

std::vector<std::string> DemoScheduler::FittingNodes(const ResourceList& requests) const {
  std::vector<std::string> nodes;
  for (const auto& [name, amounts] : free_) {
    if (Fits(requests, name)) nodes.push_back(name);
  }
  return nodes;
}

// So many of them, those behind the last ones.
std::vector<std::string> DemoScheduler::Sample(std::vector<std::string> nodes) {
  if (nodes.size() <= kMostOffered) return nodes;
  std::rotate(nodes.begin(), nodes.begin() + static_cast<ptrdiff_t>(next_sample_ % nodes.size()),
              nodes.end());
  next_sample_ += kMostOffered;
  nodes.resize(kMostOffered);
  return nodes;
}

void DemoScheduler::QueueDue() {
  while (!backing_off_.empty() && backing_off_.begin()->first <= clock_.Now()) {
    const auto it = pods_.find(backing_off_.begin()->second);
    if (it != pods_.end() && it->second.stage == Stage::kBackingOff) Enqueue(it->second);
    backing_off_.erase(backing_off_.begin());
  }
}

// Waits for one; false when stopping. `nodes`: where it fits, the nominated one in front.
bool DemoScheduler::NextPod(PodFacts* pod, std::vector<std::string>* nodes) {
  std::unique_lock<Mutex> lock(mutex_);
  for (;;) {
    if (stopping_) return false;
    QueueDue();
    if (!queue_.empty()) {
      const auto it = pods_.find(queue_.front());
      queue_.pop_front();
      if (it == pods_.end() || it->second.stage != Stage::kQueued) continue;
      Entry& entry = it->second;
      entry.stage = Stage::kTrying;
      entry.changed = false;
      *pod = entry.facts;
      *nodes = Sample(FittingNodes(pod->requests));
      if (Fits(pod->requests, pod->nominated_node_name)) {
        std::erase(*nodes, pod->nominated_node_name);
        nodes->insert(nodes->begin(), pod->nominated_node_name);
      }
      return true;
    }
    const absl::Time due =
        backing_off_.empty() ? absl::InfiniteFuture() : backing_off_.begin()->first;
    if (due == absl::InfiniteFuture()) {
      changed_.wait(lock);
    } else {
      changed_.wait_for(lock, absl::ToChronoNanoseconds(due - clock_.Now()));
    }
  }
}

DemoScheduler::Attempt DemoScheduler::Try(ExtenderClient& client, const PodFacts& pod,
                                          const std::vector<std::string>& nodes) {
  if (nodes.empty()) return {"", "no node has room", false};
  const auto ask = [&](const std::vector<std::string>& offered) {
    absl::StatusOr<FilterAnswer> answer = client.Filter(pod, offered);
    if (!answer.ok()) return FilterAnswer{{}, "", Message(answer.status())};
    return *std::move(answer);
  };
  const std::string& nominated = pod.nominated_node_name;
  if (nodes.front() == nominated) {
    const FilterAnswer answer = ask({nominated});
    if (answer.error.empty() && !answer.passed.empty()) return {answer.passed.front(), "", false};
  }
  const FilterAnswer answer = ask(nodes);
  if (!answer.error.empty()) return {"", answer.error, true};
  if (answer.passed.empty()) return {"", answer.reason, false};
  if (answer.passed.size() == 1) return {answer.passed.front(), "", false};
  const absl::StatusOr<std::vector<ScoredNode>> scores = client.Prioritize(pod, answer.passed);
  if (!scores.ok()) return {"", Message(scores.status()), true};
  ScoredNode best{answer.passed.front(), 0};
  for (const ScoredNode& scored : *scores) {
    if (scored.score > best.score) best = scored;
  }
  return {best.name, "", false};
}

void DemoScheduler::Settle(const PodFacts& pod, const Attempt& attempt, int verbs_port) {
  MutexLock lock(mutex_);
  const auto it = pods_.find(pod.uid);
  if (it == pods_.end() || it->second.stage != Stage::kTrying) return;
  Entry& entry = it->second;
  if (attempt.error) {
    BackOff(entry, attempt.reason);
  } else if (attempt.node.empty()) {
    entry.errors = 0;
    entry.reason = attempt.reason;
    entry.stage = Stage::kWaiting;
    if (entry.changed) Enqueue(entry);
  } else {
    entry.errors = 0;
    entry.reason.clear();
    entry.stage = Stage::kBinding;
    Charge(entry, attempt.node);
    const auto bind = [this, verbs_port, pod, node = attempt.node] { Bind(verbs_port, pod, node); };
    if (binders_.Run(bind)) return;
    Charge(entry, "");
    BackOff(entry, "too many bind calls are open");
  }
}

void DemoScheduler::Bind(int verbs_port, const PodFacts& pod, const std::string& node) {
  ExtenderClient client(verbs_port);
  const absl::StatusOr<std::string> error = client.Bind(pod, node);
  const std::string failure = error.ok() ? *error : Message(error.status());
  {
    MutexLock lock(mutex_);
    const auto it = pods_.find(pod.uid);
    const bool ours = it != pods_.end() && it->second.stage == Stage::kBinding;
    if (ours && !failure.empty()) {
      Charge(it->second, "");
      BackOff(it->second, failure);
    }
  }
  changed_.notify_all();
}

void DemoScheduler::Loop(int verbs_port) {
  ExtenderClient client(verbs_port);
  PodFacts pod;
  std::vector<std::string> nodes;
  while (NextPod(&pod, &nodes)) {
    Settle(pod, Try(client, pod, nodes), verbs_port);
    changed_.notify_all();
  }
}

JobAccount DemoScheduler::Account(std::string_view job) const {
  MutexLock lock(mutex_);
  return Count(job);
}

JobAccount DemoScheduler::Count(std::string_view job) const {
  JobAccount account;
  for (const auto& [uid, entry] : pods_) {
    const PodFacts& facts = entry.facts;
    if (!facts.controller || facts.controller->name != job || facts.finished()) continue;
    const bool bound = !facts.node_name.empty();
    const bool in_bind = entry.stage == Stage::kBinding;
    ++account.pods;
    account.bound += bound;
    account.in_bind += in_bind;
    if (entry.reason.empty()) continue;
    const bool same = account.rejected++ == 0 || account.reason == entry.reason;
    account.reason = same ? entry.reason : "";
  }
  return account;
}

std::vector<PodFacts> DemoScheduler::BoundPods() const {
  MutexLock lock(mutex_);
  std::vector<PodFacts> bound;
  for (const auto& [uid, entry] : pods_) {
    if (!entry.facts.node_name.empty() && !entry.facts.finished()) bound.push_back(entry.facts);
  }
  return bound;
}

bool DemoScheduler::Await(std::string_view job, const std::function<bool(const JobAccount&)>& ready,
                          absl::Duration patience) {
  const absl::Time until = clock_.Now() + patience;
  std::unique_lock<Mutex> lock(mutex_);
  while (!ready(Count(job))) {
    const absl::Duration left = until - clock_.Now();
    if (left <= absl::ZeroDuration()) return false;
    changed_.wait_for(lock, absl::ToChronoNanoseconds(left));
  }
  return true;
}

}  // namespace gangplan
