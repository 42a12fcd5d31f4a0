// What shapes gain and where, against counts before and after: every short sequence of changes,
// read after each of them and only at the end.
#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "tests/support/catch.h"
#include "tests/support/cluster_facts.h"
#include "topology/base/text.h"
#include "topology/model.h"

namespace gangplan::model_shape_gain_test {
namespace {

// Of 6 GPUs that are free either fits as often as of 7; one of each together needs 7.
const ResourceList kSmall = {{"gpu", 3}};
const ResourceList kLarge = {{"cpu", 2}, {"gpu", 4}};

NodeFacts Gpus(const std::string& name, int64_t gpus, const std::string& rack = "r1") {
  return MakeNode(name, {{"b", "b"}, {"r", rack}}, {{"cpu", 9}, {"gpu", gpus}});
}

NodeFacts With(NodeFacts node, std::vector<Taint> taints) {
  node.taints = std::move(taints);
  return node;
}

// Every change that the sequences are made of; false: it cannot be made now.
constexpr int kChanges = 15;
bool Change(Model& model, ShapeId held, int which) {
  const NodeIndex n1 = model.FindNode("n1");
  auto put = [&](const NodeFacts& node) { return model.UpsertNode(node).ok(); };
  switch (which) {
    case 0:
      return model.PutPod("p", "n1", {{"gpu", 1}}), true;
    case 1:
      return model.PutPod("p", "n1", {{"cpu", 8}, {"gpu", 4}}), true;
    case 2:
      return model.PutPod("p", "n2", {{"gpu", 2}}), true;
    case 3:
      return model.ErasePod("p"), true;
    case 4:
      return model.PutPod("q", "n1", {{"cpu", 1}}), true;
    case 5:
      return model.ErasePod("q"), true;
    case 6:
      return model.HoldCount(n1) == 0 && (model.AddHold(n1, held), true);
    case 7:
      return model.HoldCount(n1) > 0 && (model.RemoveHold(n1, held), true);
    case 8:
      return put(With(Gpus("n1", 7), {{"node.kubernetes.io/not-ready", "", {}}}));
    case 9:
      return put(Gpus("n1", 8));
    case 10:
      return put(With(Gpus("n1", 7), {{"team", "red", {}}}));
    case 11:
      return put(Gpus("n1", 7));
    case 12:
      return model.RemoveNode("n2"), true;
    case 13:
      return put(Gpus("n2", 7, "r2"));
    default:
      return put(Gpus("n2", 6));
  }
}

// All that can be said of the shapes on one node: its path, then how many of the second fit beside
// 0, 1, ... of the first, now and on the empty cluster, and how many of each alone.
struct Look {
  std::string path;
  std::array<std::vector<int32_t>, 2> alone;
  std::vector<int32_t> beside;
};
using Looks = std::map<std::string, Look>;

// Of a copy, so that the model's own counts are not read.
Looks LookAt(Model model, const std::vector<ShapeId>& shapes) {
  Looks looks;
  for (int32_t leaf = 0; leaf < model.tree(0).leaf_count(); ++leaf) {
    Look look{model.tree(0).Path(2, leaf), {}, {}};
    for (CountKind kind : {CountKind::kNow, CountKind::kEmpty}) {
      for (size_t i = 0; i < shapes.size(); ++i)
        look.alone[i].push_back(model.FitBeside(leaf, kind, shapes[i], {}, {}));
      for (int32_t taken = 0; taken <= look.alone[0].back(); ++taken)
        look.beside.push_back(model.FitBeside(leaf, kind, shapes[1], {{shapes[0]}}, {{taken}}));
      look.beside.resize(kind == CountKind::kNow ? 10 : 20);
    }
    looks.emplace(model.NodeName(model.NodeOfLeaf(0, leaf)), std::move(look));
  }
  return looks;
}

bool SomeGrew(const std::vector<int32_t>& before, const std::vector<int32_t>& after) {
  for (size_t i = 0; i < after.size(); ++i) {
    if (after[i] > (i < before.size() ? before[i] : 0)) return true;
  }
  return false;
}

// The nodes of which `part` of the look grew. A node elsewhere in the tree is a new one.
template <typename Part>
std::vector<std::string> Grown(const Looks& before, const Looks& after, Part part) {
  std::vector<std::string> names;
  for (const auto& [name, look] : after) {
    auto known = before.find(name);
    const bool fresh = known == before.end() || known->second.path != look.path;
    if (SomeGrew(fresh ? std::vector<int32_t>{} : part(known->second), part(look)))
      names.push_back(name);
  }
  return names;
}

bool SameTree(const Looks& a, const Looks& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.second.path == y.second.path; });
}

