#include "config/topology_section.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "config/limits.h"
#include "config/node_section.h"
#include "config/object_names.h"
#include "config/presets.h"
#include "topology/base/text.h"
#include "topology/node_paths.h"

namespace gangplan {
namespace {

constexpr std::string_view kKey = "topologies";
constexpr std::string_view kElement = "topologies[]";
constexpr std::string_view kLevelElement = "topologies[].levels[]";
constexpr std::array<std::string_view, 2> kLevelKeys = {"preset", "levels"};
constexpr std::array<std::pair<std::string_view, TopologySource>, 5> kTopologySources = {
    {{"config", TopologySource::kConfig},
     {"kueue", TopologySource::kKueue},
     {"sakkara", TopologySource::kSakkara},
     {"slurm", TopologySource::kSlurm},
     {"tree", TopologySource::kTree}}};
constexpr std::array<std::pair<std::string_view, bool>, 2> kDefaults = {
    {{"true", true}, {"false", false}}};

constexpr std::string_view kNamespace = "namespace";
constexpr std::string_view kFile = "file";
constexpr std::string_view kNodes = "nodes";

// A label key as Kubernetes writes it: an optional domain of at most 253 letters and a slash, then
// a name of at most 63.
bool IsLabelKey(std::string_view text) {
  const size_t slash = text.find('/');
  const std::string_view name = slash == std::string_view::npos ? text : text.substr(slash + 1);
  const auto good = [](std::string_view part, size_t most) {
    const bool letters = std::all_of(part.begin(), part.end(), [](char c) {
      return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.';
    });
    return letters && !part.empty() && part.size() <= most;
  };
  return good(name, 63) && (slash == std::string_view::npos || good(text.substr(0, slash), 253));
}

Level ReadLevel(const YamlNode& node, Problems& problems) {
  Level level;
  Section section(&node, std::string(kLevelElement), problems);
  section.ReadText("name", level.name);
  section.ReadText("label", level.label);
  if (level.name.empty()) section.Fail("name", "a name expected");
  if (!IsLabelKey(level.label)) section.Fail("label", "the key of a node label expected");
  section.Finish();
  return level;
}

// The levels as they stand in the file; empty, with a problem, when they are no list.
std::vector<Level> ReadLevels(Section& section, const YamlNode& list, Problems& problems) {
  std::vector<Level> levels;
  if (list.kind != YamlNode::Kind::kList) {
    section.Fail("levels", "a list of levels expected, each with name and label");
    return levels;
  }
  for (const YamlNode& item : list.items) levels.push_back(ReadLevel(item, problems));
  return levels;
}

std::vector<Level> PresetLevels(Section& section, const std::string& name) {
  const std::vector<Level>* preset = FindPreset(name);
  if (preset != nullptr) return *preset;
  section.Fail("preset", WrongWord(name, PresetNames()));
  return {};
}

// The levels that the file gives, itself or by a preset.
std::vector<Level> ReadOwnLevels(Section& section, Problems& problems) {
  std::string preset;
  section.ReadText("preset", preset);
  const YamlNode* list = section.Find("levels");
  if ((list != nullptr) == preset.empty())
    return list == nullptr ? PresetLevels(section, preset) : ReadLevels(section, *list, problems);
  section.Fail(list == nullptr ? "levels" : "preset", "either levels or a preset expected");
  return {};
}

// The node alone stands for the levels that an object will give.
std::vector<Level> LevelsOfObject(Section& section, std::string_view source) {
  for (const std::string_view key : kLevelKeys) {
    if (section.Find(key) != nullptr)
      section.Fail(key, fmt::format("not beside source: {}", source));
  }
  return {{"node", std::string(kHostnameLabel)}};
}

std::vector<Level> ReadKueueLevels(Section& section, const std::string& name) {
  if (!name.empty() && !IsObjectName(name)) {
    section.Fail("name", fmt::format("with source: kueue the name of a Topology object expected, "
                                     "got \"{}\"",
                                     name));
  }
  return LevelsOfObject(section, "kueue");
}

std::vector<Level> ReadSakkaraLevels(Section& section, std::string& ns) {
  section.ReadText(kNamespace, ns);
  if (!IsObjectName(ns)) section.Fail(kNamespace, "the name of a namespace expected");
  return LevelsOfObject(section, "sakkara");
}

std::vector<Level> ReadFileLevels(Section& section, TopologySettings& topology) {
  const std::string_view source = topology.source == TopologySource::kSlurm ? "slurm" : "tree";
  section.ReadText(kFile, topology.file);
  if (topology.file.empty())
    section.Fail(kFile, fmt::format("a path expected with source: {}", source));
  if (!topology.name.empty() && !IsObjectName(topology.name)) {
    section.Fail("name", fmt::format("with source: {} small letters, digits, '-' and '.' expected, "
                                     "got \"{}\"",
                                     source, topology.name));
  }
  return LevelsOfObject(section, source);
}

// Nothing is said of the levels beside a source that is none.
std::vector<Level> ReadLevelsFrom(Section& section, Problems& problems,
                                  TopologySettings& topology) {
  const size_t before = problems.size();
  section.ReadWord("source",
                   std::span<const std::pair<std::string_view, TopologySource>>(kTopologySources),
                   topology.source);
  const bool sakkara = topology.source == TopologySource::kSakkara;
  if (!sakkara && section.Find(kNamespace) != nullptr)
    section.Fail(kNamespace, "only with source: sakkara");
  if (!topology.in_file() && section.Find(kFile) != nullptr)
    section.Fail(kFile, "only with source: slurm and source: tree");
  if (problems.size() != before) {
    for (const std::string_view key : kLevelKeys) section.Find(key);
    return {};
  }
  if (sakkara) return ReadSakkaraLevels(section, topology.ns);
  if (topology.in_file()) return ReadFileLevels(section, topology);
  return topology.source == TopologySource::kKueue ? ReadKueueLevels(section, topology.name)
                                                   : ReadOwnLevels(section, problems);
}

// Returns whether the topology may be used.
bool ReadTopology(const YamlNode& node, Problems& problems, TopologySettings& topology,
                  bool& usual) {
  const size_t before = problems.size();
  Section section(&node, std::string(kElement), problems);
  section.ReadText("name", topology.name);
  if (topology.name.empty()) section.Fail("name", "a name expected");
  section.ReadWord("default", std::span<const std::pair<std::string_view, bool>>(kDefaults), usual);
  topology.levels = ReadLevelsFrom(section, problems, topology);
  ReadNodes(Section(section.Find(kNodes), section.Path(kNodes), problems), problems,
            topology.nodes);
  section.Finish();
  if (problems.size() != before) return false;
  absl::StatusOr<Topology> complete = CompleteTopology(topology);
  if (!complete.ok()) {
    section.Fail("levels", Message(complete.status()));
    return false;
  }
  topology.levels = std::move(complete->levels);
  return true;
}

// What they contradict each other in, at the line of the later one.
class Together {
 public:
  explicit Together(Problems& problems) : problems_(problems) {}

