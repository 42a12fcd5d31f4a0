#include "extender/protocol/sakkara_units.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "extender/protocol/limits.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

// Works on places of the list that the tree came as: a parent stands before what it holds.
class Arranger {
 public:
  Arranger(const std::vector<SakkaraTreeUnit>& tree, SakkaraTopology& topology)
      : tree_(tree), topology_(topology), home_(tree.size(), -1), order_(tree.size(), -1) {}

  int Run() {
    for (const SakkaraTreeUnit& unit : tree_)
      if (unit.is_node) height_ = std::max(height_, unit.depth);
    JoinUnits();
    PlaceUnits();
    std::vector<int32_t> nodes;
    for (int32_t i = 0; i < Size(); ++i)
      if (at(i).is_node) nodes.push_back(i);
    PlaceNodes(std::move(nodes));
    return height_;
  }

 private:
  int32_t Size() const { return static_cast<int32_t>(tree_.size()); }
  const SakkaraTreeUnit& at(int32_t i) const { return tree_[static_cast<size_t>(i)]; }
  // The first of the units with the same path; the root is its own.
  int32_t Home(int32_t i) const { return i < 0 ? i : home_[static_cast<size_t>(i)]; }
  int32_t Parent(int32_t i) const { return Home(at(i).parent); }
  // Place among the arranged units; -1: the root.
  int32_t Order(int32_t i) const { return i < 0 ? i : order_[static_cast<size_t>(i)]; }

  void JoinUnits() {
    absl::flat_hash_map<std::pair<int32_t, absl::string_view>, int32_t> known;
    std::vector<int32_t> repeated;
    for (int32_t i = 0; i < Size(); ++i) {
      if (at(i).is_node) continue;
      const auto [unit, is_new] = known.try_emplace({Parent(i), ToAbsl(at(i).name)}, i);
      home_[static_cast<size_t>(i)] = unit->second;
      if (!is_new) repeated.push_back(unit->second);
    }
    SortByName(repeated);
    repeated.erase(std::unique(repeated.begin(), repeated.end()), repeated.end());
    for (const int32_t i : repeated) {
      AddSakkaraProblem(topology_, at(i).name, [&] {
        return fmt::format("stands {} more than once: holds what all of them hold",
                           Under(at(i).parent));
      });
    }
  }

  void SortByName(std::vector<int32_t>& units) const {
    std::sort(units.begin(), units.end(), [&](int32_t a, int32_t b) {
      return std::tie(at(a).name, a) < std::tie(at(b).name, b);
    });
  }

  // Level by level, since units are ordered by the order of their parents.
  void PlaceUnits() {
    std::vector<int32_t> units;
    for (int32_t i = 0; i < Size(); ++i)
      if (!at(i).is_node && Home(i) == i) units.push_back(i);
    std::stable_sort(units.begin(), units.end(),
                     [&](int32_t a, int32_t b) { return at(a).depth < at(b).depth; });
    for (auto level = units.begin(); level != units.end();) {
      const auto end = std::find_if(level, units.end(),
                                    [&](int32_t i) { return at(i).depth != at(*level).depth; });
      std::sort(level, end, [&](int32_t a, int32_t b) { return IsBefore(a, b); });
      for (; level != end; ++level) {
        order_[static_cast<size_t>(*level)] = static_cast<int32_t>(topology_.units.size());
        topology_.units.push_back({at(*level).name, Order(Parent(*level))});
      }
    }
  }

  bool IsBefore(int32_t a, int32_t b) const {
    return std::make_tuple(Order(Parent(a)), std::string_view(at(a).name)) <
           std::make_tuple(Order(Parent(b)), std::string_view(at(b).name));
  }

  void PlaceNodes(std::vector<int32_t> nodes) {
    std::sort(nodes.begin(), nodes.end(), [&](int32_t a, int32_t b) {
      return std::make_tuple(std::string_view(at(a).name), at(a).depth, Order(Parent(a))) <
             std::make_tuple(std::string_view(at(b).name), at(b).depth, Order(Parent(b)));
    });
    std::vector<int32_t> kept;
    for (auto same = nodes.begin(); same != nodes.end();) {
      const auto end =
          std::find_if(same, nodes.end(), [&](int32_t i) { return at(i).name != at(*same).name; });
      if (Takes(*same, *(end - 1))) kept.push_back(*same);
      same = end;
    }
    std::sort(kept.begin(), kept.end(), [&](int32_t a, int32_t b) { return IsBefore(a, b); });
    for (const int32_t i : kept) topology_.nodes.push_back({at(i).name, Order(Parent(i))});
  }

  // Whether the node of this name has one place, at the nodes' depth; `first` and `last` are where
  // it stands.
  bool Takes(int32_t first, int32_t last) {
    const SakkaraTreeUnit& node = at(first);
    if (Parent(first) != Parent(last)) {
      AddSakkaraProblem(topology_, node.name, [&] {
        return fmt::format("stands {} and {}: left out", Under(node.parent),
                           Under(at(last).parent));
      });
      return false;
    }
    if (node.depth == height_) return true;
    AddSakkaraProblem(topology_, node.name, [&] {
      return fmt::format("stands {}, on level {} of {}: left out, since nodes stand on the last",
                         Under(node.parent), node.depth, height_);
    });
    return false;
  }

  std::string Under(int32_t unit) const {
    if (unit < 0) return "under the root";
    std::string path;
    for (; unit >= 0; unit = at(unit).parent)
      path = path.empty() ? Shown(at(unit).name) : fmt::format("{}/{}", Shown(at(unit).name), path);
    return "under " + path;
  }

  const std::vector<SakkaraTreeUnit>& tree_;
  SakkaraTopology& topology_;
  std::vector<int32_t> home_;
  std::vector<int32_t> order_;
  int height_ = 0;
};

}  // namespace

int ArrangeSakkaraUnits(const std::vector<SakkaraTreeUnit>& tree, SakkaraTopology& topology) {
  return Arranger(tree, topology).Run();
}

}  // namespace gangplan
