// Of Kueue's Workloads that have quota and an admission check: a namespace has a share of what is
// mirrored, so that those of one do not keep out those of another.
#include <string>
#include <utility>

#include "extender/kube/known_objects.h"
#include "extender/kube/mirror.h"
#include "topology/object_name.h"

namespace gangplan {
namespace {

using Events = std::vector<ClusterEvent>;

class WorkloadMirror : public Mirror {
 public:
  explicit WorkloadMirror(const MirrorLimits& most)
      : known_("Workload with quota", most.all), shares_("Workloads with quota", most) {}

  std::string_view kind() const override { return "Workload"; }
  std::string_view plural() const override { return "Kueue's Workloads"; }
  std::string_view path() const override { return "/apis/kueue.x-k8s.io/v1beta2/workloads"; }
  std::string_view rights() const override {
    return "workloads: get, list, watch; workloads/status: patch";
  }
  bool may_be_missing() const override { return true; }
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
      shares_.Remove(state.ns, 0);
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
    friend bool operator==(const State&, const State&) = default;
  };

  static std::string NameOf(const WorkloadFacts& workload) {
    return NameInNamespace(workload.ns, workload.name);
  }

  void Put(WorkloadFacts workload, Events* out) {
    const std::string name = NameOf(workload);
    if (!workload.quota || workload.checks.empty()) return Delete(name, out);
    State state{workload.ns, workload.uid, workload.resource_version};
    const auto* entry = known_.Find(name);
    if (entry != nullptr && entry->value == state) return known_.Touch(name);
    const bool known = entry != nullptr;
    if (!known && !shares_.Takes(workload.ns, 0)) return;
    const absl::Status put = known_.Put(name, std::move(state));
    if (!put.ok()) return shares_.LeaveOut(put, 0);
    if (!known) shares_.Add(workload.ns, 0);
    out->push_back(std::move(workload));
  }

  void Delete(const std::string& name, Events* out) {
    const auto* entry = known_.Find(name);
    if (entry == nullptr) return;
    shares_.Remove(entry->value.ns, 0);
    known_.Erase(name);
    out->push_back(WorkloadGone{name});
  }

  Known<State> known_;
  Shares shares_;
};

}  // namespace

std::unique_ptr<Mirror> MakeWorkloadMirror(const MirrorLimits& most) {
  return std::make_unique<WorkloadMirror>(most);
}

}  // namespace gangplan
