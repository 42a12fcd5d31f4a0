// `gangplan snapshot`: what is read of an API server, and that it means the same in a file.
#include "extender/cli/saved_cluster.h"

#include <algorithm>
#include <set>

#include "extender/app/dry_run.h"
#include "extender/cli/manifest.h"
#include "extender/cli/pseudonyms.h"
#include "extender/demo/generator.h"
#include "extender/demo/object_text.h"
#include "extender/kube/cluster_file.h"
#include "extender/observe/log.h"
#include "tests/support/catch.h"
#include "tests/support/stub_api.h"
#include "topology/base/text.h"

namespace gangplan::saved_cluster_test {
namespace {

constexpr std::string_view kNodes = "/api/v1/nodes?limit=500";
constexpr std::string_view kPods = "/api/v1/pods?limit=500";
constexpr std::string_view kJobs = "/apis/batch/v1/jobs?limit=500";

std::string Node(const std::string& name, const std::string& rack) {
  return R"({"metadata":{"name":")" + name + R"(","uid":"u-)" + name +
         R"(","resourceVersion":"9",)" + R"("labels":{"kubernetes.io/hostname":")" + name +
         R"(","example.com/rack":")" + rack + R"("},"annotations":{"secret/token":"hunter2"}},)" +
         R"("spec":{"taints":[{"key":"gpu","value":"yes","effect":"NoSchedule"}],)" +
         R"("providerID":"aws:///hunter2"},"status":{"allocatable":{"cpu":"8","pods":"10"},)" +
         R"("conditions":[{"type":"Ready","status":"True","lastHeartbeatTime":"now",)" +
         R"("message":"kubelet is ready"}],"images":[{"names":["hunter2"]}]}})";
}

std::string Pod(const std::string& name, const std::string& spec) {
  return R"({"metadata":{"name":")" + name + R"(","namespace":"ml","uid":"u-)" + name +
         R"(","labels":{"app":"train","index":"3"},"annotations":{"gangplan.io/place":)" +
         R"("rack=pack!","gangplan.io/group":"train","note":"hunter2"},"ownerReferences":[)" +
         R"({"apiVersion":"batch/v1","kind":"Job","name":"train","uid":"j1",)" +
         R"("controller":true}]},)" +
         R"("spec":{"schedulerName":"gangplan","priority":7,"containers":[{"name":"c",)" +
         R"("image":"hunter2","command":["hunter2"],"env":[{"value":"hunter2"}],)" +
         R"("resources":{"requests":{"cpu":"1"}}}],"volumes":[{"secret":{"name":"hunter2"}}],)" +
         R"("tolerations":[{"key":"gpu","value":"yes","effect":"NoSchedule"}],"affinity":)" +
         R"({"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)" +
         R"({"nodeSelectorTerms":[{"matchExpressions":[{"key":"example.com/rack",)" +
         R"("operator":"In","values":["west","east"]}]}]}}})" + spec +
         R"(},"status":{"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False",)" +
         R"("reason":"Unschedulable","message":"0/2 nodes are available: 2 Too many pods."}]}})";
}

constexpr std::string_view kJob =
    R"({"metadata":{"name":"train","namespace":"ml","uid":"j1"},"spec":{"parallelism":2,)"
    R"("template":{"spec":{"containers":[{"env":[{"value":"hunter2"}]}]}}}})";

StubApi Api() {
  StubApi api;
  api.Put(std::string(kNodes), Node("zone-b", "west"), "more");
  api.Put(std::string(kNodes) + "&continue=more", Node("zone-a", "east"));
  api.Put(std::string(kPods),
          Pod("train-1", R"(,"schedulingGates":[{"name":"gangplan.io/gang"}])") + "," +
              Pod("train-0", R"(,"nodeName":"zone-a")"));
  api.Put(std::string(kJobs), std::string(kJob));
  api.Put("/apis/scheduling.k8s.io/v1/priorityclasses?limit=500",
          R"({"metadata":{"name":"high"},"value":7,"description":"hunter2"})");
  return api;
}