// Shapes that are read together now and then, and what was seen the last time.
class Reader {
 public:
  Reader(const Model& model, std::vector<ShapeId> read, std::vector<ShapeId> all)
      : read_(std::move(read)), all_(std::move(all)) {
    Remember(model);
  }

  // `moved`: the set of nodes or their places have changed since the last reading.
  void Read(const Model& model, bool moved) {
    const Looks now = LookAt(model, all_);
    const std::vector<std::string> grown = Grown(looks_, now, [&](const Look& look) {
      if (read_.size() > 1) return look.beside;
      return look.alone[read_[0] == all_[0] ? 0 : 1];
    });
    const bool exact = read_.size() == 1 && !moved;
    const bool gained = model.Gain(read_) > gain_;
    const std::vector<std::string> where = GainedNames(model);
    REQUIRE(model.Gain(read_) >= gain_);
    REQUIRE(gained == !where.empty());
    if (exact) REQUIRE(where == grown);
    REQUIRE(std::includes(where.begin(), where.end(), grown.begin(), grown.end()));
    Remember(model);
    REQUIRE(GainedNames(model).empty());
  }

  bool SeesTheTreeOf(const Model& model) const { return SameTree(looks_, LookAt(model, all_)); }

 private:
  std::vector<std::string> GainedNames(const Model& model) {
    const auto leaves = model.GainedLeaves(read_, gain_);
    REQUIRE(leaves.has_value());
    std::vector<std::string> names;
    for (int32_t leaf : *leaves) names.push_back(model.NodeName(model.NodeOfLeaf(0, leaf)));
    std::sort(names.begin(), names.end());
    return names;
  }

  void Remember(const Model& model) {
    looks_ = LookAt(model, all_);
    gain_ = model.Gain(read_);
    for (ShapeId shape : read_) {
      model.Counts(shape);
      model.EmptyCounts(shape);
    }
  }

  std::vector<ShapeId> read_;
  std::vector<ShapeId> all_;
  Looks looks_;
  uint64_t gain_ = 0;
};

struct World {
  Model model{BlockRackNode()};
  std::vector<ShapeId> shapes;
  std::vector<Reader> often;  // read after each change
  std::vector<Reader> late;   // read when the sequence ends
  bool moved = false;         // some change of the sequence moved nodes

  World() {
    for (const char* name : {"n1", "n2"}) REQUIRE(model.UpsertNode(Gpus(name, 7)).ok());
    // Shapes of the same demands, told apart by a toleration, are read at other times.
    for (const char* taint : {"often", "late"}) {
      NodeFilter filter;
      filter.tolerations = {{taint, true, "", {}}};
      for (const ResourceList& demand : {kSmall, kLarge})
        shapes.push_back(model.AcquireShape(0, demand, filter));
    }
    often = Readers(shapes[0], shapes[1]);
    late = Readers(shapes[2], shapes[3]);
  }

  std::vector<Reader> Readers(ShapeId small, ShapeId large) const {
    std::vector<Reader> readers;
    for (const std::vector<ShapeId>& read : {std::vector{small}, {large}, {small, large}})
      readers.emplace_back(model, read, std::vector{small, large});
    return readers;
  }
};

void Go(const World& world, int steps) {
  for (int which = 0; which < kChanges; ++which) {
    World next = world;
    if (!Change(next.model, next.shapes[0], which)) continue;
    INFO("change " << which << ", then " << steps - 1 << " more");
    const bool moved = !next.often.front().SeesTheTreeOf(next.model);
    next.moved |= moved;
    for (Reader& reader : next.often) reader.Read(next.model, moved);
    if (steps > 1) {
      Go(next, steps - 1);
    } else {
      for (Reader& reader : next.late) reader.Read(next.model, next.moved);
    }
  }
}

