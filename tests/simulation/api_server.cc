#include "tests/simulation/api_server.h"

#include <algorithm>
#include <type_traits>

#include "extender/cluster/annotations.h"
#include "tests/support/planner_world.h"

namespace gangplan::simulation {

namespace {

constexpr absl::Duration kUnseenFor = absl::Seconds(5);  // longer than any watch

template <typename List>
bool StartsWith(const List& list, const List& start) {
  return list.size() >= start.size() && std::equal(start.begin(), start.end(), list.begin());
}

// Each term says what it said, and maybe more; one that says nothing goes on to do so.
bool HaveGrown(const std::vector<NodeSelectorTerm>& before,
               const std::vector<NodeSelectorTerm>& after) {
  return std::equal(
      before.begin(), before.end(), after.begin(), after.end(),
      [](const NodeSelectorTerm& a, const NodeSelectorTerm& b) {
        const bool empty = a.labels.empty() && a.fields.empty();
        return empty ? a == b : StartsWith(b.labels, a.labels) && StartsWith(b.fields, a.fields);
      });
}

}  // namespace

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
    } else if constexpr (std::is_same_v<Object, JobFacts>) {
      if (object)
        watcher->SeeJob(*object);
      else
        watcher->SeeJobLeft(key);
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
  if (kind == Kind::kJobs) tell(marked_, &Subscription::jobs);
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
  for (Kind kind : {Kind::kPods, Kind::kNodes, Kind::kObjects, Kind::kJobs})
    subscriptions_[id].Of(kind).last = time_.now();
  for (Kind kind : {Kind::kPods, Kind::kNodes, Kind::kObjects, Kind::kJobs}) List(id, kind);
  return id;
}

void ApiServer::Unwatch(int id) { subscriptions_.erase(id); }

void ApiServer::BreakStream(int id, Kind kind) {
  auto it = subscriptions_.find(id);
  if (it == subscriptions_.end() || it->second.lists_open > 0) return;
  ++it->second.Of(kind).epoch;
  List(id, kind);
}

void ApiServer::PutPod(PodFacts pod) {
  pod.resource_version = std::to_string(++version_);
  pods_[pod.uid] = pod;
  TellAll<PodFacts>(&Subscription::pods, pod.uid, std::make_shared<const PodFacts>(pod));
}

absl::Status ApiServer::CheckVersion(const PodRef& pod, const std::string& version) const {
  const auto found = pods_.find(pod.uid);
  if (found == pods_.end()) return absl::NotFoundError("not found");
  const bool same = version.empty() || version == found->second.resource_version;
  return same ? absl::OkStatus() : absl::AbortedError("the object has been modified");
}

absl::Status ApiServer::EvictPod(const PodDelete& pod, absl::Duration grace) {
  absl::Status status = CheckVersion(pod.pod, pod.resource_version);
  if (!status.ok()) return status;
  const PodFacts& facts = pods_.at(pod.pod.uid);
  if (pod.how != PodDelete::How::kForce && !facts.terminating && IsProtected(facts))
    return absl::FailedPreconditionError("it would violate the pod's disruption budget");
  if (pod.how == PodDelete::How::kTry) return absl::OkStatus();
  if (before_eviction && !facts.node_name.empty()) before_eviction(facts, pod.how);
  DeletePod(pod.pod.uid, grace);
  return absl::OkStatus();
}

// By a budget for the Job that has made it, of which so many must stay. One that waits never is.
bool ApiServer::IsProtected(const PodFacts& pod) const {
  if (pod.node_name.empty() || pod.finished()) return false;
  const auto budget = pod.controller ? budgets.find(pod.controller->uid) : budgets.end();
  if (budget == budgets.end()) return false;
  int32_t healthy = 0;
  for (const auto& [uid, other] : pods_) {
    const bool same = other.controller && other.controller->uid == pod.controller->uid;
    healthy += static_cast<int32_t>(same && !other.node_name.empty() && !other.terminating &&
                                    !other.finished());
  }
  return healthy <= budget->second;
}

