#include "extender/web/page_state.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>

#include "topology/base/json_text.h"

namespace gangplan {
namespace {

void WriteGang(JsonText& json, const PageGang& gang) {
  json.Begin().Field("id", gang.id).Field("name", std::string_view(gang.name));
  json.Field("kind", std::string_view(gang.kind)).Field("state", std::string_view(gang.state));
  json.Field("road", std::string_view(gang.road)).Field("outcome", std::string_view(gang.outcome));
  if (gang.rungs_left) json.Field("rungsLeft", true);
  json.Field("place", std::string_view(gang.place)).Field("where", std::string_view(gang.where));
  json.Field("why", std::string_view(gang.why)).Field("size", gang.size).Field("seen", gang.seen);
  json.Field("bound", gang.bound).Field("priority", gang.priority).Field("line", gang.line).End();
}

void WriteNode(JsonText& json, const PageNode& node) {
  json.Value(int64_t{node.usable}).Value(node.capacity).Value(node.used).Value(node.held);
  for (const int64_t gang : node.gangs) json.Value(gang);
}

void WriteHead(JsonText& json, const PageState& state) {
  json.Field("tree", std::string_view(state.tree)).Field("generation", state.generation);
  json.Field("notReady", std::string_view(state.not_ready)).Field("unplaced", state.unplaced);
  json.Field("moreGangs", state.more_gangs);
}

// Calls came(gang) of each of `after` that is new or another one, gone(id) of the others.
template <typename Came, typename Gone>
void CompareGangs(const PageState& before, const PageState& after, Came came, Gone gone) {
  auto old = before.gangs.begin();
  for (const PageGang& gang : after.gangs) {
    for (; old != before.gangs.end() && old->id < gang.id; ++old) gone(old->id);
    const bool known = old != before.gangs.end() && old->id == gang.id;
    if (!known || !(*old == gang)) came(gang);
    if (known) ++old;
  }
  for (; old != before.gangs.end(); ++old) gone(old->id);
}

}  // namespace

std::string PageTreeJson(const Tree& tree, const std::string& version,
                         const std::string& resource) {
  JsonText json;
  json.Begin().Field("version", std::string_view(version));
  json.Field("topology", std::string_view(tree.topology().name));
  json.Field("resource", std::string_view(resource)).Key("levels").BeginList();
  for (int level = 0; level < tree.level_count(); ++level)
    json.Value(std::string_view(tree.level(level).name));
  json.EndList().Key("names").BeginList();
  for (int level = 0; level < tree.level_count(); ++level) {
    json.BeginList();
    for (int32_t i = 0; i < tree.size(level); ++i)
      json.Value(std::string_view(tree.name(level, i)));
    json.EndList();
  }
  json.EndList().Key("children").BeginList();
  for (int level = 0; level < tree.leaf_level(); ++level) {
    json.BeginList();
    for (int32_t i = 0; i < tree.size(level); ++i) {
      const Tree::Range children = tree.children(level, i);
      json.Value(int64_t{children.end - children.begin});
    }
    json.EndList();
  }
  json.EndList().End();
  return json.Take();
}

std::string PageStateJson(const PageState& state) {
  const auto less = [](const PageNode* a, const PageNode* b) {
    return std::tie(a->usable, a->capacity, a->used, a->held, a->gangs) <
           std::tie(b->usable, b->capacity, b->used, b->held, b->gangs);
  };
  std::map<const PageNode*, int64_t, decltype(less)> kinds(less);
  std::vector<const PageNode*> firsts;
  std::vector<int64_t> kind_of;
  kind_of.reserve(state.nodes.size());
  for (const PageNode& node : state.nodes) {
    const auto [it, is_new] = kinds.try_emplace(&node, std::ssize(firsts));
    if (is_new) firsts.push_back(&node);
    kind_of.push_back(it->second);
  }
  JsonText json;
  json.Begin();
  WriteHead(json, state);
  json.Key("gangs").BeginList();
  for (const PageGang& gang : state.gangs) WriteGang(json, gang);
  json.EndList().Key("kinds").BeginList();
  for (const PageNode* node : firsts) {
    json.BeginList();
    WriteNode(json, *node);
    json.EndList();
  }
  json.EndList().Key("nodes").BeginList();
  for (const int64_t kind : kind_of) json.Value(kind);
  json.EndList().End();
  return json.Take();
}

std::string PageChangesJson(const PageState& before, const PageState& after) {
  JsonText json;
  json.Begin().Field("from", before.generation);
  WriteHead(json, after);
  std::vector<int64_t> gone;
  json.Key("gangs").BeginList();
  CompareGangs(
      before, after, [&](const PageGang& gang) { WriteGang(json, gang); },
      [&](int64_t id) { gone.push_back(id); });
  json.EndList().Key("gone").BeginList();
  for (const int64_t id : gone) json.Value(id);
  json.EndList().Key("nodes").BeginList();
  for (size_t leaf = 0; leaf < after.nodes.size(); ++leaf) {
    if (leaf < before.nodes.size() && before.nodes[leaf] == after.nodes[leaf]) continue;
    json.BeginList().Value(static_cast<int64_t>(leaf));
    WriteNode(json, after.nodes[leaf]);
    json.EndList();
  }
  json.EndList().End();
  return json.Take();
}

bool Differ(const PageState& a, const PageState& b) {
  return a.tree != b.tree || a.not_ready != b.not_ready || a.unplaced != b.unplaced ||
         a.more_gangs != b.more_gangs || a.gangs != b.gangs || a.nodes != b.nodes;
}

}  // namespace gangplan
