// What people write as words of one line, and an operator's file: the first byte chooses the
// reader, the rest is the text. What is refused is refused with a reason.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "config/reader.h"
#include "config/slurm_topology.h"
#include "config/tree_file.h"
#include "extender/frontends/gangplan/ladder.h"
#include "extender/frontends/gangplan/place.h"
#include "extender/frontends/gangplan/pod_set_words.h"
#include "extender/frontends/gangplan/ranks.h"
#include "extender/frontends/gangplan/reservation.h"
#include "extender/frontends/gangplan/words.h"
#include "tests/support/query.h"
#include "topology/base/check.h"
#include "topology/base/duration.h"
#include "topology/base/text.h"
#include "topology/label_key.h"
#include "topology/quantity.h"

namespace gangplan {
namespace {

Topology Levels() {
  Topology topology;
  topology.name = "default";
  for (const char* name : {"block", "rack", "node"})
    topology.levels.push_back({name, std::string("example.com/") + name});
  return topology;
}

template <typename Read>
void CheckReason(const Read& read) {
  GANGPLAN_CHECK(read.ok() || !Message(read.status()).empty());
}

// Each unit is some of those before it, at a level above.
void RankMap(std::string_view text, const Topology& levels) {
  const auto units = ParseRanks(text, levels);
  CheckReason(units);
  if (!units.ok()) return;
  GANGPLAN_CHECK(!units->empty());
  for (size_t i = 1; i < units->size(); ++i) {
    GANGPLAN_CHECK((*units)[i].level < (*units)[i - 1].level);
    GANGPLAN_CHECK((*units)[i].ranks % (*units)[i - 1].ranks == 0);
  }
}

void Ladder(std::string_view text) {
  static const Topology& levels = *new Topology(Levels());
  RankMap(text, levels);
  CheckReason(ParsePlace(kPlaceWord, text, levels));
  const auto rungs = ParseLadder(text, levels);
  CheckReason(rungs);
  if (!rungs.ok()) return;
  GANGPLAN_CHECK(!rungs->empty());
  for (size_t i = 1; i < rungs->size(); ++i)
    GANGPLAN_CHECK((*rungs)[i - 1].after < (*rungs)[i].after);
}

void PodSets(std::string_view text) {
  const auto sets = ParsePodSets(text);
  CheckReason(sets);
  if (!sets.ok()) return;
  GANGPLAN_CHECK(!sets->empty());
  for (const PodSetCount& set : *sets) GANGPLAN_CHECK(set.count > 0);
}

// Up is away from zero, and not more than one further than down.
void Amount(std::string_view text) {
  for (Scale scale : {Scale::kOne, Scale::kMilli}) {
    const auto up = ParseQuantity(text, scale, Rounding::kUp);
    const auto down = ParseQuantity(text, scale, Rounding::kDown);
    if (!up.ok() || !down.ok()) continue;
    GANGPLAN_CHECK(*up >= 0 ? *down <= *up && *up - *down <= 1 : *up <= *down && *down - *up <= 1);
  }
}

// Every node that is read has a unit of each level.
void CheckPaths(const absl::StatusOr<NodePaths>& paths) {
  CheckReason(paths);
  if (!paths.ok()) return;
  for (const auto& [node, units] : paths->nodes)
    GANGPLAN_CHECK(!node.empty() && units.size() == paths->levels.size());
}

// Lines are a key of the object's data and its value.
void Reservation(std::string_view text) {
  static const Topology& levels = *new Topology(Levels());
  static const std::vector<ScopedTopology>& topologies = *new std::vector<ScopedTopology>{{levels}};
  ConfigMapFacts object;
  object.name = "reserved";
  for (const std::string& line : Split(text, '\n')) {
    const size_t equals = line.find('=');
    if (equals != std::string::npos)
      SetLabel(object.data, line.substr(0, equals), line.substr(equals + 1));
  }
  const auto words = ReadReservation(object, topologies, 0);
  CheckReason(words);
  if (words.ok()) GANGPLAN_CHECK(words->count > 0 && words->from < words->until);
}

}  // namespace

void FuzzWords(std::string_view text) {
  if (text.empty()) return;
  const char reader = text[0];
  text.remove_prefix(1);
  switch (reader) {
    case 'p':
      return Ladder(text);
    case 's':
      return PodSets(text);
    case 'q':
      return Amount(text);
    case 'd':
      return (void)ReadGoDuration(text);
    case 'r':
      return Reservation(text);
    case 't':
      return CheckPaths(ReadTreeFile(text, "file"));
    case 'u':
      return CheckPaths(ReadSlurmTopology(text, "file"));
    case 'l':
      return (void)LabelKeyFaults(text);
    default:
      CheckReason(ReadSettings(text, "file"));
  }
}

}  // namespace gangplan

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gangplan::FuzzWords({reinterpret_cast<const char*>(data), size});
  return 0;
}
