// `gangplan map`: the letters of nodes, and servers that answer something else.
#include "extender/cli/map.h"

#include "extender/cli/map_command.h"
#include "tests/extender/cli/told.h"
#include "tests/extender/kube/raw_server.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"
#include "topology/tree.h"

namespace gangplan::map_test {
namespace {

TopologyAnswer Tree() {
  TopologyAnswer topology;
  topology.levels = {"block", "rack", "node"};
  topology.resource = "nvidia.com/gpu";
  topology.nodes = {{"b1/r1/n1", true, 8, 0, 0},  {"b1/r1/n2", true, 8, 4, 0},
                    {"b1/r10/n3", true, 8, 8, 0}, {"b2/r1/n4", true, 8, 0, 8},
                    {"b2/r1/n5", false, 8, 0, 0}, {"b2/r1/n6", true, 8, 8, 0}};
  return topology;
}

TEST_CASE("map: a letter for each node, a line for each rack, a heading for each block") {
  CHECK(MapText(Tree(), {}, false) ==
        "nvidia.com/gpu of each node  . free  - partly used  # full  + room is held  x not to be "
        "used\n"
        "b1\n"
        "  r1   .-\n"
        "  r10  #\n"
        "b2\n"
        "  r1   +x#\n");
}

TEST_CASE("map: a node that has none of what is shown is not free") {
  TopologyAnswer topology = Tree();
  topology.nodes[0].capacity = 0;
  topology.nodes[1] = {"b1/r1/n2", true, 0, 8, 0};  // pods have what is not told any more
  topology.nodes[4].capacity = 0;
  const std::string text = MapText(topology, {}, false);
  CHECK(text.find("  x not to be used  _ has none\nb1\n  r1   _#\n") != std::string::npos);
  CHECK(text.ends_with("  r1   +x#\n"));
  topology.nodes[0].capacity = topology.nodes[1].capacity = 8;  // one that may not be used is x
  CHECK(MapText(topology, {}, false).find("has none") == std::string::npos);
}

TEST_CASE("map: a gang is shown among the others, and what has no place is counted") {
  TopologyAnswer topology = Tree();
  topology.unplaced = 3;
  const std::string text = MapText(topology, {"n2", "n6"}, false);
  CHECK(text.find("  @ the gang\n3 nodes lack the label of a level, or are in no topology, and are "
                  "not here\n") != std::string::npos);
  CHECK(text.find("  r1   .@\n") != std::string::npos);
  CHECK(text.ends_with("  r1   +x@\n"));
  CHECK(MapText(topology, {"n2"}, true).find("\x1b[30;42m@\x1b[0m") != std::string::npos);
}

TEST_CASE("map: a rack of many nodes takes several lines, and one level has no headings") {
  TopologyAnswer topology;
  topology.resource = "cpu";
  for (int i = 0; i < 65; ++i) topology.nodes.push_back({fmt::format("n{}", i), true, 1, 0, 0});
  const std::string text = MapText(topology, {}, false);
  CHECK(text.ends_with("\n    " + std::string(64, '.') + "\n    .\n"));
  CHECK(MapText({}, {}, false).ends_with("There are no nodes.\n"));
}

Told Map(const std::string& body, std::vector<std::string_view> words = {}) {
  const RawServer server(
      fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}", body.size(), body));
  const std::string url = fmt::format("http://127.0.0.1:{}", server.port());
  words.insert(words.begin(), {"map", "--server", url});
  return RunOf({MapCommand(false)}, words);
}

TEST_CASE("map: the answer is read, and what is none is told") {
  const std::string body =
      R"({"name":"default","levels":["rack","node"],"resource":"cpu","nodes":[{"path":"r\u001b/n",)"
      R"("usable":true,"capacity":2,"used":1,"held":0}],"unplaced":[{"name":"x"}]})";
  const Told told = Map(body);
  CHECK(told.code == kExitDone);
  CHECK(told.out.ends_with(
      "1 nodes lack the label of a level, or are in no topology, and are not here\n"
      "  r\\u001b  -\n"));
  CHECK(Map(body, {"-o", "json"}).out == body + "\n");
  CHECK(Map(body, {"-o", "yaml"}).out.starts_with("name: default\nlevels:\n- rack\n- node\n"));
  for (const char* other : {"<html>", "{}", R"({"nodes":[{"used":-1}]})"}) {
    INFO(other);
    const Told none = Map(other);
    CHECK(none.code == kExitFailed);
    CHECK(none.err.find("no topology came: ") != std::string::npos);
  }
  for (const char* gang : {"/a", "a/", "a/b/c"}) {
    const Told wrong = Map(body, {"--gang", gang});
    CHECK(wrong.code == kExitWrongWords);
    CHECK(wrong.err.find("expected NAME, NAMESPACE/NAME") != std::string::npos);
  }
  CHECK(Map(body, {"-n", "a"}).err.find("-n is of a --gang") != std::string::npos);
}

}  // namespace
}  // namespace gangplan::map_test
