// `gangplan plan`: its answers, its exit codes, and what it says of wrong files.
#include "extender/cli/plan_command.h"

#include <unistd.h>

#include <cstdio>

#include "extender/cli/commands.h"
#include "extender/cli/manifest.h"
#include "extender/kube/limits.h"
#include "tests/extender/cli/told.h"
#include "tests/extender/kube/scratch_file.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::plan_command_test {
namespace {

constexpr const char* kCluster = GANGPLAN_SOURCE_DIR "/examples/cluster.json";  // 16 nodes x 8 GPUs

std::string JobText(int pods, int gpus, std::string_view place, std::string_view more = "") {
  return fmt::format(
      "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: trainer\n  namespace: ml\n"
      "  annotations: {{{}}}\nspec:\n  completionMode: Indexed\n  parallelism: {}\n"
      "  completions: {}\n  suspend: true\n  template:\n    spec:\n      schedulerName: gangplan\n"
      "{}      containers:\n      - name: c\n        resources:\n"
      "          limits: {{nvidia.com/gpu: {}}}\n",
      place.empty() ? "" : fmt::format("gangplan.io/place: \"{}\"", place), pods, pods, more, gpus);
}

Told Plan(const std::string& manifest, std::vector<std::string_view> words = {}) {
  const ScratchFile file(manifest);
  words.insert(words.begin(), {"plan", "-f", file.path(), "--snapshot", kCluster});
  Told told = RunOf(AllCommands(), words);
  for (std::string* text : {&told.out, &told.err}) {
    const size_t at = text->find(file.path());
    if (at != std::string::npos) text->replace(at, file.path().size(), "FILE");
  }
  return told;
}

TEST_CASE("plan: exit codes tell what fits, what waits and what never starts") {
  const Told fits = Plan(JobText(2, 8, "rack=pack!"));
  CHECK(fits.code == kExitDone);
  CHECK(fits.out.starts_with("fits now: block-"));
  CHECK(fits.out.find("\n  rank 0 ") != std::string::npos);
  const Told waits = Plan(JobText(8, 8, "block=pack!"));
  CHECK(waits.code == kExitWaits);
  CHECK(waits.out.starts_with("would wait\nJob ml/trainer: Blocked; 8 of 8 members seen"));
  CHECK(waits.out.find("  wait: 8 members must share one block; no block has room for all of them "
                       "now\n") != std::string::npos);
  CHECK(waits.out.find("\n  block (required): most room now in ") != std::string::npos);
  CHECK(waits.out.find("road") == std::string::npos);
  const Told never = Plan(JobText(9, 8, "block=pack!"));
  CHECK(never.code == kExitNever);
  CHECK(never.out.starts_with("can never start as it is\n"));
  CHECK(never.out.find("the largest holds 8 when it is empty") != std::string::npos);
  const Told wrong = Plan(JobText(2, 8, "rack=pakc!"));
  CHECK(wrong.code == kExitNever);
  CHECK(
      wrong.out.find("\n  not a member: pod trainer-0: gangplan.io/place: \"rack=pakc!\": expected "
                     "pack, pack!, spread or spread! after \"=\"\n") != std::string::npos);
  CHECK(wrong.out.find("trainer-1") == std::string::npos);
}

TEST_CASE("plan: a ladder that goes on waits where its rung is impossible") {
  const std::string job = JobText(9, 8, "block=pack! | after 10m: any");
  const Told waits = Plan(job);
  CHECK(waits.code == kExitWaits);
  CHECK(waits.out.starts_with("would wait\n"));
  CHECK(waits.out.find("  impossible: 9 members must share one block; ") != std::string::npos);
  CHECK(waits.out.find("; after 10m of waiting \"any\" will do\n") != std::string::npos);
  const Told json = Plan(job, {"-o", "json"});
  CHECK(json.out.starts_with(R"({"verdict":"waits")"));
  CHECK(json.out.find(R"("rungsLeft":true)") != std::string::npos);
  CHECK(Plan(JobText(17, 8, "block=pack! | after 10m: bolck")).code == kExitNever);
}

TEST_CASE("plan: programs are told the verdict, the place and each rank") {
  const Told told = Plan(JobText(2, 8, "rack=pack!"), {"-o", "json"});
  CHECK(told.code == kExitDone);
  CHECK(told.out.starts_with(R"({"verdict":"fits","gangs":[{"verdict":"fits","where":"block-)"));
  CHECK(told.out.find(R"("slots":[{"rank":0,"state":"held","pod":"trainer-0","node":")") !=
        std::string::npos);
  CHECK(
      Plan(JobText(9, 8, "block=pack!"), {"-o", "json"}).out.starts_with(R"({"verdict":"never")"));
}

TEST_CASE("plan: pods of no gang are told what they lack") {
  const Told bare = Plan(JobText(2, 8, ""));
  CHECK(bare.code == kExitWrongWords);
  CHECK(bare.err.find("FILE: its pods are no gang: no word says so; expected gangplan.io/place") !=
        std::string::npos);
  std::string others = JobText(2, 8, "rack=pack!");
  others.replace(others.find("schedulerName: gangplan"), 23, "schedulerName: others");
  CHECK(Plan(others).err.find("spec.schedulerName is others; expected gangplan\n") !=
        std::string::npos);
}

TEST_CASE("plan: of a JobSet each gang is told, and templates that are of none") {
  const auto part = [](std::string_view name, int pods, std::string_view words) {
    return fmt::format(
        "  - name: {}\n    template:\n      spec:\n        parallelism: {}\n"
        "        template:\n          metadata: {{annotations: {{{}}}}}\n"
        "          spec:\n            schedulerName: gangplan\n            containers:\n"
        "            - {{name: c, resources: {{limits: {{nvidia.com/gpu: 8}}}}}}\n",
        name, pods, words);
  };
  const std::string head =
      "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: set}\nspec:\n"
      "  replicatedJobs:\n";
  const std::string pack = "gangplan.io/place: rack=pack!";
  const Told whole = Plan(head + part("a", 1, pack) + part("b", 2, pack));
  CHECK(whole.code == kExitDone);
  CHECK(whole.out.find("JobSet default/set: Planned; 3 of 3 members seen") != std::string::npos);
  CHECK(whole.out.find("\n  b rank 0 ") != std::string::npos);
  const Told part_of_it = Plan(head + part("a", 1, "") + part("b", 2, pack));
  CHECK(part_of_it.code == kExitDone);
  CHECK(part_of_it.out.ends_with(
      "\n  note: pod set-a-0-0 and those of its template are of no gang\n"));
  const Told two =
      Plan(head + part("a", 1, pack + ", gangplan.io/group: x, gangplan.io/size: '1'") +
               part("b", 9,
                    "gangplan.io/place: block=pack!, gangplan.io/group: y, "
                    "gangplan.io/size: '9'"),
           {"-o", "json"});
  INFO(two);
  CHECK(two.code == kExitNever);
  CHECK(two.out.starts_with(R"({"verdict":"never","gangs":[{"verdict":"fits",)"));
  CHECK(two.out.find(R"({"verdict":"never","where":"")") != std::string::npos);
}

TEST_CASE("plan: what is not known of the pods is said") {
  const Told told = Plan(JobText(2, 8, "rack=pack!", "      priorityClassName: high\n"));
  CHECK(told.out.ends_with(
      "\n  note: there is no PriorityClass high in the snapshot, so nothing of it counts\n"));
}

TEST_CASE("plan: what admission adds to the pods counts where the snapshot has it") {
  const ScratchFile cluster(R"({"kind":"List","items":[
{"kind":"Node","metadata":{"name":"n","labels":{"example.com/block":"b","example.com/rack":"r"}},
 "status":{"allocatable":{"cpu":"8","pods":"9","nvidia.com/gpu":"8"},
 "conditions":[{"type":"Ready","status":"True"}]}},
{"kind":"LimitRange","metadata":{"name":"l","namespace":"ml"},
 "spec":{"limits":[{"type":"Container","defaultRequest":{"cpu":"3"}}]}},
{"kind":"PriorityClass","metadata":{"name":"high"},"value":7}]})");
  const auto plan = [&cluster](std::string_view priority_class) {
    const ScratchFile job(
        JobText(3, 1, "rack=pack!", fmt::format("      priorityClassName: {}\n", priority_class)));
    return RunOf(AllCommands(),
                 {"plan", "-f", job.path(), "--snapshot", cluster.path(), "-o", "json"});
  };
  const Told told = plan("high");
  CHECK(told.code == kExitNever);  // 3 x 3 cpus
  CHECK(told.out.find(R"("priority":7)") != std::string::npos);
  CHECK(told.out.find(R"("notes":[])") != std::string::npos);
  const Told other = plan("higher");
  CHECK(other.code == kExitWrongWords);
  CHECK(other.err.find(": there is no PriorityClass higher\n") != std::string::npos);
}

