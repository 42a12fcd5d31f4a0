#include "tests/simulation/checker.h"

#include <algorithm>
#include <set>

#include "extender/cluster/annotations.h"
#include "extender/frontends/gangplan/words.h"
#include "extender/protocol/jobset_words.h"
#include "fmt/format.h"
#include "tests/support/query.h"
#include "topology/model.h"

namespace gangplan::simulation {

namespace {

std::string PodSetOf(const PodFacts& pod) {
  const std::string* name = FindLabel(pod.labels, kReplicatedJob);
  if (name == nullptr) name = FindLabel(pod.annotations, kPodSetWord);
  return name == nullptr ? std::string() : *name;
}

}  // namespace

Checker::Checker(ApiServer& api, Service& service, const Told& told, const Jobs& jobs,
                 const ForeignPods& foreign)
    : api_(api), service_(service), told_(told), jobs_(jobs), foreign_(foreign) {
  api_.before_bind = [this](const PodFacts& pod, const std::string& node) {
    BeforeBind(pod, node);
  };
}

void Checker::AfterInput() {
  std::string broken = service_.planner().BrokenInvariant();
  if (!broken.empty()) throw Broken(broken);
  if (!service_.open_writes().empty()) CheckOpenWrites();
}

// What a Binding takes counts on its node from its write on, until the planner was told what became
// of it: beside the pods that it knows to be bound there.
void Checker::CheckOpenWrites() const {
  std::map<std::string, std::set<std::string>> writes;  // pods by node
  for (const auto& [number, write] : service_.open_writes()) {
    const auto pod = told_.pods().find(write.pod.uid);
    const bool open = pod != told_.pods().end() && pod->second.node_name.empty();
    if (open && told_.Node(write.node) != nullptr) writes[write.node].insert(write.pod.uid);
  }
  if (writes.empty()) return;
  std::map<std::string, int64_t> taken;
  for (const auto& [uid, pod] : told_.pods()) {
    const int64_t gpus = AmountsOf(pod.requests).gpus;
    if (!pod.node_name.empty() && !pod.finished()) taken[pod.node_name] += gpus;
    for (auto& [node, uids] : writes) taken[node] += uids.contains(uid) ? gpus : 0;
  }
  const Model& model = service_.planner().model();
  for (const auto& [node, uids] : writes) {
    const ResourceUse use = model.Use(model.FindNode(node), "example.com/gpu");
    if (use.used + use.held < taken[node]) {
      throw Broken(fmt::format("node {}: {} gpus are bound or on their way, the planner counts {}",
                               node, taken[node], use.used + use.held));
    }
  }
}

// What one read or write tells is nothing about another write that is still open.
void Checker::AfterResult(const BindingRead& about, BindOutcome) {
  const auto& writes = service_.open_writes();
  const bool open = std::any_of(writes.begin(), writes.end(), [&](const auto& entry) {
    return entry.second.pod.uid == about.pod.uid && entry.second.node == about.node;
  });
  const Job* job = jobs_.Of(about.pod.uid);
  if (!each_attempt || !open || job == nullptr) return;
  const std::optional<GroupReport> report = service_.planner().Report(GroupName(*job));
  if (!report) return;
  for (const GroupReport::SlotReport& slot : report->slots) {
    if (slot.pod == about.pod.name && slot.state == "held") {
      throw Broken(fmt::format("{}: its Binding to {} is open, and its slot is taken for held",
                               about.pod.name, about.node));
    }
  }
}

// As the planner can know: some member is bound and stays, or has finished, or a Binding of it is
// open or was just written.
bool Checker::Begun(const Job& job) const {
  if (job.HasSucceeded()) return true;
  for (const auto& [uid, pod] : told_.pods()) {
    if (jobs_.Of(uid) != &job) continue;
    const bool failed = pod.phase == PodPhase::kFailed;
    const bool bound = !pod.node_name.empty() || told_.BindingDone(uid);
    if (bound && !pod.terminating && !failed) return true;
    if (service_.open_posts(uid) > 0) return true;
  }
  for (const auto& [uid, pod] : api_.pods()) {
    if (jobs_.Of(uid) != &job) continue;
    if (!pod.node_name.empty() || service_.open_posts(uid) > 0) return true;
  }
  return FollowsAnother(job);
}

// Runs under one name are one group when the next one's first pod was heard of before the last
// one's end was.
bool Checker::FollowsAnother(const Job& job) const {
  absl::Time first = absl::InfiniteFuture();
  for (const auto& [uid, stay] : told_.stays()) {
    if (jobs_.Of(uid) == &job) first = std::min(first, stay.from);
  }
  return std::any_of(told_.stays().begin(), told_.stays().end(), [&](const auto& entry) {
    const Job* other = jobs_.Of(entry.first);
    return other != nullptr && other != &job && GroupName(*other) == GroupName(job) &&
           entry.second.bound && entry.second.to >= first;
  });
}

// The first Bindings of a gang come all at once.
void Checker::OnPosts(const std::vector<BindingWrite>& posts) {
  std::map<const Job*, std::set<std::string>> by_job;
  for (const BindingWrite& post : posts) {
    if (const Job* job = jobs_.Of(post.pod.uid)) by_job[job].insert(post.pod.uid);
  }
  for (const auto& [job, uids] : by_job) {
    int64_t size = told_.Size(job->spec.Uid()).value_or(job->spec.size);
    if (job->least > 0) size = std::min<int64_t>(size, job->starts_with());
    if (together && static_cast<int64_t>(uids.size()) < size && !Begun(*job)) {
      throw Broken(
          fmt::format("gang {} of {} begins with {} members", job->spec.Uid(), size, uids.size()));
    }
  }
}

// Who waits behind a gate goes when its gang is whole and has room for all, to where its room is.
void Checker::OnRelease(const PodRelease& release) {
  const Job* job = jobs_.Of(release.pod.uid);
  if (job == nullptr) throw Broken(release.pod.name + " is released, and is nobody's member");
  const auto report = service_.planner().Report(GroupName(*job));
  if (!report) throw Broken(release.pod.name + " is released, and its gang is not known");
  // Of several runs of one name the newest is reported.
  const std::string& run = report->key.incarnation;
  if (!run.empty() && run != job->spec.Uid()) return;
  bool whole = true;
  std::string node;
  for (const GroupReport::SlotReport& slot : report->slots) {
    whole = whole && slot.state != "empty" && !slot.pod.empty();
    if (slot.pod == release.pod.name && slot.state == "held") node = slot.node;
  }
  if (node.empty()) throw Broken(release.pod.name + " is released without room");
  if (together && !whole && !Begun(*job))
    throw Broken(release.pod.name + " is released before its gang is whole");
  NodeFilter where;
  if (!release.required_terms.empty()) where.required_terms = release.required_terms;
  const NodeFacts* facts = told_.Node(node);
  if (facts != nullptr && !MatchesSelector(where, *facts))
    throw Broken(fmt::format("{} is released, and not to its node {}", release.pod.name, node));
}

void Checker::BeforeBind(const PodFacts& pod, const std::string& node) {
  CheckRoom(pod, node);
  const Job* job = jobs_.Of(pod.uid);
  if (job == nullptr) return;
  CheckHome(*job, pod, node);
  CheckDomain(*job, pod, node);
  if (ranks_in_order && !job->disturbed) CheckRanks(*job);
}

// What the second scheduler bound, and what has grown or shrunk, counts from the moment when the
// planner could know of it.
void Checker::CheckRoom(const PodFacts& pod, const std::string& node) const {
  auto facts = api_.nodes().find(node);
  if (facts == api_.nodes().end()) return;  // a node that went meanwhile
  const absl::Time posted = told_.Posted(pod.uid);
  Amounts used = told_.LeastTaken(pod, posted);
  for (const auto& [uid, other] : api_.pods()) {
    if (other.node_name != node || other.finished()) continue;
    if (foreign_.second(uid) && !told_.BoundBefore(uid, posted)) continue;
    used += told_.LeastTaken(other, posted);
  }
  const Amounts room = told_.MostAllocatable(facts->second, posted);
  // Of what a node lists none others serve pods of no gang, and who asks for none of it takes none.
  const bool asks = jobs_.Of(pod.uid) != nullptr && told_.LeastTaken(pod, posted).gpus > 0;
  if (room.gpus == 0 && !asks) used.gpus = 0;
  if (!used.FitsIn(room)) {
    throw Broken(fmt::format("node {} is over-committed by {}: {} of {} gpus, {} of {} cpu", node,
                             pod.name, used.gpus, room.gpus, used.cpu, room.cpu));
  }
}

// Decided on before its node went, written after it came back: what is on its way cannot come back.
bool Checker::IsStray(const std::string& uid, const std::string& node) const {
  const auto gone = api_.last_gone.find(node);
  const absl::Time posted = told_.Posted(uid);
  return gone != api_.last_gone.end() && posted != absl::InfinitePast() && gone->second >= posted;
}

// As far as the planner could know, whose nodes may have come to another topology meanwhile.
void Checker::CheckHome(const Job& job, const PodFacts& pod, const std::string& node) const {
  if (!api_.nodes().contains(node) || IsStray(pod.uid, node)) return;
  const NodeFacts& to = api_.nodes().at(node);
  if (IsHome(job, to) || told_.NewsSince(to, told_.Posted(pod.uid))) return;
  throw Broken(fmt::format("gang {} of topology {}: {} goes to {}", job.spec.Uid(), job.topology,
                           pod.name, node));
}

// Nodes may have been moved to other domains meanwhile: what the planner could not know does not
// count, and a gang that a move has torn apart has no domain any more. A member of whose Binding
// nobody could tell counts where it may be.
void Checker::CheckDomain(const Job& job, const PodFacts& pod, const std::string& node) const {
  if (job.hard_level < 0 || !api_.nodes().contains(node) || IsStray(pod.uid, node)) return;
  const absl::Time posted = told_.Posted(pod.uid);
  std::map<std::string, const PodFacts*> domains;
  for (const auto& [uid, other] : api_.pods()) {
    if (jobs_.Of(uid) != &job || uid == pod.uid || other.terminating || other.finished()) continue;
    const bool before = told_.Posted(uid) < posted;  // those of its batch are judged by themselves
    const std::string at = other.node_name.empty() && before ? told_.MayBeOn(uid) : other.node_name;
    if (!api_.nodes().contains(at) || IsStray(uid, at)) continue;
    if (!job.spec.together && PodSetOf(other) != PodSetOf(pod)) continue;
    const NodeFacts& on = api_.nodes().at(at);
    if (told_.NewsSince(on, posted)) return;
    if (!IsHome(job, on)) continue;
    domains[DomainAt(on, job.hard_level)] = &other;
  }
  const NodeFacts& to = api_.nodes().at(node);
  if (domains.size() != 1 || told_.NewsSince(to, posted)) return;
  const auto& [domain, other] = *domains.begin();
  if (DomainAt(to, job.hard_level) != domain) {
    throw Broken(fmt::format("gang {}: {} goes to {} while {} is elsewhere", job.spec.Uid(),
                             pod.name, node, other->name));
  }
}

void Checker::CheckRanks(const Job& job) const {
  std::map<std::string, std::map<int64_t, std::string>> node_of;  // by pod set and rank
  for (const auto& [uid, pod] : api_.pods()) {
    if (jobs_.Of(uid) != &job || pod.node_name.empty() || pod.terminating) continue;
    const std::string* rank = FindLabel(pod.annotations, kAssignedRankAnnotation);
    if (rank == nullptr) throw Broken(fmt::format("{} is bound without a rank", pod.name));
    const std::string* index =
        FindLabel(pod.annotations, "batch.kubernetes.io/job-completion-index");
    const int64_t first = job.spec.together && PodSetOf(pod) == "workers" ? 1 : 0;
    if (index != nullptr && NumberAt(*index) - first != NumberAt(*rank))
      throw Broken(fmt::format("{} has rank {} for index {}", pod.name, *rank, *index));
    node_of[PodSetOf(pod)][NumberAt(*rank)] = pod.node_name;
  }
  for (const auto& [set, nodes] : node_of) {
    std::string last;
    for (const auto& [rank, node] : nodes) {
      if (node < last)
        throw Broken(
            fmt::format("gang {}: rank {} on {} after {}", job.spec.Uid(), rank, node, last));
      last = node;
    }
  }
}

}  // namespace gangplan::simulation
