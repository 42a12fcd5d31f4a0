// Of Kueue's Workloads that have quota and either an admission check or a place that Kueue has
// given them: a namespace has a share of what is mirrored, so that those of one do not keep out
// those of another.
#include <algorithm>
#include <string>
#include <utility>

#include "extender/kube/known_objects.h"
#include "extender/kube/mirror.h"
#include "topology/object_name.h"

namespace gangplan {
namespace {

using Events = std::vector<ClusterEvent>;

// About what its places take in memory, here and in the planner; of the others there are so few.
size_t BytesOf(const WorkloadFacts& workload) {
  size_t bytes = 0;
  for (const WorkloadFacts::PodSet& set : workload.pod_sets) {
    if (!set.placement) continue;
    for (const LabelSet* words : {&set.pod.labels, &set.pod.annotations})
      for (const auto& [key, value] : *words) bytes += kBytesOfText + key.size() + value.size();
    for (const WorkloadFacts::Domain& one : set.placement->domains) {
      bytes += kBytesOfDomain;
      for (const std::string& value : one.values) bytes += kBytesOfText + value.size();
    }
  }
  return bytes;
}

class WorkloadMirror : public Mirror {
 public:
  WorkloadMirror(WorkloadUse use, const MirrorLimits& most)
      : use_(use), known_("Workload with quota", most.all), shares_("Workloads with quota", most) {}

  std::string_view kind() const override { return "Workload"; }
  std::string_view plural() const override { return "Kueue's Workloads"; }
  std::string_view path() const override { return "/apis/kueue.x-k8s.io/v1beta2/workloads"; }
  std::string_view rights() const override {
    return use_ == WorkloadUse::kPlaces ? "workloads: list, watch"
                                        : "workloads: get, list, watch; workloads/status: patch";
  }
  bool may_be_missing() const override { return true; }
  bool is_awaited() const override { return use_ != WorkloadUse::kPlaces; }
  int page_items() const override { return kJobPageItems; }
  std::vector<std::string> TakeWarnings() override { return shares_.TakeWarnings(); }
  bool WantsList() const override { return shares_.WantsList(); }

  void BeginList() override {
    shares_.BeginList();
    known_.BeginList();
  }

  absl::Status AddPage(ObjectList page, Events* out) override {
    for (WorkloadFacts& workload : page.workloads) Put(std::move(workload), out);
    return absl::OkStatus();
  }

  void EndList(Events* out) override {
    for (auto& [name, state] : known_.TakeUnlisted()) {
      shares_.Remove(state.ns, state.bytes);
      out->push_back(WorkloadGone{name});
    }
    shares_.EndList();
  }

  absl::Status Apply(WatchEvent event, Events* out) override {
    if (event.type == WatchEvent::Type::kDeleted || !event.bad.ok()) {
      Delete(event.bad.ok() ? NameOf(event.workload) : event.name, out);
    } else {
      Put(std::move(event.workload), out);
    }
    return absl::OkStatus();
  }

 private:
  struct State {
    std::string ns;
    std::string uid;
    std::string version;
    size_t bytes = 0;
    friend bool operator==(const State&, const State&) = default;
  };

  static std::string NameOf(const WorkloadFacts& workload) {
    return NameInNamespace(workload.ns, workload.name);
  }

  bool IsWanted(const WorkloadFacts& workload) const {
    const bool checked = use_ != WorkloadUse::kPlaces && !workload.checks.empty();
    return workload.quota && (checked || workload.placed());
  }

  void Put(WorkloadFacts workload, Events* out) {
    const std::string name = NameOf(workload);
    if (!IsWanted(workload)) return Delete(name, out);
    const size_t bytes = BytesOf(workload);
    State state{workload.ns, workload.uid, workload.resource_version, bytes};
    const auto* entry = known_.Find(name);
    if (entry != nullptr && entry->value == state) return known_.Touch(name);
    const bool known = entry != nullptr;
    if (known) shares_.Remove(entry->value.ns, entry->value.bytes);
    const std::string ns = workload.ns;
    absl::Status put;
    if (shares_.Takes(ns, bytes, known)) {
      put = known_.Put(name, std::move(state));
      if (put.ok()) {
        shares_.Add(ns, bytes);
        out->push_back(std::move(workload));
        return;
      }
      shares_.LeaveOut(put, bytes);
    }
    if (!known) return;
    known_.Erase(name);
    out->push_back(WorkloadGone{name});
  }

  void Delete(const std::string& name, Events* out) {
    const auto* entry = known_.Find(name);
    if (entry == nullptr) return;
    shares_.Remove(entry->value.ns, entry->value.bytes);
    known_.Erase(name);
    out->push_back(WorkloadGone{name});
  }

  const WorkloadUse use_;
  Known<State> known_;
  Shares shares_;
};

}  // namespace

std::unique_ptr<Mirror> MakeWorkloadMirror(WorkloadUse use, const MirrorLimits& most) {
  return std::make_unique<WorkloadMirror>(use, most);
}

}  // namespace gangplan
