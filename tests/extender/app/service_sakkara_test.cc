// The service with the ConfigMaps of Sakkara's users: a tree, a group, results, and what is told of
// objects that cannot be read. The cluster is one in memory; threads and clock are real ones, and
// every wait is for an event.
#include <condition_variable>
#include <future>
#include <map>

#include "extender/app/service.h"
#include "extender/demo/watched_cluster.h"
#include "extender/kube/file_cluster.h"
#include "tests/support/sakkara_world.h"
#include "tests/support/sentences.h"

namespace gangplan::service_sakkara_test {
namespace {

constexpr std::string_view kTree = R"({"r0":{"n0":{},"n1":{}},"r1":{"n2":{}}})";
constexpr auto kPatience = std::chrono::seconds(30);

NodeFacts Node(std::string_view name) {
  NodeFacts node = MakeNode(0, 0, 0, 4);
  node.name = name;
  node.labels = {{std::string(kHostnameLabel), std::string(name)}};
  return node;
}

ConfigMapFacts TreeObject(std::string_view tree) {
  ConfigMapFacts object;
  object.ns = "default";
  object.name = "tree";
  object.uid = "uid-tree";
  object.labels = {{std::string(kSakkaraTopologyLabel), ""}};
  object.data = {{"tree", std::string(tree)}};
  return object;
}

Settings SakkaraSettings() {
  Settings settings;
  settings.topologies = {{{"default", {{"node", std::string(kHostnameLabel)}}}}};
  settings.topologies[0].source = TopologySource::kSakkara;
  settings.sakkara_groups = true;
  return settings;
}

// The service on its cluster, and what both have said.
class World {
 public:
  explicit World(std::string_view tree)
      : cluster_(Objects(tree)),
        watched_(cluster_,
                 {[this](const auto& events) { Note(events); }, [] {}, [](const auto&) {}}),
        service_(SakkaraSettings(), watched_, metrics_, SystemClock(),
                 [] { return std::vector<CallId>(); }) {
    cluster_.SetEventReader([this](const EventNote& note) {
      std::lock_guard lock(mutex_);
      notes_[{note.regarding.name, note.reason}] = note.note;
      changed_.notify_all();
    });
    REQUIRE(service_.Start().ok());
    Settle();
  }
  ~World() { service_.Stop(); }

  FileCluster& cluster() { return cluster_; }
  bool ready() { return service_.views().WhyNotReady().empty(); }
  // Until the cluster has delivered all that came before.
  void Settle() {
    std::promise<void> reached;
    cluster_.Wake({}, [&](const absl::Status&) { reached.set_value(); });
    reached.get_future().wait();
  }
  void Put(ConfigMapFacts object) {
    cluster_.PutConfigMap(std::move(object));
    Settle();
  }
  // The nodes that filter lets through, or why it rejects.
  std::string Filter(std::string_view name) {
    FilterRequest request;
    request.pod = RingPod(name);
    request.nodes.emplace();
    request.nodes->names = {"n0", "n1", "n2", "n9"};
    const FilterReply reply = service_.verbs().Filter(request);
    std::string text = reply.error;
    for (int32_t index : reply.passed) text += request.nodes->names[static_cast<size_t>(index)];
    if (text.empty() && !reply.unresolvable.empty()) text = reply.unresolvable.front().text;
    return text;
  }
  // Both calls are held until both are there.
  void BindBoth(const std::string& a, const std::string& b) {
    const auto bind = [this](std::string_view name, const std::string& node, int64_t call) {
      return service_.verbs().Bind({std::string(name), "team", RingPod(name).uid, node},
                                   {call, SystemClock().Now()});
    };
    auto first = std::async(std::launch::async, bind, "a", a, 1);
    CHECK(bind("b", b, 2).empty());
    CHECK(first.get().empty());
  }
  std::string AwaitEvent(const std::string& object, const std::string& reason) {
    std::unique_lock lock(mutex_);
    const auto event = std::pair(object, reason);
    REQUIRE(changed_.wait_for(lock, kPatience, [&] { return notes_.contains(event); }));
    return notes_[event];
  }
  std::string AwaitValue(const std::string& key) {
    std::unique_lock lock(mutex_);
    REQUIRE(changed_.wait_for(lock, kPatience, [&] { return FindLabel(data_, key) != nullptr; }));
    return *FindLabel(data_, key);
  }