absl::Status ApiServer::MarkPod(const PodMark& mark) {
  absl::Status status = CheckVersion(mark.pod, "");
  if (!status.ok()) return status;
  PodFacts pod = pods_.at(mark.pod.uid);
  for (const auto& [key, value] : mark.annotations) {
    std::erase_if(pod.annotations, [&](const auto& one) { return one.first == key; });
    if (value) SetWord(pod.annotations, key, *value);
  }
  PutPod(std::move(pod));
  return status;
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
void ApiServer::PutOwner(OwnerFacts owner) {
  if (const JobFacts* job = FindJob(owner.ref.uid)) {
    if (const std::string* pin = FindLabel(job->owner.annotations, kPinnedAnnotation))
      SetWord(owner.annotations, kPinnedAnnotation, *pin);
  }
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

// ---- Jobs that wait, or did so

void ApiServer::Store(JobFacts job, bool marked) {
  const std::string uid = job.owner.ref.uid;
  job.resource_version = std::to_string(++version_);
  const bool was_marked = marked_.contains(uid);
  if (marked) {
    marked_[uid] = job;
    TellAll<JobFacts>(&Subscription::jobs, uid, std::make_shared<const JobFacts>(job));
  } else if (was_marked) {
    marked_.erase(uid);
    TellAll<JobFacts>(&Subscription::jobs, uid, nullptr);
  }
  const OwnerFacts owner = job.owner;
  jobs_[uid] = std::move(job);
  if (owners_.contains(uid)) PutOwner(owner);
}

void ApiServer::PutJob(JobFacts job, std::optional<bool> marked) {
  const std::string& uid = job.owner.ref.uid;
  if (const auto known = jobs_.find(uid); known != jobs_.end()) {
    if (!marked) job.suspended = known->second.suspended;
    if (job.owner.pod_sets.empty())
      job.pods[0].filter.required_terms = known->second.pods[0].filter.required_terms;
    if (const std::string* pin = FindLabel(known->second.owner.annotations, kPinnedAnnotation))
      SetWord(job.owner.annotations, kPinnedAnnotation, *pin);
  }
  const bool has_mark = marked.value_or(marked_.contains(uid));
  Store(std::move(job), has_mark);
}

void ApiServer::EraseJob(const std::string& uid) {
  jobs_.erase(uid);
  pins_.erase(uid);
  if (marked_.erase(uid) > 0) TellAll<JobFacts>(&Subscription::jobs, uid, nullptr);
}

const JobFacts* ApiServer::FindJob(const std::string& uid) const {
  const auto found = jobs_.find(uid);
  return found == jobs_.end() ? nullptr : &found->second;
}

std::optional<std::vector<NodeSelectorTerm>> ApiServer::TermsOf(const std::string& uid,
                                                                const std::string& part) const {
  const JobFacts& job = jobs_.at(uid);
  if (job.owner.pod_sets.empty()) return job.pods[0].filter.required_terms;
  const auto pins = pins_.find(uid);
  if (pins == pins_.end()) return {};
  const auto terms = pins->second.find(part);
  if (terms == pins->second.end() || terms->second.empty()) return {};
  return terms->second;
}

// Of a JobSet its Jobs one after the other, and now and then not all of them.
absl::Status ApiServer::WriteTemplates(const JobWrite& write, JobFacts& job) {
  if (write.templates.empty()) return absl::OkStatus();
  if (!job.suspended) return absl::FailedPreconditionError("spec.template: field is immutable");
  const bool set = !job.owner.pod_sets.empty();
  const bool all = std::any_of(write.templates.begin(), write.templates.end(),
                               [](const TemplateTerms& one) { return one.jobs > 0; });
  if (set && all && !job.ready) return absl::UnavailableError("the Jobs are not all suspended");
  for (const TemplateTerms& one : write.templates) {
    if (set) {
      pins_[write.job.uid][one.name] = one.required;
      if (random_.OneIn(10)) return absl::UnavailableError("the connection was lost");
      continue;
    }
    job.pods[0].filter.required_terms.reset();
    if (!one.required.empty()) job.pods[0].filter.required_terms = one.required;
  }
  return absl::OkStatus();
}

// One that is not of a version is made of what is read just before.
absl::Status ApiServer::WriteJob(const JobWrite& write) {
  const auto found = jobs_.find(write.job.uid);
  if (found == jobs_.end() && write.evicts && owners_.contains(write.job.uid))
    return absl::FailedPreconditionError("its controller would start it again");
  if (found == jobs_.end()) return absl::NotFoundError("not found");
  if (write.evicts && before_suspension) before_suspension(write.job.uid);
  JobFacts job = found->second;
  const bool others = job.suspended && !marked_.contains(write.job.uid);
  if (write.suspend && write.resource_version.empty() && (others || job.finished))
    return absl::AbortedError("somebody else has suspended it, or it is finished");
  if (!write.resource_version.empty() && write.resource_version != job.resource_version)
    return absl::AbortedError("the object has been modified");
  if (const absl::Status status = WriteTemplates(write, job); !status.ok()) return status;
  PatchLabels(job.owner.annotations, write.annotations);
  bool marked = marked_.contains(write.job.uid);
  for (const auto& [key, value] : write.labels) {
    if (key == kSuspendedLabel) marked = value.has_value();
  }
  job.suspended = write.suspend;
  Store(std::move(job), marked);
  return absl::OkStatus();
}

// A gate never comes back; the terms of a pod may only grow while it has one, and never after that.
absl::Status ApiServer::ReleasePod(const PodRelease& release) {
  absl::Status status = CheckVersion(release.pod, release.resource_version);
  if (!status.ok()) return status;
  const auto found = pods_.find(release.pod.uid);
  PodFacts pod = found->second;
  auto& terms = pod.filter.required_terms;
  const bool other = !release.required_terms.empty() && terms != release.required_terms;
  if (other && (!pod.gated() || (terms && !HaveGrown(*terms, release.required_terms))))
    return absl::FailedPreconditionError("spec: pod updates may not change fields");
  pod.gates.gang = false;
  if (release.kueue) pod.gates.kueue_topology = false;
  if (other) terms = release.required_terms;
  for (const auto& [key, value] : release.annotations) SetWord(pod.annotations, key, value);
  if (!(pod == found->second)) PutPod(pod);
  return absl::OkStatus();
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
  if (bound.gated()) return BindOutcome::kRefused;
  if (refused_bindings.contains(MemberName(bound))) return BindOutcome::kRefused;
  const auto changed = asks_for_more_since.find(post.pod.uid);
  if (changed != asks_for_more_since.end() && time_.now() < changed->second + kUnseenFor)
    return BindOutcome::kRefused;
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
