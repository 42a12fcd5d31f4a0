#include "extender/planner/single_pods.h"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

namespace gangplan {

static_assert(std::is_trivially_destructible_v<SinglePods::Pod>);

void SinglePods::Put(NodeIndex node, const KnownPod& record, std::string_view name,
                     int32_t priority, int64_t grace) {
  if (static_cast<size_t>(node) >= by_node_.size()) by_node_.resize(static_cast<size_t>(node) + 1);
  PodPtr pod(::new (::operator new(sizeof(Pod) + name.size())) Pod);
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  *pod = {&record, priority, static_cast<int32_t>(std::clamp<int64_t>(grace, 0, kMost)),
          static_cast<uint32_t>(name.size())};
  name.copy(reinterpret_cast<char*>(pod.get() + 1), name.size());
  std::vector<PodPtr>& pods = by_node_[static_cast<size_t>(node)];
  const auto place =
      std::lower_bound(pods.begin(), pods.end(), pod, [](const PodPtr& a, const PodPtr& b) {
        return std::make_pair(a->priority, a->name()) < std::make_pair(b->priority, b->name());
      });
  pods.insert(place, std::move(pod));
  ++priorities_[priority];
}

void SinglePods::Erase(NodeIndex node, const KnownPod& record) {
  const Pod* pod = Find(node, record);
  if (pod == nullptr) return;
  const auto count = priorities_.find(pod->priority);
  if (--count->second == 0) priorities_.erase(count);
  std::vector<PodPtr>& pods = by_node_[static_cast<size_t>(node)];
  std::erase_if(pods, [&](const PodPtr& one) { return one.get() == pod; });
  if (pods.empty()) pods.shrink_to_fit();
}

std::span<const SinglePods::PodPtr> SinglePods::On(NodeIndex node) const {
  if (node < 0 || static_cast<size_t>(node) >= by_node_.size()) return {};
  return by_node_[static_cast<size_t>(node)];
}

const SinglePods::Pod* SinglePods::Find(NodeIndex node, const KnownPod& record) const {
  const std::span<const PodPtr> pods = On(node);
  const auto pod = std::find_if(pods.begin(), pods.end(),
                                [&](const PodPtr& one) { return one->record == &record; });
  return pod == pods.end() ? nullptr : pod->get();
}

}  // namespace gangplan
