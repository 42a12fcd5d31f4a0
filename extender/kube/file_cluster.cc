#include "extender/kube/file_cluster.h"

#include <algorithm>

#include "extender/cluster/annotations.h"
#include "extender/kube/bodies.h"
#include "extender/kube/cluster_file.h"
#include "extender/kube/config_map_use.h"
#include "extender/kube/owner_reader.h"
#include "extender/kube/resource_path.h"
#include "topology/base/check.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/base/text_map.h"
#include "topology/object_name.h"

namespace gangplan {
namespace {

// Several systems have a kind of one name; of one of them the version does not matter.
std::string OwnerKey(std::string_view ns, const OwnerRef& owner) {
  const std::string_view version = owner.api_version;
  return fmt::format("{}/{}/{}/{}", version.substr(0, version.find('/')), owner.kind, ns,
                     owner.name);
}

template <typename Value>
std::vector<std::string> SortedNames(const TextMap<Value>& objects) {
  std::vector<std::string> names;
  for (const auto& [name, object] : objects) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

absl::StatusOr<std::unique_ptr<FileCluster>> FileCluster::Load(const std::string& path,
                                                               const Clock& clock) {
  GANGPLAN_ASSIGN_OR_RETURN(ObjectList objects, ReadClusterFile(path));
  return std::make_unique<FileCluster>(std::move(objects), clock);
}

FileCluster::FileCluster(ObjectList objects, const Clock& clock) : clock_(clock) {
  {
    MutexLock lock(mutex_);
    for (NodeFacts& node : objects.nodes) PutNamed(nodes_, std::move(node));
    for (Topology& topology : objects.topologies) PutNamed(topologies_, std::move(topology));
    for (ConfigMapFacts& object : objects.config_maps) PutConfigMapNow(std::move(object));
    for (PodFacts& pod : objects.pods) PutPod(std::move(pod));
  }
  for (OwnerFacts& owner : objects.owners) AddOwner(std::move(owner));
  thread_ = std::thread([this] { Loop(); });
}

FileCluster::~FileCluster() {
  FileCluster::Stop();
  {
    MutexLock lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

absl::Status FileCluster::Start(ClusterSink* sink) {
  MutexLock lock(mutex_);
  GANGPLAN_CHECK(sink_ == nullptr && sink != nullptr);
  sink_ = sink;
  for (const std::string& name : SortedNames(topologies_)) Tell(topologies_.find(name)->second);
  for (const std::string& name : SortedNames(config_maps_))
    TellUses(nullptr, &config_maps_.find(name)->second);
  for (const std::string& name : SortedNames(nodes_)) Tell(nodes_.find(name)->second);
  for (const std::string& name : SortedNames(pods_)) Tell(pods_.find(name)->second);
  Reply([sink] { sink->OnSynced(); });
  return absl::OkStatus();
}

void FileCluster::Stop() {
  MutexLock lock(mutex_);
  stopping_ = true;
  while (!outbox_.empty() || delivering_) changed_.wait(mutex_);
}

void FileCluster::Bind(BindingWrite write, std::function<void(BindResult)> done) {
  MutexLock lock(mutex_);
  BindResult result = stopping_ ? BindResult{BindOutcome::kNotWritten, "stopping"} : BindNow(write);
  // The answer before the event, as a watch has it.
  Reply([done = std::move(done), result] { done(result); });
  if (result.outcome != BindOutcome::kBound) return;
  if (const PodFacts* pod = FindPod(write.pod)) Tell(*pod);
}

// kRefused: the pod is there and bound to no node.
BindResult FileCluster::JudgeBinding(const PodRef& ref, std::string_view node) {
  auto it = pods_.find(NameInNamespace(ref.ns, ref.name));
  if (it == pods_.end()) return {BindOutcome::kGone, "the pod does not exist any more"};
  const PodFacts& pod = it->second;
  if (pod.uid != ref.uid) return {BindOutcome::kGone, "another pod has taken the name"};
  if (pod.node_name == node) return {BindOutcome::kBound, ""};
  if (!pod.node_name.empty()) {
    return {BindOutcome::kElsewhere, fmt::format("bound to {}", pod.node_name)};
  }
  if (pod.terminating) return {BindOutcome::kGone, "the pod is being deleted"};
  return {BindOutcome::kRefused, "the pod is not bound"};
}

BindResult FileCluster::BindNow(const BindingWrite& write) {
  if (clock_.Now() > write.not_after) {
    return {BindOutcome::kNotWritten, "too late: the time for this write has passed"};
  }
  BindResult before = JudgeBinding(write.pod, write.node);
  if (before.outcome != BindOutcome::kRefused) return before;
  PodFacts& pod = *FindPod(write.pod);
  if (pod.gated()) return {BindOutcome::kRefused, "the pod has scheduling gates"};
  pod.node_name = write.node;
  pod.nominated_node_name.clear();
  pod.phase = PodPhase::kRunning;
  for (const auto& [key, value] : write.annotations) SetLabel(pod.annotations, key, value);
  for (const auto& [key, value] : write.labels) SetLabel(pod.labels, key, value);
  return {BindOutcome::kBound, ""};
}

void FileCluster::Prove(BindingRead read, std::function<void(BindResult)> done) {
  MutexLock lock(mutex_);
  const BindResult result = JudgeBinding(read.pod, read.node);
  Reply([done = std::move(done), result] { done(result); });
}

PodFacts* FileCluster::FindPod(const PodRef& pod) {
  auto it = pods_.find(NameInNamespace(pod.ns, pod.name));
  return it != pods_.end() && it->second.uid == pod.uid ? &it->second : nullptr;
}

template <typename Ref, typename Value>
absl::Status FileCluster::FindForPatch(TextMap<Value>& known, const Ref& ref, Value** found) {
  if (stopping_) return absl::CancelledError("stopping");
  auto it = known.find(NameInNamespace(ref.ns, ref.name));
  if (it == known.end()) return absl::NotFoundError("the object does not exist any more");
  if (it->second.uid != ref.uid) return absl::AbortedError("another object has taken the name");
  *found = &it->second;
  return absl::OkStatus();
}

absl::Status FileCluster::NominateNow(const Nomination& nomination) {
  PodFacts* found = nullptr;
  GANGPLAN_RETURN_IF_ERROR(FindForPatch(pods_, nomination.pod, &found));
  if (!found->node_name.empty()) return absl::FailedPreconditionError("the pod is bound already");
  found->nominated_node_name = nomination.node;
  return absl::OkStatus();
}

void FileCluster::Nominate(Nomination nomination, std::function<void(absl::Status)> done) {
  MutexLock lock(mutex_);
  const absl::Status status = NominateNow(nomination);
  Reply([done = std::move(done), status] { done(status); });
  if (status.ok()) Tell(*FindPod(nomination.pod));
}

void FileCluster::Wake(PodRef pod, std::function<void(absl::Status)> done) {
  MutexLock lock(mutex_);
  PodFacts* found = nullptr;
  const absl::Status status = FindForPatch(pods_, pod, &found);
  Reply([done = std::move(done), status] { done(status); });
  if (!status.ok()) return;
  SetLabel(found->annotations, kWakeAnnotation,
           absl::FormatTime(clock_.Now(), absl::UTCTimeZone()));
  Tell(*found);
}

void FileCluster::WriteData(DataWrite write, std::function<void(absl::Status)> done) {
  MutexLock lock(mutex_);
  ConfigMapFacts* found = nullptr;
  const absl::Status status = FindForPatch(config_maps_, write.object, &found);
  Reply([done = std::move(done), status] { done(status); });
  if (status.ok() && PatchLabels(found->data, write.data)) TellUses(found, found);
}

void FileCluster::WriteLabels(LabelsWrite write, std::function<void(absl::Status)> done) {
  MutexLock lock(mutex_);
  PodFacts* found = nullptr;
  const absl::Status status = FindForPatch(pods_, write.pod, &found);
  Reply([done = std::move(done), status] { done(status); });
  if (status.ok() && PatchLabels(found->labels, write.labels)) Tell(*found);
}

absl::Status FileCluster::ReleaseNow(const PodRelease& release) {
  PodFacts* found = nullptr;
  GANGPLAN_RETURN_IF_ERROR(FindForPatch(pods_, release.pod, &found));
  const bool same = found->filter.required_terms == release.required_terms;
  if (!found->gated() && !release.required_terms.empty() && !same)
    return absl::FailedPreconditionError("the pod has no gate any more");
  found->gates.gang = false;
  if (release.kueue) found->gates.kueue_topology = false;
  if (!release.required_terms.empty()) found->filter.required_terms = release.required_terms;
  for (const auto& [key, value] : release.annotations) SetLabel(found->annotations, key, value);
  return absl::OkStatus();
}

void FileCluster::ReleasePod(PodRelease release, std::function<void(absl::Status)> done) {
  MutexLock lock(mutex_);
  const absl::Status status = ReleaseNow(release);
  Reply([done = std::move(done), status] { done(status); });
  if (status.ok()) Tell(*FindPod(release.pod));
}

void FileCluster::Refuse(const char* why, std::function<void(absl::Status)> done) {
  MutexLock lock(mutex_);
  Reply([done = std::move(done), why] { done(absl::UnimplementedError(why)); });
}

void FileCluster::ReadOwner(OwnerRead read, std::function<void(absl::StatusOr<OwnerFacts>)> done) {
  const auto& [ns, owner] = read;
  MutexLock lock(mutex_);
  absl::StatusOr<OwnerFacts> result =
      absl::NotFoundError(ToAbsl(fmt::format("{} {}/{} is not there", owner.kind, ns, owner.name)));
  auto it = owners_.find(OwnerKey(ns, owner));
  if (it != owners_.end() && (IsKnownByName(ns, owner) || it->second.ref.uid == owner.uid)) {
    result = it->second;
    result->ref.uid = owner.uid;
    if (result->part_of) {
      const auto whole = owners_.find(OwnerKey(ns, *result->part_of));
      result = whole != owners_.end() ? PartOf(*result, whole->second)
                                      : UnreadPart(*result, Unread::kGone);
    }
  }
  if (stopping_) result = absl::CancelledError("stopping");
  Reply([done = std::move(done), result = std::move(result)] { done(result); });
}

void FileCluster::Emit(EventNote note) {
  MutexLock lock(mutex_);
  if (stopping_ || !event_reader_) return;
  Reply([reader = event_reader_, note = std::move(note)] { reader(note); });
}

void FileCluster::PutPod(PodFacts pod) {
  const std::string name = NameInNamespace(pod.ns, pod.name);
  auto it = pods_.find(name);
  if (it != pods_.end() && it->second.uid != pod.uid) {
    name_of_uid_.erase(it->second.uid);
    Tell(PodDeleted{it->second.uid});
  }
  name_of_uid_.insert_or_assign(pod.uid, name);
  Tell(pod);
  pods_.insert_or_assign(name, std::move(pod));
}

void FileCluster::AddPod(PodFacts pod) {
  MutexLock lock(mutex_);
  PutPod(std::move(pod));
}

void FileCluster::DeletePod(std::string_view uid) {
  MutexLock lock(mutex_);
  auto it = name_of_uid_.find(uid);
  if (it == name_of_uid_.end()) return;
  pods_.erase(it->second);
  name_of_uid_.erase(it);
  Tell(PodDeleted{std::string(uid)});
}

template <typename Value>
void FileCluster::PutNamed(TextMap<Value>& known, Value object) {
  Tell(object);
  std::string name = object.name;
  known.insert_or_assign(std::move(name), std::move(object));
}

void FileCluster::PutNode(NodeFacts node) {
  MutexLock lock(mutex_);
  PutNamed(nodes_, std::move(node));
}

void FileCluster::DeleteNode(std::string_view name) {
  MutexLock lock(mutex_);
  if (nodes_.erase(name) > 0) Tell(NodeDeleted{std::string(name)});
}

void FileCluster::PutTopology(Topology topology) {
  MutexLock lock(mutex_);
  PutNamed(topologies_, std::move(topology));
}

void FileCluster::DeleteTopology(std::string_view name) {
  MutexLock lock(mutex_);
  if (topologies_.erase(name) > 0) Tell(TopologyDeleted{std::string(name)});
}

// Null: it is not there.
void FileCluster::TellUses(const ConfigMapFacts* before, const ConfigMapFacts* now) {
  for (ConfigMapUse use : kConfigMapUses) {
    if (now != nullptr && HasUse(*now, use)) {
      Tell(ConfigMapSeen{use, *now});
    } else if (before != nullptr && HasUse(*before, use)) {
      Tell(ConfigMapDeleted{use, before->ns, before->name});
    }
  }
}

void FileCluster::PutConfigMapNow(ConfigMapFacts object) {
  std::string name = NameInNamespace(object.ns, object.name);
  auto it = config_maps_.find(name);
  TellUses(it == config_maps_.end() ? nullptr : &it->second, &object);
  config_maps_.insert_or_assign(std::move(name), std::move(object));
}

void FileCluster::PutConfigMap(ConfigMapFacts object) {
  MutexLock lock(mutex_);
  PutConfigMapNow(std::move(object));
}

void FileCluster::DeleteConfigMap(std::string_view ns, std::string_view name) {
  MutexLock lock(mutex_);
  auto it = config_maps_.find(NameInNamespace(ns, name));
  if (it == config_maps_.end()) return;
  TellUses(&it->second, nullptr);
  config_maps_.erase(it);
}

void FileCluster::AddOwner(OwnerFacts owner) {
  MutexLock lock(mutex_);
  std::string key = OwnerKey(owner.ns, owner.ref);
  owners_.insert_or_assign(std::move(key), std::move(owner));
}

bool FileCluster::HasPod(std::string_view ns, std::string_view name) const {
  MutexLock lock(mutex_);
  return pods_.contains(NameInNamespace(ns, name));
}

bool FileCluster::HasOwner(std::string_view ns, const OwnerRef& owner) const {
  MutexLock lock(mutex_);
  return owners_.contains(OwnerKey(ns, owner));
}

void FileCluster::SetEventReader(std::function<void(const EventNote&)> reader) {
  MutexLock lock(mutex_);
  event_reader_ = std::move(reader);
}

// Before Start and after Stop nobody listens.
void FileCluster::Tell(ClusterEvent event) {
  if (sink_ == nullptr || stopping_) return;
  outbox_.emplace_back(std::move(event));
  changed_.notify_all();
}

void FileCluster::Reply(Answer answer) {
  outbox_.emplace_back(std::move(answer));
  changed_.notify_all();
}

void FileCluster::Loop() {
  for (;;) {
    std::vector<Outgoing> batch;
    ClusterSink* sink = nullptr;
    {
      MutexLock lock(mutex_);
      delivering_ = false;
      changed_.notify_all();
      while (outbox_.empty()) {
        if (ending_) return;
        changed_.wait(mutex_);
      }
      batch.swap(outbox_);
      sink = sink_;
      delivering_ = true;
    }
    DeliverAll(std::move(batch), sink);
  }
}

// Neighbouring events in one call.
void FileCluster::DeliverAll(std::vector<Outgoing> batch, ClusterSink* sink) {
  std::vector<ClusterEvent> events;
  auto flush = [&] {
    if (!events.empty()) sink->OnEvents(std::move(events));
    events.clear();
  };
  for (Outgoing& outgoing : batch) {
    if (auto* event = std::get_if<ClusterEvent>(&outgoing)) {
      events.push_back(std::move(*event));
      continue;
    }
    flush();
    std::get<Answer>(outgoing)();
  }
  flush();
}

}  // namespace gangplan
