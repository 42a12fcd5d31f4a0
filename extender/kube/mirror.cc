#include "extender/kube/mirror.h"

#include <array>
#include <utility>

#include "extender/kube/known_objects.h"
#include "extender/kube/resource_path.h"
#include "extender/kube/whole_mirror.h"
#include "topology/base/status_macros.h"
#include "topology/object_name.h"

namespace gangplan {
namespace {

using Events = std::vector<ClusterEvent>;

class NodeMirror : public WholeMirror<NodeFacts, &ObjectList::nodes, &WatchEvent::node> {
 public:
  explicit NodeMirror(size_t most) : WholeMirror("Node", most) {}

  std::string_view kind() const override { return "Node"; }
  std::string_view plural() const override { return "Nodes"; }
  std::string_view path() const override { return "/api/v1/nodes"; }

 private:
  ClusterEvent Seen(NodeFacts node) const override { return node; }
  ClusterEvent Gone(const NodeFacts& node) const override { return NodeDeleted{node.name}; }
};

class TopologyMirror
    : public WholeMirror<Topology, &ObjectList::topologies, &WatchEvent::topology> {
 public:
  explicit TopologyMirror(size_t most) : WholeMirror("Topology", most) {}

  std::string_view kind() const override { return "Topology"; }
  std::string_view plural() const override { return "Kueue's Topologies"; }
  std::string_view path() const override { return kPaths[version_]; }
  absl::Status NotServed(absl::Status) override {
    version_ = (version_ + 1) % kPaths.size();
    if (version_ != 0) return absl::OkStatus();
    return absl::NotFoundError(
        "the server has topologies.kueue.x-k8s.io neither as v1beta2 nor as v1beta1: Kueue's "
        "custom resources are not installed");
  }

 private:
  static constexpr std::array<std::string_view, 2> kPaths = {
      "/apis/kueue.x-k8s.io/v1beta2/topologies", "/apis/kueue.x-k8s.io/v1beta1/topologies"};

  ClusterEvent Seen(Topology topology) const override { return topology; }
  ClusterEvent Gone(const Topology& topology) const override {
    return TopologyDeleted{topology.name};
  }

  size_t version_ = 0;
};

class AdmissionMirror : public BoundedMirror<AdmissionRule, &ObjectList::rules, &WatchEvent::rule> {
 public:
  AdmissionMirror(AdmissionRule::Kind kind, size_t most)
      : BoundedMirror(std::string(WordsOf(kind).kind), std::string(WordsOf(kind).plural), {most}),
        words_(WordsOf(kind)) {}

  std::string_view kind() const override { return words_.kind; }
  std::string_view plural() const override { return words_.plural; }
  std::string_view path() const override { return words_.path; }
  std::string_view rights() const override { return words_.rights; }
  bool may_be_missing() const override { return words_.may_be_missing; }
  int page_items() const override { return kConfigMapPageItems; }

 private:
  struct Words {
    std::string_view kind;
    std::string_view plural;
    std::string_view path;
    std::string_view rights;
    bool may_be_missing = false;
  };
  static const Words& WordsOf(AdmissionRule::Kind kind) {
    static constexpr Words kWords[kAdmissionKinds] = {
        {"LimitRange", "LimitRanges", "/api/v1/limitranges", "limitranges: list, watch"},
        {"RuntimeClass", "RuntimeClasses", "/apis/node.k8s.io/v1/runtimeclasses",
         "runtimeclasses: list, watch"},
        {"PriorityClass", "PriorityClasses", "/apis/scheduling.k8s.io/v1/priorityclasses",
         "priorityclasses: list, watch"},
        {"ResourceFlavor", "ResourceFlavors", "/apis/kueue.x-k8s.io/v1beta2/resourceflavors",
         "resourceflavors: list, watch", true},
    };
    return kWords[static_cast<size_t>(kind)];
  }

  std::string KeyOf(const AdmissionRule& rule) const override {
    return rule.ns.empty() ? rule.name : NameInNamespace(rule.ns, rule.name);
  }
  ClusterEvent Seen(AdmissionRule rule) const override { return rule; }
  ClusterEvent Gone(const AdmissionRule& rule) const override {
    return AdmissionRuleGone{rule.kind, rule.ns, rule.name};
  }

  const Words words_;
};

class LeaseMirror : public WholeMirror<LeaseFacts, &ObjectList::leases, &WatchEvent::lease> {
 public:
  LeaseMirror(std::string_view ns, std::string_view name)
      : WholeMirror("Lease", 1), name_(name), path_(LeasesPath(ns)) {}

  std::string_view kind() const override { return "Lease"; }
  std::string_view plural() const override { return "the Lease"; }
  std::string_view path() const override { return path_; }
  std::string_view name() const override { return name_; }
  std::string_view rights() const override { return "leases (by its name): list, watch"; }

