#include "extender/protocol/kueue_topology.h"

#include "extender/protocol/kubernetes_objects.h"
#include "fmt/format.h"
#include "tests/extender/protocol/decode.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::kueue_topology_test {
namespace {

std::string TopologyText(const std::vector<std::string>& labels,
                         std::string_view version = "v1beta1") {
  std::string levels;
  for (const std::string& label : labels)
    levels += fmt::format("{}{{\"nodeLabel\":\"{}\"}}", levels.empty() ? "" : ",", label);
  return fmt::format(R"({{"apiVersion":"kueue.x-k8s.io/{}","kind":"Topology",)"
                     R"("metadata":{{"name":"racks","uid":"u"}},"spec":{{"levels":[{}]}}}})",
                     version, levels);
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs Levels(std::string text) {
  const auto topology = DecodeKueueTopology(text);
  REQUIRE(ErrorOf(topology) == "");
  CHECK(topology->name == "racks");
  Pairs pairs;
  for (const Level& level : topology->levels) pairs.emplace_back(level.name, level.label);
  return pairs;
}

std::string ErrorFor(std::string text) { return ErrorOf(DecodeKueueTopology(text)); }

TEST_CASE("A Kueue Topology gives its levels, named after their labels") {
  const Pairs levels = {
      {"block", "cloud.com/block"}, {"rack", "cloud.com/rack"}, {"node", "kubernetes.io/hostname"}};
  const std::vector<std::string> labels = {"cloud.com/block", "cloud.com/rack",
                                           "kubernetes.io/hostname"};
  CHECK(Levels(TopologyText(labels, "v1beta1")) == levels);
  CHECK(Levels(TopologyText(labels, "v1beta2")) == levels);
}

TEST_CASE("A Kueue Topology that ends above the node keeps its levels") {
  CHECK(Levels(TopologyText({"rack"})) == Pairs{{"rack", "rack"}});
}

TEST_CASE("Levels of a Kueue Topology whose names would clash keep their whole keys") {
  CHECK(Levels(TopologyText({"a.com/rack", "b.com/rack", "c.com/rail", "rail"})) ==
        Pairs{{"a.com/rack", "a.com/rack"},
              {"b.com/rack", "b.com/rack"},
              {"c.com/rail", "c.com/rail"},
              {"rail", "rail"}});
  CHECK(Levels(TopologyText({"x.com/node", "kubernetes.io/hostname"})) ==
        Pairs{{"x.com/node", "x.com/node"}, {"kubernetes.io/hostname", "kubernetes.io/hostname"}});
}

TEST_CASE("What a Kueue Topology gives can be completed to a topology of the model") {
  std::string text = TopologyText({"x.com/rail", "rail", "x.com/node"});
  const auto topology = DecodeKueueTopology(text);
  REQUIRE(ErrorOf(topology) == "");
  const auto complete = CompleteTopology(*topology);
  REQUIRE(ErrorOf(complete) == "");
  CHECK(complete->levels.size() == 4);
}

TEST_CASE("Limits of a Kueue Topology") {
  std::vector<std::string> labels;
  for (int i = 0; i < 16; ++i) labels.push_back(fmt::format("level-{}", i));
  CHECK(ErrorFor(TopologyText(labels)) == "");
  labels.emplace_back("level-16");
  CHECK(ErrorFor(TopologyText(labels)) == "Topology.spec.levels: more than 16 items");

  const std::string part(62, 'p');
  const std::string prefix = part + "." + part + "." + part + "." + std::string(63, 'p');
  const std::string name(63, 'n');
  REQUIRE(prefix.size() + 1 + name.size() == 316);
  CHECK(ErrorFor(TopologyText({prefix + "/" + name})) == "");
  CHECK(ErrorFor(TopologyText({prefix + "/" + name + "n"})) ==
        "Topology.spec.levels[0].nodeLabel: longer than 316 bytes");
}

TEST_CASE("A mixed list holds Kueue's Topologies, and not those of others") {
  std::string text =
      fmt::format(R"({{"kind":"List","items":[{},{{"kind":"Node","metadata":{{"name":"n"}}}},)"
                  R"({{"apiVersion":"example.com/v1","kind":"Topology","metadata":{{"name":"x"}},)"
                  R"("spec":{{"levels":7}}}}]}})",
                  TopologyText({"example.com/rack"}));
  const auto list = DecodeList(text, "");
  REQUIRE(ErrorOf(list) == "");
  CHECK(list->bad.empty());
  CHECK(list->nodes.size() == 1);
  REQUIRE(list->topologies.size() == 1);
  CHECK(list->topologies[0] == Topology{"racks", {{"rack", "example.com/rack"}}});
}

TEST_CASE("A Topology in a list that cannot be used is named and the others go on") {
  std::string text = fmt::format(R"({{"items":[{},{}]}})", TopologyText({"a b"}),
                                 TopologyText({"example.com/rack"}, "v1beta2"));
  const auto list = DecodeList(text, "Topology");
  REQUIRE(ErrorOf(list) == "");
  CHECK(list->topologies.size() == 1);
  REQUIRE(list->bad.size() == 1);
  CHECK(list->bad[0].name == "racks");
  CHECK_THAT(Message(list->bad[0].status), StartsWith("items[0]: spec.levels[0].nodeLabel: "));
}

TEST_CASE("A Topology in a watch") {
  std::string line = R"({"type":"ADDED","object":)" + TopologyText({"example.com/rack"}) + "}";
  const auto event = DecodeWatchEvent(line, "Topology");
  REQUIRE(ErrorOf(event) == "");
  CHECK(event->bad.ok());
  CHECK(event->topology.levels.size() == 1);
  std::string bad = R"({"type":"MODIFIED","object":)" + TopologyText({}) + "}";
  const auto refused = DecodeWatchEvent(bad, "Topology");
  REQUIRE(ErrorOf(refused) == "");
  CHECK(refused->name == "racks");
  CHECK(Message(refused->bad) == "object: spec.levels: expected 1 to 16 levels, found none");
}

}  // namespace
}  // namespace gangplan::kueue_topology_test
