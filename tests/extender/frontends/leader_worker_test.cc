#include "extender/frontends/leader_worker.h"

#include "extender/frontends/find_group.h"
#include "extender/frontends/front_end.h"
#include "extender/frontends/limits.h"
#include "fmt/format.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "tests/support/replica.h"

namespace gangplan::leader_worker_test {
namespace {

using Kind = GroupSpec::Kind;

FindGroupOptions Options() {
  FindGroupOptions options;
  options.scheduler_names = {"gangplan"};
  options.topologies = {{ThreeLevels()}};
  return options;
}

// As the webhook of its controller leaves it: the leaders are of one StatefulSet, the workers of
// each replica of another one.
PodFacts PodOf(int replica, int worker, std::string_view size, LabelSet words) {
  PodFacts pod = ForeignPod(fmt::format("serve-{}-{}", replica, worker), 1);
  pod.labels = {{"leaderworkerset.sigs.k8s.io/group-index", fmt::format("{}", replica)},
                {"leaderworkerset.sigs.k8s.io/name", "serve"},
                {"leaderworkerset.sigs.k8s.io/template-revision-hash", "abc"},
                {"leaderworkerset.sigs.k8s.io/worker-index", fmt::format("{}", worker)}};
  SetWord(pod.labels, "apps.kubernetes.io/pod-index",
          fmt::format("{}", worker > 0 ? worker : replica));
  pod.annotations = std::move(words);
  SetWord(pod.annotations, "leaderworkerset.sigs.k8s.io/size", size);
  const std::string set = worker > 0 ? fmt::format("serve-{}", replica) : "serve";
  pod.controller = OwnerRef{"apps/v1", "StatefulSet", set, "uid-of-" + set};
  return pod;
}

// Of workers alone the owner was read.
GroupSpec Find(const PodFacts& pod) {
  GroupSpec unread = FindGroup(pod, nullptr, false, Options());
  if (unread.kind != Kind::kNeedsOwner) return unread;
  const std::string* replica = FindLabel(pod.labels, "leaderworkerset.sigs.k8s.io/group-index");
  const OwnerFacts set = WorkersOf(fmt::format("uid-serve-{}-0", *replica), pod);
  return FindGroup(pod, &set, true, Options());
}

const LabelSet kPlace = {{"gangplan.io/place", "rack=pack!"}};

}  // namespace

TEST_CASE("LeaderWorkerSet: each replica is a gang of a leader and its workers, told by its pods") {
  const GroupSpec leader = Find(PodOf(1, 0, "4", kPlace));
  CHECK(leader.kind == Kind::kMember);
  CHECK(leader.key == GroupKey{"LeaderWorkerSet", "team", "serve-1", "abc/uid-serve-1-0"});
  CHECK(leader.pod_sets == std::vector<PodSetCount>{{"leader", 1}, {"workers", 3}});
  CHECK(leader.pod_set == 0);
  CHECK(leader.rank == 0);
  CHECK_FALSE(leader.sizing.by_owner);
  const GroupSpec worker = Find(PodOf(1, 3, "4", kPlace));
  CHECK(worker.key == leader.key);
  CHECK(worker.pod_sets == leader.pod_sets);
  CHECK(worker.pod_set == 1);
  CHECK(worker.rank == 2);
  CHECK(Find(PodOf(0, 3, "4", kPlace)).key.name == "serve-0");
  const GroupSpec alone = Find(PodOf(0, 0, "1", kPlace));
  CHECK(alone.pod_sets == std::vector<PodSetCount>{{"leader", 1}});
}

TEST_CASE("LeaderWorkerSet: only its StatefulSet tells whose worker a pod is") {
  const PodFacts pod = PodOf(1, 3, "4", kPlace);
  CHECK(FindGroup(pod, nullptr, false, Options()).kind == Kind::kNeedsOwner);
  OwnerFacts set = WorkersOf("uid-anew", pod);
  const auto find = [&] { return FindGroup(pod, &set, true, Options()); };
  CHECK(find().key.incarnation == "abc/uid-anew");
  CHECK(find().key.LastingName() == Find(PodOf(1, 0, "4", kPlace)).key.LastingName());
  set.leader.clear();
  CHECK(find().problem ==
        "StatefulSet serve-1: no pod owns it; expected that the leader does, whose worker this is");
  set.unread = Unread::kDenied;
  CHECK(find().problem ==
        "StatefulSet serve-1: could not be read, and it alone tells of which leader the pod is a "
        "worker: gangplan may not get StatefulSet of apps/v1 (its rights: ClusterRole "
        "gangplan-owners)");
  set.unread = Unread::kGone;
  CHECK_THAT(find().problem, EndsWith("is a worker: it does not exist"));
  PodFacts bound = pod;  // its run is over
  bound.node_name = "n1";
  const GroupSpec over = FindGroup(bound, &set, true, Options());
  CHECK(over.kind == Kind::kMember);
  CHECK(over.key.incarnation == "abc/uid-of-serve-1");
  CHECK_THAT(FindGroup(bound, nullptr, true, Options()).problem, ContainsText("it is gone, or"));
}

TEST_CASE("LeaderWorkerSet: words of the workers' StatefulSet are nobody's") {
  const PodFacts pod = PodOf(1, 3, "4", kPlace);
  OwnerFacts set = WorkersOf("uid-serve-1-0", pod);
  set.annotations = {{"gangplan.io/hold", "x"}, {"gangplan.io/palce", "any"}};
  set.fault = "spec.replicas: -1";
  const GroupSpec spec = FindGroup(pod, &set, true, Options());
  CHECK(spec.problem == "");
  CHECK_FALSE(spec.hold);
}

TEST_CASE("LeaderWorkerSet: words that its StatefulSets have of it are about each replica") {
  const auto find = [](const PodFacts& pod) {
    OwnerFacts set = WorkersOf("uid-serve-1-0", pod);
    if (pod.controller->name == "serve") set.leader.clear();
    set.size = 7;  // of its own pods
    set.annotations = {{"gangplan.io/hold", "x"}, {"gangplan.io/place", "rack=pack!"}};
    return FindGroup(pod, &set, true, Options());
  };
  const GroupSpec leader = find(PodOf(1, 0, "4", {})), worker = find(PodOf(1, 3, "4", {}));
  CHECK(leader.kind == Kind::kMember);
  CHECK(worker.kind == Kind::kMember);
  CHECK(leader.key == GroupKey{"LeaderWorkerSet", "team", "serve-1", "abc/uid-serve-1-0"});
  CHECK(worker.key == leader.key);
  for (const GroupSpec& spec : {leader, worker}) {
    CHECK(spec.pod_sets == std::vector<PodSetCount>{{"leader", 1}, {"workers", 3}});
    CHECK_FALSE(spec.sizing.by_owner);
    CHECK(spec.place == "rack=pack!");
    CHECK(spec.hold == "x");
  }
  CHECK(worker.rank == 2);
}

TEST_CASE("LeaderWorkerSet: pods that another group counts ask for no leader") {
  PodFacts pod = PodOf(1, 3, "4", kPlace);
  SetWord(pod.annotations, "gang.scheduling.koordinator.sh/name", "all");
  SetWord(pod.annotations, "gang.scheduling.koordinator.sh/min-available", "4");
  const GroupSpec spec = FindGroup(pod, nullptr, false, Options());
  CHECK(spec.problem == "");
  CHECK(spec.key.name == "all");
}

TEST_CASE("LeaderWorkerSet: workers that a pod owns are that one's, and nobody is read") {
  PodFacts pod = PodOf(1, 3, "4", kPlace);
  pod.controller = OwnerRef{"v1", "Pod", "serve-1", "uid-serve-1-0"};
  CHECK(FindGroup(pod, nullptr, false, Options()).key == Find(PodOf(1, 0, "4", kPlace)).key);
}

TEST_CASE("LeaderWorkerSet: leader and workers are one row of ranks") {
  const LabelSet words = {{"gangplan.io/ranks", "tp=2 node"}};
  const GroupSpec leader = Find(PodOf(1, 0, "4", words)), worker = Find(PodOf(1, 3, "4", words));
  CHECK(leader.kind == Kind::kMember);
  CHECK(worker.kind == Kind::kMember);
  CHECK(worker.pod_sets == std::vector<PodSetCount>{{"leader", 1}, {"workers", 3}});
  CHECK(OtherDifference(leader.Own(), worker).empty());
  REQUIRE(leader.rules.back());
  CHECK(leader.rules.back()->factor == 2);
  CHECK(leader.rules.back()->ranked);
}

TEST_CASE("LeaderWorkerSet: Kueue's words count its pods as Kueue does") {
  LabelSet words = {{"kueue.x-k8s.io/podset-slice-required-topology", "example.com/rack"},
                    {"kueue.x-k8s.io/podset-slice-size", "2"}};
  GroupSpec worker = Find(PodOf(0, 2, "4", words));
  CHECK(worker.kind == Kind::kMember);
  CHECK(worker.pod_sets == std::vector<PodSetCount>{{"", 4}});  // slices of all
  CHECK(worker.rank == 2);
  words = {{"kueue.x-k8s.io/podset-group-name", "both"},
           {"kueue.x-k8s.io/podset-required-topology", "example.com/rack"}};
  worker = Find(PodOf(0, 2, "4", words));
  CHECK(worker.pod_sets == std::vector<PodSetCount>{{"leader", 1}, {"workers", 3}});
  CHECK(worker.rank == 2);  // of both together: the tie takes the leader's off
  CHECK(worker.indexed);
  const GroupSpec leader = Find(PodOf(0, 0, "4", words));
  CHECK(worker.front_end->Tie(std::vector<PodSetSpec>{leader.Own(), worker.Own()}).offset ==
        std::vector<int32_t>{0, 1});
}

TEST_CASE("LeaderWorkerSet: Kueue's words that tell nobody apart are about both together") {
  const LabelSet near = {{"kueue.x-k8s.io/podset-preferred-topology", "example.com/rack"}};
  const auto tie = [](const GroupSpec& leader, const GroupSpec& worker) {
    CHECK(leader.problem == "");
    CHECK(worker.problem == "");
    CHECK(leader.pod_sets == std::vector<PodSetCount>{{"leader", 1}, {"workers", 3}});
    CHECK(ListDifference(leader.pod_sets, worker).empty());
    return worker.front_end->Tie(std::vector<PodSetSpec>{leader.Own(), worker.Own()});
  };
  const GroupSpec leader = Find(PodOf(0, 0, "4", near));
  const GroupSpec worker = Find(PodOf(0, 3, "4", near));
  CHECK(tie(leader, worker).fault == "");
  CHECK(tie(leader, worker).group == std::vector<int32_t>{0, 0});
  CHECK(worker.rank == 2);
  CHECK_FALSE(worker.indexed);  // no tie takes the leader off again
  // As Kueue's webhook has it where they have two templates: on the workers alone.
  LabelSet offset = near;
  SetWord(offset, "kueue.x-k8s.io/pod-index-offset", "1");
  const GroupSpec apart = Find(PodOf(0, 3, "4", offset));
  CHECK(tie(leader, apart).fault == "");
  CHECK(tie(leader, apart).group == std::vector<int32_t>{-1, -1});
  CHECK(tie(leader, apart).offset == std::vector<int32_t>{0, 1});
  CHECK(apart.rank == 3);
  // Two templates that say different things.
  const LabelSet far = {{"kueue.x-k8s.io/podset-required-topology", "example.com/block"}};
  CHECK(tie(leader, Find(PodOf(0, 3, "4", far))).fault == "");
  CHECK(tie(leader, Find(PodOf(0, 3, "4", far))).group == std::vector<int32_t>{-1, -1});
  const GroupSpec alone = Find(PodOf(0, 0, "1", near));
  CHECK(alone.front_end->Tie(std::vector<PodSetSpec>{alone.Own()}).fault == "");
}

TEST_CASE("LeaderWorkerSet: no word is none, and who asks for a domain of its own is no gang") {
  CHECK(FindGroup(PodOf(0, 1, "4", {}), nullptr, true, Options()).kind == Kind::kForeign);
  LabelSet words = {{"leaderworkerset.sigs.k8s.io/exclusive-topology", "example.com/rack"}};
  CHECK(FindGroup(PodOf(0, 0, "4", words), nullptr, true, Options()).kind == Kind::kForeign);
  SetWord(words, "gangplan.io/place", "rack=pack!");
  CHECK(
      Find(PodOf(0, 0, "4", words)).problem ==
      "leaderworkerset.sigs.k8s.io/exclusive-topology: its workers are made when the leader has a "
      "node, so they never wait for each other; expected gangplan.io/place in its place");
  CHECK(Find(PodOf(0, 0, "1", words)).kind == Kind::kMember);  // it has none
}

namespace {

constexpr std::string_view kOwnDomain = "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology";

GroupSpec SubGrouped(std::string_view members, std::string_view size, LabelSet words,
                     std::string_view label = "example.com/rack", int worker = 0) {
  SetWord(words, "leaderworkerset.sigs.k8s.io/subgroup-size", size);
  SetWord(words, kOwnDomain, label);
  return Find(PodOf(0, worker, members, std::move(words)));
}

}  // namespace

TEST_CASE("LeaderWorkerSet: each sub-group has a domain for itself, by its ranks") {
  const GroupSpec leader = SubGrouped("8", "4", {{"gangplan.io/place", "block=pack!"}});
  REQUIRE(leader.problem == "");
  CHECK(leader.place == "block=pack! (sub-groups of 4 by example.com/rack)");
  REQUIRE(leader.rules[1]);
  CHECK(leader.rules[1]->factor == 4);
  CHECK(leader.rules[1]->ranked);
  CHECK(leader.rules[1]->max == 4);
  const GroupSpec worker =
      SubGrouped("8", "4", {{"gangplan.io/place", "block=pack!"}}, "example.com/rack", 7);
  CHECK(OtherDifference(leader.Own(), worker).empty());
  CHECK(worker.rank == 6);
  // One sub-group, or a replica of one pod.
  CHECK(SubGrouped("8", "8", kPlace).problem == "");
  CHECK(SubGrouped("1", "1", kPlace).place == "rack=pack!");
  // No word of ours: as ever.
  LabelSet plain;
  SetWord(plain, "leaderworkerset.sigs.k8s.io/subgroup-size", "4");
  SetWord(plain, kOwnDomain, "example.com/rack");
  CHECK(FindGroup(PodOf(0, 1, "8", plain), nullptr, true, Options()).kind == Kind::kForeign);
}

TEST_CASE("LeaderWorkerSet: sub-groups nest with a rank map") {
  const auto ranked = [](std::string_view ranks) {
    return SubGrouped("8", "4", {{"gangplan.io/ranks", std::string(ranks)}});
  };
  const GroupSpec both = ranked("tp=2 node; dp block");
  REQUIRE(both.problem == "");
  CHECK(both.place == "ranks tp=2 node; dp block, sub-groups of 4 by example.com/rack");
  CHECK(both.rules[0]->hard);
  CHECK(both.rules[1]->factor == 4);
  CHECK(both.rules[2]->factor == 2);
  CHECK_FALSE(both.rules[2]->max);
  CHECK(ranked("pp=4 rack").problem == "");
  CHECK(ranked("pp=4 rack").rules[1]->max == 4);
  CHECK(ranked("dp=8 block").problem == "");
  for (const char* other : {"tp=3 node", "pp=2 rack", "dp=6 block", "dp rack"}) {
    INFO(other);
    CHECK(ranked(other).problem ==
          std::string(kOwnDomain) +
              ": sub-groups of 4 at rack: gangplan.io/ranks has units that do not nest with these; "
              "expected multiples above them, divisors below them, and the same at their level");
  }
}

TEST_CASE("LeaderWorkerSet: all ranks below sub-groups are no unit of them") {
  const GroupSpec all =
      SubGrouped("8", "4", {{"gangplan.io/ranks", "dp rack"}}, "example.com/block");
  CHECK(all.kind == Kind::kInvalid);
  CHECK(all.problem.find("do not nest") != std::string::npos);
  CHECK(SubGrouped("8", "8", {{"gangplan.io/ranks", "dp rack"}}, "example.com/block").kind ==
        Kind::kInvalid);
  CHECK(SubGrouped("8", "8", {{"gangplan.io/ranks", "dp rack"}}).problem == "");
}

TEST_CASE("LeaderWorkerSet: sub-groups that nobody can keep are told") {
  const std::string key(kOwnDomain);
  CHECK(SubGrouped("9", "4", kPlace).problem ==
        key +
            ": sub-groups of 4 among 9 members: the leader is one more in the first of them, or "
            "in none; expected subGroupSize to be a divisor of size, from 2 on, or "
            "gangplan.io/place in their place");
  CHECK(SubGrouped("8", "1", kPlace).problem.starts_with(key + ": sub-groups of 1 among 8"));
  CHECK(SubGrouped("8", "4", kPlace, "cloud/rack").problem ==
        key +
            ": \"cloud/rack\": topology default has no level \"cloud/rack\", its levels are block, "
            "rack, node");
  CHECK(SubGrouped("8", "4", {{"gangplan.io/place", "rack=pack max=3"}}).problem ==
        key +
            ": sub-group at rack: gangplan.io/place says \"rack=pack max=3\" of it; expected room "
            "for 4 ranks in one");
  CHECK(SubGrouped("8", "4", {{"gangplan.io/place", "any"}, {"gangplan.io/size", "4"}}).problem ==
        key +
            ": the gang is counted by gangplan.io/size; expected it to be the replica, or no "
            "sub-groups");
  CHECK(SubGrouped("8", "4",
                   {{"gangplan.io/place", "any"}, {"gangplan.io/pod-set-place", "rack=pack"}})
            .problem ==
        key + ": stands beside gangplan.io/pod-set-place; expected one or the other");
  CHECK(SubGrouped("8", "4", {{"kueue.x-k8s.io/podset-required-topology", "example.com/rack"}})
            .problem ==
        key + ": stands beside a topology word of Kueue; expected gangplan.io/place in its place");
}

TEST_CASE("LeaderWorkerSet: our own words win") {
  LabelSet words = kPlace;
  SetWord(words, "gangplan.io/size", "3");
  const GroupSpec sized = Find(PodOf(0, 2, "4", words));
  CHECK(sized.key.name == "serve-0");
  CHECK(sized.size() == 3);
  SetWord(words, "gangplan.io/group", "all");
  CHECK(Find(PodOf(0, 2, "4", words)).key == GroupKey{"group", "team", "all", ""});
}

TEST_CASE("LeaderWorkerSet: a size that is none is told") {
  const auto most = fmt::format("{}", kMaxGroupSize);
  CHECK(Find(PodOf(0, 0, most, kPlace)).kind == Kind::kMember);
  for (const std::string& size : {std::string("0"), fmt::format("{}", kMaxGroupSize + 1),
                                  std::string("many"), std::string()}) {
    const GroupSpec spec = Find(PodOf(0, 0, size, kPlace));
    CHECK(spec.problem == "LeaderWorkerSet serve-0: 0 members; expected 1 to 50000");
  }
}

}  // namespace gangplan::leader_worker_test
