#include "extender/kube/mirror.h"

#include <algorithm>
#include <array>

#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

using Events = std::vector<ClusterEvent>;

// The known objects by name, each with the list that last had it.
template <typename Value>
class Known {
 public:
  struct Entry {
    Value value;
    uint64_t list = 0;
  };

  Known(std::string_view kind, size_t most) : kind_(kind), most_(most) {}

  void BeginList() { ++list_; }
  // Null when the object is not known.
  Entry* Find(std::string_view name) {
    auto it = entries_.find(name);
    return it == entries_.end() ? nullptr : &it->second;
  }
  void Touch(std::string_view name) {
    if (Entry* entry = Find(name)) entry->list = list_;
  }
  absl::Status Put(std::string_view name, Value value) {
    if (Entry* entry = Find(name)) {
      *entry = {std::move(value), list_};
      return absl::OkStatus();
    }
    if (entries_.size() >= most_) {
      return absl::ResourceExhaustedError(
          ToAbsl(fmt::format("there are more than {} objects of kind {}", most_, kind_)));
    }
    entries_.emplace(std::string(name), Entry{std::move(value), list_});
    return absl::OkStatus();
  }
  void Erase(std::string_view name) { entries_.erase(name); }

  // Removes what the present list did not have; its values in the order of their names.
  std::vector<std::pair<std::string, Value>> TakeUnlisted() {
    std::vector<std::pair<std::string, Value>> gone;
    for (auto it = entries_.begin(); it != entries_.end();) {
      if (it->second.list == list_) {
        ++it;
        continue;
      }
      gone.emplace_back(it->first, std::move(it->second.value));
      entries_.erase(it++);
    }
    std::sort(gone.begin(), gone.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    return gone;
  }

 private:
  const std::string_view kind_;
  const size_t most_;
  uint64_t list_ = 0;
  TextMap<Entry> entries_;
};

// Keeps each object whole, and tells it when it has changed. `kListed` and `kWatched` are where the
// decoder puts it; its deletion is told as Deleted.
template <typename Value, typename Deleted, std::vector<Value> ObjectList::*kListed,
          Value WatchEvent::*kWatched>
class WholeMirror : public Mirror {
 public:
  WholeMirror(std::string_view kind, size_t most) : known_(kind, most) {}

  void BeginList() override { known_.BeginList(); }

  absl::Status AddPage(ObjectList page, Events* out) override {
    for (Value& value : page.*kListed) GANGPLAN_RETURN_IF_ERROR(Put(std::move(value), out));
    for (const BadItem& item : page.bad) known_.Touch(item.name);
    return absl::OkStatus();
  }

  void EndList(Events* out) override {
    for (auto& [name, value] : known_.TakeUnlisted()) out->push_back(Deleted{name});
  }

  absl::Status Apply(WatchEvent event, Events* out) override {
    if (event.type == WatchEvent::Type::kDeleted) {
      Delete(event.bad.ok() ? (event.*kWatched).name : event.name, out);
      return absl::OkStatus();
    }
    return event.bad.ok() ? Put(std::move(event.*kWatched), out) : absl::OkStatus();
  }

 private:
  absl::Status Put(Value value, Events* out) {
    auto* entry = known_.Find(value.name);
    if (entry != nullptr && entry->value == value) {
      known_.Touch(value.name);
      return absl::OkStatus();
    }
    GANGPLAN_RETURN_IF_ERROR(known_.Put(value.name, value));
    out->push_back(std::move(value));
    return absl::OkStatus();
  }

  void Delete(const std::string& name, Events* out) {
    if (known_.Find(name) == nullptr) return;
    known_.Erase(name);
    out->push_back(Deleted{name});
  }

  Known<Value> known_;
};

class NodeMirror
    : public WholeMirror<NodeFacts, NodeDeleted, &ObjectList::nodes, &WatchEvent::node> {
 public:
  explicit NodeMirror(size_t most) : WholeMirror("Node", most) {}

  std::string_view kind() const override { return "Node"; }
  std::string_view plural() const override { return "Nodes"; }
  std::string_view path() const override { return "/api/v1/nodes"; }
};

class TopologyMirror : public WholeMirror<Topology, TopologyDeleted, &ObjectList::topologies,
                                          &WatchEvent::topology> {
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

  size_t version_ = 0;
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
    for (const BadItem& item : page.bad) known_.Touch(item.name);
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
    return event.bad.ok() ? Put(std::move(event.pod), out) : absl::OkStatus();
  }

 private:
  static std::string NameOf(const PodFacts& pod) { return fmt::format("{}/{}", pod.ns, pod.name); }

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

}  // namespace gangplan
