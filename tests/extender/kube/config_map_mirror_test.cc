#include "event_text.h"
#include "extender/kube/mirror.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::config_map_mirror_test {
namespace {

using Texts = std::vector<std::string>;
using Type = WatchEvent::Type;

constexpr ConfigMapUse kGroup = ConfigMapUse::kSakkaraGroup;
constexpr ConfigMapUse kTree = ConfigMapUse::kSakkaraTopology;

ConfigMapFacts Object(const std::string& name, const std::string& status, int version = 1,
                      const std::string& uid = "u") {
  return {"ns", name, uid, std::to_string(version), {{"sakkara.group", ""}}, {{"status", status}}};
}

std::unique_ptr<Mirror> Groups(size_t most = kMaxMirroredSakkaraGroups) {
  return MakeConfigMapMirror(kGroup, "", {most});
}

ObjectList Page(std::vector<ConfigMapFacts> objects) {
  ObjectList list;
  list.config_maps = std::move(objects);
  return list;
}

std::vector<ClusterEvent> ListEvents(Mirror& mirror, ObjectList page) {
  std::vector<ClusterEvent> events;
  mirror.BeginList();
  CHECK(mirror.AddPage(std::move(page), &events).ok());
  mirror.EndList(&events);
  return events;
}
Texts List(Mirror& mirror, ObjectList page) { return TextOf(ListEvents(mirror, std::move(page))); }

std::vector<ClusterEvent> WatchEvents(Mirror& mirror, Type type, ConfigMapFacts object) {
  WatchEvent event;
  event.type = type;
  event.name = object.ns + "/" + object.name;
  event.config_map = std::move(object);
  std::vector<ClusterEvent> events;
  CHECK(mirror.Apply(std::move(event), &events).ok());
  return events;
}
Texts Watch(Mirror& mirror, Type type, ConfigMapFacts object) {
  return TextOf(WatchEvents(mirror, type, std::move(object)));
}

TEST_CASE("ConfigMaps are listed by their label, in one namespace or in all, in small pages") {
  auto groups = Groups();
  CHECK(groups->kind() == "ConfigMap");
  CHECK(groups->path() == "/api/v1/configmaps");
  CHECK(groups->label() == "sakkara.group");
  CHECK(groups->page_items() == kConfigMapPageItems);
  auto trees = MakeConfigMapMirror(kTree, "kube-system", {kMaxMirroredSakkaraTopologies});
  CHECK(trees->path() == "/api/v1/namespaces/kube-system/configmaps");
  CHECK(trees->label() == "sakkara.topology");
  CHECK(MakePodMirror()->label().empty());
  CHECK(MakePodMirror()->page_items() == kListPageItems);
}

TEST_CASE("a ConfigMap is told as what it is read for, with all its facts") {
  auto trees = MakeConfigMapMirror(kTree, "ns", {8});
  const ConfigMapFacts object = Object("a", "x", 7);
  const auto events = ListEvents(*trees, Page({object}));
  REQUIRE(events.size() == 1);
  const auto* seen = std::get_if<ConfigMapSeen>(&events[0]);
  REQUIRE(seen != nullptr);
  CHECK(seen->use == kTree);
  CHECK(seen->facts == object);
  CHECK(List(*trees, {}) == Texts{"-tree ns/a"});
}

TEST_CASE("a new version alone is no change, and data, labels and the UID are") {
  auto mirror = Groups();
  CHECK(List(*mirror, Page({Object("a", "Ready", 1), Object("b", "Ready", 1)})) ==
        Texts{"group ns/a status=Ready", "group ns/b status=Ready"});
  CHECK(List(*mirror, Page({Object("a", "Ready", 2), Object("b", "Ready", 3)})).empty());
  CHECK(Watch(*mirror, Type::kModified, Object("a", "Ready", 4)).empty());
  CHECK(Watch(*mirror, Type::kModified, Object("a", "Bound", 5)) ==
        Texts{"group ns/a status=Bound"});
  ConfigMapFacts labelled = Object("a", "Bound", 6);
  labelled.labels.emplace_back("team", "x");
  CHECK(WatchEvents(*mirror, Type::kModified, labelled).size() == 1);
  // Re-created under its name: the new object, and nothing is deleted.
  const auto events = WatchEvents(*mirror, Type::kAdded, Object("b", "Ready", 7, "u2"));
  REQUIRE(events.size() == 1);
  CHECK(std::get<ConfigMapSeen>(events[0]).facts.uid == "u2");
}

TEST_CASE("the difference of two lists, and deletes of the watch, by namespace and name") {
  auto mirror = Groups();
  ConfigMapFacts other = Object("a", "Ready");
  other.ns = "other";
  CHECK(List(*mirror, Page({Object("a", "Ready"), other})).size() == 2);
  CHECK(List(*mirror, Page({other})) == Texts{"-group ns/a"});
  CHECK(Watch(*mirror, Type::kDeleted, Object("a", "Ready")).empty());
  CHECK(Watch(*mirror, Type::kDeleted, other) == Texts{"-group other/a"});
}

TEST_CASE("what was known of a ConfigMap that cannot be used stays, until it is deleted") {
  auto mirror = Groups();
  List(*mirror, Page({Object("a", "Ready")}));
  ObjectList page;
  page.bad.push_back({"ns/a", absl::InvalidArgumentError("bad")});
  CHECK(List(*mirror, page).empty());
  WatchEvent event;
  event.name = "ns/a";
  event.bad = absl::InvalidArgumentError("bad");
  event.type = Type::kModified;
  std::vector<ClusterEvent> events;
  CHECK(mirror->Apply(event, &events).ok());
  CHECK(events.empty());
  event.type = Type::kDeleted;
  CHECK(mirror->Apply(event, &events).ok());
  CHECK(TextOf(events) == Texts{"-group ns/a"});
}

TEST_CASE("as many ConfigMaps as allowed, and one more is left out and told of once") {
  struct Case {
    ConfigMapUse use;
    size_t most;
    std::string_view text;
  };
  for (const Case& one :
       {Case{kGroup, kMaxMirroredSakkaraGroups,
             "there are more than 20000 objects of kind ConfigMap with label sakkara.group: those "
             "beyond are left out"},
        Case{kTree, kMaxMirroredSakkaraTopologies,
             "there are more than 64 objects of kind ConfigMap with label sakkara.topology: those "
             "beyond are left out"}}) {
    auto mirror = MakeConfigMapMirror(one.use, "ns", {one.most});
    std::vector<ConfigMapFacts> objects;
    for (size_t i = 0; i < one.most; ++i) objects.push_back(Object(std::to_string(i), "Ready"));
    CHECK(ListEvents(*mirror, Page(objects)).size() == one.most);
    CHECK(mirror->TakeWarnings().empty());
    CHECK(WatchEvents(*mirror, Type::kAdded, Object("beyond", "Ready")).empty());
    CHECK(mirror->TakeWarnings() == Texts{std::string(one.text)});
    CHECK(WatchEvents(*mirror, Type::kAdded, Object("beyond it", "Ready")).empty());
    CHECK(mirror->TakeWarnings().empty());
  }
}

TEST_CASE("of too many ConfigMaps those that are known stay, wherever a list has them") {
  auto mirror = Groups(2);
  CHECK(List(*mirror, Page({Object("b", "Ready"), Object("c", "Ready")})).size() == 2);
  CHECK(List(*mirror, Page({Object("a", "Ready"), Object("b", "Bound"), Object("c", "Ready")})) ==
        Texts{"group ns/b status=Bound"});
  CHECK_FALSE(mirror->TakeWarnings().empty());
  CHECK(Watch(*mirror, Type::kModified, Object("a", "Bound")).empty());
  CHECK(Watch(*mirror, Type::kDeleted, Object("a", "Bound")).empty());
}

TEST_CASE("of ConfigMaps a namespace has a share, and keeps nobody out of the rest") {
  const auto in = [](const std::string& ns, const std::string& name) {
    ConfigMapFacts object = Object(name, "Ready");
    object.ns = ns;
    return object;
  };
  const auto mirror = MakeConfigMapMirror(ConfigMapUse::kRankList, "", {4, 2});
  CHECK(
      ListEvents(*mirror, Page({in("a", "1"), in("a", "2"), in("a", "3"), in("b", "1")})).size() ==
      3);
  CHECK(mirror->TakeWarnings() ==
        Texts{"namespace a has more than 2 rank lists: those beyond are left out"});
  CHECK(WatchEvents(*mirror, Type::kAdded, in("a", "4")).empty());
  CHECK(mirror->TakeWarnings().empty());
  CHECK(WatchEvents(*mirror, Type::kAdded, in("b", "2")).size() == 1);
  CHECK_FALSE(mirror->WantsList());
  // What is known may change, and what goes leaves its place to another one of its namespace.
  ConfigMapFacts changed = in("a", "1");
  changed.data = {{"status", "Bound"}};
  CHECK(WatchEvents(*mirror, Type::kModified, changed).size() == 1);
  CHECK(WatchEvents(*mirror, Type::kDeleted, in("a", "1")).size() == 1);
  CHECK(mirror->WantsList());
  CHECK(
      ListEvents(*mirror, Page({in("a", "2"), in("a", "3"), in("b", "1"), in("b", "2")})).size() ==
      1);
  CHECK(
      ListEvents(*mirror, Page({in("a", "2"), in("a", "5"), in("b", "1"), in("b", "2")})).size() ==
      1);  // in a list, too: the one that is gone
  CHECK_FALSE(mirror->TakeWarnings().empty());
  CHECK(
      ListEvents(*mirror, Page({in("a", "2"), in("a", "5"), in("b", "1"), in("b", "2")})).size() ==
      1);
}

TEST_CASE("of ConfigMaps a namespace has a share of the bytes, whether they come or grow") {
  const auto in = [](const std::string& ns, const std::string& name, size_t kib) {
    ConfigMapFacts object = Object(name, std::string(kib << 10, 'x'));
    object.ns = ns;
    return object;
  };
  constexpr size_t kMib = size_t{1} << 20;
  const auto mirror = MakeConfigMapMirror(kGroup, "", {100, 50, 4 * kMib, 2 * kMib});
  CHECK(ListEvents(*mirror, Page({in("a", "1", 1000), in("a", "2", 1000)})).size() == 2);
  CHECK(WatchEvents(*mirror, Type::kAdded, in("a", "3", 100)).empty());
  CHECK(mirror->TakeWarnings() ==
        Texts{"namespace a has more than 2 MiB of Sakkara's groups: those beyond are left out"});
  CHECK(WatchEvents(*mirror, Type::kAdded, in("b", "1", 1000)).size() == 1);
  CHECK_FALSE(mirror->WantsList());
  // One that grows is as good as gone; what it had is free for others, of which a list tells.
  const auto grown = WatchEvents(*mirror, Type::kModified, in("a", "1", 1100));
  REQUIRE(grown.size() == 1);
  CHECK(std::get<ConfigMapDeleted>(grown[0]).name == "1");
  CHECK(WatchEvents(*mirror, Type::kModified, in("a", "1", 1200)).empty());
  CHECK(mirror->WantsList());
  CHECK(ListEvents(*mirror, Page({in("a", "1", 1200), in("a", "2", 1000), in("a", "3", 100),
                                  in("b", "1", 1000)}))
            .size() == 1);
  CHECK_FALSE(mirror->WantsList());
  // Many small keys are counted as what they take, too.
  ConfigMapFacts keys = in("b", "2", 0);
  for (int i = 0; i < 40'000; ++i) keys.data.emplace_back(std::to_string(100'000 + i), "");
  CHECK(WatchEvents(*mirror, Type::kAdded, keys).empty());
  // All together have a bound, too.
  CHECK(WatchEvents(*mirror, Type::kAdded, in("c", "1", 1900)).size() == 1);
  CHECK(mirror->TakeWarnings().size() == 1);
  CHECK(WatchEvents(*mirror, Type::kAdded, in("d", "1", 100)).empty());
  CHECK(mirror->TakeWarnings() ==
        Texts{"there are more than 4 MiB of Sakkara's groups: those beyond are left out"});
  // ... which pushes out nobody who is known.
  CHECK(WatchEvents(*mirror, Type::kModified, in("b", "1", 1500)).size() == 1);
  CHECK(WatchEvents(*mirror, Type::kModified, in("b", "1", 1600)).size() == 1);
  CHECK(mirror->TakeWarnings().empty());
  CHECK(WatchEvents(*mirror, Type::kDeleted, in("c", "1", 1900)).size() == 1);
  CHECK(mirror->WantsList());
}

TEST_CASE("ConfigMaps that were left out are listed again when there is room, and told of anew") {
  auto mirror = Groups(1);
  CHECK(List(*mirror, Page({Object("a", "Ready"), Object("b", "Ready")})).size() == 1);
  CHECK_FALSE(mirror->TakeWarnings().empty());
  CHECK_FALSE(mirror->WantsList());
  CHECK(Watch(*mirror, Type::kDeleted, Object("a", "Ready")) == Texts{"-group ns/a"});
  CHECK(mirror->WantsList());
  CHECK(List(*mirror, Page({Object("b", "Ready")})) == Texts{"group ns/b status=Ready"});
  CHECK_FALSE(mirror->WantsList());
  CHECK(WatchEvents(*mirror, Type::kAdded, Object("c", "Ready")).empty());
  CHECK_FALSE(mirror->TakeWarnings().empty());
}

}  // namespace
}  // namespace gangplan::config_map_mirror_test
