// Random cases asked the live way: through the model, its counts and its room, as the general
// request of the planner. The answer is that of the reference model, pod set by pod set.
#include <algorithm>
#include <map>

#include "algorithms/engine.h"
#include "extender/planner/model_room.h"
#include "tests/conformance/placement_answer.h"
#include "tests/support/catch.h"
#include "tests/support/random_tas/random_case.h"
#include "tests/support/rounds.h"
#include "tests/support/tas_reference/reference.h"
#include "topology/base/text.h"

namespace gangplan::conformance {
namespace {

constexpr uint64_t kFirstLive = 7'000'000;

// Live, a node is known by its name and every level has a value.
bool IsLive(const PlacementCase& one) {
  if (one.levels.back() != kHostnameLabel || one.replacement) return false;
  if (one.options.preferred_node_affinity) return false;
  for (const NodeFacts& node : one.nodes) {
    for (const std::string& level : one.levels) {
      const std::string* value = FindLabel(node.labels, level);
      if (value != nullptr && value->empty()) return false;
    }
  }
  return std::all_of(one.pod_sets.begin(), one.pod_sets.end(), [](const CasePodSet& set) {
    return set.count > 0 && !set.previous_assignment;
  });
}

int LevelOf(const PlacementCase& one, const std::string& label) {
  auto level = std::find(one.levels.begin(), one.levels.end(), label);
  return level == one.levels.end() ? -1 : static_cast<int>(level - one.levels.begin());
}

// Rules per level; none for words that the planner refuses before it asks.
std::optional<LevelRules> RulesFor(const PlacementCase& one, const CasePodSet& set) {
  LevelRules rules(one.levels.size());
  if (!set.topology) return rules;
  const TopologyWords& words = *set.topology;
  if (words.unconstrained && !words.slices.empty()) return std::nullopt;
  int above = -1;
  for (const auto* word : {&words.required, &words.preferred}) {
    if (!word->has_value()) continue;
    const int level = LevelOf(one, **word);
    if (level < 0) return std::nullopt;
    rules[level].emplace().hard = word == &words.required;
    above = level - 1;
  }
  int64_t size = 0;
  for (const SliceLayer& layer : words.slices) {
    const int level = LevelOf(one, layer.level);
    if (level <= above || !layer.size || (size > 0 && size % *layer.size != 0)) return std::nullopt;
    above = level;
    size = *layer.size;
    if (!rules[level]) rules[level].emplace().kind = LevelRule::Kind::kAny;
    rules[level]->factor = static_cast<int32_t>(size);
  }
  return rules;
}

class LiveCase {
 public:
  explicit LiveCase(const PlacementCase& one) : case_(one), model_(TopologyOf(one)) {
    for (const NodeFacts& node : one.nodes) AddNode(node);
    for (const RunningPod& pod : one.running_pods) {
      if (pod.node.empty() || pod.phase == "Succeeded" || pod.phase == "Failed") continue;
      ResourceList requests = pod.requests;
      requests.push_back({"pods", 1});
      model_.PutPod(pod.name, hosts_.at(pod.node), requests);
    }
    for (size_t i = 0; i < one.used.size(); ++i)
      model_.PutPod(fmt::format("used-{}", i), one.used[i].domain.back(), one.used[i].requests);
  }

  // False: the planner refuses such words.
  bool AddPodSets() {
    request_.strategy = Strategy::kTas;
    request_.tas.profile = case_.options.profile;
    request_.tas.balanced = case_.options.balanced_placement;
    request_.rules.resize(case_.levels.size());
    std::map<std::string, int32_t> groups;
    for (const CasePodSet& set : case_.pod_sets) {
      std::optional<LevelRules> rules = RulesFor(case_, set);
      if (!rules) return false;
      const int32_t next = static_cast<int32_t>(groups.size());
      const int32_t group = set.group.empty() ? -1 : groups.emplace(set.group, next).first->second;
      request_.pod_sets.push_back(
          {set.name, static_cast<int32_t>(set.count), 0, group, *std::move(rules)});
      ResourceList demand = set.requests;
      demand.push_back({"pods", 1});
      shapes_.push_back(model_.AcquireShape(0, demand, FilterOf(set)));
    }
    return true;
  }

