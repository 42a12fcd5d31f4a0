#include "extender/cli/saved_cluster.h"

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "extender/cli/pseudonyms.h"
#include "extender/kube/pages.h"
#include "extender/kube/resource_path.h"
#include "extender/protocol/kubernetes_objects.h"
#include "extender/protocol/owner_object.h"
#include "extender/protocol/pod_group_words.h"
#include "extender/protocol/reservation_words.h"
#include "extender/protocol/sakkara_words.h"
#include "extender/protocol/saved_objects.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/object_name.h"

namespace gangplan {
namespace {

struct Collection {
  SavedKind kind;
  std::string path;
  std::string label = {};  // a selector; empty: all
  bool needed = false;
};

std::vector<Collection> Collections() {
  std::vector<Collection> all = {{{"Node", "v1"}, "/api/v1/nodes", "", true},
                                 {{"Pod", "v1"}, "/api/v1/pods", "", true}};
  for (const OwnerKind& kind : kOwnerKinds)
    all.push_back({{kind.kind, kind.api_version, true},
                   fmt::format("/apis/{}/{}", kind.api_version, kind.plural)});
  for (const NamedObject& object : kNamedObjects)
    all.push_back({{kPodGroupKind, object.api_version, true},
                   fmt::format("/apis/{}/podgroups", object.api_version)});
  all.push_back({{"LimitRange", "v1"}, "/api/v1/limitranges"});
  all.push_back(
      {{"PriorityClass", "scheduling.k8s.io/v1"}, "/apis/scheduling.k8s.io/v1/priorityclasses"});
  all.push_back({{"RuntimeClass", "node.k8s.io/v1"}, "/apis/node.k8s.io/v1/runtimeclasses"});
  for (const char* version : {"v1beta2", "v1beta1"}) {
    all.push_back({{"Topology", "kueue.x-k8s.io/v1beta1"},
                   fmt::format("/apis/kueue.x-k8s.io/{}/topologies", version)});
  }
  for (const std::string_view label : {kSakkaraTopologyLabel, kSakkaraGroupLabel, kReservationWord})
    all.push_back({{"ConfigMap", "v1"}, ConfigMapPath(""), std::string(label)});
  return all;
}

// Kinds in the order of the collections; objects by namespace and name, each once.
struct Saved {
  SavedKind kind;
  std::vector<SavedObject> objects;
};

std::string ListOf(const std::vector<SavedObject>& objects) {
  std::string text = R"({"apiVersion":"v1","kind":"List","items":[)";
  std::string_view separator = "\n";
  for (const SavedObject& object : objects) {
    text.append(separator).append(object.json);
    separator = ",\n";
  }
  return text + "\n]}\n";
}

void Sort(std::vector<SavedObject>& objects) {
  const auto key = [](const SavedObject& object) { return std::tie(object.ns, object.name); };
  std::sort(objects.begin(), objects.end(),
            [&](const auto& a, const auto& b) { return key(a) < key(b); });
  const auto same = std::unique(objects.begin(), objects.end(),
                                [&](const auto& a, const auto& b) { return key(a) == key(b); });
  objects.erase(same, objects.end());
}

class ClusterReading {
 public:
  explicit ClusterReading(TransportFactory& transports) : transport_(transports.Make()) {}

  absl::Status Read(const Collection& collection) {
    std::vector<SavedObject> objects;
    const auto take = [&](std::string& page) -> absl::StatusOr<std::string> {
      GANGPLAN_ASSIGN_OR_RETURN(SavedItems some, SaveItems(page, collection.kind, nullptr));
      GANGPLAN_RETURN_IF_ERROR(LeaveOut(collection.kind, some.objects));
      std::move(some.objects.begin(), some.objects.end(), std::back_inserter(objects));
      return std::move(some.continue_token);
    };
    const std::string what = fmt::format("listing {}", collection.path);
    PagedList list = {.path = collection.path, .what = what};
    if (!collection.label.empty())
      list.filter = "&labelSelector=" + PercentEncode(collection.label);
    GANGPLAN_RETURN_IF_ERROR(
        EachPage(*transport_, list, {&SystemClock(), &pause_, &jitter_, absl::Seconds(60)}, take));
    Sort(objects);
    Add({collection.kind, std::move(objects)});
    return absl::OkStatus();
  }

  // Those of other kinds that make pods of the cluster, as far as these name them.
  void ReadOtherOwners() {
    for (const auto& [api_version, kind] : makers_) {
      const Collection collection = {{kind, api_version, true}, PathOf(api_version, kind)};
      const absl::Status read = Read(collection);
      if (read.ok()) continue;
      notes_.push_back(fmt::format("{}s are left out, and gangs of theirs have no size: {}", kind,
                                   Message(read)));
    }
  }

  std::vector<Saved>& saved() { return saved_; }
  std::vector<std::string>& notes() { return notes_; }

