// The incremental model against one that is built from the facts alone, in any order, and against
// counts that are reckoned the plain way.
#include <algorithm>
#include <functional>
#include <map>
#include <random>

#include "tests/support/catch.h"
#include "tests/support/cluster_facts.h"
#include "tests/support/rounds.h"
#include "topology/base/text.h"
#include "topology/model.h"

namespace gangplan::model_random_test {
namespace {

struct PodFact {
  std::string node;
  ResourceList requests;
};

struct ShapeFact {
  ResourceList demand;
  NodeFilter filter;
  ShapeId id = -1;
  int users = 0;
};

// A small cluster as plain facts beside the model under test, both changed by random steps.
class World {
 public:
  World() : model_(BlockRackNode()) {
    NodeFilter racks, tolerant, block, either;
    racks.required_terms = {{{{"r", SelectorOperator::kNotIn, {"r1"}}}, {}}};
    tolerant.tolerations = {{"t", true, "", {}}};
    block.node_selector = {{"b", "b1"}};
    either.required_terms = {
        {{{"r", SelectorOperator::kExists, {}}, {"b", SelectorOperator::kIn, {"b0"}}}, {}},
        {{}, {{"metadata.name", SelectorOperator::kIn, {"n3", "n4"}}}},
        {{{"r", SelectorOperator::kIn, {}}}, {}}};
    for (int64_t gpus : {1, 2, 3}) {
      for (const NodeFilter& filter : {NodeFilter{}, racks, tolerant, block, either})
        shapes_.push_back({{{"cpu", 1000 * gpus}, {"gpu", gpus}}, filter});
    }
  }

  void Step() {
    touched_ = NodeName();
    switch (Pick(8)) {
      case 0:
        return ChangeNode();
      case 1:
        return RemoveNode();
      case 2:
      case 3:
        return PutPod();
      case 4:
        return ErasePod();
      case 5:
        return AddHold();
      case 6:
        return RemoveHold();
      default:
        return ChangeShape();
    }
  }

  // The counts of every used shape on the node that was touched last.
  void CheckTouched() {
    NodeIndex node = model_.FindNode(touched_);
    int32_t leaf = node == kNoNode ? -1 : model_.LeafOfNode(0, node);
    for (const ShapeFact& shape : shapes_) {
      if (shape.users == 0 || leaf < 0) continue;
      REQUIRE(model_.Counts(shape.id).levels.back()[leaf] == PlainCount(touched_, shape, false));
      REQUIRE(model_.EmptyCounts(shape.id).levels.back()[leaf] ==
              PlainCount(touched_, shape, true));
    }
  }

  // How many fit on that node beside some members of another shape.
  void CheckBeside() {
    NodeIndex node = model_.FindNode(touched_);
    int32_t leaf = node == kNoNode ? -1 : model_.LeafOfNode(0, node);
    const ShapeFact& other = shapes_[Pick(static_cast<uint32_t>(shapes_.size()))];
    if (leaf < 0 || other.users == 0) return;
    const auto members = static_cast<int32_t>(Pick(4));
    for (const ShapeFact& shape : shapes_) {
      if (shape.users == 0) continue;
      for (CountKind kind : {CountKind::kNow, CountKind::kEmpty}) {
        REQUIRE(model_.FitBeside(leaf, kind, shape.id, {{shape.id, other.id}}, {{0, members}}) ==
                PlainCount(touched_, shape, kind == CountKind::kEmpty, &other, members));
      }
    }
  }

  std::string Fingerprint() { return model_.Fingerprint(); }

  // The same facts told to a new model in another order.
  std::string RebuiltFingerprint() {
    Model fresh(BlockRackNode());
    std::vector<std::function<void()>> facts;
    for (const auto& [name, node] : nodes_)
      facts.push_back([&, &n = node] { REQUIRE(fresh.UpsertNode(n).ok()); });
    for (const auto& [uid, pod] : pods_)
      facts.push_back([&, &u = uid, &p = pod] { fresh.PutPod(u, p.node, p.requests); });
    for (ShapeFact& shape : shapes_) {
      facts.push_back([&] {
        if (shape.users > 0) fresh.AcquireShape(0, shape.demand, shape.filter);
      });
    }
    std::shuffle(facts.begin(), facts.end(), random_);
    for (const auto& tell : facts) tell();
    for (const auto& [node, shape] : holds_) {
      ShapeId id = fresh.AcquireShape(0, shapes_[shape].demand, {});
      bool known = fresh.FindNode(node) != kNoNode;
      if (!known) fresh.PutPod("for-a-while", node, {});
      fresh.AddHold(fresh.FindNode(node), id);
      if (!known) fresh.ErasePod("for-a-while");
      fresh.ReleaseShape(id);
    }
    return fresh.Fingerprint();
  }

