#include "extender/frontends/gangplan/runtime.h"

#include <algorithm>
#include <optional>

#include "absl/status/statusor.h"
#include "extender/protocol/jobset_words.h"
#include "topology/base/duration.h"
#include "topology/base/text.h"
#include "topology/labels.h"

namespace gangplan {
namespace {

const std::string* WordOf(const PodFacts& pod, const OwnerFacts* owner) {
  const std::string* word = FindLabel(pod.annotations, kRuntimeWord);
  return word != nullptr || owner == nullptr ? word : FindLabel(owner->annotations, kRuntimeWord);
}

absl::StatusOr<int64_t> ReadRuntime(std::string_view text) {
  const std::optional<absl::Duration> time = ReadGoDuration(text);
  if (!time || *time <= absl::ZeroDuration() || *time > absl::Seconds(kMaxRunSeconds)) {
    return Invalid("{}: \"{}\" is no time; expected one such as 90m or 12h", kRuntimeWord,
                   Shown(text));
  }
  return absl::ToInt64Seconds(absl::Ceil(*time, absl::Seconds(1)));
}

// Of the Job that has made the pod.
int64_t DeadlineOf(const PodFacts& pod, const OwnerFacts& owner) {
  const std::string* name = FindLabel(pod.labels, kReplicatedJob);
  const auto set =
      std::find_if(owner.pod_sets.begin(), owner.pod_sets.end(),
                   [&](const OwnerPodSet& one) { return name != nullptr && one.name == *name; });
  return set == owner.pod_sets.end() ? owner.deadline : set->deadline;
}

}  // namespace

absl::Status CheckRuntime(const PodFacts& pod, const OwnerFacts* owner) {
  const std::string* word = WordOf(pod, owner);
  return word == nullptr ? absl::OkStatus() : ReadRuntime(*word).status();
}

int64_t RoomTaken(const PodFacts& pod, const OwnerFacts* owner) {
  int64_t least = pod.run.seconds;
  const auto take = [&](int64_t told) {
    if (told > 0 && (least == 0 || told < least)) least = told;
  };
  if (const std::string* word = WordOf(pod, owner)) take(ReadRuntime(*word).value_or(0));
  if (owner != nullptr) take(DeadlineOf(pod, *owner));
  return least == 0 ? 0 : least + pod.run.grace;
}

}  // namespace gangplan
