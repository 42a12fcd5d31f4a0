// Of Kueue's Workloads that have quota and either an admission check or a place that Kueue has
// given them: a namespace has a share of what is mirrored of each, so that those of one do not keep
// out those of another, nor places a check.
#include <algorithm>
#include <string>
#include <utility>

#include "extender/kube/known_objects.h"
#include "extender/kube/mirror.h"
#include "fmt/format.h"
#include "topology/base/text.h"
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

// Those of one kind: so many in all, and of a namespace its share.
class Kept {
 public:
  Kept(std::string plural, const MirrorLimits& most)
      : plural_(plural), most_(most.all), shares_(std::move(plural), most) {}

  // Known: it is one of them already.
  bool Takes(const std::string& ns, size_t bytes, bool known) {
    if (known || objects_ < most_) return shares_.Takes(ns, bytes, known);
    shares_.LeaveOut(absl::ResourceExhaustedError(
                         ToAbsl(fmt::format("there are more than {} {}", most_, plural_))),
                     bytes);
    return false;
  }
  void Add(const std::string& ns, size_t bytes) {
    ++objects_;
    shares_.Add(ns, bytes);
  }
  void Remove(const std::string& ns, size_t bytes) {
    --objects_;
    shares_.Remove(ns, bytes);
  }
  Shares& shares() { return shares_; }
  bool WantsList() const { return shares_.WantsList(); }

 private:
  const std::string plural_;
  const size_t most_;
  Shares shares_;
  size_t objects_ = 0;
};

class WorkloadMirror : public Mirror {
 public:
  WorkloadMirror(WorkloadUse use, const MirrorLimits& most, const MirrorLimits& places)
      : use_(use),
        known_("Workload with quota", most.all + places.all),
        checked_("Workloads with quota and a check", most),
        placed_("Workloads that Kueue has placed", places) {}

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
  bool WantsList() const override { return checked_.WantsList() || placed_.WantsList(); }

  std::vector<std::string> TakeWarnings() override {
    std::vector<std::string> warnings = checked_.shares().TakeWarnings();
    for (std::string& one : placed_.shares().TakeWarnings()) warnings.push_back(std::move(one));
    if (!unplaced_.empty()) warnings.push_back(std::exchange(unplaced_, {}));
    return warnings;
  }

  void BeginList() override {
    checked_.shares().BeginList();
    placed_.shares().BeginList();
    known_.BeginList();
    unplaced_told_ = false;
  }

  absl::Status AddPage(ObjectList page, Events* out) override {
    for (WorkloadFacts& workload : page.workloads) Put(std::move(workload), out);
    return absl::OkStatus();
  }

  void EndList(Events* out) override {
    for (auto& [name, state] : known_.TakeUnlisted()) {
      Discount(state);
      out->push_back(WorkloadGone{name});
    }
    checked_.shares().EndList();
    placed_.shares().EndList();
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
    bool checked = false;
    bool placed = false;
    size_t bytes = 0;  // of its places
    friend bool operator==(const State&, const State&) = default;
  };

  static std::string NameOf(const WorkloadFacts& workload) {
    return NameInNamespace(workload.ns, workload.name);
  }

  void Count(const State& state) {
    if (state.checked) checked_.Add(state.ns, 0);
    if (state.placed) placed_.Add(state.ns, state.bytes);
  }
  void Discount(const State& state) {
    if (state.checked) checked_.Remove(state.ns, 0);
    if (state.placed) placed_.Remove(state.ns, state.bytes);
  }

  // One a list, since there may be as many as there are Workloads.
  void WarnUnplaced(const WorkloadFacts& workload) {
    if (workload.unplaced.empty() || std::exchange(unplaced_told_, true)) return;
    unplaced_ = fmt::format("Workload {}: {}; its room counts as free, as that of others like it",
                            Shown(NameOf(workload)), workload.unplaced);
  }

  // What there is room for: places go before the check does.
  State Taken(const WorkloadFacts& workload, const State& known) {
    State state{workload.ns, workload.uid, workload.resource_version};
    if (!workload.quota) return state;
    const bool checked = use_ != WorkloadUse::kPlaces && !workload.checks.empty();
    state.checked = checked && checked_.Takes(state.ns, 0, known.checked);
    if (!workload.placed() || state.checked != checked) return state;
    state.bytes = BytesOf(workload);
    state.placed = placed_.Takes(state.ns, state.bytes, known.placed);
    if (!state.placed) state.bytes = 0;
    return state;
  }

  void Put(WorkloadFacts workload, Events* out) {
    const std::string name = NameOf(workload);
    if (workload.quota) WarnUnplaced(workload);
    const auto* entry = known_.Find(name);
    const State before = entry == nullptr ? State() : entry->value;
    Discount(before);
    State state = Taken(workload, before);
    Count(state);
    if (entry != nullptr && state == before) return known_.Touch(name);
    if (!state.checked && !state.placed) {
      if (entry == nullptr) return;
      known_.Erase(name);
      return out->push_back(WorkloadGone{name});
    }
    if (!state.placed) workload.Unplace();
    if (!state.checked) workload.checks.clear();  // nobody here answers them
    const absl::Status put = known_.Put(name, state);
    if (put.ok()) return out->push_back(std::move(workload));
    Discount(state);
    checked_.shares().LeaveOut(put, 0);
  }

  void Delete(const std::string& name, Events* out) {
    const auto* entry = known_.Find(name);
    if (entry == nullptr) return;
    Discount(entry->value);
    known_.Erase(name);
    out->push_back(WorkloadGone{name});
  }

  const WorkloadUse use_;
  Known<State> known_;
  Kept checked_;
  Kept placed_;
  std::string unplaced_;
  bool unplaced_told_ = false;
};

}  // namespace

std::unique_ptr<Mirror> MakeWorkloadMirror(WorkloadUse use, const MirrorLimits& most,
                                           const MirrorLimits& places) {
  return std::make_unique<WorkloadMirror>(use, most, places);
}

}  // namespace gangplan