// One rack of two nodes that a gang of this priority has, or two pods of no gang.
std::string HeldCluster(int priority, bool gang = true) {
  const std::string words =
      gang ? R"("gangplan.io/place":"rack=pack!","gangplan.io/group":"low","gangplan.io/size":"2")"
           : "";
  std::string items;
  for (int i = 0; i < 2; ++i) {
    items += fmt::format(
        R"({{"kind":"Node","metadata":{{"name":"n{0}","labels":{{"example.com/block":"b",)"
        R"("example.com/rack":"r","kubernetes.io/hostname":"n{0}"}}}},"status":{{"allocatable":)"
        R"({{"cpu":"8","pods":"9","nvidia.com/gpu":"8"}},"conditions":[{{"type":"Ready",)"
        R"("status":"True"}}]}}}},{{"kind":"Pod","metadata":{{"name":"low-{0}","namespace":"ml",)"
        R"("uid":"u{0}","annotations":{{{2}}}}},)"
        R"("spec":{{"schedulerName":"gangplan","nodeName":"n{0}",)"
        R"("priority":{1},"containers":[{{"name":"c","resources":{{"limits":)"
        R"({{"nvidia.com/gpu":"8"}}}}}}]}},"status":{{"phase":"Running"}}}},)",
        i, priority, words);
  }
  items += R"({"kind":"PriorityClass","metadata":{"name":"high"},"value":7})";
  return fmt::format(R"({{"kind":"List","items":[{}]}})", items);
}