 private:
  uint32_t Pick(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  std::string NodeName() { return fmt::format("n{}", Pick(24)); }

  void ChangeNode() {
    NodeFacts node = MakeNode(touched_, {{"b", fmt::format("b{}", Pick(2))}}, {{"pods", 5}});
    if (Pick(8) > 0) node.labels.emplace_back("r", fmt::format("r{}", Pick(3)));
    auto known = nodes_.find(touched_);
    if (known != nodes_.end() && Pick(4) > 0) node = known->second;
    if (Pick(2) == 0) node.allocatable = {{"cpu", 1000 * Pick(12)}, {"gpu", Pick(9)}};
    if (Pick(4) == 0) node.ready = Pick(3) > 0;
    if (Pick(4) == 0) node.unschedulable = Pick(3) == 0;
    if (Pick(4) == 0) node.taints.clear();
    if (Pick(8) == 0) node.taints = {{"t", "", TaintEffect::kNoSchedule}};
    if (Pick(8) == 0) node.taints = {{"node.kubernetes.io/not-ready", "", TaintEffect::kNoExecute}};
    nodes_[touched_] = node;
    REQUIRE(model_.UpsertNode(node).ok());
  }

  void RemoveNode() {
    if (Pick(4) > 0) return;
    nodes_.erase(touched_);
    model_.RemoveNode(touched_);
  }

  // A new pod, or a known one that is resized or moved.
  void PutPod() {
    std::string uid = fmt::format("p{}", Pick(40));
    PodFact pod{touched_, {{"cpu", 500 * Pick(4)}, {"gpu", Pick(3)}}};
    if (Pick(8) == 0) pod.requests = {{fmt::format("odd-{}", Pick(5)), 1}};
    pods_[uid] = pod;
    model_.PutPod(uid, pod.node, pod.requests);
  }

  void ErasePod() {
    std::string uid = fmt::format("p{}", Pick(40));
    pods_.erase(uid);
    model_.ErasePod(uid);
  }

  void AddHold() {
    size_t shape = Pick(static_cast<uint32_t>(shapes_.size()));
    NodeIndex node = model_.FindNode(touched_);
    if (shapes_[shape].users == 0 || node == kNoNode || holds_.size() > 20) return;
    model_.AddHold(node, shapes_[shape].id);
    holds_.emplace_back(touched_, shape);
  }

  void RemoveHold() {
    if (holds_.empty()) return;
    auto hold = holds_.begin() + Pick(static_cast<uint32_t>(holds_.size()));
    const ShapeFact& shape = shapes_[hold->second];
    ShapeId id = model_.AcquireShape(0, shape.demand, shape.filter);
    model_.RemoveHold(model_.FindNode(hold->first), id);
    model_.ReleaseShape(id);
    touched_ = hold->first;
    holds_.erase(hold);
  }

  void ChangeShape() {
    ShapeFact& shape = shapes_[Pick(static_cast<uint32_t>(shapes_.size()))];
    if (shape.users > 0 && Pick(2) == 0) {
      model_.ReleaseShape(shape.id);
      --shape.users;
      return;
    }
    ShapeId id = model_.AcquireShape(0, shape.demand, shape.filter);
    REQUIRE((shape.users == 0 || id == shape.id));
    shape.id = id;
    ++shape.users;
  }

  static int64_t Amount(const ResourceList& list, const std::string& resource) {
    for (const ResourceAmount& part : list) {
      if (part.name == resource) return part.amount;
    }
    return 0;
  }

  int64_t PlainFree(const std::string& name, const std::string& resource, bool empty) {
    auto amount = [&](const ResourceList& list) { return Amount(list, resource); };
    int64_t free = amount(nodes_.at(name).allocatable);
    if (empty) return free;
    for (const auto& [uid, pod] : pods_) free -= pod.node == name ? amount(pod.requests) : 0;
    for (const auto& [node, shape] : holds_)
      free -= node == name ? amount(shapes_[shape].demand) : 0;
    return free;
  }

  // `members` of `other` stand there as well.
  int32_t PlainCount(const std::string& name, const ShapeFact& shape, bool empty,
                     const ShapeFact* other = nullptr, int32_t members = 0) {
    const NodeFacts& node = nodes_.at(name);
    bool usable = MatchesSelector(shape.filter, node) &&
                  (empty ? ToleratesLastingTaints(shape.filter, node)
                         : node.ready && ToleratesTaints(shape.filter, node));
    int64_t count = usable ? kMaxLeafCount : 0;
    for (const ResourceAmount& part : shape.demand) {
      int64_t free = std::max<int64_t>(PlainFree(name, part.name, empty), 0);
      if (other != nullptr) free -= members * Amount(other->demand, part.name);
      count = std::min(count, std::max<int64_t>(free, 0) / part.amount);
    }
    return static_cast<int32_t>(count);
  }

  std::mt19937 random_{20240611};
  Model model_;
  std::map<std::string, NodeFacts> nodes_;
  std::map<std::string, PodFact> pods_;
  std::vector<std::pair<std::string, size_t>> holds_;
  std::vector<ShapeFact> shapes_;
  std::string touched_;
};

TEST_CASE("after any steps the model is what its facts say") {
  World world;
  const int steps = Rounds(100'000);
  for (int step = 1; step <= steps; ++step) {
    INFO("step " << step);
    world.Step();
    world.CheckTouched();
    world.CheckBeside();
    if (step % 200 != 0) continue;
    REQUIRE(world.Fingerprint() == world.RebuiltFingerprint());
  }
}

}  // namespace
}  // namespace gangplan::model_random_test
