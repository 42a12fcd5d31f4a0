#include "tests/simulation/plain_pods.h"

#include "fmt/format.h"

namespace gangplan::simulation {
namespace {

// A failed read, and a recovery, have their time.
constexpr absl::Duration kPodPatience = absl::Seconds(30);

}  // namespace

void PlainPods::OnFilter(const PodFacts& pod, const FilterDecision& decision) {
  if (decision.error.empty() || !foreign_.contains(pod.uid)) return;
  if (service_.open_posts(pod.uid) > 0) return;
  const auto pod_told = told_.pods().find(pod.uid);
  if (pod_told == told_.pods().end() || pod_told->second.terminating) return;
  const auto seen = seen_.find(pod.uid);
  if (seen == seen_.end() || time_.now() < seen->second + kPodPatience) return;
  throw Broken(fmt::format("{} is a plain pod and is answered: {}", pod.name, decision.error));
}

}  // namespace gangplan::simulation