TEST_CASE(
    "plan --preempt: which gangs of lower priority would have to go, and when none is enough") {
  const ScratchFile job(JobText(2, 8, "rack=pack!", "      priorityClassName: high\n"));
  const ScratchFile preempts(
      "apiVersion: gangplan.io/v1alpha1\nkind: ExtenderConfiguration\npreemption: "
      "lower-priority\n");
  const auto plan = [&](int priority, std::vector<std::string_view> words) {
    const ScratchFile cluster(HeldCluster(priority));
    words.insert(words.begin(), {"plan", "-f", job.path(), "--snapshot", cluster.path()});
    return RunOf(AllCommands(), words);
  };
  CHECK(plan(5, {}).code == kExitWaits);
  CHECK(plan(5, {}).out.starts_with("would wait\n"));
  const Told goes = plan(5, {"--preempt"});
  CHECK(goes.code == kExitDone);
  CHECK(goes.out.starts_with("fits when these give way: group ml/low (priority 5)\n"));
  CHECK(goes.out.find("\n  note: preemption is never in this configuration: ") !=
        std::string::npos);
  const Told set = plan(5, {"--preempt", "--config", preempts.path()});
  CHECK(set.code == kExitDone);
  CHECK(set.out.starts_with("fits when these give way: group ml/low (priority 5)\n"));
  CHECK(set.out.find("note: ") == std::string::npos);
  const Told json = plan(5, {"--preempt", "-o", "json"});
  CHECK(json.out.starts_with(R"({"verdict":"preempts",)"));
  CHECK(json.out.find(R"("giveWay":{"decided":true,"lowerPriority":true,"gangs":[{"kind":)") !=
        std::string::npos);
  const Told stays = plan(9, {"--preempt"});
  CHECK(stays.code == kExitWaits);
  CHECK(
      stays.out.starts_with("would wait: gangs and pods of lower priority are not enough; it would "
                            "fit without group ml/low (priority 9)\n"));
}