  // "set-0 x1:2 x5:1", a line a pod set; else "wait: " or "impossible: " and the one that decides.
  std::string Answer() {
    const ModelRoom now(model_, CountKind::kNow, shapes_);
    const ModelRoom empty(model_, CountKind::kEmpty, shapes_);
    const PlacementResult result = Place(
        now.View(), [&] { return empty.View(); }, request_, Budget{});
    REQUIRE(result.outcome != Outcome::kInvalid);
    if (result.outcome != Outcome::kPlaced)
      return fmt::format("{}: {}", Name(result.outcome),
                         request_.pod_sets[result.deciding_pod_set].name);
    std::map<std::string, std::map<std::string, int64_t>> pods;
    for (const PlacedMember& member : result.members) {
      const Tree& tree = model_.tree(0);
      ++pods[request_.pod_sets[member.pod_set].name][tree.name(tree.leaf_level(), member.leaf)];
    }
    std::string text;
    for (const auto& [name, hosts] : pods) {
      text += name;
      for (const auto& [host, count] : hosts) text += fmt::format(" {}:{}", host, count);
      text += "\n";
    }
    return text;
  }

 private:
  static Topology TopologyOf(const PlacementCase& one) {
    Topology topology;
    for (const std::string& level : one.levels) topology.levels.push_back({level, level});
    return CompleteTopology(topology).value();
  }

  void AddNode(NodeFacts node) {
    const std::string host = *FindLabel(node.labels, std::string(kHostnameLabel));
    hosts_[node.name] = host;
    bool takes_part = node.ready && !node.unschedulable;
    for (const auto& [key, value] : case_.node_filter_labels) {
      const std::string* label = FindLabel(node.labels, key);
      takes_part = takes_part && label != nullptr && *label == value;
    }
    node.name = host;
    if (takes_part) REQUIRE(model_.UpsertNode(node).ok());
  }

  NodeFilter FilterOf(const CasePodSet& set) const {
    NodeFilter filter = set.filter;
    filter.tolerations.insert(filter.tolerations.end(), case_.flavor_tolerations.begin(),
                              case_.flavor_tolerations.end());
    if (!filter.required_terms) return filter;
    for (NodeSelectorTerm& term : *filter.required_terms) {
      for (SelectorRequirement& field : term.fields) {
        for (std::string& name : field.values) {
          if (auto host = hosts_.find(name); host != hosts_.end()) name = host->second;
        }
      }
    }
    return filter;
  }

  const PlacementCase& case_;
  Model model_;
  std::map<std::string, std::string> hosts_;  // by the name in the case
  PlacementRequest request_;
  std::vector<ShapeId> shapes_;
};

// What the reference says: lines as above, or the pod set that does not fit; of a leader and its
// workers the workers.
struct Said {
  std::string lines;
  std::string failed;
};

Said ReferenceSays(const PlacementCase& one) {
  Said said;
  std::map<std::string, std::map<std::string, int64_t>> pods;
  int64_t most = 0;
  for (const PodSetAnswer& answer : tas_reference::ReferenceAnswer(one, Compatibility::kFixed)) {
    if (std::holds_alternative<Failure>(answer.result)) {
      const auto set = std::find_if(one.pod_sets.begin(), one.pod_sets.end(),
                                    [&](const auto& s) { return s.name == answer.pod_set; });
      if (set->count >= most) said.failed = set->name;
      most = std::max(most, set->count);
      continue;
    }
    for (const DomainCount& domain : std::get<Assignment>(answer.result).domains)
      pods[answer.pod_set][domain.values.back()] += domain.count;
  }
  for (const auto& [name, hosts] : pods) {
    said.lines += name;
    for (const auto& [host, count] : hosts) said.lines += fmt::format(" {}:{}", host, count);
    said.lines += "\n";
  }
  return said;
}

std::string Wanted(const PlacementCase& one) {
  const Said now = ReferenceSays(one);
  if (now.failed.empty()) return now.lines;
  PlacementCase empty = one;
  empty.running_pods.clear();
  empty.used.clear();
  const Said hope = ReferenceSays(empty);
  return hope.failed.empty() ? "wait: " + now.failed : "impossible: " + hope.failed;
}

TEST_CASE("Live: random pod sets are placed as the reference model places them") {
  int asked = 0;
  int several = 0;
  int placed = 0;
  for (int i = 0; i < Rounds(20'000); ++i) {
    const PlacementCase one = random_tas::RandomCase(kFirstLive + static_cast<uint64_t>(i));
    if (!IsLive(one)) continue;
    LiveCase live(one);
    if (!live.AddPodSets()) continue;
    const std::string got = live.Answer();
    INFO(ToJson(one));
    REQUIRE(got == Wanted(one));
    ++asked;
    several += one.pod_sets.size() > 1;
    placed += one.pod_sets.size() > 1 && got.ends_with('\n');
  }
  INFO(asked << " asked, " << several << " of several pod sets, " << placed << " of those placed");
  CHECK(several > asked / 10);
  CHECK(placed > several / 10);
}

}  // namespace
}  // namespace gangplan::conformance
