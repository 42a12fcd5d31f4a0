#include "tests/simulation/api_server.h"

#include <algorithm>
#include <type_traits>

#include "tests/support/planner_world.h"

namespace gangplan::simulation {

std::string MemberName(const PodFacts& pod) { return pod.name.substr(0, pod.name.rfind('-')); }

// Events of one stream stay in order; most come soon, some late.
absl::Time ApiServer::Arrival(Subscription& to, Stream& stream) {
  absl::Duration delay = random_.OneIn(20)
                             ? random_.Millis(0, absl::ToInt64Milliseconds(to.slowest))
                             : random_.Millis(1, 20);
  stream.last = std::max(stream.last, time_.now() + delay);
  return stream.last;
}

template <typename Object>
void ApiServer::Tell(int id, Stream Subscription::*stream, const std::string& key,
                     std::shared_ptr<const Object> object) {
  Subscription& to = subscriptions_.at(id);
  int epoch = (to.*stream).epoch;
  time_.At(Arrival(to, to.*stream), [this, id, stream, key, object, epoch] {
    auto it = subscriptions_.find(id);
    if (it == subscriptions_.end() || (it->second.*stream).epoch != epoch) return;
    Watcher* watcher = it->second.watcher;
    std::set<std::string>& told = (it->second.*stream).told;
    if (object)
      told.insert(key);
    else
      told.erase(key);
    if constexpr (std::is_same_v<Object, PodFacts>) {
      if (object)
        watcher->SeePod(*object);
      else
        watcher->SeePodGone(key);
    } else if constexpr (std::is_same_v<Object, ConfigMapFacts>) {
      if (object)
        watcher->SeeObject(*object);
      else
        watcher->SeeObjectGone(key);
    } else if constexpr (std::is_same_v<Object, OwnerFacts>) {
      watcher->SeeOwner(*object);
    } else {
      if (object)
        watcher->SeeNode(*object);
      else
        watcher->SeeNodeGone(key);
    }
  });
}

template <typename Object>
void ApiServer::TellAll(Stream Subscription::*stream, const std::string& key,
                        std::shared_ptr<const Object> object) {
  for (auto& [id, subscription] : subscriptions_) Tell(id, stream, key, object);
}

// The list is taken now and arrives with the stream's delay; what was known and is gone is told as
// gone, as a client that compares lists does.
void ApiServer::List(int id, Kind kind) {
  Subscription& to = subscriptions_.at(id);
  auto tell = [&](auto& objects, Stream Subscription::*stream) {
    using Object = typename std::decay_t<decltype(objects)>::mapped_type;
    for (const std::string& key : std::set<std::string>((to.*stream).told)) {
      if (!objects.contains(key)) Tell<Object>(id, stream, key, nullptr);
    }
    for (const auto& [key, object] : objects)
      Tell<Object>(id, stream, key, std::make_shared<const Object>(object));
  };
  if (kind == Kind::kPods) tell(pods_, &Subscription::pods);
  if (kind == Kind::kNodes) tell(nodes_, &Subscription::nodes);
  if (kind == Kind::kObjects) tell(objects_, &Subscription::objects);
  if (to.lists_open == 0) return;
  time_.At(to.Of(kind).last, [this, id] {
    auto it = subscriptions_.find(id);
    if (it != subscriptions_.end() && --it->second.lists_open == 0) it->second.watcher->SeeSynced();
  });
}

int ApiServer::Watch(Watcher* watcher, absl::Duration slowest) {
  int id = next_id_++;
  subscriptions_[id].watcher = watcher;
  subscriptions_[id].slowest = slowest;
  for (Kind kind : {Kind::kPods, Kind::kNodes, Kind::kObjects})
    subscriptions_[id].Of(kind).last = time_.now();
  for (Kind kind : {Kind::kPods, Kind::kNodes, Kind::kObjects}) List(id, kind);
  return id;
}

void ApiServer::Unwatch(int id) { subscriptions_.erase(id); }

void ApiServer::BreakStream(int id, Kind kind) {
  auto it = subscriptions_.find(id);
  if (it == subscriptions_.end() || it->second.lists_open > 0) return;
  ++it->second.Of(kind).epoch;
  List(id, kind);
}

void ApiServer::PutPod(const PodFacts& pod) {
  pods_[pod.uid] = pod;
  TellAll<PodFacts>(&Subscription::pods, pod.uid, std::make_shared<const PodFacts>(pod));
}

void ApiServer::DeletePod(const std::string& uid, absl::Duration grace) {
  auto it = pods_.find(uid);
  if (it == pods_.end()) return;
  if (grace > absl::ZeroDuration() && !it->second.terminating) {
    PodFacts pod = it->second;
    pod.terminating = true;
    PutPod(pod);
    time_.After(grace, [this, uid] { DeletePod(uid, absl::ZeroDuration()); });
    return;
  }
  pods_.erase(it);
  TellAll<PodFacts>(&Subscription::pods, uid, nullptr);
}

void ApiServer::PutNode(const NodeFacts& node) {
  nodes_[node.name] = node;
  TellAll<NodeFacts>(&Subscription::nodes, node.name, std::make_shared<const NodeFacts>(node));
}

void ApiServer::DeleteNode(const std::string& name) {
  nodes_.erase(name);
  last_gone[name] = time_.now();
  TellAll<NodeFacts>(&Subscription::nodes, name, nullptr);
}

// A new one is nobody's news: it is read when its first pod is seen.
void ApiServer::PutOwner(const OwnerFacts& owner) {
  const bool known = !owners_.insert_or_assign(owner.ref.uid, owner).second;
  if (!known) return;
  TellAll<OwnerFacts>(&Subscription::owners, owner.ref.uid,
                      std::make_shared<const OwnerFacts>(owner));
}

void ApiServer::PutObject(const ConfigMapFacts& object) {
  objects_[object.name] = object;
  TellAll<ConfigMapFacts>(&Subscription::objects, object.name,
                          std::make_shared<const ConfigMapFacts>(object));
}

void ApiServer::DeleteObject(const std::string& name) {
  if (objects_.erase(name) > 0) TellAll<ConfigMapFacts>(&Subscription::objects, name, nullptr);
}

void ApiServer::PatchObject(const DataWrite& write) {
  const auto found = objects_.find(write.object.name);
  if (found == objects_.end() || found->second.uid != write.object.uid) return;
  ConfigMapFacts object = found->second;
  if (PatchLabels(object.data, write.data)) PutObject(object);
}

void ApiServer::PatchPod(const LabelsWrite& write) {
  const auto found = pods_.find(write.pod.uid);
  if (found == pods_.end()) return;
  PodFacts pod = found->second;
  if (PatchLabels(pod.labels, write.labels)) PutPod(pod);
}

BindOutcome ApiServer::Read(const BindingRead& read) const {
  auto it = pods_.find(read.pod.uid);
  if (it == pods_.end()) return BindOutcome::kGone;
  if (it->second.node_name == read.node) return BindOutcome::kBound;
  if (!it->second.node_name.empty()) return BindOutcome::kElsewhere;
  return it->second.terminating ? BindOutcome::kGone : BindOutcome::kRefused;
}

BindOutcome ApiServer::Bind(const BindingWrite& post) {
  const BindOutcome before = Read({post.pod, post.node});
  if (before != BindOutcome::kRefused) return before;
  PodFacts bound = pods_.at(post.pod.uid);
  if (refused_bindings.contains(MemberName(bound))) return BindOutcome::kRefused;
  before_bind(bound, post.node);
  bound.node_name = post.node;
  bound.nominated_node_name.clear();
  for (const auto& [key, value] : post.annotations) SetWord(bound.annotations, key, value);
  if (takes_labels) {
    for (const auto& [key, value] : post.labels) SetWord(bound.labels, key, value);
  }
  PutPod(bound);
  return BindOutcome::kBound;
}

void ApiServer::Nominate(const std::string& uid, const std::string& node) {
  auto it = pods_.find(uid);
  if (it == pods_.end() || !it->second.node_name.empty()) return;
  if (it->second.nominated_node_name == node) return;
  PodFacts pod = it->second;
  pod.nominated_node_name = node;
  PutPod(pod);
}

}  // namespace gangplan::simulation