 private:
  static ObjectList Objects(std::string_view tree) {
    ObjectList objects;
    for (const char* name : {"n0", "n1", "n2", "n9"}) objects.nodes.push_back(Node(name));
    objects.config_maps = {TreeObject(tree)};
    return objects;
  }
  void Note(const std::vector<ClusterEvent>& events) {
    std::lock_guard lock(mutex_);
    for (const ClusterEvent& event : events) {
      const auto* seen = std::get_if<ConfigMapSeen>(&event);
      if (seen != nullptr && seen->use == ConfigMapUse::kSakkaraGroup) data_ = seen->facts.data;
    }
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<std::string, std::string>, std::string> notes_;  // by object and reason
  LabelSet data_;                                                     // of the group's object
  Metrics metrics_;
  FileCluster cluster_;
  WatchedCluster watched_;
  Service service_;
};

TEST_CASE("Service: a group is placed on the tree of a ConfigMap and its results are written") {
  World world(kTree);
  CHECK(world.ready());
  world.Put(RingObject("2", R"({"rack":{"type":"spread","partitions":2}})"));
  for (const char* name : {"a", "b"}) world.cluster().AddPod(RingPod(name));
  world.Settle();
  const std::string a = world.Filter("a");
  const std::string b = world.Filter("b");
  CHECK(std::min(a, b) == "n0");
  CHECK(std::max(a, b) == "n2");
  world.BindBoth(a, b);
  CHECK(world.AwaitValue("status") == "Bound");
  CHECK(world.AwaitValue("placement").starts_with(R"({"root":{"r0":{"n0":{)"));
  CHECK_FALSE(world.AwaitValue("schedTotalTimeMilli").empty());
}

TEST_CASE("Service: a tree that changes lets a group start that waits") {
  World world(kTree);
  world.Put(RingObject("2", R"({"rack":{"type":"spread","hard":true}})"));
  for (const char* name : {"a", "b"}) world.cluster().AddPod(RingPod(name));
  world.Put(TreeObject(R"({"r0":{"n0":{},"n1":{},"n2":{}}})"));
  const Sentence waits("impossible, so many fit", "ring", 2, "rack=spread!", 1);
  CHECK(world.Filter("a") == waits);
  world.Put(TreeObject("{"));
  CHECK(world.Filter("a").starts_with(waits.text() + "; topology ConfigMap tree: tree: "));
  CHECK(world.AwaitEvent("tree", "TopologyRefused").starts_with("the topology is refused: tree: "));
  world.Put(TreeObject(R"({"r0":{"n0":{}},"r7":{"n9":{}}})"));
  CHECK(world.Filter("a") + world.Filter("b") == "n9n0");
}

TEST_CASE("Service: with a tree that cannot be read it is not ready, and says which key") {
  World world(R"({"r0":{"n0":7}})");
  CHECK_FALSE(world.ready());
  world.cluster().AddPod(RingPod("a"));
  world.Settle();
  CHECK(world.Filter("a").starts_with(
      "gangplan waits for a topology ConfigMap in namespace default; topology ConfigMap tree: "
      "tree.r0.n0: "));
  world.Put(TreeObject(kTree));
  CHECK(world.ready());
}

TEST_CASE("Service: a group that cannot be read is told on its ConfigMap") {
  World world(kTree);
  world.Put(RingObject("2", R"({"rack":{"min":"2"}})"));
  world.Filter("a");  // the first verb makes the service one that writes
  CHECK(
      world.AwaitEvent("ring-object", "GroupRefused") ==
      Sentence("group refused", "ring", "constraints.rack.min: expected a number, found a string"));
}

}  // namespace
}  // namespace gangplan::service_sakkara_test
