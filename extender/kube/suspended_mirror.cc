// Of owners that wait suspended, Jobs or JobSets: a namespace has a share of what is mirrored, so
// that those of one do not keep out those of another.
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
  SuspendedMirror(const OwnerKind& kind, const MirrorLimits& most)
      : kind_(kind),
        plural_(fmt::format("{} that wait suspended", kind.most_of)),
        path_(fmt::format("/apis/{}/{}", kind.api_version, kind.plural)),
        label_(fmt::format("{}={}", kSuspendedLabel, kSuspendedValue)),
        known_(fmt::format("{} with label {}", kind.kind, label_), most.all),
        shares_(plural_, most) {}

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
  std::vector<std::string> TakeWarnings() override { return shares_.TakeWarnings(); }
  bool WantsList() const override { return shares_.WantsList(); }

  void BeginList() override {
    shares_.BeginList();
    known_.BeginList();
  }

  absl::Status AddPage(ObjectList page, Events* out) override {
    for (JobFacts& job : page.jobs) Put(std::move(job), out);
    return absl::OkStatus();
  }

  void EndList(Events* out) override {
    for (auto& [name, state] : known_.TakeUnlisted()) {
      shares_.Remove(state.ns, 0);
      out->push_back(JobLeft{std::move(state.uid)});
    }
    shares_.EndList();
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
    if (!known && !shares_.Takes(job.owner.ns, 0)) return;
    const absl::Status put = known_.Put(name, std::move(state));
    if (!put.ok()) return shares_.LeaveOut(put, 0);
    if (!known) shares_.Add(job.owner.ns, 0);
    out->push_back(std::move(job));
  }

  void Delete(const std::string& name, Events* out) {
    auto* entry = known_.Find(name);
    if (entry == nullptr) return;
    shares_.Remove(entry->value.ns, 0);
    out->push_back(JobLeft{std::move(entry->value.uid)});
    known_.Erase(name);
  }

  const OwnerKind& kind_;
  const std::string plural_;
  const std::string path_;
  const std::string label_;
  Known<State> known_;
  Shares shares_;
};

}  // namespace

std::unique_ptr<Mirror> MakeSuspendedMirror(const OwnerKind& kind, const MirrorLimits& most) {
  return std::make_unique<SuspendedMirror>(kind, most);
}

}  // namespace gangplan
