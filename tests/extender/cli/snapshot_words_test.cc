// What a snapshot keeps of the words of gangs, also under other names.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "extender/app/dry_run.h"
#include "extender/cli/saved_cluster.h"
#include "extender/frontends/unknown_word.h"
#include "extender/kube/cluster_file.h"
#include "tests/support/catch.h"
#include "tests/support/stub_api.h"
#include "topology/base/text.h"

namespace gangplan::snapshot_words_test {
namespace {

std::string NodeText() {
  return R"({"metadata":{"name":"n","uid":"un","labels":{"kubernetes.io/hostname":"n"}},)"
         R"("status":{"allocatable":{"cpu":"8","pods":"10"},)"
         R"("conditions":[{"type":"Ready","status":"True"}]}})";
}
std::string PodText(std::string_view name, std::string_view metadata, std::string_view spec = "") {
  return fmt::format(R"({{"metadata":{{"name":"{}","namespace":"ml","uid":"u{}"{}}},"spec":)"
                     R"({{"schedulerName":"gangplan","containers":[]{}}}}})",
                     name, name, metadata, spec);
}

TEST_CASE("Snapshot: PodGroups of every kind that is read are in it") {
  StubApi api;
  api.Put("/api/v1/nodes?limit=500", NodeText());
  api.Put("/api/v1/pods?limit=500",
          PodText("k", R"(,"labels":{"pod-group.scheduling.sigs.k8s.io":"koo"})") + "," +
              PodText("v", R"(,"annotations":{"scheduling.k8s.io/group-name":"vol"})") + "," +
              PodText("n", R"(,"annotations":{"gangplan.io/place":"node=pack"})",
                      R"(,"schedulingGroup":{"podGroupName":"nat"})"));
  const auto group = [](std::string_view name, std::string_view spec) {
    return fmt::format(
        R"({{"metadata":{{"name":"{}","namespace":"ml","uid":"g{}"}},"spec":{{{}}}}})", name, name,
        spec);
  };
  api.Put("/apis/scheduling.sigs.k8s.io/v1alpha1/podgroups?limit=500",
          group("koo", R"("minMember":1)"));
  api.Put("/apis/scheduling.volcano.sh/v1beta1/podgroups?limit=500",
          group("vol", R"("minMember":1)"));
  api.Put("/apis/scheduling.k8s.io/v1alpha2/podgroups?limit=500",
          group("nat", R"("schedulingPolicy":{"gang":{"minCount":1}})"));
  const absl::StatusOr<SavedCluster> saved = SaveCluster(api, false);
  REQUIRE(saved.ok());
  for (const char* name : {"koo", "vol", "nat"}) {
    INFO(name);
    CHECK(saved->text.find(fmt::format(R"("kind":"PodGroup","metadata":{{"name":"{}")", name)) !=
          std::string::npos);
  }
}

TEST_CASE("Snapshot: an anonymous one has no word that people chose for parts of gangs") {
  StubApi api;
  api.Put("/api/v1/nodes?limit=500", NodeText());
  api.Put("/api/v1/pods?limit=500",
          PodText("p", R"(,"annotations":{"gangplan.io/group":"acme","gangplan.io/size":"1",)"
                       R"("gangplan.io/pod-set":"acme-set","gangplan.io/pod-sets":"acme-set=1",)"
                       R"("gangplan.io/place":"node=pack"},"labels":{"ray.io/group":"acme-ray"},)"
                       R"("ownerReferences":[{"apiVersion":"ray.io/v1","kind":"RayCluster",)"
                       R"("name":"ray","uid":"ur","controller":true}])"));
  api.Put("/apis/ray.io/v1/rayclusters?limit=500",
          R"({"metadata":{"name":"ray","namespace":"ml","uid":"ur"},"spec":{"headGroupSpec":{},)"
          R"("workerGroupSpecs":[{"groupName":"acme-ray","replicas":1}]}})");
  const absl::StatusOr<SavedCluster> saved = SaveCluster(api, true);
  REQUIRE(saved.ok());
  INFO(saved->text);
  CHECK(saved->text.find("acme-set") == std::string::npos);
  CHECK(saved->text.find("acme-ray") == std::string::npos);
}

TEST_CASE("Snapshot: in an anonymous one what a gang of Koordinator's says of others stays said") {
  StubApi api;
  api.Put("/api/v1/nodes?limit=500", NodeText());
  const std::string words = R"(,"annotations":{"gang.scheduling.koordinator.sh/name":"a",)"
                            R"("gang.scheduling.koordinator.sh/min-available":"1",)"
                            R"("gang.scheduling.koordinator.sh/groups":"[\"ml/a\",\"ml/b\"]"})";
  api.Put("/api/v1/pods?limit=500", PodText("p", words));
  const auto place = [&](bool anonymous) {
    const absl::StatusOr<SavedCluster> saved = SaveCluster(api, anonymous);
    REQUIRE(saved.ok());
    absl::StatusOr<ObjectList> read = ParseClusterText(saved->text, "saved");
    REQUIRE(read.ok());
    Settings settings;
    settings.topologies = {{{"default", {{"node", "kubernetes.io/hostname"}}}}};
    const auto gangs = DryRun(settings, *std::move(read)).Gangs();
    REQUIRE(gangs.size() == 1);
    return gangs[0].problems.size();
  };
  CHECK(place(false) == place(true));
}

// Of each gang what no name is in: its size, members, pod sets, and where by the place of nodes.
std::vector<std::string> ShapesOf(const std::string& saved) {
  absl::StatusOr<ObjectList> read = ParseClusterText(saved, "saved");
  REQUIRE(read.ok());
  Settings settings;
  settings.topologies = {{{"default", {{"node", "kubernetes.io/hostname"}}}}};
  std::vector<std::string> shapes;
  for (const GroupReport& gang : DryRun(settings, *std::move(read)).Gangs()) {
    std::string shape = fmt::format("{} {} of {} at least {}, {} wrong", Name(gang.state),
                                    gang.seen, gang.size, gang.least, gang.problems.size());
    for (const auto& set : gang.pod_sets) shape += fmt::format("; {} of {}", set.seen, set.size);
    for (const auto& slot : gang.slots) shape += fmt::format("; {} {}", slot.rank, slot.state);
    shapes.push_back(shape);
  }
  return shapes;
}

TEST_CASE("Snapshot: in an anonymous one gangs have the parts and sizes that they have") {
  StubApi api;
  api.Put("/api/v1/nodes?limit=500", NodeText());
  const auto in_sets = [](std::string_view name, std::string_view set) {
    return PodText(name, fmt::format(R"(,"annotations":{{"gangplan.io/group":"g",)"
                                     R"("gangplan.io/pod-set":"{}","gangplan.io/pod-sets":)"
                                     R"("zeta=1, alpha=2","gangplan.io/place":"node=pack"}})",
                                     set));
  };
  const auto owned = [](std::string_view name, std::string_view version, std::string_view kind,
                        std::string_view labels) {
    return PodText(name,
                   fmt::format(R"(,"labels":{{{}}},"annotations":{{"gangplan.io/place":)"
                               R"("node=pack"}},"ownerReferences":[{{"apiVersion":"{}","kind":)"
                               R"("{}","name":"o","uid":"u{}","controller":true}}])",
                               labels, version, kind, kind));
  };
  const auto ray = [&](std::string_view name, std::string_view group) {
    return owned(name, "ray.io/v1", "RayCluster", fmt::format(R"("ray.io/group":"{}")", group));
  };
  const auto torch = [&](std::string_view name, std::string_view role) {
    return owned(name, "kubeflow.org/v1", "PyTorchJob",
                 fmt::format(R"("training.kubeflow.org/replica-type":"{}")", role));
  };
  const auto elastic = [](std::string_view name) {
    return PodText(name, R"(,"annotations":{"gangplan.io/group":"e","gangplan.io/size":"2",)"
                         R"("gangplan.io/start":"1","gangplan.io/place":"node=pack"})");
  };
  const std::string unknown =
      PodText("x", R"(,"annotations":{"gangplan.io/place":"node=pack","gangplan.io/size":"1"},)"
                   R"("ownerReferences":[{"apiVersion":"acme.com/v1","kind":"AcmeTrain",)"
                   R"("name":"o","uid":"ux","controller":true}])");
  const std::vector<std::string> pods = {
      in_sets("p0", "zeta"), in_sets("p1", "alpha"), in_sets("p2", "alpha"), ray("r0", "headgroup"),
      ray("r1", "acme"),     torch("t0", "master"),  torch("t1", "worker"),  unknown,
      elastic("e0"),         elastic("e1")};
  api.Put("/api/v1/pods?limit=500", fmt::format("{}", fmt::join(pods, ",")));
  api.Put("/apis/ray.io/v1/rayclusters?limit=500",
          R"({"metadata":{"name":"o","namespace":"ml","uid":"uRayCluster"},"spec":)"
          R"({"headGroupSpec":{},"workerGroupSpecs":[{"groupName":"acme","replicas":1}]}})");
  api.Put("/apis/kubeflow.org/v1/pytorchjobs?limit=500",
          R"({"metadata":{"name":"o","namespace":"ml","uid":"uPyTorchJob"},"spec":)"
          R"({"pytorchReplicaSpecs":{"Master":{"replicas":1},"Worker":{"replicas":1}}}})");
  const std::vector<std::string> open = ShapesOf(SaveCluster(api, false)->text);
  const absl::StatusOr<SavedCluster> anonymous = SaveCluster(api, true);
  REQUIRE(anonymous.ok());
  INFO(anonymous->text);
  CHECK(anonymous->text.find("cme") == std::string::npos);
  CHECK(open.size() == 7);  // of the cluster and the job each part by itself: words are on pods
  CHECK(ShapesOf(anonymous->text) == open);
  for (const std::string& shape : open) {
    INFO(shape);
    CHECK(shape.find(", 0 wrong") != std::string::npos);
  }
}

// A value of each, which is sound; a word that is new has to be here, and to stay what it says.
const std::map<std::string_view, std::string_view>& SoundWords() {
  static const std::map<std::string_view, std::string_view> words = {
      {"gangplan.io/group", "acme"},
      {"gangplan.io/size", "1"},
      {"gangplan.io/pod-set", "acme"},
      {"gangplan.io/pod-sets", "acme=1"},
      {"gangplan.io/rank", "0"},
      {"gangplan.io/rank-label", "example.com/index"},
      {"gangplan.io/topology", "default"},
      {"gangplan.io/place", "node=pack!"},
      {"gangplan.io/pod-set-place", "node=spread max=1"},
      {"gangplan.io/ranks", "tp=1 node"},
      {"gangplan.io/spares", "0"},
      {"gangplan.io/start", "first-member"},
      {"gangplan.io/hold", "acme has not paid"},
      {"gangplan.io/reservation", "acme"},
      {"gangplan.io/runtime", "90m"},
      {"gangplan.io/nice", "5"}};
  return words;
}

TEST_CASE("Snapshot: in an anonymous one each word says what it said") {
  for (std::string_view word : OurWords()) {
    INFO(word);
    const auto sound = SoundWords().find(word);
    REQUIRE(sound != SoundWords().end());
    std::map<std::string_view, std::string_view> words = {{"gangplan.io/group", "g"},
                                                          {"gangplan.io/place", "any"}};
    words[word] = sound->second;
    if (word == "gangplan.io/pod-set") words["gangplan.io/pod-sets"] = "acme=1";
    if (!words.contains("gangplan.io/pod-sets")) words["gangplan.io/size"] = "1";
    std::string annotations;
    for (const auto& [key, value] : words)
      annotations += fmt::format(R"({}"{}":"{}")", annotations.empty() ? "" : ",", key, value);
    StubApi api;
    api.Put("/api/v1/nodes?limit=500", NodeText());
    api.Put("/api/v1/pods?limit=500",
            PodText("p", fmt::format(R"(,"labels":{{"example.com/index":"0"}},)"
                                     R"("annotations":{{{}}})",
                                     annotations)));
    const std::vector<std::string> open = ShapesOf(SaveCluster(api, false)->text);
    const std::string anonymous = SaveCluster(api, true)->text;
    INFO(anonymous);
    CHECK(anonymous.find("acme") == std::string::npos);
    CHECK(ShapesOf(anonymous) == open);
    REQUIRE(open.size() == 1);
    CHECK_THAT(open[0], ContainsText(", 0 wrong"));
  }
}

TEST_CASE("Snapshot: in an anonymous one what its kind asks for of a replica stays said") {
  StubApi api;
  api.Put("/api/v1/nodes?limit=500", NodeText());
  api.Put("/api/v1/pods?limit=500",
          PodText("w", R"(,"labels":{"leaderworkerset.sigs.k8s.io/name":"acme",)"
                       R"("leaderworkerset.sigs.k8s.io/group-index":"0",)"
                       R"("leaderworkerset.sigs.k8s.io/worker-index":"0"},"annotations":{)"
                       R"("gangplan.io/place":"any","leaderworkerset.sigs.k8s.io/size":"4",)"
                       R"("leaderworkerset.sigs.k8s.io/subgroup-size":"2",)"
                       R"("leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology":)"
                       R"("kubernetes.io/hostname"})") +
              "," +
              PodText("x", R"(,"labels":{"spark-role":"executor","spark-app-selector":"acme"},)"
                           R"("annotations":{"gangplan.io/place":"any","gangplan.io/size":"1"})"));
  const std::vector<std::string> open = ShapesOf(SaveCluster(api, false)->text);
  const std::string anonymous = SaveCluster(api, true)->text;
  INFO(anonymous);
  CHECK(anonymous.find("acme") == std::string::npos);
  CHECK(ShapesOf(anonymous) == open);
  REQUIRE(open.size() == 2);
  for (const std::string& shape : open) CHECK_THAT(shape, ContainsText(", 0 wrong"));
}

}  // namespace
}  // namespace gangplan::snapshot_words_test