 private:
  std::string KeyOf(const LeaseFacts& lease) const override {
    return NameInNamespace(lease.ns, lease.name);
  }
  ClusterEvent Seen(LeaseFacts lease) const override { return lease; }
  ClusterEvent Gone(const LeaseFacts& lease) const override {
    LeaseFacts gone;
    gone.ns = lease.ns;
    gone.name = lease.name;
    return gone;
  }

  const std::string name_;
  const std::string path_;
};

class AdmissionCheckMirror
    : public BoundedMirror<AdmissionCheckFacts, &ObjectList::checks, &WatchEvent::check> {
 public:
  AdmissionCheckMirror()
      : BoundedMirror("AdmissionCheck", "Kueue's AdmissionChecks", {kMaxMirroredAdmissionChecks}) {}

  std::string_view kind() const override { return "AdmissionCheck"; }
  std::string_view plural() const override { return "Kueue's AdmissionChecks"; }
  std::string_view path() const override { return "/apis/kueue.x-k8s.io/v1beta2/admissionchecks"; }
  std::string_view rights() const override {
    return "admissionchecks: list, watch; admissionchecks/status: patch";
  }
  bool may_be_missing() const override { return true; }

 private:
  ClusterEvent Seen(AdmissionCheckFacts check) const override { return check; }
  ClusterEvent Gone(const AdmissionCheckFacts& check) const override {
    return AdmissionCheckGone{check.name};
  }
};

// Keeps the UID of each pod.
class PodMirror : public Mirror {
 public:
  explicit PodMirror(size_t most) : known_("Pod", most) {}

  std::string_view kind() const override { return "Pod"; }
  std::string_view plural() const override { return "Pods"; }
  std::string_view path() const override { return "/api/v1/pods"; }
  void BeginList() override { known_.BeginList(); }

  absl::Status AddPage(ObjectList page, Events* out) override {
    for (PodFacts& pod : page.pods) GANGPLAN_RETURN_IF_ERROR(Put(std::move(pod), out));
    for (const BadItem& item : page.bad) {
      auto* entry = known_.Find(item.name);
      const bool same = entry != nullptr && (item.uid.empty() || item.uid == entry->value);
      if (same) known_.Touch(item.name);
    }
    return absl::OkStatus();
  }

  void EndList(Events* out) override {
    for (auto& [name, uid] : known_.TakeUnlisted()) out->push_back(PodDeleted{std::move(uid)});
  }

  absl::Status Apply(WatchEvent event, Events* out) override {
    if (event.type == WatchEvent::Type::kDeleted) {
      Delete(event.bad.ok() ? NameOf(event.pod) : event.name, out);
      return absl::OkStatus();
    }
    const bool counts = event.bad.ok() || !event.pod.fault.empty();
    return counts ? Put(std::move(event.pod), out) : absl::OkStatus();
  }

 private:
  static std::string NameOf(const PodFacts& pod) { return NameInNamespace(pod.ns, pod.name); }

  absl::Status Put(PodFacts pod, Events* out) {
    const std::string name = NameOf(pod);
    auto* entry = known_.Find(name);
    if (entry != nullptr && entry->value != pod.uid) out->push_back(PodDeleted{entry->value});
    GANGPLAN_RETURN_IF_ERROR(known_.Put(name, pod.uid));
    out->push_back(std::move(pod));
    return absl::OkStatus();
  }

  void Delete(const std::string& name, Events* out) {
    auto* entry = known_.Find(name);
    if (entry == nullptr) return;
    out->push_back(PodDeleted{std::move(entry->value)});
    known_.Erase(name);
  }

  Known<std::string> known_;
};

}  // namespace

std::unique_ptr<Mirror> MakeNodeMirror(size_t max_objects) {
  return std::make_unique<NodeMirror>(max_objects);
}
std::unique_ptr<Mirror> MakePodMirror(size_t max_objects) {
  return std::make_unique<PodMirror>(max_objects);
}
std::unique_ptr<Mirror> MakeTopologyMirror(size_t max_objects) {
  return std::make_unique<TopologyMirror>(max_objects);
}
std::unique_ptr<Mirror> MakeLeaseMirror(std::string_view ns, std::string_view name) {
  return std::make_unique<LeaseMirror>(ns, name);
}
std::unique_ptr<Mirror> MakeAdmissionMirror(AdmissionRule::Kind kind, size_t max_objects) {
  return std::make_unique<AdmissionMirror>(kind, max_objects);
}
std::unique_ptr<Mirror> MakeAdmissionCheckMirror() {
  return std::make_unique<AdmissionCheckMirror>();
}

}  // namespace gangplan
