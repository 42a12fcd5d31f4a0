// What a saved cluster keeps of a list, member by member.
#include "extender/protocol/saved_objects.h"

#include "extender/protocol/kubernetes_objects.h"
#include "fmt/format.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::saved_objects_test {
namespace {

// The one object of a list that holds `item`.
std::string Save(const std::string& item, const SavedKind& kind, const Rename& rename = nullptr) {
  std::string list = R"({"metadata":{"name":"no item"},"items":[)" + item + "]}";
  const absl::StatusOr<SavedItems> items = SaveItems(list, kind, rename);
  REQUIRE(items.ok());
  REQUIRE(items->objects.size() == 1);
  return items->objects.front().json;
}

constexpr SavedKind kPod = {"Pod", "v1"};

TEST_CASE("Of a saved object what decoders name is kept, and its kind stands first") {
  CHECK(Save("{}", kPod) == R"({"apiVersion":"v1","kind":"Pod"})");
  CHECK(Save(R"({"kind":"Pod","spec":{"nodeName":"n","hostNetwork":true,"priority":-3,)"
             R"("dnsPolicy":"Default","volumes":[{"name":"v"}]},"other":[[{}]]})",
             kPod) == R"({"apiVersion":"v1","kind":"Pod","spec":{"nodeName":"n",)"
                      R"("hostNetwork":true,"priority":-3}})");
  CHECK(Save(R"({"spec":{"containers":[{"image":"i"},{"name":"a\"\u000a"}],"x":null}})", kPod) ==
        R"({"apiVersion":"v1","kind":"Pod","spec":{"containers":[{},{"name":"a\"\n"}]}})");
  // What is wrong stays wrong.
  CHECK(Save(R"({"spec":{"priority":"high","nodeName":7,"containers":[7],"overhead":[[1]],)"
             R"("schedulerName":{"a":{}}}})",
             kPod) == R"({"apiVersion":"v1","kind":"Pod","spec":{"priority":"high","nodeName":7,)"
                      R"("containers":[7],"overhead":[],"schedulerName":{}}})");
}

TEST_CASE("A saved object has its namespace and name, and lists without items have none") {
  std::string list = R"({"items":[{"metadata":{"namespace":"a","name":"b"}},{"metadata":{}}]})";
  const auto items = SaveItems(list, kPod, nullptr);
  REQUIRE(items.ok());
  REQUIRE(items->objects.size() == 2);
  CHECK(items->objects[0].ns == "a");
  CHECK(items->objects[0].name == "b");
  CHECK(items->objects[1].name == "");
  CHECK(items->continue_token == "");
  for (const char* none :
       {"{}", R"({"items":null})", R"({"items":[]})", R"({"items":[7]})", "[]"}) {
    std::string text = none;
    CHECK(SaveItems(text, kPod, nullptr)->objects.empty());
  }
  for (const char* broken : {"", "{", R"({"items":[{})", R"({"items":[]}x)"}) {
    std::string text = broken;
    CHECK_FALSE(SaveItems(text, kPod, nullptr).ok());
  }
  std::string deep = R"({"items":[)" + std::string(2000, '[');
  CHECK_FALSE(SaveItems(deep, kPod, nullptr).ok());
}

TEST_CASE("Classes keep their names, where they are and where pods name them") {
  const Rename rename = [](std::string_view name) { return fmt::format("<{}>", name); };
  for (const char* kind : {"PriorityClass", "RuntimeClass"}) {
    INFO(kind);
    const std::string saved = Save(R"({"metadata":{"name":"high"}})", {kind, "v1"}, rename);
    CHECK(saved.find(R"("name":"high")") != std::string::npos);
  }
  CHECK(Save(R"({"spec":{"hostname":"acme-0","subdomain":"acme","priority":1}})", kPod, rename) ==
        R"({"apiVersion":"v1","kind":"Pod","spec":{"priority":1}})");
  CHECK(Save(R"({"spec":{"priorityClassName":"high","runtimeClassName":"gvisor"}})", kPod, rename)
            .find(R"("priorityClassName":"high","runtimeClassName":"gvisor")") !=
        std::string::npos);
}

