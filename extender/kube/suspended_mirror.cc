// Of owners that wait suspended, Jobs or JobSets: a namespace has a share of what is mirrored, so
// that those of one do not keep out those of another.
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "extender/cluster/annotations.h"
#include "extender/kube/known_objects.h"
#include "extender/kube/mirror.h"
#include "extender/kube/resource_path.h"
#include "topology/base/text.h"
#include "topology/object_name.h"

namespace gangplan {
namespace {

using Events = std::vector<ClusterEvent>;

// Keeps the UID and the version of each owner; one that cannot be read is as good as gone, since no
// write could name its version. Those beyond the limit of their namespace harm nobody but whoever
// writes them.
class SuspendedMirror : public Mirror {
 public:
  SuspendedMirror(const OwnerKind& kind, const SuspendedLimits& most)
      : kind_(kind),
        most_in_namespace_(most.in_namespace),
        plural_(fmt::format("{} that wait suspended", kind.most_of)),
        path_(fmt::format("/apis/{}/{}", kind.api_version, kind.plural)),
        label_(fmt::format("{}={}", kSuspendedLabel, kSuspendedValue)),
        known_(fmt::format("{} with label {}", kind.kind, label_), most.all) {}

  std::string_view kind() const override { return kind_.kind; }
  std::string_view plural() const override { return plural_; }
  std::string_view path() const override { return path_; }
  std::string_view label() const override { return label_; }
  std::string_view rights() const override {
    return kind_.pins_own_template
               ? "jobs: get, list, watch, patch; jobs/status: patch"
               : "jobsets: get, list, watch, patch; jobs: list, patch; jobs/status: patch";
  }
  bool may_be_missing() const override { return !kind_.built_in; }
  int page_items() const override { return kJobPageItems; }
  std::vector<std::string> TakeWarnings() override { return left_out_.TakeWarnings(); }
  bool WantsList() const override {
    const std::set<std::string>& full = left_out_.full();
    return !known_.full() && std::any_of(full.begin(), full.end(), [this](const std::string& ns) {
      return ns.empty() || counts_.In(ns) < most_in_namespace_;
    });
  }

  void BeginList() override {
    left_out_.BeginList();
    known_.BeginList();
  }

  absl::Status AddPage(ObjectList page, Events* out) override {
    for (JobFacts& job : page.jobs) Put(std::move(job), out);
    return absl::OkStatus();
  }

  void EndList(Events* out) override {
    for (auto& [name, state] : known_.TakeUnlisted()) {
      counts_.Remove(state.ns);
      out->push_back(JobLeft{std::move(state.uid)});
    }
    left_out_.EndList();
  }

  absl::Status Apply(WatchEvent event, Events* out) override {
    if (event.type == WatchEvent::Type::kDeleted || !event.job) {
      Delete(event.job ? NameOf(*event.job) : event.name, out);
    } else {
      Put(*std::move(event.job), out);
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

  static std::string NameOf(const JobFacts& job) {
    return NameInNamespace(job.owner.ns, job.owner.ref.name);
  }

  void Put(JobFacts job, Events* out) {
    const std::string name = NameOf(job);
    State state{job.owner.ns, job.owner.ref.uid, job.resource_version};
    auto* entry = known_.Find(name);
    if (entry != nullptr && entry->value == state) return known_.Touch(name);
    if (entry != nullptr && entry->value.uid != state.uid) {
      out->push_back(JobLeft{entry->value.uid});
    }
    const bool known = entry != nullptr;
    if (!known && counts_.In(job.owner.ns) >= most_in_namespace_) {
      return left_out_.Add(
          job.owner.ns,
          absl::ResourceExhaustedError(ToAbsl(fmt::format(
              "namespace {} has more than {} {}", job.owner.ns, most_in_namespace_, plural_))));
    }
    const absl::Status put = known_.Put(name, std::move(state));
    if (!put.ok()) return left_out_.Add("", put);
    if (!known) counts_.Add(job.owner.ns);
    out->push_back(std::move(job));
  }

  void Delete(const std::string& name, Events* out) {
    auto* entry = known_.Find(name);
    if (entry == nullptr) return;
    counts_.Remove(entry->value.ns);
    out->push_back(JobLeft{std::move(entry->value.uid)});
    known_.Erase(name);
  }

  const OwnerKind& kind_;
  const size_t most_in_namespace_;
  const std::string plural_;
  const std::string path_;
  const std::string label_;
  Known<State> known_;
  NamespaceCounts counts_;
  LeftOut left_out_;
};

}  // namespace

std::unique_ptr<Mirror> MakeSuspendedMirror(const OwnerKind& kind, const SuspendedLimits& most) {
  return std::make_unique<SuspendedMirror>(kind, most);
}

}  // namespace gangplan
