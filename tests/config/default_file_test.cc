// config/default.yaml, docs/configuration.md and the reader tell the same story.
#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "config/presets.h"
#include "tests/config/config_text.h"

namespace gangplan::default_file_test {
namespace {

// The cells of a Markdown table row without the spaces around them; empty for another line.
std::vector<std::string> Cells(const std::string& line) {
  std::vector<std::string> cells;
  if (!line.starts_with("| `")) return cells;
  std::istringstream row(line.substr(1));
  for (std::string cell; std::getline(row, cell, '|');) {
    const size_t first = cell.find_first_not_of(' ');
    if (first == std::string::npos) continue;
    cells.push_back(cell.substr(first, cell.find_last_not_of(' ') - first + 1));
  }
  return cells;
}

std::string Unquoted(const std::string& code) {
  const bool quoted = code.size() >= 2 && code.front() == '`' && code.back() == '`';
  return quoted ? code.substr(1, code.size() - 2) : code;
}

// First cell to second cell of every row of the tables in docs/configuration.md.
std::map<std::string, std::string> DocumentedRows() {
  std::map<std::string, std::string> rows;
  std::istringstream file(FileOfTree("docs/configuration.md"));
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> cells = Cells(line);
    if (cells.size() >= 2) CHECK(rows.emplace(Unquoted(cells[0]), Unquoted(cells[1])).second);
  }
  return rows;
}

// Keys with a value in default.yaml, as paths, with the text of the value; two blanks a section.
std::map<std::string, std::string> DefaultFileValues() {
  std::map<std::string, std::string> values;
  std::istringstream file(FileOfTree("config/default.yaml"));
  std::vector<std::string> path;
  for (std::string line; std::getline(file, line);) {
    const size_t indent = line.find_first_not_of(' ');
    const size_t colon = line.find(':');
    if (indent == std::string::npos || line[indent] == '#' || line[indent] == '-') continue;
    if (colon == std::string::npos) continue;
    const std::string key = line.substr(indent, colon - indent);
    const std::string value = colon + 2 <= line.size() ? line.substr(colon + 2) : "";
    path.resize(std::min(path.size(), indent / 2));
    path.push_back(path.empty() ? key : path.back() + "." + key);
    if (!value.empty()) CHECK(values.emplace(path.back(), value).second);
  }
  return values;
}

bool IsSection(const std::string& key, const std::vector<std::string>& keys) {
  return std::any_of(keys.begin(), keys.end(),
                     [&](const std::string& other) { return other.starts_with(key + "."); });
}

TEST_CASE("default.yaml reads as the defaults") {
  const absl::StatusOr<Settings> read = ReadSettings(FileOfTree("config/default.yaml"), "d.yaml");
  INFO(Message(read.status()));
  REQUIRE(read.ok());
  const Settings defaults;
  CHECK(read->cluster.source == defaults.cluster.source);
  CHECK(read->cluster.kubeconfig == defaults.cluster.kubeconfig);
  CHECK(read->cluster.file == defaults.cluster.file);
  CHECK(read->lease == defaults.lease);
  CHECK(read->repair.after == defaults.repair.after);
  CHECK(read->repair.on_failure == defaults.repair.on_failure);
  CHECK(read->repair.ready_timeout == defaults.repair.ready_timeout);
  CHECK(read->gang.ready_timeout == defaults.gang.ready_timeout);
  CHECK(read->repair.timeout == defaults.repair.timeout);
  CHECK(read->repair.retries == defaults.repair.retries);
  CHECK(read->server.address == defaults.server.address);
  CHECK(read->server.port == defaults.server.port);
  CHECK(read->server.probe_address == defaults.server.probe_address);
  CHECK(read->server.probe_port == defaults.server.probe_port);
  CHECK(read->server.verbs == defaults.server.verbs);
  CHECK(read->server.bind_timeout == defaults.server.bind_timeout);
  CHECK(read->server.max_connections == defaults.server.max_connections);
  CHECK(read->server.max_held_calls == defaults.server.max_held_calls);
  CHECK_FALSE(read->server.tls.on());
  CHECK_FALSE(read->server.api.on());
  CHECK(read->server.api.address == defaults.server.api.address);
  CHECK(read->server.api.port == defaults.server.api.port);
  CHECK(read->server.api.key_file.empty());
  CHECK(read->server.tls.allowed_names.empty());
  CHECK(read->topologies[0].source == defaults.topologies[0].source);
  CHECK(read->scheduler_names == defaults.scheduler_names);
  CHECK(read->nodes.all());
  CHECK(read->gang.start_when == defaults.gang.start_when);
  CHECK(read->gang.gather_timeout == defaults.gang.gather_timeout);
  CHECK(read->queue_mode == defaults.queue_mode);
  CHECK(read->queue_fair == defaults.queue_fair);
  CHECK(read->gang.hold_from_percent == defaults.gang.hold_from_percent);
  CHECK(read->namespace_limits.groups == defaults.namespace_limits.groups);
  CHECK(read->namespace_limits.claimed_members == defaults.namespace_limits.claimed_members);
  CHECK(read->namespace_limits.vacant_percent == defaults.namespace_limits.vacant_percent);
  CHECK(read->reject_max == defaults.reject_max);
  CHECK(read->strategy == defaults.strategy);
  CHECK(read->tas.profile == defaults.tas.profile);
  CHECK(read->tas.balanced_placement == defaults.tas.balanced_placement);
  CHECK(read->tas.preferred_affinity == defaults.tas.preferred_affinity);
  CHECK(read->tas.kueue_exact == defaults.tas.kueue_exact);
  CHECK(read->jobs == defaults.jobs);
  CHECK(read->suspended_jobs == defaults.suspended_jobs);
  CHECK(read->admission_checks == defaults.admission_checks);
  CHECK(read->admission_check_patience == defaults.admission_check_patience);
  CHECK(read->admission_check_reject_after == defaults.admission_check_reject_after);
  CHECK(read->gates == defaults.gates);
  CHECK(read->wake == defaults.wake);
  CHECK(read->log_level == defaults.log_level);
}

TEST_CASE("default.yaml holds the default topology") {
  const absl::StatusOr<Settings> read = ReadSettings(FileOfTree("config/default.yaml"), "d.yaml");
  REQUIRE(read.ok());
  const Settings defaults;
  REQUIRE(read->topologies.size() == defaults.topologies.size());
  const Topology& is = read->topologies[0];
  const Topology& should = defaults.topologies[0];
  CHECK(is.name == should.name);
  REQUIRE(is.levels.size() == should.levels.size());
  for (size_t i = 0; i < is.levels.size(); ++i) {
    CHECK(is.levels[i].name == should.levels[i].name);
    CHECK(is.levels[i].label == should.levels[i].label);
  }
}

TEST_CASE("default.yaml holds every key of the reader") {
  const std::map<std::string, std::string> values = DefaultFileValues();
  const std::vector<std::string> keys = SettingKeys();
  REQUIRE(keys.size() > 20);
  for (const std::string& key : keys) {
    INFO(key);
    const bool inside_topologies = key.starts_with("topologies");           // compared above
    const bool inside_nodes = key.starts_with("nodes.matchExpressions[]");  // there are none
    CHECK((inside_topologies || inside_nodes || IsSection(key, keys) || values.contains(key)));
  }
  for (const auto& [key, value] : values) {
    INFO(key);
    CHECK(std::find(keys.begin(), keys.end(), key) != keys.end());
  }
}

TEST_CASE("docs/configuration.md has a row with the default for every key") {
  const std::map<std::string, std::string> rows = DocumentedRows();
  const std::map<std::string, std::string> values = DefaultFileValues();
  const std::vector<std::string> keys = SettingKeys();
  for (const std::string& key : keys) {
    INFO(key);
    if (!IsSection(key, keys)) CHECK(rows.contains(key));
  }
  for (const auto& [key, value] : values) {
    INFO(key);
    REQUIRE(rows.contains(key));
    CHECK(rows.at(key) == value);
  }
}

TEST_CASE("every configuration that a page shows is one that is read") {
  int shown = 0;
  for (const auto& file : std::filesystem::directory_iterator(GANGPLAN_SOURCE_DIR "/docs")) {
    if (file.path().extension() != ".md") continue;
    const std::string text = FileOfTree("docs/" + file.path().filename().string());
    for (size_t at = text.find("\n```yaml\n"); at != std::string::npos;) {
      const size_t begin = at + 9, end = text.find("\n```", begin);
      REQUIRE(end != std::string::npos);
      const std::string block = text.substr(begin, end + 1 - begin);
      INFO(file.path() << "\n" << block);
      const bool whole = block.find("\nkind: ExtenderConfiguration\n") != std::string::npos;
      if (whole) CHECK(ErrorOf(block) == "");
      shown += whole ? 1 : 0;
      at = text.find("\n```yaml\n", end + 4);
    }
  }
  CHECK(shown >= 4);
}

TEST_CASE("docs/configuration.md has no row for what does not exist") {
  const std::vector<std::string> keys = SettingKeys();
  for (const auto& [word, second] : DocumentedRows()) {
    INFO(word);
    const bool key = std::find(keys.begin(), keys.end(), word) != keys.end();
    CHECK((key || FindPreset(word) != nullptr));
  }
}

TEST_CASE("docs/configuration.md has the levels of every preset") {
  std::map<std::string, std::string> rows = DocumentedRows();
  for (const std::string_view name : PresetNames()) {
    INFO(name);
    std::string labels;
    for (const Level& level : *FindPreset(name)) {
      labels += (labels.empty() ? "`" : ", `") + level.label + "`";
    }
    CHECK("`" + rows[std::string(name)] + "`" == labels);
  }
}

}  // namespace
}  // namespace gangplan::default_file_test