TEST_CASE("The token of the next page is the list's own, wherever its metadata stands") {
  const auto token = [](std::string list) {
    return SaveItems(list, kPod, nullptr)->continue_token;
  };
  const std::string item = R"({"metadata":{"continue":"item"},"continue":"item"})";
  CHECK(token(R"({"metadata":{"resourceVersion":"7","continue":"a\u0062"},"items":[)" + item +
              "]}") == "ab");
  CHECK(token(R"({"items":[)" + item + R"(],"metadata":{"continue":"last"}})") == "last");
  CHECK(token(R"({"continue":"top","items":[)" + item +
              R"(],"metadata":{"x":{"continue":"in"}}})") == "");
  CHECK(token(R"({"metadata":{"continue":7},"items":[]})") == "");
}

TEST_CASE("Annotations are kept where they are words, and Apply of all that managers did") {
  CHECK(Save(R"({"metadata":{"resourceVersion":"3","annotations":{"gangplan.io/size":"4",)"
             R"("kubectl.kubernetes.io/last-applied-configuration":"x","gangplan.io/wake":"now"},)"
             R"("managedFields":[{"operation":"Update"},{"operation":"Apply"}]}})",
             kPod) == R"({"apiVersion":"v1","kind":"Pod","metadata":{"annotations":)"
                      R"({"gangplan.io/size":"4"},"managedFields":[{},{"operation":"Apply"}]}})");
}

TEST_CASE("Names are renamed wherever they stand, and words are not") {
  const Rename rename = [](std::string_view name) { return fmt::format("<{}>", name); };
  CHECK(Save(R"({"metadata":{"name":"p","namespace":"n","uid":"u","labels":{"app":"a","i":"7",)"
             R"("ray.io/group":"headgroup","sakkara.topology.rack":"r","sakkara.group.size":"g",)"
             R"("sakkara.group.name":"g"},"annotations":)"
             R"({"gangplan.io/plan":"n/g.12","gangplan.io/assigned-domain":"b/r/h.1",)"
             R"("gangplan.io/place":"rack=pack!"},"ownerReferences":[{"kind":"Job","name":"j"}]},)"
             R"("spec":{"schedulerName":"s","schedulingGates":[{"name":"gangplan.io/gang"}],)"
             R"("affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
             R"([{"topologyKey":"k","namespaces":["n"],"labelSelector":{"matchExpressions":)"
             R"([{"key":"k","operator":"In","values":["v","1"]}]}}]}}},)"
             R"("status":{"conditions":[{"type":"PodScheduled","message":"node h"}]}})",
             kPod, rename) ==
        R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"<p>","namespace":"<n>",)"
        R"("uid":"<u>","labels":{"app":"<a>","i":"7","ray.io/group":"headgroup",)"
        R"("sakkara.topology.rack":"<r>","sakkara.group.size":"g",)"
        R"("sakkara.group.name":"<g>"},"annotations":{"gangplan.io/plan":"<n>/<g>.12",)"
        R"("gangplan.io/assigned-domain":"<b>/<r>/<h.1>","gangplan.io/place":"rack=pack!"},)"
        R"("ownerReferences":[{"kind":"Job","name":"<j>"}]},"spec":{"schedulerName":"s",)"
        R"("schedulingGates":[{"name":"gangplan.io/gang"}],"affinity":{"podAffinity":)"
        R"({"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"k","namespaces":)"
        R"(["<n>"],"labelSelector":{"matchExpressions":[{"key":"k","operator":"In","values":)"
        R"(["<v>","1"]}]}}]}}},"status":{"conditions":[{"type":"PodScheduled"}]}})");
  CHECK(Save(R"({"metadata":{"name":"default"}})", {"Topology", "kueue.x-k8s.io/v1beta1"}, rename)
            .find("<") == std::string::npos);
}

TEST_CASE("Under our prefixes and Kueue's what names nothing is kept alone, and no long number") {
  const Rename rename = [](std::string_view name) { return fmt::format("<{}>", name); };
  const auto label = [&](std::string_view key, std::string_view value) {
    const std::string saved =
        Save(fmt::format(R"({{"metadata":{{"labels":{{"{}":"{}"}}}}}})", key, value), kPod, rename);
    return saved.find(fmt::format(R"("{}":"{}")", key, value)) != std::string::npos;
  };
  CHECK(label("gangplan.io/size", "x"));
  CHECK_FALSE(label("gangplan.io/note", "acme"));
  CHECK(label("kueue.x-k8s.io/podset-slice-size", "x"));
  CHECK(label("kueue.x-k8s.io/pod-group-total-count", "x"));
  CHECK(label("kueue.x-k8s.io/pod-group-pod-index-label", "example.com/index"));
  for (const char* name : {"cluster-queue-name", "local-queue-name", "workload", "priority-class"})
    CHECK_FALSE(label(fmt::format("kueue.x-k8s.io/{}", name), "acme"));
  CHECK(label("rank", "123456"));
  CHECK_FALSE(label("account", "1234567"));
}

