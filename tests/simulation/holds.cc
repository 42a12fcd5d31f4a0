#include "tests/simulation/holds.h"

#include <algorithm>

#include "extender/frontends/gangplan/words.h"
#include "fmt/format.h"

namespace gangplan::simulation {
namespace {

// Its pods are told one after the other, within so long, and the watch is a little behind.
constexpr absl::Duration kHoldToldWithin = absl::Milliseconds(500);
constexpr absl::Duration kSeenWithin = absl::Seconds(5);

}  // namespace

void Holds::Hold(Job& job) {
  if (job.held_since || job.done || healed_) return;
  Say(job, true);
  time_.After(random_.Millis(1'000, 40'000), [this, uid = job.spec.Uid()] {
    const auto found = jobs_.all().find(uid);
    if (found != jobs_.all().end() && !found->second.done) Say(found->second, false);
  });
}

void Holds::Say(Job& job, bool held) {
  if (held == job.held_since.has_value()) return;
  job.held_since.reset();
  if (held) job.held_since = time_.now();
  jobs_.Put(job);
  for (const Job::Index& index : job.indices) {
    time_.After(random_.Millis(0, absl::ToInt64Milliseconds(kHoldToldWithin)),
                [this, uid = index.pod, job = job.spec.Uid()] {
                  const auto found = api_.pods().find(uid);
                  if (found == api_.pods().end() || !found->second.node_name.empty()) return;
                  PodFacts pod = found->second;
                  SayHeld(jobs_.all().at(job), pod.annotations);
                  if (pod.annotations != found->second.annotations) api_.PutPod(pod);
                });
  }
}

void Holds::Heal() {
  healed_ = true;
  for (auto& [uid, job] : jobs_.all()) {
    if (!job.done) Say(job, false);
  }
}

void Holds::OnPosts(const std::vector<BindingWrite>& posts) {
  if (!checks) return;
  for (const BindingWrite& post : posts) {
    const Job* job = jobs_.Of(post.pod.uid);
    if (job == nullptr || !job->held_since) continue;
    const bool seen = time_.now() > *job->held_since + kHoldToldWithin + kSeenWithin;
    const bool begun = std::any_of(job->indices.begin(), job->indices.end(), [&](const auto& one) {
      const auto pod = api_.pods().find(one.pod);
      return one.succeeded || (pod != api_.pods().end() && !pod->second.node_name.empty());
    });
    if (seen && !begun)
      throw Broken(fmt::format("{} is bound, and its Job is held", post.pod.name));
  }
}

}  // namespace gangplan::simulation
