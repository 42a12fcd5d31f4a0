// Each limit of config/limits.h at its value and one above.
#include "config/limits.h"

#include <string>

#include "tests/config/config_text.h"

namespace gangplan::limits_test {
namespace {

std::string Padded(size_t size) {
  std::string text = ConfigText("#");
  text.resize(size, 'x');
  return text;
}

// A value of `depth` lists inside one another, under the root's map.
std::string Nested(int depth) {
  return ConfigText("deep: " + std::string(depth, '[') + std::string(depth, ']') + "\n");
}

// "n0, n1, ..."
std::string List(size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += fmt::format("{}n{}", i == 0 ? "" : ", ", i);
  return text;
}

TEST_CASE("Namespaces of rank lists") {
  const auto namespaces = [](size_t count) {
    return ErrorOf(ConfigText("rankLists: {namespaces: [" + List(count) + "]}\n"));
  };
  CHECK(namespaces(kMaxRankListNamespaces).empty());
  CHECK(namespaces(kMaxRankListNamespaces + 1) ==
        "x.yaml:3: rankLists.namespaces: a list of 0 to 16 names expected");
}

TEST_CASE("Beginnings of resources' names that are not counted") {
  const auto prefixes = [](size_t count, size_t bytes) {
    std::string text;
    for (size_t i = 0; i < count; ++i) {
      std::string one = fmt::format("n{}.", i);
      one.resize(std::max(bytes, one.size()), 'x');
      text += fmt::format("{}{}", i == 0 ? "" : ", ", one);
    }
    return ErrorOf(ConfigText("resources: {excludeResourcePrefixes: [" + text + "]}\n"));
  };
  CHECK(prefixes(kMaxExcludedPrefixes, 1).empty());
  CHECK(prefixes(kMaxExcludedPrefixes + 1, 1) ==
        "x.yaml:3: resources.excludeResourcePrefixes: a list of 0 to 32 names expected");
  CHECK(prefixes(1, kMaxExcludedPrefixBytes).empty());
  CHECK(prefixes(1, kMaxExcludedPrefixBytes + 1).find("of 1 to 253 characters") !=
        std::string::npos);
}

TEST_CASE("Parameters of requests for nodes") {
  const auto parameters = [](size_t count, size_t bytes) {
    std::string text;
    for (size_t i = 0; i < count; ++i)
      text += fmt::format("{}n{}: {}", i == 0 ? "" : ", ", i, std::string(bytes, 'x'));
    return ErrorOf(ConfigText("provisioning: {class: a, parameters: {" + text + "}}\n"));
  };
  CHECK(parameters(kMaxProvisioningParameters, 1).empty());
  CHECK(parameters(kMaxProvisioningParameters + 1, 1) ==
        "x.yaml:3: provisioning.parameters: a map of up to 100 names and texts expected");
  CHECK(parameters(1, kMaxProvisioningParameterBytes).empty());
  CHECK(parameters(1, kMaxProvisioningParameterBytes + 1) ==
        "x.yaml:3: provisioning.parameters.n0: a text of up to 255 bytes expected");
}

TEST_CASE("Requests for nodes by the name of a scheduler") {
  const auto named = [](size_t bytes) {
    return ErrorOf(ConfigText("schedulerNames: [" + std::string(bytes, 'x') +
                              "]\nprovisioning: {class: a}\n"));
  };
  CHECK(named(kMaxLabelValueBytes).empty());
  CHECK_FALSE(named(kMaxLabelValueBytes + 1).empty());
}

TEST_CASE("Names of TLS clients") {
  const auto names = [](size_t count) {
    return ErrorOf(ConfigText(
        "server: {tls: {certificateFile: a, keyFile: b, clientCAFile: c, allowedNames: [" +
        List(count) + "]}}\n"));
  };
  CHECK(names(kMaxTlsNames).empty());
  CHECK(names(kMaxTlsNames + 1)
            .starts_with("x.yaml:3: server.tls.allowedNames: a list of 0 to 16 names expected"));
}

TEST_CASE("Requirements on nodes, and values of one") {
  const auto nodes = [](size_t labels, size_t values) {
    std::string text = "nodes: {matchLabels: {";
    for (size_t i = 1; i < labels; ++i) text += fmt::format("k{}: v, ", i);
    text += "k: v}, matchExpressions: [{key: e, operator: In, values: [";
    for (size_t i = 0; i < values; ++i) text += fmt::format("v{}, ", i);
    return ErrorOf(ConfigText(text + "]}]}\n"));
  };
  CHECK(nodes(kMaxScopeRequirements - 1, kMaxScopeValues).empty());
  CHECK(nodes(kMaxScopeRequirements, 1) ==
        "x.yaml:3: nodes.matchExpressions: at most 16 requirements expected");
  CHECK_THAT(nodes(1, kMaxScopeValues + 1),
             StartsWith("x.yaml:3: nodes.matchExpressions[].values: a list of 0 to 64 names"));
}

TEST_CASE("Bytes of a file") {
  CHECK(ErrorOf(Padded(kMaxConfigBytes)).empty());
  CHECK(ErrorOf(Padded(kMaxConfigBytes + 1)) == "x.yaml:1: the file is larger than 65536 bytes");
}

TEST_CASE("Depth of a file") {
  CHECK(ErrorOf(Nested(kMaxConfigDepth - 1)) == "x.yaml:3: deep: unknown key");
  CHECK(ErrorOf(Nested(kMaxConfigDepth)) ==
        "x.yaml:3: more than 8 maps and lists inside one another");
  CHECK_THAT(ErrorOf(Nested(30000)), StartsWith("x.yaml:3: "));  // no crash, whoever refuses it
}

TEST_CASE("Keys and values of a file") {
  // The root, its three keys, two values and the list itself are seven.
  const auto list_of = [](int count) {
    std::string text = "list: [";
    for (int i = 0; i < count; ++i) text += "a,";
    return ConfigText(text + "]\n");
  };
  CHECK(ErrorOf(list_of(kMaxConfigNodes - 7)) == "x.yaml:3: list: unknown key");
  CHECK(ErrorOf(list_of(kMaxConfigNodes - 6)) == "x.yaml:1: more than 4096 keys and values");
}

TEST_CASE("Problems that are reported") {
  const auto unknown = [](size_t count) {
    std::string text;
    for (size_t i = 0; i < count; ++i) text += fmt::format("unknown{}: 1\n", i);
    return ErrorOf(ConfigText(text));
  };
  CHECK_THAT(unknown(kMaxConfigErrors), EndsWith("x.yaml:22: unknown19: unknown key"));
  CHECK_THAT(unknown(kMaxConfigErrors + 1),
             EndsWith("x.yaml:22: unknown19: unknown key\nx.yaml: and 1 more problems"));
}

TEST_CASE("Scheduler names") {
  const auto names = [](size_t count) {
    return ErrorOf(ConfigText("schedulerNames: [" + List(count) + "]\n"));
  };
  CHECK(names(kMaxSchedulerNames).empty());
  CHECK(names(kMaxSchedulerNames + 1) ==
        "x.yaml:3: schedulerNames: a list of 1 to 16 names expected");
}

TEST_CASE("Numbers") {
  const auto error = [](std::string_view section, std::string_view key, int value) {
    return ErrorOf(ConfigText(fmt::format("{}: {{{}: {}}}\n", section, key, value)));
  };
  CHECK(error("server", "port", kMaxPort).empty());
  CHECK_THAT(error("server", "port", kMaxPort + 1), EndsWith("to 65535 expected, got 65536"));
  CHECK_THAT(error("server", "port", -1), EndsWith("from 0 to 65535 expected, got -1"));
  CHECK(error("server", "maxConnections", kMaxConnectionsLimit).empty());
  CHECK_THAT(error("server", "maxConnections", kMaxConnectionsLimit + 1),
             EndsWith("to 65536 expected, got 65537"));
  CHECK_THAT(error("server", "maxConnections", 0), EndsWith("from 1 to 65536 expected, got 0"));
  CHECK(error("waiting", "rejectMax", kMaxRejectMax).empty());
  CHECK_THAT(error("waiting", "rejectMax", kMaxRejectMax + 1),
             EndsWith("to 100000 expected, got 100001"));
  CHECK(error("repair", "retries", kMaxRepairRetries).empty());
  CHECK_THAT(error("repair", "retries", kMaxRepairRetries + 1),
             EndsWith("to 100 expected, got 101"));
  CHECK_THAT(error("repair", "retries", 0), EndsWith("from 1 to 100 expected, got 0"));
}

TEST_CASE("Limits of a namespace") {
  const auto error = [](std::string_view key, std::string_view value) {
    return ErrorOf(ConfigText(fmt::format("limits: {{namespace: {{{}: {}}}}}\n", key, value)));
  };
  CHECK(error("groups", "1").empty());
  CHECK(error("groups", "10000").empty());
  CHECK_THAT(error("groups", "0"), EndsWith("limits.namespace.groups: a whole number from 1 to "
                                            "10000 expected, got 0"));
  CHECK_THAT(error("groups", "10001"), EndsWith("to 10000 expected, got 10001"));
  CHECK(error("claimedMembers", "100000000").empty());
  CHECK_THAT(error("claimedMembers", "100000001"),
             EndsWith("to 100000000 expected, got 100000001"));
  CHECK_THAT(error("claimedMembers", "0"), EndsWith("expected, got 0"));
}

TEST_CASE("Shares of a whole") {
  for (std::string_view key : {"gang: {holdFrom", "limits: {namespace: {vacantShare"}) {
    const auto error = [key](std::string_view value) {
      const std::string_view end = key.starts_with("gang") ? "}" : "}}";
      return ErrorOf(ConfigText(fmt::format("{}: {}{}\n", key, value, end)));
    };
    CHECK(error("0%").empty());
    CHECK(error("100%").empty());
    CHECK_THAT(error("101%"), EndsWith("a share from 0% to 100% expected, got 101%"));
    for (const char* bad : {"-1%", "10", "1.5%", "'%'", "ten%", "10 %"}) {
      CHECK_THAT(error(bad), ContainsText("a share from 0% to 100% expected, got "));
    }
    CHECK_THAT(error("[1%]"), EndsWith("a share from 0% to 100% expected, got a list"));
  }
}

TEST_CASE("Held calls leave connections for the others") {
  const auto error = [](int connections, int held) {
    return ErrorOf(ConfigText(
        fmt::format("server: {{maxConnections: {}, maxHeldCalls: {}}}\n", connections, held)));
  };
  CHECK(error(1000, 744).empty());
  CHECK_THAT(error(1000, 745),
             EndsWith("server.maxHeldCalls: at most 744 expected, the other 256 of "
                      "server.maxConnections (1000) are for the other calls; got 745"));
  CHECK(error(100, 50).empty());
  CHECK_THAT(error(100, 51), EndsWith("are for the other calls; got 51"));
  CHECK(error(1, 1).empty());
  CHECK_THAT(error(1, 0), EndsWith("from 1 to 65536 expected, got 0"));
  CHECK(MustRead("server: {maxConnections: 1000}\n").server.max_held_calls == 744);
  CHECK_THAT(ErrorOf(ConfigText("server: {maxHeldCalls: 10497}\n")),
             EndsWith("at most 10496 expected, the other 256 of server.maxConnections (10752) are "
                      "for the other calls; got 10497"));
}

TEST_CASE("Time of a bind call") {
  CHECK(MustRead("server: {bindTimeout: 10s}\n").server.bind_timeout == kMinBindTimeout);
  CHECK_THAT(ErrorOf(ConfigText("server: {bindTimeout: 9.999s}\n")),
             EndsWith("at least 10s expected"));
}

TEST_CASE("Topologies") {
  const auto topologies = [](size_t count) {
    std::string text = "topologies:\n";
    for (size_t i = 0; i < count; ++i)
      text +=
          fmt::format("- {{name: t{0}, preset: gke, nodes: {{matchLabels: {{p: t{0}}}}}}}\n", i);
    return ErrorOf(ConfigText(text));
  };
  CHECK(topologies(kMaxTopologies).empty());
  CHECK(topologies(kMaxTopologies + 1) ==
        "x.yaml:3: topologies: a list of 1 to 16 topologies expected");
}

TEST_CASE("Levels of a topology") {
  const auto levels = [](int count) {
    std::string text = "topologies:\n- levels:\n";
    for (int i = 0; i < count; ++i) {
      text += fmt::format("  - {{name: l{}, label: example.com/l{}}}\n", i, i);
    }
    return ErrorOf(ConfigText(text));
  };
  CHECK(levels(kMaxLevels - 1).empty());  // the node is the sixteenth
  CHECK_THAT(levels(kMaxLevels + 1), StartsWith("x.yaml:4: topologies[].levels: "));
}

}  // namespace
}  // namespace gangplan::limits_test
