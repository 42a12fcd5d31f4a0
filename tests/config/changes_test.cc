#include "config/changes.h"

#include <algorithm>
#include <sstream>
#include <string>

#include "config/reader.h"
#include "config_text.h"
#include "tests/support/catch.h"

namespace gangplan::changes_test {
namespace {

// The rule of the key, or of the section that it stands in; null: nobody compares it.
const KeyRule* RuleOf(const std::string& key) {
  const KeyRule* found = nullptr;
  for (const KeyRule& rule : KeyRules()) {
    const std::string name(rule.key);
    const bool inside = key.starts_with(name + ".") || key.starts_with(name + "[]");
    if (key != name && !inside) continue;
    if (found == nullptr || found->key.size() < name.size()) found = &rule;
  }
  return found;
}

TEST_CASE("each key that a file may hold is compared, but for those of one value") {
  const std::vector<std::string> keys = SettingKeys();
  for (const std::string& key : keys) {
    INFO(key);
    const bool section = std::any_of(keys.begin(), keys.end(), [&](const std::string& other) {
      return other.starts_with(key + ".");
    });
    const bool one_value = key == "apiVersion" || key == "kind";
    if (!section && !one_value) CHECK(RuleOf(key) != nullptr);
  }
  for (const KeyRule& rule : KeyRules()) {
    INFO(rule.key);
    CHECK(std::find(keys.begin(), keys.end(), rule.key) != keys.end());
  }
}

TEST_CASE("docs/configuration.md says of each key whether it changes live") {
  std::istringstream page(FileOfTree("docs/configuration.md"));
  int rows = 0;
  bool in_keys = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) in_keys = line == "## Keys";
    if (!in_keys || !line.starts_with("| `")) continue;
    INFO(line);
    const std::string key = line.substr(3, line.find('`', 3) - 3);
    const std::string told = line.substr(line.rfind("| ", line.size() - 3) + 2);
    const KeyRule* rule = RuleOf(key);
    const std::string expected = rule == nullptr ? "-" : rule->live() ? "live" : "restart";
    CHECK(told == expected + " |");
    ++rows;
  }
  CHECK(rows > 40);
}

TEST_CASE("what has changed is told by its key, and only live keys are taken over") {
  const Settings before;
  Settings wanted;
  wanted.server.port = 1;
  wanted.gang.gather_timeout = absl::Minutes(9);
  wanted.queue_mode = QueueOrder::kStrict;
  std::string told;
  for (const KeyRule* rule : ChangedKeys(before, wanted)) told += std::string(rule->key) + " ";
  CHECK(told == "server.port gang.gatherTimeout queue.mode ");
  const Settings live = WithLiveKeys(before, wanted);
  CHECK(live.server.port == before.server.port);
  CHECK(live.gang.gather_timeout == absl::Minutes(9));
  CHECK(live.queue_mode == QueueOrder::kStrict);
  CHECK(ChangedKeys(before, before).empty());
}

TEST_CASE("who is let in changes live, but not with other files, or none") {
  Settings before;
  before.server.tls = {"a.pem", "a.key", "ca.pem", {"one", "two"}};
  Settings wanted = before;
  wanted.server.tls.allowed_names = {"two"};
  REQUIRE(ChangedKeys(before, wanted).size() == 1);
  CHECK(ChangedKeys(before, wanted)[0]->key == "server.tls.allowedNames");
  CHECK(WithLiveKeys(before, wanted).server.tls.allowed_names == std::vector<std::string>{"two"});
  Settings elsewhere = wanted;
  elsewhere.server.tls.client_ca_file = "other.pem";
  for (const Settings& other : {elsewhere, Settings()}) {
    REQUIRE(ChangedKeys(before, other).size() == 1);
    CHECK(ChangedKeys(before, other)[0]->key == "server.tls");
    CHECK(WithLiveKeys(before, other).server.tls == before.server.tls);
  }
}

TEST_CASE("what a topology's file says changes live, the topologies themselves do not") {
  Settings before;
  before.topologies[0].source = TopologySource::kTree;
  before.topologies[0].paths = std::make_shared<const NodePaths>(NodePaths{{"rack"}, {}});
  Settings wanted = before;
  wanted.topologies[0].paths = std::make_shared<const NodePaths>(NodePaths{{"rack"}, {}});
  CHECK(ChangedKeys(before, wanted).empty());
  wanted.topologies[0].paths =
      std::make_shared<const NodePaths>(NodePaths{{"rack"}, {{"n1", {"r1"}}}});
  wanted.topologies[0].levels = {{"rack", "x"}};
  REQUIRE(ChangedKeys(before, wanted).size() == 1);
  CHECK(ChangedKeys(before, wanted)[0]->key == "topologies[].file");
  const Settings live = WithLiveKeys(before, wanted);
  CHECK(live.topologies[0].paths == wanted.topologies[0].paths);
  CHECK(live.topologies[0].levels == wanted.topologies[0].levels);
  wanted.topologies[0].file = "elsewhere";
  REQUIRE(ChangedKeys(before, wanted).size() == 1);
  CHECK(ChangedKeys(before, wanted)[0]->key == "topologies");
  CHECK(WithLiveKeys(before, wanted).topologies[0].paths == before.topologies[0].paths);
}

TEST_CASE(
    "what a topology's file says changes live also while other topologies wait for a restart") {
  Settings before, wanted;
  before.topologies[0].source = TopologySource::kTree;
  before.topologies[0].paths = std::make_shared<const NodePaths>(NodePaths{{"rack"}, {}});
  TopologySettings still = before.topologies[0];
  still.name = "still";
  still.paths = std::make_shared<const NodePaths>(NodePaths{{"ring"}, {}});
  before.topologies.push_back(still);
  // One comes before them, one has other nodes, and of the first the file says something else.
  wanted = before;
  wanted.topologies[0].paths =
      std::make_shared<const NodePaths>(NodePaths{{"rack"}, {{"n1", {"r1"}}}});
  wanted.topologies[1].paths = std::make_shared<const NodePaths>(NodePaths{{"ring"}, {}});
  wanted.topologies[1].nodes = {{{"pool", SelectorOperator::kExists, {}}}};
  TopologySettings more;
  more.name = "more";
  wanted.topologies.insert(wanted.topologies.begin(), more);
  const std::vector<const KeyRule*> changed = ChangedKeys(before, wanted);
  REQUIRE(changed.size() == 2);
  CHECK(changed[0]->key == "topologies");
  CHECK(changed[1]->key == "topologies[].file");
  const Settings live = WithLiveKeys(before, wanted);
  REQUIRE(live.topologies.size() == 2);
  CHECK(live.topologies[0].paths == wanted.topologies[1].paths);
  CHECK(live.topologies[1].paths == before.topologies[1].paths);  // nothing to be read again
  CHECK(live.topologies[1].nodes == before.topologies[1].nodes);
}

}  // namespace
}  // namespace gangplan::changes_test
