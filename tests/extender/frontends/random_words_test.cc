// Pods and owners with words at random, sound and broken: whatever they say, each pod is a member,
// a plain pod that says nothing, or told why it is none.
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "extender/frontends/find_group.h"
#include "extender/frontends/front_end.h"
#include "extender/frontends/limits.h"
#include "extender/frontends/owner.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "tests/support/rounds.h"

namespace gangplan::random_words_test {
namespace {

using Kind = GroupSpec::Kind;

struct Word {
  const char* key;
  std::vector<std::string> values;
  bool meant = true;  // whoever writes it as an annotation of his pod means a group
};

const std::vector<Word>& Words() {
  static const std::vector<Word> words = {
      {"gangplan.io/group", {"ring", "", std::string(254, 'g')}},
      {"gangplan.io/size", {"4", "1", "0", "50001", "many"}},
      {"gangplan.io/pod-set", {"workers", "leader", "!"}},
      {"gangplan.io/pod-sets", {"leader=1,workers=3", "workers=4", "=", "a=0"}},
      {"gangplan.io/rank-label", {"leaderworkerset.sigs.k8s.io/worker-index", "x", ""}},
      {"gangplan.io/rank", {"0", "3", "-1", "50000"}},
      {"gangplan.io/topology", {"default", "other"}},
      {"gangplan.io/place", {"rack=pack!", "row=pack", "", "rack=pack! | after 1m: any", "|"}},
      {"gangplan.io/ranks", {"tp=2 node", "tp=2 node; dp rack", "tp=0 node", "", "tp=2 row"}},
      {"gangplan.io/start", {"all-members", "first-member", "2", "0", "9", "now"}},
      {"gangplan.io/hold", {"", "true", "waits"}},
      {"gangplan.io/palce", {"rack=pack!"}},
      {"gangplan.io/plan", {"ring.1"}, false},
      {"kueue.x-k8s.io/podset-required-topology", {"example.com/rack", "nowhere", ""}},
      {"kueue.x-k8s.io/podset-preferred-topology", {"example.com/rack"}},
      {"kueue.x-k8s.io/podset-slice-size", {"2", "0"}},
      {"kueue.x-k8s.io/podset-slice-required-topology", {"kubernetes.io/hostname"}},
      {"kueue.x-k8s.io/podset-require-topology", {"example.com/rack"}},
      {"kueue.x-k8s.io/prefer-topology", {"auto", "example.com/rack", "row"}},
      {"kueue.x-k8s.io/require-topology", {"auto", "example.com/block"}},
      {"kueue.x-k8s.io/pod-group-name", {"ring", ""}},
      {"kueue.x-k8s.io/pod-group-total-count", {"4", "0", "x"}, false},
      {"scheduling.x-k8s.io/pod-group", {"ring"}},
      {"scheduling.volcano.sh/group-name", {"ring", ""}},
      {"scheduling.k8s.io/group-name", {"ring"}},
      {"pod-group.scheduling.sigs.k8s.io", {"ring"}},
      {"pod-group.scheduling.sigs.k8s.io/name", {"ring"}},
      {"pod-group.scheduling.sigs.k8s.io/min-available", {"2", "x"}, false},
      {"gang.scheduling.koordinator.sh/name", {"ring"}},
      {"gang.scheduling.koordinator.sh/min-available", {"4", "0", "many"}, false},
      {"gang.scheduling.koordinator.sh/waiting-time", {"1m", "soon"}, false},
      {"gang.scheduling.koordinator.sh/groups", {R"(["team/ring"])", R"(["a/b"])", "["}, false},
      {"volcano.sh/task-index", {"0", "x"}, false},
      {"kueue.x-k8s.io/queue-name", {"queue"}, false},
      {"example.com/other", {"x"}, false},
      {"leaderworkerset.sigs.k8s.io/name", {"serve"}, false},
      {"leaderworkerset.sigs.k8s.io/group-index", {"0", ""}, false},
      {"leaderworkerset.sigs.k8s.io/worker-index", {"0", "2", "x"}, false},
      {"leaderworkerset.sigs.k8s.io/size", {"4", "1", "0", "x"}, false},
      {"leaderworkerset.sigs.k8s.io/exclusive-topology", {"example.com/rack"}, false},
      {"alpha.jobset.sigs.k8s.io/exclusive-topology", {"example.com/rack"}, false},
      {"alpha.jobset.sigs.k8s.io/node-selector", {"true"}, false},
      {"training.kubeflow.org/replica-type", {"worker", "master", "x"}, false},
      {"training.kubeflow.org/replica-index", {"0", "3", "x"}, false},
      {"training.kubeflow.org/job-role", {"worker", "launcher"}, false},
      {"ray.io/group", {"worker", "headgroup", "x"}, false},
      {"apps.kubernetes.io/pod-index", {"1", "x"}, false},
      {"jobset.sigs.k8s.io/replicatedjob-name", {"worker", "x"}, false},
  };
  return words;
}

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  size_t Below(size_t limit) { return engine_() % limit; }
  bool Once(size_t in) { return Below(in) == 0; }

  // Some words; `meant`: one of them means a group.
  LabelSet Set(size_t in, bool& meant) {
    LabelSet set;
    for (const Word& word : Words()) {
      if (!Once(in)) continue;
      SetWord(set, word.key, word.values[Below(word.values.size())]);
      meant |= word.meant;
    }
    return set;
  }

