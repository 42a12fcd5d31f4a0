#include "extender/app/cluster_signs.h"

#include <algorithm>
#include <array>

#include "extender/app/usual_taints.h"
#include "extender/cluster/annotations.h"
#include "extender/frontends/gangplan/words.h"
#include "extender/frontends/unknown_word.h"
#include "topology/base/text_map.h"
#include "topology/device.h"
#include "topology/object_name.h"

namespace gangplan {
namespace {

constexpr size_t kMostNamed = 3;
constexpr std::string_view kPods = "pods";
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

bool IsIn(std::string_view key, std::span<const std::string_view> groups) {
  return std::any_of(groups.begin(), groups.end(),
                     [&](std::string_view group) { return key.starts_with(group); });
}

// Addresses and the like of a network, of virtual machines, and shares of a node's own cpus are
// resources of a group, too, and no devices that gangs wait for.
bool HasDevices(const ResourceList& resources) {
  constexpr std::array<std::string_view, 4> kNone = {"vpc.amazonaws.com/", "networking.gke.io",
                                                     "devices.kubevirt.io/", "kubernetes.io/"};
  return std::any_of(resources.begin(), resources.end(), [&](const ResourceAmount& one) {
    return IsDevice(one) && !IsIn(one.name, kNone);
  });
}

constexpr std::array<std::string_view, 2> kControlPlane = {"node-role.kubernetes.io/control-plane",
                                                           "node-role.kubernetes.io/master"};

bool IsOwn(const Taint& taint) {
  return taint.effect != TaintEffect::kPreferNoSchedule && !IsUsual(taint);
}

bool IsOfControlPlane(const NodeFacts& node) {
  return std::any_of(kControlPlane.begin(), kControlPlane.end(), [&](std::string_view key) {
    return FindLabel(node.labels, key) != nullptr ||
           std::any_of(node.taints.begin(), node.taints.end(),
                       [&](const Taint& taint) { return taint.key == key; });
  });
}

}  // namespace

void ClusterSigns::Some::Add(const PodFacts& pod, std::string_view about) {
  ++pods;
  Keep(names, NameInNamespace(pod.ns, pod.name));
  Keep(what, std::string(about));
}

void ClusterSigns::Some::Add(const Some& more) {
  pods += more.pods;
  for (const std::string& name : more.names) Keep(names, name);
  for (const std::string& about : more.what) Keep(what, about);
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
  const bool elses = !ours && !pod.node_name.empty();
  const bool twin = elses && FindLabel(pod.annotations, kPlanAnnotation) != nullptr;
  const bool rival = elses && !twin && HasDevices(pod.requests);
  const std::string unread = ours ? UnknownWord(pod.annotations, pod.labels) : std::string();
  if (!(elsewhere || twin || rival || !unread.empty()) || !IsFirst(pod.uid)) return;
  if (elsewhere) elsewhere_[pod.scheduler_name].Add(pod, pod.scheduler_name);
  if (twin) twins_[pod.scheduler_name][pod.node_name].Add(pod, pod.scheduler_name);
  if (rival) rivals_[pod.node_name].Add(pod, pod.scheduler_name);
  if (!unread.empty()) unread_.Add(pod, unread);
}

void ClusterSigns::NoteNode(const NodeFacts& node) {
  if (!IsWithin(nodes_, node.labels)) return void(outside_.insert(node.name));
  guess_.Note(node.labels);
  if (std::any_of(node.taints.begin(), node.taints.end(), IsOwn)) tainted_.insert(node.name);
  if (!HasDevices(node.allocatable) && IsOfControlPlane(node)) aside_.insert(node.name);
  if (node.maintenance == kMaintenanceUnread) timeless_.insert(node.name);
}

void ClusterSigns::Note(std::span<const ClusterEvent> events) {
  MutexLock lock(mutex_);
  if (closed_) return;
  for (const ClusterEvent& event : events) {
    if (const auto* pod = std::get_if<PodFacts>(&event)) NotePod(*pod);
    const auto* node = std::get_if<NodeFacts>(&event);
    if (node != nullptr && IsFirst(node->name)) NoteNode(*node);
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

bool ClusterSigns::AreAside(std::span<const UnplacedNode> nodes) const {
  MutexLock lock(mutex_);
  return std::all_of(nodes.begin(), nodes.end(),
                     [&](const UnplacedNode& node) { return aside_.contains(node.name); });
}

void ClusterSigns::TellRivals(Findings& findings, const std::vector<const Tree*>& trees) const {
  constexpr std::string_view kAbout = "other schedulers";
  Some rivals;
  for (const auto& [node, some] : rivals_) {
    if (outside_.contains(node)) continue;
    if (!tainted_.empty() && !tainted_.contains(node)) continue;
    const bool placed = std::none_of(trees.begin(), trees.end(), [&](const Tree* tree) {
      return std::ranges::binary_search(tree->unplaced(), node, {}, &UnplacedNode::name);
    });
    if (placed) rivals.Add(some);
  }
  if (rivals.pods == 0) {
    return findings.Add(Health::kOk, kAbout,
                        "none of their pods takes a device of a node where gangs may go");
  }
  findings.Add(Health::kWarn, kAbout,
               fmt::format("{} pods of {} take devices of nodes: {}; such a scheduler sees no room "
                           "that is held for a gang",
                           rivals.pods, fmt::join(rivals.what, ", "), rivals.Text()),
               "a taint of their own for the gangs' nodes, or Gangplan beside that scheduler, too "
               "(examples/README.md)");
}

// Whose pods another Gangplan places, that one's words they carry.
void ClusterSigns::TellElsewhere(Findings& findings) const {
  Some all;
  for (const auto& [scheduler, some] : elsewhere_)
    if (!twins_.contains(scheduler)) all.Add(some);
  if (all.pods > 0) {
    findings.Add(Health::kWarn, kPods,
                 fmt::format("{} carry words of ours and are no members, since their schedulerName "
                             "is {}: {}",
                             all.pods, fmt::join(all.what, ", "), all.Text()),
                 fmt::format("schedulerName: {} in their template", ours_.front()));
  }
  if (all.pods + unread_.pods == 0)
    findings.Add(Health::kOk, kPods, "those with words of ours name our scheduler");
}

// Each pair sees what the other one's pods use here, and nothing of what that one holds.
void ClusterSigns::TellTwins(Findings& findings) const {
  Some all;
  std::set<std::string> nodes;
  for (const auto& [scheduler, by_node] : twins_) {
    for (const auto& [node, some] : by_node) {
      if (outside_.contains(node)) continue;
      all.Add(some);
      nodes.insert(node);
    }
  }
  if (nodes.empty()) return;
  findings.Add(Health::kWarn, "other pairs",
               fmt::format("{} pods that the Gangplan of {} has placed stand on {} of this one: {}",
                           all.pods, fmt::join(all.what, ", "), SomeOf(nodes), all.Text()),
               "of each pair a selector (nodes) that picks no node of another one (docs/pairs.md); "
               "pods of a node that has changed hands stay until they end");
}

void ClusterSigns::Tell(Findings& findings, const std::vector<const Tree*>& trees) const {
  MutexLock lock(mutex_);
  TellElsewhere(findings);
  if (unread_.pods > 0) {
    findings.Add(Health::kWarn, kPods,
                 fmt::format("{} carry a word that nobody reads, as {}: {}", unread_.pods,
                             *unread_.what.begin(), unread_.Text()),
                 "the right word in their template; examples/words-policy.yaml refuses wrong ones");
  }
  if (!timeless_.empty()) {
    findings.Add(Health::kWarn, "maintenance",
                 fmt::format("{} of {} {} no time, so no gang goes there", kMaintenanceWord,
                             SomeOf(timeless_), timeless_.size() == 1 ? "is" : "are"),
                 "a time such as 2026-12-01T06:00Z, or no such annotation");
  }
  TellTwins(findings);
  TellRivals(findings, trees);
}

}  // namespace gangplan