// As a watch would tell them, without versions.
ObjectList FactsOf(const StubApi& api) {
  ObjectList all;
  for (const auto& [target, answer] : api.answers) {
    std::string body = answer.body;
    const bool nodes = target.starts_with(kNodes);
    absl::StatusOr<ObjectList> list = DecodeList(body, nodes ? "Node" : "Pod");
    if (!nodes && !target.starts_with(kPods)) continue;
    REQUIRE(list.ok());
    for (NodeFacts& node : list->nodes) all.nodes.push_back(std::move(node));
    for (PodFacts& pod : list->pods) all.pods.push_back(std::move(pod));
  }
  const auto by_name = [](const auto& a, const auto& b) { return a.name < b.name; };
  std::sort(all.nodes.begin(), all.nodes.end(), by_name);
  std::sort(all.pods.begin(), all.pods.end(), by_name);
  return all;
}

TEST_CASE("A snapshot is read back as the facts that the API server's objects are") {
  StubApi api = Api();
  const absl::StatusOr<SavedCluster> saved = SaveCluster(api, false);
  REQUIRE(saved.ok());
  CHECK(saved->notes.empty());
  CHECK(saved->nodes == 2);
  CHECK(saved->pods == 2);
  CHECK(saved->owners == 1);
  CHECK(saved->text.find("hunter2") == std::string::npos);
  CHECK(saved->text.find("kubelet") == std::string::npos);
  const absl::StatusOr<ObjectList> read = ParseClusterText(saved->text, "saved");
  REQUIRE(read.ok());
  const ObjectList facts = FactsOf(api);
  CHECK(read->nodes == facts.nodes);
  CHECK(read->pods == facts.pods);
  REQUIRE(read->owners.size() == 1);
  CHECK(read->owners[0].size == 2);
  CHECK(read->owners[0].ref == OwnerRef{"batch/v1", "Job", "train", "j1"});
  REQUIRE(read->rules.size() == 1);
  CHECK(read->rules[0].priority == 7);
  CHECK(read->pods[1].gates.gang);
  CHECK(read->pods[1].scheduler_words.find("Too many pods") != std::string::npos);
}

TEST_CASE("The same objects give the same snapshot, whatever their versions and heartbeats are") {
  StubApi api = Api(), later = Api();
  later.Put(std::string(kNodes), Node("zone-a", "east") + "," + Node("zone-b", "west"));
  for (auto& [target, answer] : later.answers) {
    for (const auto& [old, now] : {std::pair("\"now\"", "\"then\""), {"\"9\"", "\"10\""}}) {
      for (size_t at = 0; (at = answer.body.find(old, at)) != std::string::npos; at += 4)
        answer.body.replace(at, std::string_view(old).size(), now);
    }
  }
  CHECK(SaveCluster(api, false)->text == SaveCluster(later, false)->text);
}

TEST_CASE("Reservations are in a snapshot, and in no anonymous one, which says so") {
  StubApi api = Api();
  api.Put("/api/v1/configmaps?limit=500&labelSelector=gangplan.io%2Freservation",
          R"({"metadata":{"name":"evening","namespace":"gangplan","uid":"r","labels":)"
          R"({"gangplan.io/reservation":""}},"data":{"count":"2"}})");
  const absl::StatusOr<SavedCluster> saved = SaveCluster(api, false);
  REQUIRE(saved.ok());
  const absl::StatusOr<ObjectList> read = ParseClusterText(saved->text, "saved");
  REQUIRE(read.ok());
  REQUIRE(read->config_maps.size() == 1);
  CHECK(read->config_maps[0].name == "evening");
  CHECK(FindLabel(read->config_maps[0].data, "count") != nullptr);
  const absl::StatusOr<SavedCluster> anonymous = SaveCluster(api, true);
  REQUIRE(anonymous.ok());
  REQUIRE(anonymous->notes.size() == 1);
  CHECK(anonymous->notes[0].starts_with("ConfigMaps, of Sakkara's users and of reservations, "));
  CHECK(anonymous->text.find("reservation") == std::string::npos);
}

TEST_CASE("ConfigMaps that nobody may list are told once, whatever they are for") {
  StubApi api = Api();
  api.other = [](const HttpRequest& request) {
    const bool maps = request.target.starts_with("/api/v1/configmaps");
    return HttpResponse{maps ? 403 : 404, maps ? "configmaps is forbidden" : ""};
  };
  const absl::StatusOr<SavedCluster> saved = SaveCluster(api, false);
  REQUIRE(saved.ok());
  REQUIRE(saved->notes.size() == 1);
  CHECK(saved->notes[0].starts_with("ConfigMaps are left out: "));
}