  void Check(const YamlNode& node, const TopologySettings& topology, bool usual) {
    const std::string name = Shown(topology.name);
    if (!lines_.emplace(topology.name, node.line).second)
      Fail(node, "name",
           fmt::format("\"{}\" names one in line {} already", name, lines_.at(topology.name)));
    if (usual && usual_ != nullptr)
      Fail(node, "default", fmt::format("one default expected, and line {} is", usual_->line));
    if (usual) usual_ = &node;
    if (topology.nodes.all() && !topology.in_file()) {
      if (rest_ != nullptr)
        Fail(node, kNodes,
             fmt::format("one topology at most expected without a selector, for the "
                         "nodes of no other, and line {} is",
                         rest_->line));
      rest_ = &node;
    }
    if (topology.source != TopologySource::kSakkara) return;
    if (sakkara_ != nullptr)
      Fail(node, "source",
           fmt::format("one topology at most expected from sakkara, and line {} is",
                       sakkara_->line));
    sakkara_ = &node;
  }

 private:
  void Fail(const YamlNode& node, std::string_view key, std::string_view text) {
    const YamlNode* value = node.Find(key);
    problems_.Add(value == nullptr ? node.line : value->key_line,
                  fmt::format("{}.{}", kElement, key), text);
  }

  Problems& problems_;
  std::map<std::string, int> lines_;  // by name
  const YamlNode* usual_ = nullptr;
  const YamlNode* rest_ = nullptr;
  const YamlNode* sakkara_ = nullptr;
};

}  // namespace

void ReadTopologies(Section& root, Problems& problems, Settings& settings) {
  const YamlNode* list = root.Find(kKey);
  if (list == nullptr) return;
  const size_t count = list->items.size();
  if (list->kind != YamlNode::Kind::kList || count < 1 || count > kMaxTopologies) {
    root.Fail(kKey, fmt::format("a list of 1 to {} topologies expected", kMaxTopologies));
    return;
  }
  std::vector<TopologySettings> topologies;
  Together together(problems);
  size_t usual_one = 0;
  for (const YamlNode& item : list->items) {
    TopologySettings topology;
    bool usual = false;
    if (!ReadTopology(item, problems, topology, usual)) continue;
    together.Check(item, topology, usual);
    if (usual) usual_one = topologies.size();
    topologies.push_back(std::move(topology));
  }
  if (topologies.empty()) return;
  for (TopologySettings& one : topologies) {
    const bool by_name = one.in_file() && one.nodes.all() && topologies.size() > 1;
    if (by_name) one.nodes = ScopeOfNamed(one.name);
  }
  settings.topologies = std::move(topologies);
  settings.default_topology = usual_one;
}

}  // namespace gangplan
