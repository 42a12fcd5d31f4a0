// examples/sakkara.yaml as docs/sakkara-compatibility.md shows it: read, placed, and written back.
#include <string>

#include "extender/frontends/sakkara/groups.h"
#include "extender/frontends/sakkara/tree_objects.h"
#include "extender/kube/yaml_json.h"
#include "extender/planner/planner.h"
#include "extender/protocol/config_map.h"
#include "extender/protocol/sakkara_words.h"
#include "tests/config/config_text.h"
#include "tests/support/planner_world.h"
#include "topology/base/decimal.h"

namespace gangplan::sakkara_test {
namespace {

const YamlNode& At(const YamlNode& map, std::string_view key) {
  INFO(key);
  const YamlNode* found = map.Find(key);
  REQUIRE(found != nullptr);
  return *found;
}

std::vector<YamlNode> Documents(const std::string& text) {
  absl::StatusOr<std::vector<YamlNode>> documents = ParseYaml(text, kKubernetesYaml, "line ");
  INFO(Message(documents.status()));
  REQUIRE(documents.ok());
  return *std::move(documents);
}

ConfigMapFacts ConfigMapOf(const YamlNode& document) {
  std::string json = ToJson(document);
  const absl::StatusOr<ConfigMapFacts> facts = DecodeConfigMap(json);
  INFO(Message(facts.status()));
  REQUIRE(facts.ok());
  return *facts;
}

// The pods that the Job makes, less the letters that only make their names unique.
std::vector<PodFacts> PodsOf(const YamlNode& job) {
  const YamlNode& pod_template = At(At(job, "spec"), "template");
  const YamlNode& label = At(At(At(pod_template, "metadata"), "labels"), kSakkaraPodGroup);
  std::vector<PodFacts> pods;
  const auto count = ReadDecimal<int>(At(At(job, "spec"), "parallelism").text);
  REQUIRE(count.has_value());
  for (int i = 0; i < *count; ++i) {
    pods.push_back(ForeignPod(fmt::format("{}-{}", At(At(job, "metadata"), "name").text, i), 1));
    pods.back().ns = "default";
    pods.back().scheduler_name = At(At(pod_template, "spec"), "schedulerName").text;
    SetLabel(pods.back().labels, kSakkaraPodGroup, label.text);
  }
  return pods;
}

// "key: value" of the lines of the document's second drawing.
std::string ShownIn(const std::string& text, const std::string& key) {
  const size_t begin = text.find("\n" + key + ": ");
  REQUIRE(begin != std::string::npos);
  const size_t from = begin + key.size() + 3;
  return text.substr(from, text.find('\n', from) - from);
}

// Nodes named in the tree, with room for three pods of the Job each.
std::vector<NodeFacts> NodesOf(const TreeObjects& trees) {
  std::vector<NodeFacts> nodes;
  for (const char* name : {"node-0", "node-1", "node-2", "node-3", "node-4", "node-5", "node-6",
                           "node-7", "node-8", "node-9", "node-a", "node-b", "node-x"}) {
    NodeFacts node = MakeNode(0, 0, 0, 3);
    node.name = name;
    node.labels = {{std::string(kHostnameLabel), name}};
    nodes.push_back(trees.Placed(node));
  }
  return nodes;
}

TEST_CASE("Sakkara's example is placed and written back as its document shows") {
  const std::vector<YamlNode> documents = Documents(FileOfTree("examples/sakkara.yaml"));
  REQUIRE(documents.size() == 4);
  const ConfigMapFacts tree = ConfigMapOf(documents[0]);
  ConfigMapFacts group = ConfigMapOf(documents[1]);
  REQUIRE(IsSakkaraTopology(tree, "default"));
  REQUIRE(IsSakkaraGroup(group));
  std::vector<PodFacts> pods = PodsOf(documents[2]);
  for (PodFacts& pod : PodsOf(documents[3])) pods.push_back(std::move(pod));
  CHECK(*FindLabel(group.data, "size") == fmt::format("{}", pods.size()));

  TreeObjects trees("default");
  REQUIRE(trees.Put(tree).ok());
  REQUIRE(trees.Choose({}));
  CHECK(trees.Told(tree.name).empty());
  PlannerOptions options = PlannerWorld::Options();
  options.topologies = {{*trees.levels()}};
  options.group_objects = MakeSakkaraGroups;
  PlannerWorld world(options);
  world.AddNodes(NodesOf(trees));
  world.Sync();
  world.planner().OnGroupObject(world.now(), group);
  CHECK(world.Take<EventNote>().empty());
  for (const PodFacts& pod : pods) world.Show(pod);
  for (const PodFacts& pod : pods) world.FilterAndBind(pod);
  CHECK(world.BindAll() == 16);
  world.Pass(absl::Milliseconds(10));
  world.Pass(absl::Seconds(1));
  const auto writes = world.Take<WriteResults>();
  REQUIRE(writes.size() == 1);
  PatchLabels(group.data, writes[0].write.data);

  const std::string shown = FileOfTree("docs/sakkara-compatibility.md");
  for (const char* key : {"status", "placement", "rank"})
    CHECK(*FindLabel(group.data, key) == ShownIn(shown, key));
}

TEST_CASE("Sakkara's example needs what the example of rights gives") {
  const std::string rights = FileOfTree("examples/rbac.yaml");
  CHECK(rights.find("configmaps") != std::string::npos);
}

}  // namespace
}  // namespace gangplan::sakkara_test