TEST_CASE("plan --preempt: pods of no gang would have to go where they are of lower priority") {
  const ScratchFile job(JobText(2, 8, "rack=pack!", "      priorityClassName: high\n"));
  const ScratchFile gangs(
      "apiVersion: gangplan.io/v1alpha1\nkind: ExtenderConfiguration\npreemption: "
      "lower-priority\n");
  const auto plan = [&](int priority, std::vector<std::string_view> more = {}) {
    const ScratchFile cluster(HeldCluster(priority, false));
    std::vector<std::string_view> words = {"plan",       "-f",           job.path(),
                                           "--snapshot", cluster.path(), "--preempt"};
    words.insert(words.end(), more.begin(), more.end());
    return RunOf(AllCommands(), words);
  };
  const Told set = plan(5, {"--config", gangs.path()});
  CHECK(set.out.find("  note: pods of no gang give way with preemption: lower-priority-and-pods") !=
        std::string::npos);
  const Told goes = plan(5);
  CHECK(goes.code == kExitDone);
  CHECK(goes.out.starts_with(
      "fits when these give way: Pod ml/low-0 (priority 5), Pod ml/low-1 (priority 5)\n"));
  const Told stays = plan(7);
  CHECK(stays.code == kExitWaits);
  CHECK(
      stays.out.starts_with("would wait: it would not fit either if all gangs and pods of lower "
                            "priority gave way\n"));
}

