#include "tests/simulation/kubelets.h"

#include <algorithm>

#include "fmt/format.h"

namespace gangplan::simulation {
namespace {

// Until somebody notices that a gang's time is over, and until it is evicted: its writes may be
// lost, the service may be slow.
constexpr absl::Duration kEvictedWithin = absl::Seconds(60);
// Between the decision and the first eviction.
constexpr absl::Duration kDecidedWithin = absl::Minutes(2);

bool Runs(const PodFacts& pod) {
  return !pod.node_name.empty() && !pod.terminating && !pod.finished();
}

}  // namespace

void Kubelets::Say(const std::string& uid, bool ready, absl::Duration after) {
  time_.After(after, [this, uid, ready] {
    const auto found = api_.pods().find(uid);
    if (found == api_.pods().end() || !Runs(found->second)) return;
    if (found->second.ready == ready || (healed_ && !ready)) return;
    PodFacts pod = found->second;
    pod.ready = ready;
    api_.PutPod(pod);
  });
}

// One in twelve is never ready, one in twelve is not for a while.
void Kubelets::Begin(const std::string& uid) {
  if (healed_ || !random_.OneIn(12)) Say(uid, true, random_.Millis(200, healed_ ? 1'000 : 12'000));
  if (healed_ || !random_.OneIn(12)) return;
  const absl::Duration from = random_.Millis(13'000, 40'000);
  Say(uid, false, from);
  Say(uid, true, from + random_.Millis(500, 30'000));
}

void Kubelets::Heal() {
  healed_ = true;
  for (const std::string& uid : begun_) Say(uid, true, random_.Millis(0, 1'000));
}

bool Kubelets::IsUnready(const Job& job) const {
  return std::any_of(job.indices.begin(), job.indices.end(), [&](const Job::Index& index) {
    const auto pod = api_.pods().find(index.pod);
    return pod != api_.pods().end() && Runs(pod->second) && !pod->second.ready;
  });
}

bool Kubelets::WasUnready(const Job& job) const {
  const auto last = last_.find(job.spec.Uid());
  return IsUnready(job) || (last != last_.end() && time_.now() <= last->second + kDecidedWithin);
}

void Kubelets::Step() {
  for (const auto& [uid, pod] : api_.pods()) {
    if (Runs(pod) && begun_.insert(uid).second) Begin(uid);
  }
  for (const auto& [uid, job] : jobs_.all()) {
    const bool unready = !job.done && IsUnready(job);
    if (unready) last_[uid] = time_.now();
    const bool whole = job.all_bound_since != absl::InfiniteFuture() && !job.HasSucceeded();
    if (!unready || !whole || !service_.alive()) {
      unready_.erase(uid);
      continue;
    }
    const absl::Time since = unready_.try_emplace(uid, time_.now()).first->second;
    if (!healed_ && time_.now() > since + kReadyAfterStart + kEvictedWithin) {
      throw Broken(fmt::format("{} runs, has not been ready for {}, and is not evicted", uid,
                               absl::FormatDuration(time_.now() - since)));
    }
  }
}

}  // namespace gangplan::simulation