 private:
  std::mt19937 engine_;
};

constexpr std::pair<const char*, const char*> kKinds[] = {
    {"batch/v1", "Job"},
    {"jobset.x-k8s.io/v1alpha2", "JobSet"},
    {"apps/v1", "StatefulSet"},
    {"apps/v1", "ReplicaSet"},
    {"kubeflow.org/v1", "PyTorchJob"},
    {"kubeflow.org/v2beta1", "MPIJob"},
    {"ray.io/v1", "RayCluster"},
    {"scheduling.x-k8s.io/v1alpha1", "PodGroup"},
    {"batch.volcano.sh/v1alpha1", "Job"},
    {"scheduling.k8s.io/v1alpha2", "PodGroup"},
    {"example.com/v1", "X"}};

OwnerFacts RandomOwner(Random& random, const OwnerRef& ref) {
  OwnerFacts owner;
  bool ignored = false;
  owner.ref = ref;
  owner.ns = "team";
  owner.annotations = random.Set(12, ignored);
  owner.labels = random.Set(20, ignored);
  owner.in_order = random.Once(4);
  owner.at_least = random.Once(6);
  if (random.Once(8)) owner.patience = static_cast<int64_t>(random.Below(1'000'000));
  if (random.Once(16)) owner.unmet = "spec.x: is not read";
  if (random.Once(6)) owner.part_of = OwnerRef{"kubeflow.org/v2beta1", "MPIJob", "whole", "w"};
  if (random.Once(2)) owner.size = static_cast<int64_t>(random.Below(3)) * 25'001;
  for (const char* name : {"master", "worker"}) {
    if (!random.Once(3)) continue;
    owner.pod_sets.push_back({name, 1, static_cast<int64_t>(1 + random.Below(50'001)),
                              random.Set(20, ignored), random.Set(12, ignored)});
  }
  return owner;
}

// Of a case that fails.
std::string WordsOf(const PodFacts& pod, const OwnerFacts* owner) {
  std::string text = fmt::format("{}, {}:", pod.controller ? pod.controller->kind : "no owner",
                                 owner == nullptr ? "not read" : "read");
  if (owner != nullptr)
    text += fmt::format(" {} of {}", owner->ref.kind,
                        owner->size ? fmt::format("{}", *owner->size) : "no size");
  for (const auto& [key, value] : pod.annotations) text += fmt::format(" {}={}", key, value);
  for (const auto& [key, value] : pod.labels) text += fmt::format(" (label {}={})", key, value);
  return text + (pod.scheduling_group.empty() ? "" : " in " + pod.scheduling_group);
}

void Check(const PodFacts& pod, const GroupSpec& spec, bool meant) {
  if (spec.kind == Kind::kForeign) {
    CHECK_FALSE(meant);
    CHECK(spec.problem.empty());
  }
  if (spec.kind == Kind::kInvalid) {
    CHECK_FALSE(spec.problem.empty());
    CHECK(spec.problem.size() < 4'096);
    CHECK(spec.misfit != Misfit::kNone);
  }
  if (spec.kind == Kind::kInvalid || spec.kind == Kind::kMember) {
    CHECK(spec.front_end != nullptr);
    CHECK(spec.key.ns == pod.ns);
    CHECK_FALSE((spec.key.name.empty() && spec.kind == Kind::kMember));
  }
  if (spec.kind != Kind::kMember) return;
  CHECK(spec.problem.empty());
  CHECK(spec.misfit == Misfit::kNone);
  CHECK(spec.size() >= 1);
  CHECK(spec.size() <= kMaxGroupSize);
  CHECK(spec.pod_sets.size() <= kMaxPodSets);
  REQUIRE(spec.pod_set >= 0);
  REQUIRE(static_cast<size_t>(spec.pod_set) < spec.pod_sets.size());
  CHECK(spec.Own().count >= 1);
  CHECK(spec.sizing.patience.value_or(absl::ZeroDuration()) <= kMaxPatience);
  CHECK((spec.sizing.least == 0 || spec.sizing.least == spec.size()));
}

}  // namespace

TEST_CASE("Random words: nobody is silently foreign, and nothing is beyond its bounds") {
  FindGroupOptions options;
  options.scheduler_names = {"gangplan"};
  options.topologies = {{ThreeLevels()}};
  for (uint32_t seed = 0; seed < static_cast<uint32_t>(Rounds(3'000)); ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    bool meant = false;
    bool as_label = false;
    PodFacts pod = ForeignPod("p", 1);
    pod.annotations = random.Set(10, meant);
    pod.labels = random.Set(16, as_label);
    if (random.Once(10)) pod.scheduling_group = "ring";
    std::optional<OwnerFacts> owner;
    if (!random.Once(4)) {
      const auto& [version, kind] = kKinds[random.Below(std::size(kKinds))];
      pod.controller = OwnerRef{version, kind, "owner", "uid"};
      if (!random.Once(4)) owner = RandomOwner(random, *pod.controller);
      // Or what it names is read, or nobody could.
      if (owner && random.Once(2)) owner->ref = *OwnerOf(pod);
      if (owner && owner->ref.kind == "PodGroup") owner->pod_sets.clear();  // it lists none
      if (owner && random.Once(8)) owner->unread = static_cast<Unread>(random.Below(4));
    }
    const OwnerFacts* facts = owner ? &*owner : nullptr;
    INFO(WordsOf(pod, facts));
    const bool basic = owner && owner->unread == Unread::kNo && !owner->size;
    meant |= !pod.scheduling_group.empty() && !basic;
    const GroupSpec spec = FindGroup(pod, facts, true, options);
    CHECK(spec.kind != Kind::kNeedsOwner);
    Check(pod, spec, meant || as_label);
    CHECK((FindGroup(pod, facts, true, options) == spec));
    CHECK((SpeaksOfGroup(pod) || !(meant || as_label)));
  }
}

}  // namespace gangplan::random_words_test
