// Pods behind a gate that nobody will release: each is told so, and what helps.
#include "extender/planner/left_gated.h"
#include "extender/planner/owner_key.h"
#include "fmt/format.h"

#include "tests/extender/planner/gates_world.h"
#include "tests/support/sentences.h"

namespace gangplan::left_gated_test {
namespace {

const absl::Duration kSoon = kLeftToldAfter + absl::Seconds(1);

// What is told of the pod by Events on it, from now on and for a while.
std::vector<std::string> ToldOf(PlannerWorld& world, absl::Duration within = kSoon) {
  world.Pass(within);
  std::vector<std::string> told;
  for (const EventNote& event : world.Take<EventNote>()) {
    if (event.regarding.kind == "Pod") told.push_back(event.note);
  }
  return told;
}

std::string OneOf(const std::vector<std::string>& told) {
  REQUIRE(told.size() == 1);
  return told.front();
}

PodFacts Bare(std::string_view name) {
  PodFacts pod = GatesWorld::Behind(ForeignPod(name, 1));
  pod.scheduler_name = JobPod(Whole("train", 1), 0).scheduler_name;
  return pod;
}

// A pod without a word of its own, whose owner nobody has read yet.
PodFacts ShowOwned(GatesWorld& world) {
  world.answer_owners = false;
  PodFacts pod = Bare("lone");
  pod.controller = JobOwner(Whole("train", 1)).ref;
  world.Show(pod);
  return pod;
}

std::string Full(const PodFacts& pod) { return pod.ns + "/" + pod.name; }

PlannerOptions OneGroup() {
  PlannerOptions options = GatesWorld::Gated(GateUse::kGangplan);
  options.claims.groups = 1;
  return options;
}

}  // namespace

TEST_CASE("Left gated: a pod without a word of a gang stays, and is told") {
  GatesWorld world;
  const PodFacts pod = Bare("lone");
  world.Show(pod);
  const std::string why = Sentence("gated without words", Full(pod)).text();
  CHECK(world.planner().WhyLeft(Full(pod)) == why);
  CHECK(ToldOf(world, kLeftToldAfter - absl::Milliseconds(1)).empty());
  CHECK(ToldOf(world) == std::vector<std::string>{why});
  CHECK(ToldOf(world, absl::Hours(1)).empty());  // once
  CHECK(world.Take<PodRelease>().empty());
  PodFacts again = pod;
  SetWord(again.annotations, "gangplan.io/group", "lone");
  SetWord(again.annotations, "gangplan.io/size", "1");
  world.Show(again);
  CHECK(world.Take<PodRelease>().size() == 1);
  CHECK(world.planner().WhyLeft(Full(pod)).empty());
}

TEST_CASE("Left gated: one of another scheduler is told whose pods are planned") {
  GatesWorld world;
  PodFacts pod = Bare("lone");
  pod.scheduler_name = "other";
  world.Show(pod);
  CHECK(OneOf(ToldOf(world)) == Sentence("gated for another scheduler", Full(pod), "gangplan"));
}

TEST_CASE("Left gated: where no gate is taken away, who waits behind ours is told so") {
  GatesWorld world(GatesWorld::Gated(GateUse::kNone));
  const JobSpec job = Whole("train", 3);
  world.ShowGated(job);
  // Once for all of a Job.
  CHECK(OneOf(ToldOf(world)) == Sentence("gates are off", Full(JobPod(job, 0))));
  CHECK(world.planner().WhyLeft(Full(JobPod(job, 2))) ==
        Sentence("gates are off", Full(JobPod(job, 2))));
  PodFacts kueue = JobPod(Whole("queued", 1), 0);
  kueue.gates.kueue_topology = true;
  world.Show(kueue);  // which is Kueue's
  CHECK(ToldOf(world).empty());
}

TEST_CASE("Left gated: a gang that is one too many is told, and taken when others have ended") {
  GatesWorld world(OneGroup());
  const JobSpec first = Whole("first", 2);
  const JobSpec second = Whole("second", 2);
  world.ShowGated(first);
  world.ReleaseAll(first);
  world.ShowGated(second);
  // Once for the whole gang.
  CHECK(OneOf(ToldOf(world)) == Sentence("gated beyond a limit", Full(JobPod(second, 0)),
                                         Sentence("namespace has its groups", "team", 1).text(),
                                         absl::ToInt64Seconds(kClaimRetry)));
  CHECK_FALSE(world.planner().WhyLeft(Full(JobPod(second, 1))).empty());
  CHECK(world.Take<PodRelease>().empty());
  for (int i = 0; i < 2; ++i) world.Delete(JobPod(first, i));
  world.Pass(kClaimRetry);
  world.Pass(absl::Milliseconds(50));  // the first of them, then the others
  CHECK(world.Take<PodRelease>().size() == 2);
  CHECK(world.planner().WhyLeft(Full(JobPod(second, 1))).empty());
}

TEST_CASE("Left gated: words that cannot be read are told on the pod, too") {
  GatesWorld world;
  const JobSpec job = {.name = "train", .size = 2, .place = "rack=huddle"};
  world.ShowGated(job);
  const std::string told = OneOf(ToldOf(world));
  const std::string why = world.planner().WhyLeft(Full(JobPod(job, 0)));
  CHECK(told == why);
  CHECK(why == Sentence("gated with bad words", Full(JobPod(job, 0)), "train", "rack=huddle"));
  world.Delete(JobPod(job, 0));
  CHECK(world.planner().WhyLeft(Full(JobPod(job, 0))).empty());
}

TEST_CASE("Left gated: why a gang of nobody's waits is told on a pod of it") {
  GatesWorld world;
  world.ShowBound(ForeignPod("f0", 8), NodeNameAt(0, 0, 1));
  world.ShowBound(ForeignPod("f1", 8), NodeNameAt(0, 1, 1));
  const JobSpec job = Named("lone", "named", 2);
  for (int i = 0; i < 2; ++i) {
    PodFacts pod = JobPod(job, i);
    pod.controller.reset();
    world.Show(GatesWorld::Behind(pod));
  }
  CHECK(OneOf(ToldOf(world)).starts_with(world.Report("team/named").reason));
}

TEST_CASE("Left gated: an owner that cannot be read is told of, when that has lasted") {
  GatesWorld world;
  world.answer_owners = false;
  const JobSpec job = Whole("train", 1);
  PodFacts pod = GatesWorld::Behind(JobPod(job, 0));
  world.Show(pod);
  CHECK(ToldOf(world).empty());
  CHECK(OneOf(ToldOf(world, kOwnerRecheck)) == Sentence("gated and unread", Full(pod), "train"));
}

TEST_CASE("Left gated: an owner that is not there is told of") {
  GatesWorld world;
  const PodFacts pod = ShowOwned(world);
  world.planner().OnOwner(world.now(), OwnerKey("team", pod.controller->uid),
                          absl::NotFoundError("jobs"));
  CHECK(OneOf(ToldOf(world)) == Sentence("gated without an owner", Full(pod)));
}

TEST_CASE("Left gated: who waits for others, too, can be asked why, and nobody is told") {
  GatesWorld world;
  PodFacts pod = Bare("lone");
  pod.gates.others = true;
  world.Show(pod);
  CHECK(world.planner().WhyLeft(Full(pod)) == Sentence("gated by others", Full(pod)));
  CHECK(ToldOf(world).empty());
}

TEST_CASE("Left gated: one is told in each fifth of a second") {
  GatesWorld world;
  for (int i = 0; i < 3; ++i) {
    PodFacts pod = Bare(fmt::format("lone-{}", i));
    pod.ns = fmt::format("team-{}", i);
    world.Show(pod);
  }
  CHECK(ToldOf(world).size() == 1);
  CHECK(ToldOf(world, kLeftToldEach - absl::Milliseconds(1)).empty());
  CHECK(ToldOf(world, absl::Milliseconds(1)).size() == 1);
  CHECK(ToldOf(world, kLeftToldEach).size() == 1);
  CHECK(ToldOf(world, absl::Hours(1)).empty());
}

TEST_CASE("Left gated: of two that had one name each is forgotten by itself") {
  LeftGated left;
  const absl::Time now = absl::FromUnixSeconds(1'000);
  PodFacts first = Bare("a");
  PodFacts second = first;
  second.uid += "-anew";
  left.Leave(now, first, {"topic", "why", {}});
  left.Leave(now, second, {"other", "why else", {}});
  left.Forget(second.uid);
  left.Forget(first.uid);
  CHECK(left.Why(Full(first)).empty());
}

TEST_CASE("Left gated: one of a topic is judged again for all, and all when it is a member") {
  LeftGated left;
  const absl::Time now = absl::FromUnixSeconds(1'000);
  const LeftGated::Note note{"topic", "why", {}};
  for (const char* name : {"a", "b", "c"}) left.LeaveForNow(now, Bare(name), note, kClaimRetry);
  const absl::Time due = now + kClaimRetry;
  const auto first = left.TakeAgain(due, 9);
  REQUIRE(first.size() == 1);
  left.LeaveForNow(due, first[0].pod, note, kClaimRetry);
  CHECK(left.TakeAgain(due + kClaimRetry - absl::Milliseconds(1), 9).empty());
  const auto second = left.TakeAgain(due + kClaimRetry, 9);
  REQUIRE(second.size() == 1);
  left.Forget(second[0].pod.uid);
  left.Hurry(due + kClaimRetry, "topic");
  CHECK(left.TakeAgain(due + kClaimRetry, 9).size() == 2);
}

TEST_CASE("Left gated: a topic ends with its last pod, and who is judged again comes in turn") {
  LeftGated left;
  const absl::Time now = absl::FromUnixSeconds(1'000);
  const LeftGated::Note note{"topic", "why", absl::Seconds(5)};
  const PodFacts a = Bare("a");
  const PodFacts b = Bare("b");
  left.LeaveForNow(now, a, note, absl::Seconds(1));
  left.LeaveForNow(now + absl::Seconds(1), b, note, absl::Seconds(1));
  CHECK(left.TakeAgain(now + absl::Seconds(9), 1).at(0).pod.name == "a");
  CHECK(left.TakeAgain(now + absl::Seconds(99), 1).at(0).pod.name == "b");
  CHECK(left.TakeAgain(now + absl::Seconds(99), 1).empty());
  left.Forget(a.uid);
  CHECK(left.TakeTold(now + absl::Seconds(5))->pod.name == "b");
  left.Leave(now, a, {"topic", "why else", absl::Seconds(5)});
  CHECK_FALSE(left.TakeTold(now + absl::Hours(1)).has_value());
  CHECK(left.Why(Full(a)) == "why else");
  left.Forget(a.uid);
  left.Forget(b.uid);
  CHECK(left.Why(Full(b)).empty());
  left.Leave(now, a, note);
  CHECK(left.TakeTold(now + absl::Hours(2)).has_value());
}

TEST_CASE("Left gated: a pod without words waits for an owner that could not be read") {
  GatesWorld world;
  const PodFacts pod = ShowOwned(world);
  std::string expected;
  SECTION("since it may not be read") {
    expected = Sentence("gated and not allowed", Full(pod), "train").text();
    world.planner().OnOwner(world.now(), OwnerKey("team", pod.controller->uid),
                            absl::PermissionDeniedError("jobs"));
  }
  SECTION("since the API server is away") {
    expected = Sentence("gated and unread", Full(pod), "train").text();
    world.planner().OnOwner(world.now(), OwnerKey("team", pod.controller->uid),
                            absl::UnavailableError("503"));
  }
  CHECK(ToldOf(world).empty());  // not after five seconds
  CHECK(OneOf(ToldOf(world, kOwnerRecheck)) == expected);
}

TEST_CASE("Left gated: however many wait in one namespace, those of another are told") {
  LeftGated left;
  absl::Time now = absl::FromUnixSeconds(1'000);
  const auto leave = [&](std::string ns, int i) {
    PodFacts pod = Bare(fmt::format("{}-{}", ns, i));
    pod.ns = std::move(ns);
    left.Leave(now, pod, {pod.uid, "why", kLeftToldAfter});
  };
  for (int i = 0; i < 1'000; ++i) leave("many", i);
  leave("other", 0);
  now += kLeftToldAfter;
  const auto first = left.TakeTold(now);
  REQUIRE(first);
  CHECK(first->pod.ns == "many");
  now += kLeftToldEach;
  const auto second = left.TakeTold(now);
  REQUIRE(second);
  CHECK(second->pod.ns == "other");
  now += kLeftToldEach;
  CHECK_FALSE(left.TakeTold(now));
  CHECK(left.TakeTold(now + kLeftToldEachInNamespace));
}

TEST_CASE("Left gated: of a hundred thousand that may be members now one pulls the next") {
  LeftGated left;
  const absl::Time now = absl::FromUnixSeconds(1'000);
  for (int i = 0; i < 1'000; ++i)
    left.LeaveForNow(now, Bare(fmt::format("p{:03}", i)), {"topic", "why", {}}, kClaimRetry);
  const absl::Time due = now + kClaimRetry;
  REQUIRE(left.TakeAgain(due, 1).size() == 1);
  const int64_t before = left.moved();
  left.Hurry(due, "topic");
  CHECK(left.moved() - before == 1);
  CHECK(left.TakeAgain(due, 200).size() == 200);
  CHECK(left.moved() - before <= 201);
}

}  // namespace gangplan::left_gated_test