TEST_CASE("Parts of gangs are renamed alike where they are listed, named and counted") {
  const Rename rename = [](std::string_view name) { return fmt::format("<{}>", name); };
  const auto label = [&](std::string_view key, std::string_view value) {
    const std::string saved = Save(
        fmt::format(R"({{"metadata":{{"annotations":{{"{}":"{}"}}}}}})", key, value), kPod, rename);
    const size_t begin = saved.find(key) + key.size() + 3;
    return saved.substr(begin, saved.rfind("\"}}}") - begin);
  };
  CHECK(label("gangplan.io/pod-set", "acme") == "<acme>");
  CHECK(label("gangplan.io/pod-sets", "acme=1, b-2=8") == "<acme>=1,<b-2>=8");
  CHECK(label("gangplan.io/pod-sets", "acme,b=x") == "<acme>,<b>=<x>");
  CHECK(label("jobset.sigs.k8s.io/replicatedjob-name", "acme") == "<acme>");
  CHECK(label("ray.io/group", "acme") == "<acme>");
  CHECK(label("ray.io/group", "headgroup") == "headgroup");
  CHECK(label("training.kubeflow.org/job-role", "launcher") == "launcher");
  CHECK(label("training.kubeflow.org/job-role", "acme") == "<acme>");
  CHECK(label("training.kubeflow.org/replica-type", "worker") == "worker");
  CHECK(label("training.kubeflow.org/replica-type", "acme") == "<acme>");
  CHECK(label("gangplan.io/start", "2") == "2");
  CHECK(label("gangplan.io/start", "first-member") == "first-member");
  CHECK(label("gangplan.io/start", "acme") == "<acme>");
  CHECK(label("gangplan.io/runtime", "90m") == "90m");
  CHECK(label("gangplan.io/runtime", "acme") == "<acme>");
  CHECK(label("gangplan.io/not-before", "2026-01-02T03:04:05Z") == "2026-01-02T03:04:05Z");
  CHECK(label("gangplan.io/not-before", "acme") == "<acme>");
  CHECK(label("gang.scheduling.koordinator.sh/waiting-time", "30s") == "30s");
  CHECK(label("gang.scheduling.koordinator.sh/waiting-time", "acme") == "<acme>");
  CHECK(label("gang.scheduling.koordinator.sh/groups", R"([\"ml/a\",\"ml/b\"])") ==
        R"([\"<ml>/<a>\",\"<ml>/<b>\"])");
  CHECK(label("gang.scheduling.koordinator.sh/groups", "acme") == "<acme>");
  const std::string ray =
      Save(R"({"spec":{"workerGroupSpecs":[{"groupName":"acme"},{"groupName":"headgroup"}]}})",
           {"RayCluster", "ray.io/v1", true}, rename);
  CHECK(ray.find(R"([{"groupName":"<acme>"},{"groupName":"headgroup"}])") != std::string::npos);
  const std::string set = Save(R"({"spec":{"replicatedJobs":[{"name":"acme",)"
                               R"("dependsOn":[{"name":"b","status":"Ready"}]}]}})",
                               {"JobSet", "jobset.x-k8s.io/v1alpha2", true}, rename);
  CHECK(set.find(R"([{"name":"<acme>","dependsOn":[{"name":"<b>","status":"Ready"}]}])") !=
        std::string::npos);
}