 private:
  // Takes away what nobody could read. A pod that is bound counts whatever is wrong in it.
  absl::Status LeaveOut(const SavedKind& kind, std::vector<SavedObject>& objects) {
    if (kind.owner) {  // a template that cannot be read is not in it
      const bool all = FindOwnerKind(kind.kind) != nullptr || kind.kind == kPodGroupKind;
      if (!all) KeepMakers(objects);
      return absl::OkStatus();
    }
    std::string saved = ListOf(objects);
    GANGPLAN_ASSIGN_OR_RETURN(const ObjectList list, DecodeList(saved, kind.kind));
    for (const PodFacts& pod : list.pods) NoteMaker(pod);
    std::set<std::string> bad;
    for (const BadItem& item : list.bad) {
      if (item.counts || !bad.insert(item.name).second) continue;
      notes_.push_back(
          fmt::format("{} {} is left out: {}", kind.kind, item.name, Message(item.status)));
    }
    std::erase_if(objects, [&](const SavedObject& object) {
      return bad.contains(object.ns.empty() ? object.name
                                            : NameInNamespace(object.ns, object.name));
    });
    return absl::OkStatus();
  }

  void NoteMaker(const PodFacts& pod) {
    if (!pod.controller || pod.finished() || !TellsSize(*pod.controller)) return;
    if (FindOwnerKind(pod.controller->kind) != nullptr) return;  // all of these are read
    makers_.emplace(pod.controller->api_version, pod.controller->kind);
    maker_uids_.insert(pod.controller->uid);
  }
  // Of the others there may be many, old ones of Deployments for one.
  void KeepMakers(std::vector<SavedObject>& objects) {
    std::string list = ListOf(objects);
    std::set<std::string> kept;
    for (const OwnerFacts& owner : DecodeOwners(list).value_or(std::vector<OwnerFacts>())) {
      if (maker_uids_.contains(owner.ref.uid))
        kept.insert(NameInNamespace(owner.ns, owner.ref.name));
    }
    std::erase_if(objects, [&](const SavedObject& object) {
      return !kept.contains(NameInNamespace(object.ns, object.name));
    });
  }
  // Of all of a kind. The names of a path to one of them are taken away.
  static std::string PathOf(const std::string& api_version, const std::string& kind) {
    std::string path = OwnerPath("n", {api_version, kind, "n", ""}).value_or(std::string());
    const size_t ns = path.find("/namespaces/n/");
    if (ns == std::string::npos) return path;
    path.erase(ns, std::string_view("/namespaces/n").size());
    return path.substr(0, path.size() - std::string_view("/n").size());
  }

  // Of one kind, in two versions or by two labels.
  void Add(Saved more) {
    for (Saved& known : saved_) {
      const SavedKind& kind = known.kind;
      if (kind.kind != more.kind.kind || kind.api_version != more.kind.api_version) continue;
      std::move(more.objects.begin(), more.objects.end(), std::back_inserter(known.objects));
      return Sort(known.objects);
    }
    saved_.push_back(std::move(more));
  }

  std::unique_ptr<Transport> transport_;
  StoppablePause pause_;
  Jitter jitter_{0};
  std::vector<Saved> saved_;
  std::vector<std::string> notes_;
  std::set<std::pair<std::string, std::string>> makers_;  // apiVersion, kind
  std::set<std::string> maker_uids_;
};

absl::Status GiveOtherNames(std::vector<Saved>& saved, std::vector<std::string>& notes) {
  Pseudonyms names;
  std::erase_if(saved, [&](const Saved& one) {
    const bool maps = one.kind.kind == "ConfigMap";
    if (maps && !one.objects.empty())
      notes.push_back(
          "ConfigMaps, of Sakkara's users and of reservations, are left out: they hold names in "
          "their own way");
    return maps;
  });
  const auto note = [&names](std::string_view name) {
    names.Note(name);
    return std::string(name);
  };
  for (const Saved& one : saved) {
    std::string list = ListOf(one.objects);
    GANGPLAN_RETURN_IF_ERROR(SaveItems(list, one.kind, note).status());
    if (one.kind.kind != "Pod") continue;
    for (const SavedObject& pod : one.objects) names.NotePod(pod.name);
  }
  names.Close();
  const auto rename = [&names](std::string_view name) { return names.Of(name); };
  for (Saved& one : saved) {
    std::string list = ListOf(one.objects);
    GANGPLAN_ASSIGN_OR_RETURN(SavedItems items, SaveItems(list, one.kind, rename));
    one.objects = std::move(items.objects);
    Sort(one.objects);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<SavedCluster> SaveCluster(TransportFactory& transports, bool anonymous) {
  ClusterReading reading(transports);
  for (const Collection& collection : Collections()) {
    const absl::Status read = reading.Read(collection);
    if (!read.ok() && collection.needed) return read;
    if (read.ok() || absl::IsNotFound(read)) continue;
    std::string note = fmt::format("{}s are left out: {}", collection.kind.kind, Message(read));
    const bool told = !reading.notes().empty() && reading.notes().back() == note;
    if (!told) reading.notes().push_back(std::move(note));  // those of several labels
  }
  reading.ReadOtherOwners();
  SavedCluster cluster;
  std::vector<Saved>& saved = reading.saved();
  if (anonymous) GANGPLAN_RETURN_IF_ERROR(GiveOtherNames(saved, reading.notes()));
  std::vector<SavedObject> all;
  for (Saved& one : saved) {
    if (one.kind.kind == "Node") cluster.nodes = one.objects.size();
    if (one.kind.kind == "Pod") cluster.pods = one.objects.size();
    if (one.kind.owner) cluster.owners += one.objects.size();
    std::move(one.objects.begin(), one.objects.end(), std::back_inserter(all));
  }
  cluster.text = ListOf(all);
  cluster.notes = std::move(reading.notes());
  return cluster;
}

}  // namespace gangplan
