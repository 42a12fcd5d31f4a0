#include "extender/kube/mirror.h"

#include "event_text.h"
#include "extender/protocol/limits.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::mirror_test {
namespace {

PodFacts Pod(const std::string& name, const std::string& uid) {
  PodFacts pod;
  pod.ns = "ns";
  pod.name = name;
  pod.uid = uid;
  return pod;
}
NodeFacts Node(const std::string& name, bool ready = true) {
  NodeFacts node;
  node.name = name;
  node.ready = ready;
  return node;
}
ObjectList Pods(std::vector<PodFacts> pods) {
  ObjectList list;
  list.pods = std::move(pods);
  return list;
}
ObjectList Nodes(std::vector<NodeFacts> nodes) {
  ObjectList list;
  list.nodes = std::move(nodes);
  return list;
}

// The events of one whole list.
std::vector<std::string> List(Mirror& mirror, std::vector<ObjectList> pages) {
  std::vector<ClusterEvent> events;
  mirror.BeginList();
  for (ObjectList& page : pages) CHECK(mirror.AddPage(std::move(page), &events).ok());
  mirror.EndList(&events);
  return TextOf(events);
}

std::vector<std::string> Watch(Mirror& mirror, WatchEvent event) {
  std::vector<ClusterEvent> events;
  CHECK(mirror.Apply(std::move(event), &events).ok());
  return TextOf(events);
}

WatchEvent PodEvent(WatchEvent::Type type, PodFacts pod) {
  WatchEvent event;
  event.type = type;
  event.name = pod.ns + "/" + pod.name;
  event.pod = std::move(pod);
  return event;
}

using Texts = std::vector<std::string>;

TEST_CASE("a second list tells the difference") {
  auto mirror = MakePodMirror();
  CHECK(
      List(*mirror, {Pods({Pod("a", "1"), Pod("b", "2")}), Pods({Pod("c", "3"), Pod("d", "4")})}) ==
      Texts{"pod 1", "pod 2", "pod 3", "pod 4"});
  // b and d went, c was re-created.
  CHECK(List(*mirror, {Pods({Pod("a", "1"), Pod("c", "33")})}) ==
        Texts{"pod 1", "-pod 3", "pod 33", "-pod 2", "-pod 4"});
}

TEST_CASE("a list that broke off deletes nothing, and its successor does") {
  auto mirror = MakePodMirror();
  List(*mirror, {Pods({Pod("a", "1"), Pod("b", "2")})});
  std::vector<ClusterEvent> events;
  mirror->BeginList();
  CHECK(mirror->AddPage(Pods({Pod("b", "2")}), &events).ok());
  CHECK(List(*mirror, {Pods({Pod("a", "1")})}) == Texts{"pod 1", "-pod 2"});
}

TEST_CASE("a node is told when its facts change, in lists and in the watch") {
  auto mirror = MakeNodeMirror();
  CHECK(List(*mirror, {Nodes({Node("a"), Node("b")})}) == Texts{"node a", "node b"});
  CHECK(List(*mirror, {Nodes({Node("a"), Node("b", false)})}) == Texts{"node b"});
  WatchEvent heartbeat;
  heartbeat.type = WatchEvent::Type::kModified;
  heartbeat.node = Node("a");
  CHECK(Watch(*mirror, heartbeat).empty());
  heartbeat.node = Node("a", false);
  CHECK(Watch(*mirror, heartbeat) == Texts{"node a"});
  heartbeat.type = WatchEvent::Type::kDeleted;
  CHECK(Watch(*mirror, heartbeat) == Texts{"-node a"});
  CHECK(Watch(*mirror, heartbeat).empty());
  CHECK(List(*mirror, {Nodes({})}) == Texts{"-node b"});
}

TEST_CASE("pods come and go in the watch") {
  auto mirror = MakePodMirror();
  CHECK(Watch(*mirror, PodEvent(WatchEvent::Type::kAdded, Pod("a", "1"))) == Texts{"pod 1"});
  CHECK(Watch(*mirror, PodEvent(WatchEvent::Type::kModified, Pod("a", "1"))) == Texts{"pod 1"});
  CHECK(Watch(*mirror, PodEvent(WatchEvent::Type::kAdded, Pod("a", "2"))) ==
        Texts{"-pod 1", "pod 2"});
  CHECK(Watch(*mirror, PodEvent(WatchEvent::Type::kDeleted, Pod("a", "2"))) == Texts{"-pod 2"});
  CHECK(Watch(*mirror, PodEvent(WatchEvent::Type::kDeleted, Pod("a", "2"))).empty());
}

TEST_CASE("what was known of an object that cannot be used stays, until it is deleted") {
  auto mirror = MakePodMirror();
  List(*mirror, {Pods({Pod("a", "1"), Pod("b", "2")})});
  ObjectList page;
  page.bad.push_back({"ns/a", absl::InvalidArgumentError("bad")});
  CHECK(List(*mirror, {page}) == Texts{"-pod 2"});
  WatchEvent event;
  event.name = "ns/a";
  event.bad = absl::InvalidArgumentError("bad");
  event.type = WatchEvent::Type::kModified;
  CHECK(Watch(*mirror, event).empty());
  event.type = WatchEvent::Type::kDeleted;
  CHECK(Watch(*mirror, event) == Texts{"-pod 1"});
}

TEST_CASE("a pod whose name another one has that cannot be read is deleted by the list") {
  const auto unreadable = [](std::string_view uid) {
    std::string page = fmt::format(
        R"({{"items":[{{"metadata":{{"name":"a","namespace":"ns"{}}},"spec":7}}]}})", uid);
    return *DecodeList(page, "Pod");
  };
  for (const auto& [uid, told] :
       {std::pair(R"(,"uid":"2")", Texts{"-pod 1"}), {R"(,"uid":"1")", Texts{}}, {"", Texts{}}}) {
    auto mirror = MakePodMirror();
    List(*mirror, {Pods({Pod("a", "1")})});
    const ObjectList page = unreadable(uid);
    REQUIRE(page.bad.size() == 1);
    CHECK(page.bad[0].name == "ns/a");
    CHECK(List(*mirror, {page}) == told);
  }
}

TEST_CASE("a pod whose name another one has in which something is wrong is deleted by the list") {
  const std::string too_long(kMaxAnnotationBytes + 1, 'x');
  std::string text =
      fmt::format(R"({{"items":[{{"metadata":{{"name":"a","namespace":"ns","uid":"2",)"
                  R"("annotations":{{"gangplan.io/place":"{}"}}}}}}]}})",
                  too_long);
  auto mirror = MakePodMirror();
  List(*mirror, {Pods({Pod("a", "1")})});
  const ObjectList page = *DecodeList(text, "Pod");
  REQUIRE(page.bad.size() == 1);
  CHECK(List(*mirror, {page}) == Texts{"-pod 1"});
}

TEST_CASE("a topology is told when its levels change") {
  auto mirror = MakeTopologyMirror();
  ObjectList list;
  list.topologies = {{"a", {{"rack", "example.com/rack"}}}};
  CHECK(List(*mirror, {list}) == Texts{"topology a: example.com/rack"});
  CHECK(List(*mirror, {list}).empty());
  WatchEvent event;
  event.name = "a";
  event.type = WatchEvent::Type::kDeleted;
  event.topology = list.topologies[0];
  CHECK(Watch(*mirror, event) == Texts{"-topology a"});
  event.type = WatchEvent::Type::kAdded;
  event.topology.levels[0].label = "example.com/row";
  CHECK(Watch(*mirror, event) == Texts{"topology a: example.com/row"});
  event.type = WatchEvent::Type::kModified;
  event.bad = absl::InvalidArgumentError("bad");
  CHECK(Watch(*mirror, event).empty());
  ObjectList bad;
  bad.bad.push_back({"a", absl::InvalidArgumentError("bad")});
  CHECK(List(*mirror, {bad}).empty());
}

TEST_CASE("topologies are looked for in both versions, again and again") {
  auto mirror = MakeTopologyMirror();
  const absl::Status missing = absl::NotFoundError("list: 404 not found");
  CHECK(mirror->path() == "/apis/kueue.x-k8s.io/v1beta2/topologies");
  CHECK(mirror->NotServed(missing).ok());
  CHECK(mirror->path() == "/apis/kueue.x-k8s.io/v1beta1/topologies");
  CHECK(absl::IsNotFound(mirror->NotServed(missing)));
  CHECK(mirror->path() == "/apis/kueue.x-k8s.io/v1beta2/topologies");
  CHECK(MakeNodeMirror()->NotServed(missing) == missing);
}

TEST_CASE("as many objects as allowed, and not one more") {
  auto mirror = MakePodMirror(2);
  List(*mirror, {Pods({Pod("a", "1"), Pod("b", "2")})});
  std::vector<ClusterEvent> events;
  absl::Status status = mirror->Apply(PodEvent(WatchEvent::Type::kAdded, Pod("c", "3")), &events);
  CHECK(absl::IsResourceExhausted(status));
  CHECK(Message(status) == "there are more than 2 objects of kind Pod");
  CHECK(events.empty());
  CHECK(mirror->Apply(PodEvent(WatchEvent::Type::kModified, Pod("b", "22")), &events).ok());
  auto nodes = MakeNodeMirror(1);
  nodes->BeginList();
  CHECK(absl::IsResourceExhausted(nodes->AddPage(Nodes({Node("a"), Node("b")}), &events)));
}

}  // namespace
}  // namespace gangplan::mirror_test
