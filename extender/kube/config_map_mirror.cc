// Of ConfigMaps: what they say is kept by those who read it, here only whether it has changed.
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "extender/kube/config_map_use.h"
#include "extender/kube/mirror.h"
#include "extender/kube/resource_path.h"
#include "extender/kube/whole_mirror.h"
#include "topology/base/text.h"
#include "topology/digest.h"
#include "topology/object_name.h"

namespace gangplan {
namespace {

struct KeptConfigMap {
  KeptConfigMap() = default;
  explicit KeptConfigMap(const ConfigMapFacts& object);
  friend bool operator==(const KeptConfigMap&, const KeptConfigMap&) = default;

  std::string ns;
  std::string name;
  std::string digest;  // of the UID, the labels and the data
  size_t bytes = 0;    // of the object, in memory
};

KeptConfigMap::KeptConfigMap(const ConfigMapFacts& object)
    : ns(object.ns), name(object.name), bytes(sizeof object) {
  Digest of;
  of.Add(object.uid);
  for (const LabelSet* texts : {&object.labels, &object.data}) {
    of.Add(std::to_string(texts->size()));
    for (const auto& text : *texts) {
      of.Add(text.first);
      of.Add(text.second);
      bytes += sizeof text + text.first.size() + text.second.size();
    }
  }
  digest = of.text();
}

std::string_view PluralOf(ConfigMapUse use) {
  switch (use) {
    case ConfigMapUse::kReservation:
      return "reservations";
    case ConfigMapUse::kRankList:
      return "rank lists";
    case ConfigMapUse::kSakkaraGroup:
      return "Sakkara's groups";
    case ConfigMapUse::kSakkaraTopology:
      return "Sakkara's topologies";
  }
  return {};
}

class ConfigMapMirror : public BoundedMirror<ConfigMapFacts, &ObjectList::config_maps,
                                             &WatchEvent::config_map, KeptConfigMap> {
 public:
  ConfigMapMirror(ConfigMapUse use, std::string_view ns, const MirrorLimits& most)
      : BoundedMirror(fmt::format("ConfigMap with label {}", LabelOf(use)),
                      std::string(PluralOf(use)), most),
        use_(use),
        path_(ConfigMapPath(ns)) {}

  std::string_view kind() const override { return "ConfigMap"; }
  std::string_view plural() const override { return PluralOf(use_); }
  std::string_view path() const override { return path_; }
  // Their rights go with the namespaces of others, who would stop all with them.
  bool may_be_missing() const override { return use_ == ConfigMapUse::kRankList; }
  std::string_view label() const override { return LabelOf(use_); }
  int page_items() const override { return kConfigMapPageItems; }

 private:
  std::string KeyOf(const ConfigMapFacts& object) const override {
    return NameInNamespace(object.ns, object.name);
  }
  ClusterEvent Seen(ConfigMapFacts object) const override {
    return ConfigMapSeen{use_, std::move(object)};
  }
  ClusterEvent Gone(const KeptConfigMap& object) const override {
    return ConfigMapDeleted{use_, object.ns, object.name};
  }

  const ConfigMapUse use_;
  const std::string path_;
};

}  // namespace

std::unique_ptr<Mirror> MakeConfigMapMirror(ConfigMapUse use, std::string_view ns,
                                            const MirrorLimits& most) {
  return std::make_unique<ConfigMapMirror>(use, ns, most);
}

}  // namespace gangplan
