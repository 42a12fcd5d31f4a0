// Sakkara's ConfigMaps and pods' labels in the cluster of a file.
#include "file_bench.h"

namespace gangplan::file_config_maps_test {
namespace {

using Texts = std::vector<std::string>;

ConfigMapFacts Object(const std::string& name, LabelSet labels, LabelSet data = {}) {
  return {"ns", name, "u-" + name, "", std::move(labels), std::move(data)};
}
ConfigMapFacts Group(const std::string& name, const std::string& status) {
  return Object(name, {{"sakkara.group", ""}}, {{"size", "2"}, {"status", status}});
}

struct Bench final : FileSink {
  explicit Bench(ObjectList objects = {}) : FileSink(std::move(objects)) {
    CHECK(cluster.Start(this).ok());
  }
  ~Bench() override { cluster.Stop(); }
  absl::Status Data(const ConfigMapRef& object, LabelPatch data) {
    std::promise<absl::Status> done;
    cluster.WriteData({object, std::move(data)}, [&](absl::Status status) {
      Say("answer");
      done.set_value(std::move(status));
    });
    return done.get_future().get();
  }
  absl::Status Labels(const PodRef& pod, LabelPatch labels) {
    std::promise<absl::Status> done;
    cluster.WriteLabels({pod, std::move(labels)}, [&](absl::Status status) {
      Say("answer");
      done.set_value(std::move(status));
    });
    return done.get_future().get();
  }
};

TEST_CASE("ConfigMaps of a file are told before nodes and pods, for each of their uses") {
  ObjectList objects;
  objects.nodes = {Node("n")};
  objects.config_maps = {Group("g", "Ready"),
                         Object("both", {{"sakkara.group", ""}, {"sakkara.topology", ""}})};
  Bench bench(std::move(objects));
  CHECK(bench.Settle() == Texts{"tree ns/both", "group ns/both", "group ns/g size=2 status=Ready",
                                "node n", "synced"});
}

TEST_CASE("a ConfigMap is gone for a use whose label was taken away") {
  Bench bench;
  bench.Settle();
  bench.cluster.PutConfigMap(Object("a", {{"app", "x"}}));
  CHECK(bench.Settle().empty());
  bench.cluster.PutConfigMap(Object("a", {{"sakkara.group", ""}, {"sakkara.topology", ""}}));
  CHECK(bench.Settle() == Texts{"tree ns/a", "group ns/a"});
  bench.cluster.PutConfigMap(Object("a", {{"sakkara.group", ""}}));
  CHECK(bench.Settle() == Texts{"-tree ns/a", "group ns/a"});
  bench.cluster.DeleteConfigMap("ns", "a");
  bench.cluster.DeleteConfigMap("ns", "a");
  CHECK(bench.Settle() == Texts{"-group ns/a"});
}

TEST_CASE("data are written, the answer before the event, and no change is no event") {
  Bench bench;
  bench.cluster.PutConfigMap(Group("g", "Ready"));
  bench.Settle();
  const LabelPatch bound = {{"rank", "[]"}, {"size", std::nullopt}, {"status", "Bound"}};
  CHECK(bench.Data({"ns", "g", "u-g"}, bound).ok());
  CHECK(bench.Settle() == Texts{"answer", "group ns/g rank=[] status=Bound"});
  CHECK(bench.Data({"ns", "g", "u-g"}, bound).ok());
  CHECK(bench.Settle() == Texts{"answer"});
  CHECK(absl::IsAborted(bench.Data({"ns", "g", "u-x"}, bound)));
  CHECK(absl::IsNotFound(bench.Data({"ns", "x", "u-g"}, bound)));
  bench.cluster.Stop();
  CHECK(absl::IsCancelled(bench.Data({"ns", "g", "u-g"}, bound)));
}

TEST_CASE("labels of a pod are written, and no change is no event") {
  ObjectList objects;
  objects.pods = {Pod("p", "1")};
  objects.pods[0].labels = {{"app", "x"}, {"old", "y"}};
  Bench bench(std::move(objects));
  bench.Settle();
  const LabelPatch labels = {{"old", std::nullopt}, {"sakkara.member.rank", "2"}};
  CHECK(bench.Labels({"ns", "p", "1"}, labels).ok());
  CHECK(bench.Settle() == Texts{"answer", "pod 1"});
  CHECK(bench.LastPod().labels == LabelSet{{"app", "x"}, {"sakkara.member.rank", "2"}});
  CHECK(bench.Labels({"ns", "p", "1"}, labels).ok());
  CHECK(bench.Settle() == Texts{"answer"});
  CHECK(absl::IsAborted(bench.Labels({"ns", "p", "2"}, labels)));
  CHECK(absl::IsNotFound(bench.Labels({"ns", "q", "1"}, labels)));
}

TEST_CASE("labels of a Binding replace the pod's") {
  ObjectList objects;
  objects.pods = {Pod("p", "1")};
  objects.pods[0].labels = {{"a", "old"}};
  Bench bench(std::move(objects));
  std::promise<BindResult> done;
  bench.cluster.Bind({{"ns", "p", "1"}, "n", {}, bench.clock.Now(), {{"a", "new"}, {"b", "new"}}},
                     [&](BindResult result) { done.set_value(std::move(result)); });
  CHECK(done.get_future().get().outcome == BindOutcome::kBound);
  bench.Settle();
  CHECK(bench.LastPod().labels == LabelSet{{"a", "new"}, {"b", "new"}});
}

}  // namespace
}  // namespace gangplan::file_config_maps_test