TEST_CASE("a shape gains exactly where a count grew, several wherever they may have") {
  Go(World(), 3);
}

TEST_CASE("what one pod frees is no gain of a shape that it does not concern") {
  Model model(BlockRackNode());
  REQUIRE(model.UpsertNode(Gpus("n1", 7)).ok());
  const ShapeId gpu = model.AcquireShape(0, kSmall, {});
  model.PutPod("p", "n1", {{"cpu", 5}});
  model.Counts(gpu);
  const uint64_t gain = model.Gain({{gpu}});
  const uint64_t any = model.gain_version();
  model.ErasePod("p");
  CHECK(model.gain_version() > any);
  CHECK(model.Gain({{gpu}}) == gain);
}

// Many nodes, of which `gains` gain one after the other; then how many are told.
std::optional<size_t> ToldGains(size_t gains) {
  Model model(BlockRackNode());
  for (size_t i = 0; i < gains; ++i) {
    REQUIRE(model.UpsertNode(Gpus(fmt::format("n{}", i), 7)).ok());
    model.PutPod(fmt::format("p{}", i), fmt::format("n{}", i), {{"gpu", 5}});
  }
  const ShapeId gpu = model.AcquireShape(0, kSmall, {});
  model.Counts(gpu);
  const uint64_t since = model.Gain({{gpu}});
  for (size_t i = 0; i < gains; ++i) {
    model.ErasePod(fmt::format("p{}", i));
    model.Gain({{gpu}});
  }
  const auto leaves = model.GainedLeaves({{gpu}}, since);
  return leaves ? std::optional(leaves->size()) : std::nullopt;
}

TEST_CASE("as many gains are told apart as the limit says") {
  CHECK(ToldGains(kMaxGains) == kMaxGains);
  CHECK(ToldGains(kMaxGains + 1) == std::nullopt);
}

TEST_CASE("many nodes that change at once are counted as one by one") {
  Model model(BlockRackNode());
  constexpr int kNodes = 400;
  auto name = [](int i) { return fmt::format("n{:03}", i); };
  for (int i = 0; i < kNodes; ++i) REQUIRE(model.UpsertNode(Gpus(name(i), 12)).ok());
  const ShapeId gpu = model.AcquireShape(0, kSmall, {});
  const ShapeId other = model.AcquireShape(0, kLarge, {});
  for (ShapeId shape : {gpu, other}) model.Counts(shape);
  const uint64_t before = model.Gain({{gpu}});
  for (int i = 0; i < kNodes; ++i) model.PutPod(name(i), name(i), {{"gpu", 3 * (i % 5)}});
  CHECK(model.Gain({{gpu}}) == before);
  for (int i = 0; i < kNodes; ++i) REQUIRE(model.Counts(gpu).at(2)[i] == 4 - i % 5);
  for (int i = 0; i < kNodes; ++i) model.PutPod(name(i), name(i), {{"cpu", i % 5}});
  CHECK(model.Gain({{gpu}}) > before);
  CHECK(model.GainedLeaves({{gpu}}, before) == std::nullopt);
  CHECK(model.Counts(gpu).at(0)[0] == 4 * kNodes);
  const Model fresh = model;
  CHECK(model.Counts(other).levels == Model(fresh).Counts(other).levels);
}

TEST_CASE("of shapes that were never read every gain counts, and other levels are one for all") {
  Model model(BlockRackNode());
  REQUIRE(model.UpsertNode(Gpus("n1", 7)).ok());
  const ShapeId gpu = model.AcquireShape(0, kSmall, {});
  CHECK(model.Gain({{gpu}}) == model.gain_version());
  const uint64_t unread = model.Gain({{gpu}});
  model.Counts(gpu);
  CHECK(model.Gain({{gpu}}) == unread);
  model.SetTopology(0, CompleteTopology({"default", {{"rack", "r"}}}).value());
  CHECK(model.Gain({{gpu}}) > unread);
  CHECK(model.GainedLeaves({{gpu}}, unread) == std::nullopt);
  CHECK(model.GainedLeaves({{gpu}}, model.Gain({{gpu}})) == std::vector<int32_t>{});
}

}  // namespace
}  // namespace gangplan::model_shape_gain_test