TEST_CASE("A page of pods that is too large is asked for in smaller ones") {
  StubApi api = Api();
  const std::string whole(kPods), first = Pod("train-0", ""), second = Pod("train-1", "");
  api.answers.erase(whole);
  api.too_large = {whole, "/api/v1/pods?limit=250"};
  api.Put("/api/v1/pods?limit=125", first, "more");
  api.Put("/api/v1/pods?limit=250&continue=more", second);
  const absl::StatusOr<SavedCluster> saved = SaveCluster(api, false);
  INFO(Message(saved.status()));
  REQUIRE(saved.ok());
  CHECK(saved->pods == 2);
}

TEST_CASE("What is not served is left out, what nobody may list is told, and nodes are needed") {
  StubApi api = Api();
  api.answers["/apis/jobset.x-k8s.io/v1alpha2/jobsets?limit=500"] = {403, "jobsets is forbidden"};
  api.Put(std::string(kPods), Pod("broken", R"(,"priority":"high")") + "," +
                                  Pod("full", R"(,"priority":"high","nodeName":"zone-a")"));
  const absl::StatusOr<SavedCluster> saved = SaveCluster(api, false);
  REQUIRE(saved.ok());
  INFO(fmt::format("{}", fmt::join(saved->notes, "; ")));
  REQUIRE(saved->notes.size() == 2);
  CHECK(saved->notes[0].starts_with("Pod ml/broken is left out: "));
  CHECK(saved->notes[1].starts_with("JobSets are left out: "));
  CHECK(saved->notes[1].find("forbidden") != std::string::npos);
  const absl::StatusOr<ObjectList> read = ParseClusterText(saved->text, "saved");
  REQUIRE(read.ok());
  REQUIRE(read->pods.size() == 1);  // it takes what it takes of its node
  CHECK(read->pods[0].name == "full");
  CHECK(!read->pods[0].fault.empty());
  api.answers.erase(std::string(kNodes));
  CHECK(absl::IsNotFound(SaveCluster(api, false).status()));
}

TEST_CASE("Owners of other kinds are saved where pods name them and they tell their size") {
  StubApi api = Api();
  const auto pod = [](std::string_view owner, std::string_view kind) {
    return fmt::format(R"({{"metadata":{{"name":"{0}-0","namespace":"ml","uid":"p-{0}",)"
                       R"("ownerReferences":[{{"apiVersion":"apps/v1","kind":"{1}","name":"{0}",)"
                       R"("uid":"o-{0}","controller":true}}]}},"spec":{{"containers":[]}}}})",
                       owner, kind);
  };
  const auto owner = [](std::string_view name) {
    return fmt::format(R"({{"metadata":{{"name":"{0}","namespace":"ml","uid":"o-{0}"}},)"
                       R"("spec":{{"replicas":3}}}})",
                       name);
  };
  api.Put(std::string(kPods), pod("web", "StatefulSet") + "," + pod("agent", "DaemonSet"));
  api.Put("/apis/apps/v1/statefulsets?limit=500", owner("old") + "," + owner("web"));
  const absl::StatusOr<SavedCluster> saved = SaveCluster(api, false);
  REQUIRE(saved.ok());
  CHECK(saved->notes.empty());
  const absl::StatusOr<ObjectList> read = ParseClusterText(saved->text, "saved");
  REQUIRE(read.ok());
  REQUIRE(read->owners.size() == 2);  // and the Job
  CHECK(read->owners[1].ref == OwnerRef{"apps/v1", "StatefulSet", "web", "o-web"});
  CHECK(read->owners[1].size == 3);
  api.answers.erase("/apis/apps/v1/statefulsets?limit=500");
  const absl::StatusOr<SavedCluster> without = SaveCluster(api, false);
  REQUIRE(without.ok());
  REQUIRE(without->notes.size() == 1);
  CHECK(without->notes[0].starts_with("StatefulSets are left out, and gangs of theirs have no"));
}

