#include "extender/kube/cluster_file.h"

#include <iterator>

#include "extender/kube/limits.h"
#include "extender/kube/text_file.h"
#include "extender/kube/yaml_json.h"
#include "extender/protocol/saved_objects.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

absl::Status InFile(std::string_view name, const absl::Status& status) {
  return absl::Status(status.code(), ToAbsl(fmt::format("{}: {}", name, ToStd(status.message()))));
}

bool IsJson(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

template <typename T>
void MoveAll(std::vector<T>& from, std::vector<T>* to) {
  to->insert(to->end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

absl::Status AddList(std::string json, ObjectList* objects) {
  if (MayHoldOwners(json)) {
    std::string copy = json;
    GANGPLAN_ASSIGN_OR_RETURN(std::vector<OwnerFacts> owners, DecodeOwners(copy));
    MoveAll(owners, &objects->owners);
  }
  GANGPLAN_ASSIGN_OR_RETURN(ObjectList list, DecodeList(json, ""));
  for (const BadItem& item : list.bad) {
    if (!item.counts) return Invalid("{}: {}", item.name, ToStd(item.status.message()));
  }
  MoveAll(list.nodes, &objects->nodes);
  MoveAll(list.pods, &objects->pods);
  MoveAll(list.topologies, &objects->topologies);
  MoveAll(list.config_maps, &objects->config_maps);
  MoveAll(list.rules, &objects->rules);
  return absl::OkStatus();
}

// A document that is one object stands for a list of it.
std::string AsList(const YamlNode& document) {
  std::string json = ToJson(document);
  const bool single = document.Find("kind") != nullptr && document.Find("items") == nullptr;
  return single ? fmt::format(R"({{"kind":"List","items":[{}]}})", json) : json;
}

absl::Status AddYaml(std::string_view text, ObjectList* objects) {
  GANGPLAN_ASSIGN_OR_RETURN(const std::vector<YamlNode> documents,
                            ParseYaml(text, YamlRulesFor(text), "line "));
  for (const YamlNode& document : documents) {
    if (document.kind == YamlNode::Kind::kNull) continue;
    GANGPLAN_RETURN_IF_ERROR(AddList(AsList(document), objects));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ObjectList> ParseClusterText(std::string text, std::string_view name) {
  ObjectList objects;
  const absl::Status added =
      IsJson(text) ? AddList(std::move(text), &objects) : AddYaml(text, &objects);
  if (!added.ok()) return InFile(name, added);
  if (objects.nodes.empty() && objects.pods.empty()) {
    return InFile(name,
                  Invalid("no nodes and no pods; expected the output of `kubectl get nodes,pods "
                          "-A -o json`"));
  }
  return objects;
}

absl::StatusOr<ObjectList> ReadClusterFile(const std::string& path) {
  GANGPLAN_ASSIGN_OR_RETURN(std::string text, ReadTextFile(path, kMaxClusterFileBytes));
  return ParseClusterText(std::move(text), path);
}

}  // namespace gangplan