TEST_CASE("Of conditions and owners' kinds those stay that Kubernetes and counted kinds have") {
  const Rename rename = [](std::string_view name) { return fmt::format("<{}>", name); };
  const std::string conditions =
      Save(R"({"status":{"conditions":[{"type":"acme.com/checked","status":"True"},)"
           R"({"type":"PodScheduled","status":"False","reason":"Unschedulable"},)"
           R"({"type":"Ready","status":"False","reason":"AcmeBroke"}]}})",
           kPod, rename);
  CHECK(
      conditions.find(R"("conditions":[{"status":"True"},{"type":"PodScheduled","status":)"
                      R"("False","reason":"Unschedulable"},{"type":"Ready","status":"False"}])") !=
      std::string::npos);
  const auto owner = [&](std::string_view version, std::string_view kind) {
    const std::string saved = Save(
        fmt::format(R"({{"metadata":{{"ownerReferences":[{{"apiVersion":"{}","kind":"{}"}}]}}}})",
                    version, kind),
        kPod, rename);
    const size_t begin = saved.find("[{") + 2;
    return saved.substr(begin, saved.find("}]") - begin);
  };
  CHECK(owner("batch/v1", "Job") == R"("apiVersion":"batch/v1","kind":"Job")");
  CHECK(owner("ray.io/v1", "RayCluster") == R"("apiVersion":"ray.io/v1","kind":"RayCluster")");
  CHECK(owner("apps/v1", "DaemonSet") == R"("apiVersion":"apps/v1","kind":"DaemonSet")");
  CHECK(owner("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet") ==
        R"("apiVersion":"leaderworkerset.x-k8s.io/v1","kind":"LeaderWorkerSet")");
  CHECK(owner("v1", "Node") == R"("apiVersion":"v1","kind":"Node")");
  CHECK(owner("v1", "Pod") == R"("apiVersion":"v1","kind":"Pod")");  // the leader of its workers
  CHECK(owner("acme.com/v7", "AcmeTrain") == R"("apiVersion":"example.com/v1","kind":"Owner")");
}

TEST_CASE("A label whose key is a word of managers is a label") {
  for (const char* key : {"operation", "message", "name", "continue", "value", "reason"}) {
    const std::string item = fmt::format(R"({{"metadata":{{"labels":{{"{}":"a"}}}}}})", key);
    CHECK(Save(item, {"Node", "v1"}).find(fmt::format(R"("{}":"a")", key)) != std::string::npos);
  }
}

TEST_CASE("A JobSet is saved with what tells its pod sets") {
  const std::string saved =
      Save(R"({"metadata":{"name":"s","namespace":"n","uid":"u"},"spec":{"replicatedJobs":[)"
           R"({"name":"w","replicas":2,"template":{"spec":{"parallelism":3,"template":)"
           R"({"metadata":{"annotations":{"gangplan.io/place":"rack=pack!","a":"b"}},)"
           R"("spec":{"containers":[{"env":[{"value":"secret"}]}]}}}}}]}})",
           {"JobSet", "jobset.x-k8s.io/v1alpha2", true});
  CHECK(saved.find("secret") == std::string::npos);
  std::string list = R"({"items":[)" + saved + "]}";
  const absl::StatusOr<std::vector<OwnerFacts>> owners = DecodeOwners(list);
  REQUIRE(owners.ok());
  REQUIRE(owners->size() == 1);
  REQUIRE(owners->front().pod_sets.size() == 1);
  CHECK(owners->front().pod_sets[0].size() == 6);
  CHECK(*FindLabel(owners->front().pod_sets[0].annotations, "gangplan.io/place") == "rack=pack!");
}

TEST_CASE("A PodGroup is saved with what nobody reads, and a RayCluster with who names one") {
  const auto again = [](std::string_view spec, const SavedKind& kind) {
    std::string list = fmt::format(
        R"({{"items":[{}]}})",
        Save(fmt::format(R"({{"metadata":{{"name":"s","namespace":"n","uid":"u"}},"spec":{}}})",
                         spec),
             kind));
    const absl::StatusOr<std::vector<OwnerFacts>> owners = DecodeOwners(list);
    REQUIRE(owners.ok());
    REQUIRE(owners->size() == 1);
    return owners->front();
  };
  CHECK(again(R"({"subGroupPolicy":[{"name":"stage","subGroupSize":2}]})",
              {"PodGroup", "scheduling.volcano.sh/v1beta1", true})
            .unmet.starts_with("spec.subGroupPolicy"));
  const OwnerFacts ray =
      again(R"({"headGroupSpec":{"template":{"spec":{}}},"workerGroupSpecs":[{"groupName":"w",)"
            R"("template":{"spec":{"containers":[],"schedulingGroup":{"podGroupName":"g"}}}}]})",
            {"RayCluster", "ray.io/v1", true});
  REQUIRE(ray.pod_sets.size() == 2);
  CHECK_FALSE(ray.pod_sets[0].in_scheduling_group);
  CHECK(ray.pod_sets[1].in_scheduling_group);
}

}  // namespace
}  // namespace gangplan::saved_objects_test
