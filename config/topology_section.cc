#include "config/topology_section.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "config/object_names.h"
#include "config/presets.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kKey = "topologies";
constexpr std::string_view kElement = "topologies[]";
constexpr std::string_view kLevelElement = "topologies[].levels[]";
constexpr std::array<std::string_view, 2> kLevelKeys = {"preset", "levels"};
constexpr std::array<std::pair<std::string_view, TopologySource>, 3> kSources = {
    {{"config", TopologySource::kConfig},
     {"kueue", TopologySource::kKueue},
     {"sakkara", TopologySource::kSakkara}}};

constexpr std::string_view kNamespace = "namespace";

struct Source {
  TopologySource kind;
  std::string ns;  // with kSakkara
};

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

// Nothing is said of the levels beside a source that is none.
std::vector<Level> ReadLevelsFrom(Section& section, Problems& problems, const std::string& name,
                                  Source& source) {
  const size_t before = problems.size();
  section.ReadWord("source", std::span<const std::pair<std::string_view, TopologySource>>(kSources),
                   source.kind);
  const bool sakkara = source.kind == TopologySource::kSakkara;
  if (!sakkara && section.Find(kNamespace) != nullptr)
    section.Fail(kNamespace, "only with source: sakkara");
  if (problems.size() != before) {
    for (const std::string_view key : kLevelKeys) section.Find(key);
    return {};
  }
  if (sakkara) return ReadSakkaraLevels(section, source.ns);
  return source.kind == TopologySource::kKueue ? ReadKueueLevels(section, name)
                                               : ReadOwnLevels(section, problems);
}

// Returns whether the topology may be used.
bool ReadTopology(const YamlNode& node, Problems& problems, Topology& topology, Source& source) {
  const size_t before = problems.size();
  Section section(&node, std::string(kElement), problems);
  section.ReadText("name", topology.name);
  if (topology.name.empty()) section.Fail("name", "a name expected");
  topology.levels = ReadLevelsFrom(section, problems, topology.name, source);
  section.Finish();
  if (problems.size() != before) return false;
  absl::StatusOr<Topology> complete = CompleteTopology(std::move(topology));
  if (!complete.ok()) {
    section.Fail("levels", Message(complete.status()));
    return false;
  }
  topology = *std::move(complete);
  return true;
}

}  // namespace

void ReadTopologies(Section& root, Problems& problems, Settings& settings) {
  const YamlNode* list = root.Find(kKey);
  if (list == nullptr) return;
  if (list->kind != YamlNode::Kind::kList || list->items.size() != 1) {
    root.Fail(kKey, "a list of exactly one topology expected");
    return;
  }
  Topology topology;
  Source source{settings.topology_source, settings.topology_namespace};
  if (!ReadTopology(list->items[0], problems, topology, source)) return;
  settings.topologies = {std::move(topology)};
  settings.topology_source = source.kind;
  settings.topology_namespace = std::move(source.ns);
}

}  // namespace gangplan