TEST_CASE("PodGroups are saved, and tell the size of the gangs that name them") {
  StubApi api = Api();
  const auto pod = [](int i) {
    return fmt::format(
        R"({{"metadata":{{"name":"p-{0}","namespace":"ml","uid":"p{0}","labels":)"
        R"({{"scheduling.x-k8s.io/pod-group":"train"}},"annotations":)"
        R"({{"gangplan.io/place":"node=pack"}}}},"spec":{{"schedulerName":"gangplan",)"
        R"("containers":[]}}}})",
        i);
  };
  api.Put(std::string(kPods), pod(0) + "," + pod(1));
  api.Put("/apis/scheduling.x-k8s.io/v1alpha1/podgroups?limit=500",
          R"({"metadata":{"name":"train","namespace":"ml","uid":"g1"},"spec":{"minMember":2}})");
  for (const bool anonymous : {false, true}) {
    INFO(anonymous);
    const absl::StatusOr<SavedCluster> saved = SaveCluster(api, anonymous);
    REQUIRE(saved.ok());
    CHECK(saved->notes.empty());
    absl::StatusOr<ObjectList> read = ParseClusterText(saved->text, "saved");
    REQUIRE(read.ok());
    REQUIRE(read->owners.size() == 2);  // and the Job
    CHECK(read->owners[1].at_least);
    const std::string name = read->pods[0].ns + "/" + read->pods[0].name;
    const std::optional<GroupReport> gang = DryRun(Settings(), *std::move(read)).ReportOf(name);
    REQUIRE(gang.has_value());
    CHECK(gang->size == 2);
    CHECK(gang->seen == 2);
  }
}

TEST_CASE("A snapshot without Jobs has its other owners read, too") {
  StubApi api;
  api.Put(std::string(kNodes), Node("zone-a", "east"));
  api.Put(
      std::string(kPods),
      R"({"metadata":{"name":"w-0","namespace":"ml","uid":"p","ownerReferences":[)"
      R"({"apiVersion":"apps/v1","kind":"StatefulSet","name":"w","uid":"o","controller":true}]},)"
      R"("spec":{"containers":[]}})");
  api.Put("/apis/apps/v1/statefulsets?limit=500",
          R"({"metadata":{"name":"w","namespace":"ml","uid":"o"},"spec":{"replicas":3}})");
  const absl::StatusOr<SavedCluster> saved = SaveCluster(api, false);
  REQUIRE(saved.ok());
  const absl::StatusOr<ObjectList> read = ParseClusterText(saved->text, "saved");
  REQUIRE(read.ok());
  REQUIRE(read->owners.size() == 1);
  CHECK(read->owners[0].size == 3);
}

TEST_CASE("On an anonymous snapshot a Job finds its priority class") {
  StubApi api = Api();
  const absl::StatusOr<SavedCluster> saved = SaveCluster(api, true);
  REQUIRE(saved.ok());
  const absl::StatusOr<ObjectList> read = ParseClusterText(saved->text, "saved");
  REQUIRE(read.ok());
  AdmissionRules admission;
  for (const AdmissionRule& rule : read->rules) admission.rules.Note(rule, true);
  admission.classes = true;
  const absl::StatusOr<Manifest> job = ReadManifest(
      "kind: Job\nmetadata: {name: a}\nspec: {template: {spec: {schedulerName: gangplan, "
      "priorityClassName: high, containers: [{name: c}]}}}\n",
      "job.yaml", "default", admission);
  INFO(Message(job.status()));
  REQUIRE(job.ok());
  CHECK(job->pods.at(0).priority == 7);
}

TEST_CASE("An anonymous snapshot has other names, the same ones everywhere, in the same order") {
  StubApi api = Api();
  const absl::StatusOr<SavedCluster> saved = SaveCluster(api, true);
  REQUIRE(saved.ok());
  for (const char* name : {"zone", "train", "west", "east", "\"ml\"", "u-", "j1", "Too many"}) {
    INFO(name);
    CHECK(saved->text.find(name) == std::string::npos);
  }
  CHECK(saved->text.find("rack=pack!") != std::string::npos);
  CHECK(saved->text.find("example.com/rack") != std::string::npos);
  const ObjectList facts = FactsOf(api);
  const absl::StatusOr<ObjectList> read = ParseClusterText(saved->text, "saved");
  REQUIRE(read.ok());
  REQUIRE(read->nodes.size() == 2);
  REQUIRE(read->pods.size() == 2);
  for (size_t i = 0; i < 2; ++i) {
    CHECK(read->nodes[i].allocatable == facts.nodes[i].allocatable);
    CHECK(*FindLabel(read->nodes[i].labels, kHostnameLabel) == read->nodes[i].name);
    CHECK(read->pods[i].requests == facts.pods[i].requests);
    CHECK(read->pods[i].controller->name == read->owners.at(0).ref.name);
    CHECK(read->pods[i].controller->uid == read->owners.at(0).ref.uid);
    CHECK(*FindLabel(read->pods[i].labels, "index") == "3");
  }
  CHECK(read->pods[0].node_name == read->nodes[0].name);
  CHECK(read->nodes[0].name < read->nodes[1].name);
}

