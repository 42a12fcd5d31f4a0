// Sakkara's ConfigMaps and pods' labels on the way between the API server and the sink.
#include "api_bench.h"
#include "topology/tree.h"

namespace gangplan::api_config_maps_test {
namespace {

FakeConfigMap Group(const std::string& ns, const std::string& name, const std::string& status) {
  return {.ns = ns,
          .name = name,
          .uid = "u-" + name,
          .labels = {{"sakkara.group", ""}},
          .data = {{"status", status}}};
}
FakeConfigMap Tree(const std::string& ns, const std::string& name) {
  return {.ns = ns, .name = name, .uid = "u", .labels = {{"sakkara.topology", ""}}};
}

TEST_CASE("Sakkara's groups of all namespaces and topologies of one are told before synced") {
  ApiBench bench;
  bench.options.sakkara_groups = true;
  bench.options.sakkara_topologies = "kube-system";
  bench.api.SetPageItems(1);
  bench.api.PutConfigMap(Group("a", "g", "Ready"));
  bench.api.PutConfigMap(Group("b", "g", "Ready"));
  bench.api.PutConfigMap(Tree("kube-system", "t"));
  bench.api.PutConfigMap(Tree("a", "t"));  // not of the administrators' namespace
  bench.api.PutConfigMap({.ns = "a", .name = "other", .uid = "u"});
  bench.Start();
  bench.WaitFor("synced");
  std::vector<std::string> heard = bench.Heard();
  CHECK(heard.back() == "synced");
  std::sort(heard.begin(), heard.end());
  CHECK(heard == std::vector<std::string>{"group a/g status=Ready", "group b/g status=Ready",
                                          "synced", "tree kube-system/t"});
  bench.api.PutConfigMap(Group("a", "g", "Bound"));
  bench.WaitFor("group a/g status=Bound");
  FakeConfigMap unlabelled = Group("b", "g", "Ready");
  unlabelled.labels.clear();
  bench.api.PutConfigMap(unlabelled);
  bench.WaitFor("-group b/g");
  bench.api.DeleteConfigMap("kube-system", "t");
  bench.WaitFor("-tree kube-system/t");
  CHECK(bench.Warnings().empty());
}

TEST_CASE("without their options no ConfigMaps are asked for") {
  ApiBench bench;
  bench.api.PutConfigMap(Group("a", "g", "Ready"));
  bench.Start();
  bench.WaitFor("synced");
  bench.cluster->Stop();
  for (const std::string& request : bench.api.Requests())
    CHECK(request.find("configmaps") == std::string::npos);
}

TEST_CASE("groups that may not be listed are told of, and nothing is synced before they are") {
  ApiBench bench;
  bench.options.sakkara_groups = true;
  auto release =
      bench.api.HoldAll(Begins("GET /api/v1/configmaps?labelSelector=sakkara.group&lim"));
  bench.api.FailNext(Begins("GET /api/v1/configmaps"), FakeKubeApi::When::kBefore,
                     HttpResponse{403, R"({"message":"configmaps is forbidden"})", {}});
  bench.Start();
  bench.api.WaitForRequests("GET /api/v1/nodes?watch", 1);
  bench.api.WaitForRequests("GET /api/v1/pods?watch", 1);
  const std::vector<std::string> heard = bench.Heard();
  CHECK(std::count(heard.begin(), heard.end(), "synced") == 0);
  release();
  bench.WaitForWarning("Sakkara's groups: list: 403 configmaps is forbidden");
  bench.WaitFor("synced");
}

struct Writer {
  ApiBench& bench;
  absl::Status Data(const ConfigMapRef& object, LabelPatch data) {
    std::promise<absl::Status> done;
    bench.cluster->WriteData({object, std::move(data)},
                             [&](absl::Status status) { done.set_value(std::move(status)); });
    return done.get_future().get();
  }
  absl::Status Labels(const PodRef& pod, LabelPatch labels) {
    std::promise<absl::Status> done;
    bench.cluster->WriteLabels({pod, std::move(labels)},
                               [&](absl::Status status) { done.set_value(std::move(status)); });
    return done.get_future().get();
  }
};

TEST_CASE("results are written into a group's data, and the watch shows them") {
  ApiBench bench;
  bench.options.sakkara_groups = true;
  FakeConfigMap group = Group("ns", "g", "Ready");
  group.data.emplace("constraints", "{}");
  group.data.emplace("rank", "[]");
  bench.api.PutConfigMap(group);
  bench.Start();
  bench.WaitFor("synced");
  Writer write{bench};
  const LabelPatch bound = {{"rank", std::nullopt}, {"status", "Bound"}};
  CHECK(write.Data({"ns", "g", "u-g"}, bound).ok());
  bench.WaitFor("group ns/g constraints={} status=Bound");
  CHECK(absl::IsAborted(write.Data({"ns", "g", "u-old"}, bound)));
  CHECK(absl::IsNotFound(write.Data({"other", "g", "u-g"}, bound)));
  bench.cluster->Stop();
  CHECK(absl::IsCancelled(write.Data({"ns", "g", "u-g"}, bound)));
}

TEST_CASE("labels of a pod are written, and those of others stay") {
  ApiBench bench;
  bench.api.PutPod({.name = "p", .uid = "u1", .labels = {{"app", "x"}, {"old", "y"}}});
  bench.Start();
  Writer write{bench};
  const LabelPatch labels = {{"old", std::nullopt}, {"sakkara.member.rank", "2"}};
  bench.api.FailNext(Begins("PATCH "), FakeKubeApi::When::kBefore,
                     HttpResponse{409, R"({"message":"the object has been modified"})", {}});
  CHECK(write.Labels(kPod, labels).ok());
  CHECK(bench.api.GetPod("ns", "p").labels ==
        std::map<std::string, std::string>{{"app", "x"}, {"sakkara.member.rank", "2"}});
  CHECK(absl::IsAborted(write.Labels({"ns", "p", "u2"}, labels)));
  CHECK(absl::IsNotFound(write.Labels({"ns", "q", "u2"}, labels)));
}

TEST_CASE("the mark of an eviction is written before results that came earlier") {
  ApiBench bench;
  bench.api.PutPod({.name = "p", .uid = "u1"});
  bench.api.PutPod({.name = "q", .uid = "u2"});
  bench.Start(1);
  bench.WaitFor("synced");
  const std::string path = "PATCH /api/v1/namespaces/ns/pods/";
  auto release = bench.api.HoldAll(Begins(path));
  std::promise<absl::Status> results[2], mark;
  for (auto& done : results) {
    bench.cluster->WriteLabels({kPod, {{"a", "b"}}},
                               [&](absl::Status status) { done.set_value(std::move(status)); });
  }
  bench.api.WaitForRequests(path + "p", 1);
  bench.cluster->MarkPod({{"ns", "q", "u2"}, {{"a", std::nullopt}}},
                         [&](absl::Status status) { mark.set_value(std::move(status)); });
  release();
  CHECK(mark.get_future().get().ok());
  for (auto& done : results) CHECK(done.get_future().get().ok());
  std::vector<std::string> patches;
  for (const std::string& request : bench.api.Requests()) {
    if (request.starts_with(path)) patches.push_back(request.substr(path.size(), 1));
  }
  CHECK(patches == std::vector<std::string>{"p", "q", "p"});
}

TEST_CASE("labels of a Binding land on the pod where the server takes them") {
  for (const auto& [minor, labels] :
       {std::pair(34, std::map<std::string, std::string>{{"a", "old"}}),
        std::pair(35, std::map<std::string, std::string>{{"a", "new"}, {"b", "new"}})}) {
    ApiBench bench;
    bench.api.SetMinorVersion(minor);
    bench.api.PutPod({.name = "p", .uid = "u1", .labels = {{"a", "old"}}});
    bench.Start();
    std::promise<BindResult> done;
    bench.cluster->Bind(
        {kPod, "n1", {}, bench.clock.Now() + absl::Minutes(1), {{"a", "new"}, {"b", "new"}}},
        [&](BindResult result) { done.set_value(std::move(result)); });
    CHECK(done.get_future().get().outcome == BindOutcome::kBound);
    CHECK(bench.api.GetPod("ns", "p").labels == labels);
  }
}

}  // namespace
}  // namespace gangplan::api_config_maps_test
