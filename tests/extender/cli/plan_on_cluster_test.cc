// `gangplan plan` and `capacity` on clusters that stand in the way of a naive answer.
#include "extender/cli/commands.h"
#include "extender/cli/plan_command.h"
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "tests/extender/cli/told.h"
#include "tests/extender/kube/scratch_file.h"
#include "tests/support/catch.h"

namespace gangplan::plan_on_cluster_test {
namespace {

std::string Node(std::string_view name, std::string_view labels = "",
                 std::string_view more = R"("nvidia.com/gpu":"8")") {
  return fmt::format(
      R"({{"kind":"Node","metadata":{{"name":"{0}","labels":{{"kubernetes.io/hostname":"{0}",)"
      R"("example.com/block":"b1","example.com/rack":"r1"{1}}}}},"status":{{"allocatable":)"
      R"({{"cpu":"64","memory":"64Gi","pods":"110",{2}}},)"
      R"("conditions":[{{"type":"Ready","status":"True"}}]}}}})",
      name, labels, more);
}

// 8 GPUs; of a gang of two where `words` say so.
std::string Pod(std::string_view name, std::string_view node, std::string_view words = "",
                std::string_view created = "2026-01-01T00:00:00Z") {
  return fmt::format(
      R"({{"kind":"Pod","metadata":{{"name":"{0}","namespace":"default","uid":"u-{0}",)"
      R"("creationTimestamp":"{3}","annotations":{{{2}}}}},"spec":{{"schedulerName":"gangplan",)"
      R"("nodeName":"{1}","containers":[{{"name":"c","resources":{{"requests":)"
      R"({{"nvidia.com/gpu":"8"}}}}}}]}},"status":{{"phase":"{4}"}}}})",
      name, node, words, created, node.empty() ? "Pending" : "Running");
}

std::string Cluster(const std::vector<std::string>& objects) {
  return fmt::format(R"({{"kind":"List","apiVersion":"v1","items":[{}]}})",
                     fmt::join(objects, ","));
}

std::string Job(std::string_view name, int pods, std::string_view of_job = "",
                std::string_view of_spec = "") {
  return fmt::format(
      "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {}\n  annotations:\n"
      "    gangplan.io/place: rack=pack!\n{}spec:\n  completionMode: Indexed\n  parallelism: {}\n"
      "  completions: {}\n  template:\n    spec:\n      schedulerName: gangplan\n{}"
      "      containers:\n      - name: c\n        resources:\n"
      "          limits: {{nvidia.com/gpu: 8}}\n",
      name, of_job, pods, pods, of_spec);
}

Told PlanOn(const std::string& cluster, const std::string& job, std::string_view config = "") {
  const ScratchFile file(job), snapshot(cluster);
  const ScratchFile settings(
      fmt::format("apiVersion: gangplan.io/v1alpha1\nkind: ExtenderConfiguration\n{}", config));
  return RunOf(AllCommands(), {"plan", "-f", file.path(), "--snapshot", snapshot.path(), "--config",
                               settings.path()});
}

constexpr std::string_view kGangOfTwo =
    R"("gangplan.io/group":"waits","gangplan.io/size":"2","gangplan.io/place":"rack=pack!")";

TEST_CASE("plan: it comes after all that waits, however old its manifest is") {
  const std::string cluster = Cluster({Node("n1"), Node("n2"), Pod("used", "n1"),
                                       Pod("w0", "", kGangOfTwo), Pod("w1", "", kGangOfTwo)});
  const std::string old = "  creationTimestamp: 2020-01-01T00:00:00Z\n";
  for (const std::string& more : {std::string(), old}) {
    std::string job = Job("small", 1);
    job.insert(job.find("spec:\n"), more);
    const Told told = PlanOn(cluster, job, "queue: {mode: strict}\n");
    INFO(told);
    CHECK(told.code == kExitWaits);
    CHECK(told.out.find("place 2 of 2") != std::string::npos);
  }
}

TEST_CASE("plan: its pods take the place of none that has their name") {
  const Told told =
      PlanOn(Cluster({Node("n1"), Node("n2"), Pod("j-0", "n1"), Pod("j-1", "n2")}), Job("j", 2));
  INFO(told);
  CHECK(told.code == kExitWaits);
}

TEST_CASE("plan: a gang of which the manifest makes a part only would wait") {
  const Told told = PlanOn(Cluster({Node("n1"), Node("n2"), Node("n3")}),
                           Job("part", 2, "    gangplan.io/size: \"3\"\n"));
  INFO(told);
  CHECK(told.code == kExitWaits);
  CHECK(told.out.starts_with("would wait: this makes 2 of the gang's 3 members\n"));
}

TEST_CASE("plan and capacity: what is reserved is others' room, and that of who asks for it") {
  const std::string cluster = Cluster(
      {Node("n1"), Node("n2"), Pod("w0", "", R"("gangplan.io/group":"alone")"),
       R"({"kind":"ConfigMap","metadata":{"name":"evening","namespace":"gangplan","uid":"r",)"
       R"("labels":{"gangplan.io/reservation":""}},"data":{"from":"2025-12-31T18:00Z",)"
       R"("until":"2026-01-01T18:00Z","count":"2","requests":"nvidia.com/gpu=8",)"
       R"("namespaces":"ml"}})"});
  const std::string read = "reservations: {namespace: gangplan}\n";
  const Told others = PlanOn(cluster, Job("j", 1), read);
  INFO(others);
  CHECK(others.code == kExitWaits);
  CHECK(PlanOn(cluster, Job("j", 1), "reservations: {namespace: other}\n").code == kExitDone);
  CHECK(PlanOn(cluster, Job("j", 1)).code == kExitDone);
  const Told its =
      PlanOn(cluster, Job("j", 2, "    gangplan.io/reservation: evening\n  namespace: ml\n"), read);
  INFO(its);
  CHECK(its.code == kExitDone);
  const ScratchFile snapshot(cluster);
  const ScratchFile settings("apiVersion: gangplan.io/v1alpha1\nkind: ExtenderConfiguration\n" +
                             read);
  CHECK(RunOf(AllCommands(), {"capacity", "--shape", "8gpu", "--snapshot", snapshot.path(),
                              "--config", settings.path()})
            .out.find("all that is free would do for 0 pods") != std::string::npos);
}

TEST_CASE("plan: gates take time and no room, and are told") {
  for (const std::string gate : {"example.com/quota", "gangplan.io/gang"}) {
    const Told told =
        PlanOn(Cluster({Node("n1"), Node("n2")}),
               Job("gated", 2, "", fmt::format("      schedulingGates: [{{name: {}}}]\n", gate)));
    INFO(told);
    CHECK(told.code == kExitDone);
    CHECK(told.out.find("note: its pods wait behind a scheduling gate") != std::string::npos);
  }
}

TEST_CASE("plan: a Job that is there already is another one, and that is told") {
  const std::string there =
      R"({"kind":"Job","apiVersion":"batch/v1","metadata":{"name":"j","namespace":"default",)"
      R"("uid":"u"},"spec":{"parallelism":2,"completions":2}})";
  const Told told = PlanOn(Cluster({Node("n1"), Node("n2"), there}), Job("j", 2));
  INFO(told);
  CHECK(told.out.find("note: Job default/j is in the snapshot already") != std::string::npos);
  CHECK(PlanOn(Cluster({Node("n1"), Node("n2"), there}), Job("k", 2)).out.find("already") ==
        std::string::npos);
}

TEST_CASE("plan: aliases of YAML make no more than a few times what a file says") {
  std::string bomb = "kind: Job\na: &a [x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c < 'j'; ++c)
    bomb += fmt::format("{0}: &{0} [*{1}, *{1}, *{1}, *{1}, *{1}, *{1}, *{1}, *{1}, *{1}]\n", c,
                        static_cast<char>(c - 1));
  const Told told = PlanOn(Cluster({Node("n1")}), bomb);
  CHECK(told.code == kExitWrongWords);
  INFO(told);
  CHECK(told.err.find("100") != std::string::npos);
}

TEST_CASE("plan: what is wrong in a file does not speak to the terminal") {
  const Told told =
      PlanOn(Cluster({Node("n\\u001b[31m1", "", R"("cpu":"x\u001b[31m")")}), Job("j", 1));
  INFO(told);
  CHECK(told.err.find('\x1b') == std::string::npos);
}

TEST_CASE("capacity: the name of a resource that no words of ours can say stops nothing") {
  const ScratchFile snapshot(Cluster(
      {Node("n1", "", R"("nvidia.com/gpu":"8","a/b,c":"1","a/b=":"2","a/b\u001b[31m":"1")")}));
  const Told told = RunOf(AllCommands(), {"capacity", "--snapshot", snapshot.path()});
  INFO(told);
  CHECK(told.code == kExitDone);
  CHECK(told.out.find('\x1b') == std::string::npos);
}

}  // namespace
}  // namespace gangplan::plan_on_cluster_test