// Where a Job of 12 pods goes: the places of its nodes among all of them by name.
std::vector<ptrdiff_t> PlacesOf(const std::string& saved, std::string_view place) {
  absl::StatusOr<ObjectList> objects = ParseClusterText(saved, "saved");
  REQUIRE(objects.ok());
  std::vector<std::string> names;
  for (const NodeFacts& node : objects->nodes) names.push_back(node.name);
  REQUIRE(std::is_sorted(names.begin(), names.end()));
  DryRun run(Settings(), *std::move(objects));
  absl::StatusOr<Manifest> job = ReadManifest(
      fmt::format("kind: Job\nmetadata: {{name: train, annotations: {{gangplan.io/place: {}}}}}\n"
                  "spec: {{parallelism: 12, completionMode: Indexed, template: {{spec: "
                  "{{schedulerName: gangplan, containers: [{{name: c, resources: {{limits: "
                  "{{nvidia.com/gpu: 2}}}}}}]}}}}}}\n",
                  place),
      "job.yaml", "default", {});
  INFO(Message(job.status()));
  REQUIRE(job.ok());
  run.Arrive(std::move(job->owners), std::move(job->pods));
  std::vector<ptrdiff_t> places;
  const std::optional<GroupReport> report = run.ReportOf("default/train-0");
  REQUIRE(report.has_value());
  for (const auto& slot : report->slots)
    places.push_back(std::find(names.begin(), names.end(), slot.node) - names.begin());
  return places;
}

TEST_CASE("On an anonymous snapshot a Job goes where it goes on the cluster") {
  ProcessLogger().set_level(LogLevel::kError);
  std::set<std::vector<ptrdiff_t>> seen;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    ClusterPlan plan;
    plan.uneven = seed;
    plan.seed = seed;
    plan.load = 50;
    const absl::StatusOr<ObjectList> cluster = GenerateCluster(plan);
    REQUIRE(cluster.ok());
    std::vector<std::string> nodes, pods;
    for (const NodeFacts& node : cluster->nodes) nodes.push_back(NodeJson(node));
    for (const PodFacts& pod : cluster->pods) pods.push_back(PodJson(pod));
    StubApi api;
    api.Put(std::string(kNodes), fmt::format("{}", fmt::join(nodes, ",")));
    api.Put(std::string(kPods), fmt::format("{}", fmt::join(pods, ",")));
    const std::string open = SaveCluster(api, false)->text;
    const std::string anonymous = SaveCluster(api, true)->text;
    REQUIRE(anonymous.find(cluster->nodes.front().name) == std::string::npos);
    for (const char* place : {"rack=pack!", "block=pack!", "rack=spread"}) {
      INFO("seed " << seed << " " << place);
      const std::vector<ptrdiff_t> places = PlacesOf(open, place);
      REQUIRE(places == PlacesOf(anonymous, place));
      seen.insert(places);
    }
  }
  CHECK(seen.size() > 20);
}

TEST_CASE("Pseudonyms keep the order of names, whatever stands at their ends") {
  std::vector<std::string> sorted = {"a",     "a-0x",   "a-1",         "a-10",        "a-2",
                                     "a-b-3", "a-b3",   "gke-1a-0abc", "gke-1a-1234", "gke-1a-9x",
                                     "node1", "node10", "node2"};
  Pseudonyms names;
  for (auto name = sorted.rbegin(); name != sorted.rend(); ++name) names.Note(*name);
  names.Note("a");
  names.Close();
  std::vector<std::string> others;
  for (const std::string& name : sorted) others.push_back(names.Of(name));
  CHECK(std::is_sorted(others.begin(), others.end()));
  CHECK(std::set(others.begin(), others.end()).size() == sorted.size());
  CHECK(others.front() == "x00");
  CHECK(others.back() == "x12");
}

TEST_CASE(
    "Pseudonyms keep the ranks of an MPIJob's workers behind its name, and of no other name") {
  Pseudonyms names;
  names.Note("mpi");
  for (const char* pod : {"mpi-worker-7", "web-worker-7", "mpi-worker-x"}) names.NotePod(pod);
  names.Note("mpi-worker-8");  // a node
  names.Close();
  CHECK(names.Of("mpi-worker-7") == names.Of("mpi") + "-worker-7");
  CHECK(names.Of("web-worker-7") == "x4");
  CHECK(names.Of("mpi-worker-x") == "x3");
  CHECK(names.Of("mpi-worker-8") == "x2");
}

}  // namespace
}  // namespace gangplan::saved_cluster_test
