#include "extender/app/cluster_signs.h"

#include <algorithm>

#include "extender/frontends/gangplan/words.h"
#include "extender/frontends/unknown_word.h"
#include "topology/base/text.h"
#include "topology/object_name.h"

namespace gangplan {
namespace {

constexpr size_t kMostNamed = 3;
constexpr std::string_view kPrefix = "gangplan.io/";

void Keep(std::set<std::string>& first, std::string name) {
  first.insert(std::move(name));
  if (first.size() > kMostNamed) first.erase(std::prev(first.end()));
}

bool HasPrefix(const LabelSet& set) {
  const auto it =
      std::lower_bound(set.begin(), set.end(), kPrefix,
                       [](const auto& entry, std::string_view key) { return entry.first < key; });
  return it != set.end() && it->first.starts_with(kPrefix);
}

bool HasOurWords(const PodFacts& pod) {
  if (!HasPrefix(pod.annotations) && !HasPrefix(pod.labels)) return false;
  return ReadWords(pod.annotations, pod.labels).any();
}

bool TakesDevices(const PodFacts& pod) {
  return std::any_of(pod.requests.begin(), pod.requests.end(), [](const ResourceAmount& one) {
    return one.name.find('/') != std::string::npos && one.amount > 0;
  });
}

}  // namespace

void ClusterSigns::Some::Add(const PodFacts& pod, std::string_view about) {
  ++pods;
  Keep(names, NameInNamespace(pod.ns, pod.name));
  Keep(what, std::string(about));
}

std::string ClusterSigns::Some::Text() const {
  const auto more = pods - static_cast<int64_t>(names.size());
  return fmt::format("{}{}", fmt::join(names, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : std::string());
}

bool ClusterSigns::IsFirst(std::string_view id) { return known_.insert(TextHash()(id)).second; }

void ClusterSigns::NotePod(const PodFacts& pod) {
  if (pod.finished() || pod.terminating) return;
  const bool ours = std::find(ours_.begin(), ours_.end(), pod.scheduler_name) != ours_.end();
  const bool elsewhere = !ours && HasOurWords(pod);
  const bool rival = !ours && !pod.node_name.empty() && TakesDevices(pod);
  const std::string unread = ours ? UnknownWord(pod.annotations, pod.labels) : std::string();
  if (!(elsewhere || rival || !unread.empty()) || !IsFirst(pod.uid)) return;
  if (elsewhere) elsewhere_.Add(pod, pod.scheduler_name);
  if (rival) rivals_.Add(pod, pod.scheduler_name);
  if (!unread.empty()) unread_.Add(pod, unread);
}

void ClusterSigns::Note(std::span<const ClusterEvent> events) {
  MutexLock lock(mutex_);
  if (closed_) return;
  for (const ClusterEvent& event : events) {
    if (const auto* pod = std::get_if<PodFacts>(&event)) NotePod(*pod);
    const auto* node = std::get_if<NodeFacts>(&event);
    if (node != nullptr && IsFirst(node->name)) guess_.Note(node->labels);
  }
}

void ClusterSigns::Close() {
  MutexLock lock(mutex_);
  closed_ = true;
  known_ = {};
}

PresetGuess::Best ClusterSigns::preset() const {
  MutexLock lock(mutex_);
  return guess_.best();
}

void ClusterSigns::Tell(Findings& findings) const {
  MutexLock lock(mutex_);
  constexpr std::string_view kPods = "pods", kOthers = "other schedulers";
  if (elsewhere_.pods > 0) {
    findings.Add(Health::kWarn, kPods,
                 fmt::format("{} carry words of ours and are no members, since their schedulerName "
                             "is {}: {}",
                             elsewhere_.pods, fmt::join(elsewhere_.what, ", "), elsewhere_.Text()),
                 fmt::format("schedulerName: {} in their template", ours_.front()));
  }
  if (unread_.pods > 0) {
    findings.Add(Health::kWarn, kPods,
                 fmt::format("{} carry a word that nobody reads, as {}: {}", unread_.pods,
                             *unread_.what.begin(), unread_.Text()),
                 "the right word in their template; examples/words-policy.yaml refuses wrong ones");
  }
  if (elsewhere_.pods + unread_.pods == 0)
    findings.Add(Health::kOk, kPods, "those with words of ours name our scheduler");
  if (rivals_.pods == 0)
    return findings.Add(Health::kOk, kOthers, "none of their pods takes a device of a node");
  findings.Add(Health::kWarn, kOthers,
               fmt::format("{} pods of {} take devices of nodes: {}; such a scheduler sees no room "
                           "that is held for a gang",
                           rivals_.pods, fmt::join(rivals_.what, ", "), rivals_.Text()),
               "a taint of their own for the gangs' nodes, or Gangplan beside that scheduler, too "
               "(examples/README.md)");
}

}  // namespace gangplan
