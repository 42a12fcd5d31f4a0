// Every limit on ConfigMaps and Sakkara's words at its value, and one beyond.
#include <functional>

#include "extender/protocol/limits.h"
#include "extender/protocol/sakkara_group.h"
#include "extender/protocol/sakkara_topology.h"
#include "fmt/format.h"
#include "tests/extender/protocol/decode.h"
#include "tests/support/catch.h"

namespace gangplan::sakkara_limits_test {
namespace {

// `element(i)` for i below `count`, between commas.
std::string Repeat(size_t count, const std::function<std::string(size_t)>& element) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += (i > 0 ? "," : "") + element(i);
  return text;
}

struct Limit {
  size_t most;
  std::function<std::string(size_t)> error_for;  // with so many bytes or elements
  std::string error;                             // one beyond
};

void Check(const std::vector<Limit>& limits) {
  for (const Limit& limit : limits) {
    INFO(limit.error);
    CHECK(limit.error_for(limit.most) == "");
    CHECK(limit.error_for(limit.most + 1) == limit.error);
  }
}

std::string TreeError(const std::string& tree) {
  return ErrorOf(ReadSakkaraTopology({{"tree", tree}}));
}
std::string TopologyError(const std::string& key, const std::string& value) {
  return ErrorOf(ReadSakkaraTopology({{key, value}, {"tree", R"({"n":{}})"}}));
}
std::string GroupError(const std::string& constraints) {
  return ErrorOf(ReadSakkaraGroup({{"constraints", constraints}}));
}
std::string Name(size_t bytes) { return std::string(bytes, 'x'); }
std::string Shortened() { return Name(64) + "..."; }

// Four letters a name, so that a tree at its limit stays below the limit of bytes.
std::string NodeName(size_t i) {
  std::string name;
  for (int letter = 0; letter < 4; ++letter, i /= 26) name += static_cast<char>('a' + i % 26);
  return name;
}

std::string Nested(size_t levels) {
  std::string tree = "{}";
  for (size_t i = 0; i < levels; ++i) tree = R"({"x":)" + tree + "}";
  return tree;
}

TEST_CASE("Limits of a ConfigMap") {
  const auto object = [](const std::string& data) {
    return ErrorOf(Decoder::kConfigMap, R"({"metadata":{"name":"c"},"data":{)" + data + "}}");
  };
  Check({
      {kMaxConfigMapBytes, [&](size_t n) { return object("\"tree\":\"" + Name(n) + "\""); },
       "ConfigMap.data.tree: longer than 1048576 bytes"},
      {kMaxConfigMapEntries,
       [&](size_t n) {
         return object(Repeat(n, [](size_t i) { return fmt::format("\"k{}\":\"\"", i); }));
       },
       "ConfigMap.data: more than 1024 entries"},
      {kMaxObjectBytes,
       [](size_t n) {
         const std::string text = R"({"metadata":{"name":"c"}})";
         return ErrorOf(Decoder::kConfigMap, text + std::string(n - text.size(), ' '));
       },
       "the text is longer than 16777216 bytes: 16777217"},
  });
}

TEST_CASE("Limits of a Sakkara tree") {
  Check({
      {kMaxConfigMapBytes,
       [](size_t n) { return TreeError(R"({"n":{}})" + std::string(n - 8, ' ')); },
       "tree: the text is longer than 1048576 bytes: 1048577"},
      {kMaxNodes,
       [](size_t n) {
         return TreeError("{" + Repeat(n, [](size_t i) { return "\"" + NodeName(i) + "\":{}"; }) +
                          "}");
       },
       "tree." + NodeName(kMaxNodes) + ": more than 100000 nodes"},
      {kMaxLevels, [](size_t n) { return TreeError(Nested(n)); },
       "tree.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x: expected at most 16 levels"},
      {kMaxNameBytes, [](size_t n) { return TreeError("{\"" + Name(n) + "\":{}}"); },
       "tree." + Shortened() + ": the name is longer than 253 bytes"},
  });
  CHECK_THAT(TreeError(Nested(100'000)), EndsWith("nests deeper than 64 levels"));
}

TEST_CASE("Limits of a Sakkara topology beside its tree") {
  const auto names = [](size_t n) {
    return "[" + Repeat(n, [](size_t i) { return fmt::format("\"k{}\"", i); }) + "]";
  };
  Check({
      {kMaxNameBytes, [](size_t n) { return TopologyError("name", Name(n)); },
       "name: longer than 253 bytes"},
      {kMaxSakkaraLevelNames, [&](size_t n) { return TopologyError("level-names", names(n)); },
       "level-names: more than 17 items"},
      {kMaxNameBytes,
       [](size_t n) { return TopologyError("level-names", "[\"" + Name(n) + "\"]"); },
       "level-names[0]: longer than 253 bytes"},
      {kMaxResources, [&](size_t n) { return TopologyError("resource-names", names(n)); },
       "resource-names: more than 256 items"},
      {kMaxKeyBytes,
       [](size_t n) { return TopologyError("resource-names", "[\"" + Name(n) + "\"]"); },
       "resource-names[0]: longer than 317 bytes"},
  });
}

TEST_CASE("Limits of a Sakkara group") {
  Check({
      {kMaxSakkaraRules,
       [](size_t n) {
         return GroupError(
             "{" + Repeat(n, [](size_t i) { return fmt::format("\"k{}\":{{}}", i); }) + "}");
       },
       "constraints: more than 64 entries"},
      {kMaxKeyBytes, [](size_t n) { return GroupError("{\"" + Name(n) + "\":{}}"); },
       "constraints." + Shortened() + ": the key is longer than 317 bytes"},
      {kMaxTokenBytes,
       [](size_t n) { return GroupError(R"({"node":{"type":")" + Name(n) + "\"}}"); },
       "constraints.node.type: longer than 64 bytes"},
      {kMaxNameBytes,
       [](size_t n) {
         return ErrorOf(ReadSakkaraGroup({{"constraints", "{}"}, {"name", Name(n)}}));
       },
       "name: longer than 253 bytes"},
  });
  CHECK_THAT(GroupError(R"({"x":)" + Nested(100'000) + "}"),
             EndsWith("nests deeper than 20000 levels"));
}

}  // namespace
}  // namespace gangplan::sakkara_limits_test
