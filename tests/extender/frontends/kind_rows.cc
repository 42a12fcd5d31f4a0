#include "tests/extender/frontends/kind_rows.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "fmt/format.h"

namespace gangplan {
namespace {

std::string Members(int count) { return fmt::format("{} members", count); }

std::string Object(std::string_view api_version, std::string_view kind, std::string_view spec,
                   std::string_view status = "{}") {
  return fmt::format(R"({{"apiVersion":"{}","kind":"{}","metadata":{{"name":"train",)"
                     R"("namespace":"team","uid":"uid","annotations":{}}},"spec":{},"status":{}}})",
                     api_version, kind, kOwnWords, spec, status);
}

std::string Template(std::string_view field = "template") {
  return fmt::format(R"("{}":{{"metadata":{{"annotations":{}}},"spec":{{"containers":[]}}}})",
                     field, kTemplateWords);
}

// Its rank among so many, told by this word.
void GiveRank(Dice& dice, int count, std::string_view key, Words& words, KindRow& row) {
  row.rank = dice.From(0, count - 1);
  words.emplace_back(key, fmt::format("{}", row.rank));
}

// What its own words say is all of it.
KindRow ByPod(KindRow row, int count) {
  row.sets = Members(count);
  row.needs_word = false;
  row.by_pod = true;
  return row;
}

// ---- the rows

KindRow JobRow(Dice& dice) {
  const int pods = dice.From(1, 40), work = dice.From(1, 60);
  const bool told = dice.Flip(), bounded = dice.Flip();
  const int size = std::min(told ? pods : 1, bounded ? work : told ? pods : 1);
  KindRow row{.api_version = "batch/v1", .kind = "Job"};
  std::string spec = Template();
  if (told) spec += fmt::format(R"(,"parallelism":{})", pods);
  if (bounded) spec += fmt::format(R"(,"completions":{})", work);
  row.object = Object("batch/v1", "Job", "{" + spec + "}");
  row.sets = Members(size);
  if (bounded)
    GiveRank(dice, size, "batch.kubernetes.io/job-completion-index", row.annotations, row);
  return row;
}

// `maker`: of the JobSet; the pods' controller is one of its Jobs.
KindRow SetRow(Dice& dice) {
  KindRow row{.api_version = "batch/v1", .kind = "Job"};
  const int parts = dice.From(1, 3), own = dice.From(0, parts - 1);
  std::string jobs;
  for (int p = 0; p < parts; ++p) {
    const int replicas = dice.From(1, 4), pods = dice.From(1, 9), work = dice.From(1, 9);
    const int each = std::min(pods, work);
    jobs += fmt::format(R"({}{{"name":"part-{}","replicas":{},"template":{{"spec":{{)"
                        R"("parallelism":{},"completions":{},{}}}}}}})",
                        p == 0 ? "" : ",", p, replicas, pods, work, Template());
    row.sets += fmt::format("{}part-{}={}", p == 0 ? "" : ",", p, replicas * each);
    if (p != own) continue;
    const int job = dice.From(0, replicas - 1), index = dice.From(0, each - 1);
    row.name = fmt::format("train-part-{}-{}", p, job);
    row.pod_set = fmt::format("part-{}", p);
    row.rank = job * each + index;
    row.labels = {{"jobset.sigs.k8s.io/jobset-name", "train"},
                  {"jobset.sigs.k8s.io/jobset-uid", "uid"},
                  {"jobset.sigs.k8s.io/replicatedjob-name", row.pod_set},
                  {"jobset.sigs.k8s.io/replicatedjob-replicas", fmt::format("{}", replicas)},
                  {"jobset.sigs.k8s.io/job-index", fmt::format("{}", job)},
                  {"jobset.sigs.k8s.io/restart-attempt", "0"}};
    row.annotations = {{"batch.kubernetes.io/job-completion-index", fmt::format("{}", index)}};
  }
  row.object = Object("jobset.x-k8s.io/v1alpha2", "JobSet", R"({"replicatedJobs":[)" + jobs + "]}");
  return row;
}

// The JobSet that the trainer makes of it.
KindRow TrainJobRow(Dice& dice) {
  KindRow row = SetRow(dice);
  const std::string_view uid = R"("uid":"uid",)";
  row.object.insert(row.object.find(uid) + uid.size(),
                    R"("ownerReferences":[{"apiVersion":"trainer.kubeflow.org/v1alpha1",)"
                    R"("kind":"TrainJob","name":"train","uid":"uid-of-trainjob",)"
                    R"("controller":true}],)");
  return row;
}

KindRow LeaderWorkerRow(Dice& dice) {
  const int size = dice.From(1, 20), worker = dice.From(0, size - 1);
  KindRow row{.api_version = "apps/v1", .kind = "StatefulSet", .name = "serve-0"};
  row.labels = {{"leaderworkerset.sigs.k8s.io/name", "serve"},
                {"leaderworkerset.sigs.k8s.io/group-index", fmt::format("{}", dice.From(0, 5))},
                {"leaderworkerset.sigs.k8s.io/worker-index", fmt::format("{}", worker)},
                {"leaderworkerset.sigs.k8s.io/template-revision-hash", "r1"}};
  row.annotations = {{"leaderworkerset.sigs.k8s.io/size", fmt::format("{}", size)}};
  row.sets = size == 1 ? "leader=1" : fmt::format("leader=1,workers={}", size - 1);
  row.pod_set = worker == 0 ? "leader" : "workers";
  row.rank = std::max(worker - 1, 0);
  row.by_pod = true;
  row.leader = "uid-of-leader";
  return row;
}

struct KubeflowKind {
  std::string_view kind, field;
  std::vector<std::string_view> types;
};

KindRow KubeflowRow(Dice& dice) {
  const std::vector<KubeflowKind> kinds = {
      {"PyTorchJob", "pytorchReplicaSpecs", {"Master", "Worker"}},
      {"TFJob", "tfReplicaSpecs", {"Chief", "PS", "Worker", "Evaluator"}},
      {"XGBoostJob", "xgbReplicaSpecs", {"Master", "Worker"}},
      {"PaddleJob", "paddleReplicaSpecs", {"Master", "Worker"}},
      {"JAXJob", "jaxReplicaSpecs", {"Worker"}}};
  const KubeflowKind& kind = kinds[static_cast<size_t>(dice.From(0, 4))];
  const size_t types = kind.types.size(),
               own = static_cast<size_t>(dice.From(0, static_cast<int>(types) - 1));
  KindRow row{.api_version = "kubeflow.org/v1", .kind = std::string(kind.kind)};
  std::string specs;
  for (size_t i = 0; i < types; ++i) {
    const int count = dice.From(i == own ? 1 : 0, 12);
    std::string name(kind.types[i]);
    specs +=
        fmt::format(R"({}"{}":{{"replicas":{},{}}})", i == 0 ? "" : ",", name, count, Template());
    std::transform(name.begin(), name.end(), name.begin(), absl::ascii_tolower);
    row.sets += fmt::format("{}{}={}", row.sets.empty() ? "" : ",", name, count);
    if (i != own) continue;
    row.pod_set = name;
    row.labels = {{"training.kubeflow.org/job-name", "train"},
                  {"training.kubeflow.org/replica-type", name}};
    GiveRank(dice, count, "training.kubeflow.org/replica-index", row.labels, row);
  }
  row.object =
      Object("kubeflow.org/v1", kind.kind, fmt::format(R"({{"{}":{{{}}}}})", kind.field, specs));
  return row;
}

// The MPI operator makes its launcher by a Job, the training operator by itself.
KindRow MpiRow(Dice& dice, bool by_training_operator) {
  const int workers = dice.From(1, 30);
  const bool launcher = dice.Flip();
  const std::string version = by_training_operator ? "kubeflow.org/v1" : "kubeflow.org/v2beta1";
  KindRow row{.api_version = version, .kind = "MPIJob"};
  row.sets = fmt::format("launcher=1,worker={}", workers);
  row.pod_set = launcher ? "launcher" : "worker";
  row.labels = {{by_training_operator ? "training.kubeflow.org/replica-type"
                                      : "training.kubeflow.org/job-role",
                 row.pod_set}};
  if (!launcher) GiveRank(dice, workers, "training.kubeflow.org/replica-index", row.labels, row);
  if (launcher && by_training_operator)
    row.labels.emplace_back("training.kubeflow.org/job-role", "master");
  if (launcher && !by_training_operator) {
    row.by_job = true;
    row.api_version = "batch/v1";
    row.kind = "Job";
    row.name = "train-launcher";
  }
  row.object = Object(version, "MPIJob",
                      fmt::format(R"({{"mpiReplicaSpecs":{{"Launcher":{{"replicas":1,{}}},)"
                                  R"("Worker":{{"replicas":{},{}}}}}}})",
                                  Template(), workers, Template()));
  return row;
}
KindRow MpiOperatorRow(Dice& dice) { return MpiRow(dice, false); }
KindRow TrainingMpiRow(Dice& dice) { return MpiRow(dice, true); }

KindRow RayRow(Dice& dice) {
  KindRow row{.api_version = "ray.io/v1", .kind = "RayCluster"};
  const int groups = dice.From(1, 3), own = dice.From(-1, groups - 1);
  row.sets = "headgroup=1";
  row.pod_set = own < 0 ? "headgroup" : fmt::format("group-{}", own);
  std::string text;
  for (int g = 0; g < groups; ++g) {
    const int least = dice.From(1, 3), most = least + dice.From(0, 5), told = dice.From(0, 9);
    const int hosts = dice.From(1, 3);
    text += fmt::format(R"({}{{"groupName":"group-{}","replicas":{},"minReplicas":{},)"
                        R"("maxReplicas":{},"numOfHosts":{},{}}})",
                        g == 0 ? "" : ",", g, told, least, most, hosts, Template());
    row.sets += fmt::format(",group-{}={}", g, std::clamp(told, least, most) * hosts);
  }
  row.labels = {{"ray.io/group", row.pod_set}, {"ray.io/cluster", "train"}};
  row.object = Object(
      "ray.io/v1", "RayCluster",
      fmt::format(R"({{"headGroupSpec":{{{}}},"workerGroupSpecs":[{}]}})", Template(), text));
  return row;
}

// Of a bare pod, or of one that a ReplicaSet makes.
KindRow PodGroupRow(Dice& dice) {
  const std::vector<std::pair<std::string, std::string>> systems = {
      {"scheduling.x-k8s.io/v1alpha1", "scheduling.x-k8s.io/pod-group"},
      {"scheduling.volcano.sh/v1beta1", "scheduling.volcano.sh/group-name"},
      {"scheduling.sigs.k8s.io/v1alpha1", "pod-group.scheduling.sigs.k8s.io"}};
  const auto& [version, key] = systems[static_cast<size_t>(dice.From(0, 2))];
  const int least = dice.From(1, 40);
  KindRow row;
  if (dice.Flip()) {
    row.api_version = "apps/v1";
    row.kind = "ReplicaSet";
  }
  const bool label = version != "scheduling.volcano.sh/v1beta1";
  (label ? row.labels : row.annotations) = {{key, "train"}};
  row.object = Object(version, "PodGroup", fmt::format(R"({{"minMember":{}}})", least));
  row.sets = Members(least);
  row.at_least = true;
  row.needs_word = false;
  return row;
}

KindRow NativeRow(Dice& dice) {
  const int least = dice.From(1, 40);
  KindRow row;
  row.extra = R"("schedulingGroup":{"podGroupName":"train"},)";
  row.object = Object("scheduling.k8s.io/v1alpha2", "PodGroup",
                      fmt::format(R"({{"schedulingPolicy":{{"gang":{{"minCount":{}}}}}}})", least));
  row.sets = Members(least);
  row.at_least = true;
  row.needs_word = false;
  return row;
}

KindRow KoordinatorRow(Dice& dice) {
  const int least = dice.From(1, 40);
  KindRow row;
  row.annotations = {{"gang.scheduling.koordinator.sh/name", "train"},
                     {"gang.scheduling.koordinator.sh/min-available", fmt::format("{}", least)}};
  row.at_least = true;
  return ByPod(std::move(row), least);
}

KindRow SetOfPodsRow(Dice& dice) {
  const bool stateful = dice.Flip();
  const int count = dice.From(1, 40);
  KindRow row{.api_version = "apps/v1", .kind = stateful ? "StatefulSet" : "ReplicaSet"};
  const int first = stateful && dice.Flip() ? dice.From(1, 50) : 0;
  std::string how = stateful ? R"("podManagementPolicy":"Parallel",)" : "";
  if (first > 0) how += fmt::format(R"("ordinals":{{"start":{}}},)", first);
  row.object =
      Object("apps/v1", row.kind, fmt::format(R"({{"replicas":{},{}{}}})", count, how, Template()));
  row.sets = Members(count);
  if (!stateful) return row;
  row.rank = dice.From(0, count - 1);
  row.labels = {{"apps.kubernetes.io/pod-index", fmt::format("{}", first + row.rank)}};
  return row;
}

// The ReplicaSet of a rollout, which is a part of the Deployment, or all of it.
KindRow DeploymentRow(Dice& dice) {
  const int all = dice.From(1, 40), part = dice.From(1, all);
  KindRow row{.api_version = "apps/v1", .kind = "ReplicaSet"};
  row.object_words = {{"deployment.kubernetes.io/desired-replicas", fmt::format("{}", all)}};
  row.object =
      Object("apps/v1", "ReplicaSet", fmt::format(R"({{"replicas":{},{}}})", part, Template()));
  row.sets = Members(part);
  if (part < all) row.origin = fmt::format(", of the {} of its Deployment: ", all);
  return row;
}

// Executors, which the driver's pod makes; nothing but their words tells how many there are to be.
KindRow SparkRow(Dice& dice) {
  const int count = dice.From(1, 40);
  KindRow row{.api_version = "v1", .kind = "Pod", .name = "app-driver"};
  row.labels = {{"spark-role", "executor"},
                {"spark-app-selector", "spark-1"},
                {"spark-exec-id", fmt::format("{}", dice.From(1, count))}};
  row.annotations = {{"gangplan.io/size", fmt::format("{}", count)}};
  return ByPod(std::move(row), count);
}

KindRow KueueRow(Dice& dice) {
  const int count = dice.From(1, 40);
  KindRow row;
  row.labels = {{"kueue.x-k8s.io/pod-group-name", "train"}};
  row.annotations = {{"kueue.x-k8s.io/pod-group-total-count", fmt::format("{}", count)}};
  if (dice.Flip()) GiveRank(dice, count, "kueue.x-k8s.io/pod-group-pod-index", row.labels, row);
  return ByPod(std::move(row), count);
}

KindRow BareRow(Dice& dice) {
  const int count = dice.From(1, 40);
  KindRow row;
  row.annotations = {{"gangplan.io/group", "train"},
                     {"gangplan.io/size", fmt::format("{}", count)}};
  if (dice.Flip()) GiveRank(dice, count, "gangplan.io/rank", row.annotations, row);
  return ByPod(std::move(row), count);
}

}  // namespace

const std::vector<KindOfRow>& KindRows() {
  static const std::vector<KindOfRow> rows = {{"Job", JobRow},
                                              {"JobSet", SetRow},
                                              {"TrainJob", TrainJobRow},
                                              {"LeaderWorkerSet", LeaderWorkerRow},
                                              {"Kubeflow", KubeflowRow},
                                              {"MPIJob", MpiOperatorRow},
                                              {"MPIJob v1", TrainingMpiRow},
                                              {"RayCluster", RayRow},
                                              {"PodGroup", PodGroupRow},
                                              {"native", NativeRow},
                                              {"Koordinator", KoordinatorRow},
                                              {"StatefulSet, ReplicaSet", SetOfPodsRow},
                                              {"Deployment", DeploymentRow},
                                              {"Spark", SparkRow},
                                              {"Kueue's pod group", KueueRow},
                                              {"bare", BareRow}};
  return rows;
}

}  // namespace gangplan