TEST_CASE("plan: wrong files are told with what was expected") {
  CHECK(Plan("# none\nkind: Service\n")
            .err.starts_with("gangplan plan: FILE: no object in it makes pods of gangs: found "
                             "Service (line 2); expected "
                             "kind: Job, JobSet, Pod, "));
  CHECK(Plan("").err.find("FILE: no object in it makes pods of gangs: found no kind; expected") !=
        std::string::npos);
  CHECK(Plan("kind: [\n").err.find("FILE:") != std::string::npos);
  const std::string job = JobText(2, 8, "rack=pack!");
  CHECK(Plan(job + "---\n" + job)
            .err.find("FILE:23: metadata.name: a second Job ml/trainer; expected another name") !=
        std::string::npos);
  CHECK(Plan(JobText(0, 8, "rack=pack!"))
            .err.find("FILE:9: spec.parallelism and completions: it makes no pods; expected at "
                      "least one") != std::string::npos);
  CHECK(
      Plan(JobText(2'000'000'000, 8, "rack=pack!"))
          .err.find("FILE:9: spec.parallelism and completions: it makes 2000000000 pods; expected "
                    "at most 200000") != std::string::npos);
  CHECK(Plan("apiVersion: batch/v1\nkind: Job\nspec: {}\n").err.find("metadata") !=
        std::string::npos);
  CHECK(Plan(JobText(2, 8, "rack=pack!", "      nodeName: n1\n")).err.find("spec.nodeName") !=
        std::string::npos);
  const Told none = RunOf(AllCommands(), {"plan", "-f", "/no/job", "--snapshot", kCluster});
  CHECK(none.code == kExitWrongWords);
  CHECK(none.err.find("/no/job: ") != std::string::npos);
}

// What a command writes is the standard input, as in a pipe, for so long.
class Piped {
 public:
  explicit Piped(const std::string& command) : before_(dup(0)), pipe_(popen(command.c_str(), "r")) {
    REQUIRE(pipe_ != nullptr);
    REQUIRE(dup2(fileno(pipe_), 0) == 0);
    std::clearerr(stdin);
  }
  ~Piped() {
    dup2(before_, 0);
    close(before_);
    pclose(pipe_);
  }
  Piped(const Piped&) = delete;
  Piped& operator=(const Piped&) = delete;

 private:
  const int before_;
  std::FILE* const pipe_;
};

TEST_CASE("plan: - is the standard input, up to its limit") {
  const std::vector<std::string_view> words = {"plan", "-f", "-", "--snapshot", kCluster};
  const std::string job = JobText(2, 8, "rack=pack!");
  const ScratchFile file(job), wrong("kind: Job\nmetadata: [");
  {
    const Piped piped("cat " + file.path());
    const Told told = RunOf(AllCommands(), words);
    CHECK(told == Plan(job));
    CHECK(told.code == kExitDone);
  }
  {
    const Piped piped("cat " + wrong.path());
    CHECK(RunOf(AllCommands(), words).err.find("standard input:2: ") != std::string::npos);
  }
  {
    const Piped piped("echo 'kind: Service'");
    CHECK(RunOf(AllCommands(), words).err.find("gangplan plan: standard input: no object in it ") ==
          0);
  }
  for (const size_t beyond : {0, 1}) {
    const Piped piped(fmt::format("cat {}; head -c {} /dev/zero | tr '\\0' '\\n'", file.path(),
                                  4 * kMaxStoredBytes - job.size() + beyond));
    const Told told = RunOf(AllCommands(), words);
    CHECK(told.code == (beyond == 0 ? kExitDone : kExitWrongWords));
    CHECK((told.err.find("-f: standard input: larger than") != std::string::npos) == (beyond == 1));
  }
}

TEST_CASE("plan: the configuration decides, and other objects of the file are passed over") {
  const ScratchFile config(
      "apiVersion: gangplan.io/v1alpha1\nkind: ExtenderConfiguration\nschedulerNames: [batch]\n");
  const std::string job = "kind: Service\n---\n" + JobText(2, 8, "rack=pack!");
  CHECK(Plan(job).code == kExitDone);
  CHECK(Plan(job, {"--config", config.path()}).err.find("expected batch\n") != std::string::npos);
}

TEST_CASE("plan: what no node lists counts where the configuration does not exclude it") {
  std::string job = JobText(2, 8, "rack=pack!");
  const size_t end = job.rfind('}');
  job.insert(end, ", nvidia.com/gpumem: 3000");
  const Told never = Plan(job);
  CHECK(never.code == kExitNever);
  CHECK(never.out.find("; no node lists nvidia.com/gpumem: where others than nodes serve it, "
                       "resources.excludeResourcePrefixes is to name it") != std::string::npos);
  const ScratchFile config(
      "apiVersion: gangplan.io/v1alpha1\nkind: ExtenderConfiguration\n"
      "resources: {excludeResourcePrefixes: [nvidia.com/gpumem]}\n");
  const Told fits = Plan(job, {"--config", config.path()});
  CHECK(fits.code == kExitDone);
  CHECK(fits.out.starts_with("fits now: block-"));
}

TEST_CASE("A manifest without a namespace or a name of its own is read as kubectl makes it") {
  const absl::StatusOr<Manifest> manifest =
      ReadManifest(R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"generateName":"t-"},)"
                   R"("spec":{"template":{"spec":{"containers":[{"name":"c"}]}}}})",
                   "job.json", "team", {});
  REQUIRE(manifest.ok());
  REQUIRE(manifest->pods.size() == 1);
  CHECK(manifest->pods[0].ns == "team");
  CHECK(manifest->pods[0].name == "t-xxxxx-0");
  CHECK(manifest->owners[0].ref.name == "t-xxxxx");
}

}  // namespace
}  // namespace gangplan::plan_command_test
