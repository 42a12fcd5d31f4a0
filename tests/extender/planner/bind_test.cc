// Calls that wait in bind, the commit, and what becomes of each Binding.
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "tests/support/sentences.h"
#include "topology/model.h"

namespace gangplan::bind_test {
namespace {

// A rack of two nodes and a gang of two that fills it; both members are known.
struct Pair {
  PlannerWorld world;
  JobSpec job{.size = 2, .gpus = 8, .place = "rack=pack!"};
  explicit Pair(PlannerOptions options = PlannerWorld::Options()) : world(std::move(options)) {
    world.AddNodes(MakeNodes(1, 1, 2));
    world.Sync();
    world.ShowJob(job, 0, 2);
  }
  PodFacts Pod(int index) const { return JobPod(job, index); }
  PlannerWorld::Call Bind(int index) {
    return world.Bind(Pod(index), fmt::format("b0-r0-n{}", index));
  }
};

// Both members' Bindings are on their way, and the second one's has come back.
struct Written {
  Pair pair;
  PlannerWorld::Call first = pair.Bind(0);
  PlannerWorld::Call second = pair.Bind(1);
  std::vector<BindingWrite> posts = pair.world.Take<BindingWrite>();
  Written() {
    REQUIRE(posts.size() == 2);
    pair.world.Settle(posts[1], BindOutcome::kBound);
  }
};

}  // namespace

TEST_CASE("Bind: nothing is written before the last member is in bind and then all at once") {
  Pair pair;
  auto first = pair.Bind(0);
  CHECK(first.decision.held);
  pair.world.Pass(absl::Minutes(1));
  CHECK(pair.world.Take<BindingWrite>().empty());
  auto second = pair.Bind(1);
  CHECK(pair.world.StateOf("team/train") == "Binding");
  std::vector<BindingWrite> posts = pair.world.Take<BindingWrite>();
  REQUIRE(posts.size() == 2);
  CHECK(posts[0].pod.name == "train-0-0");
  CHECK(posts[0].node == "b0-r0-n0");
  CHECK(posts[0].annotations == LabelSet{{"gangplan.io/assigned-domain", "b0/r0/b0-r0-n0"},
                                         {"gangplan.io/assigned-rank", "0"},
                                         {"gangplan.io/plan", "train.1"}});
  CHECK_FALSE(pair.world.Answer(first.id).has_value());
  for (const BindingWrite& post : posts) pair.world.Settle(post, BindOutcome::kBound);
  CHECK(pair.world.Answer(first.id) == "");
  CHECK(pair.world.Answer(second.id) == "");
  CHECK(pair.world.StateOf("team/train") == "Running");
  CHECK(pair.world.HoldCount() == 0);
}

TEST_CASE("Bind: first-member starts each as it comes") {
  PlannerOptions options = PlannerWorld::Options();
  options.start_at_first_member = true;
  Pair pair(options);
  pair.Bind(0);
  CHECK(pair.world.StateOf("team/train") == "Binding");
  CHECK(pair.world.BindAll() == 1);
  CHECK(pair.world.StateOf("team/train") == "Binding");
  pair.Bind(1);
  CHECK(pair.world.BindAll() == 1);
  CHECK(pair.world.StateOf("team/train") == "Running");
}

TEST_CASE("Bind: a call for another node than the planned one is refused") {
  Pair pair;
  CHECK(pair.world.Bind(pair.Pod(0), "b0-r0-n1").decision.error ==
        Sentence("plan changed", "train"));
  CHECK(pair.world.Bind(ForeignPod("stranger", 1), "b0-r0-n0").decision.error ==
        Sentence("pod not known"));
}

TEST_CASE("Bind: a call that comes late or waits too long is not written") {
  PlannerOptions options = PlannerWorld::Options();
  options.bind_timeout = absl::Seconds(40);
  // 40 s less 10 s for the POST, 4 s of margin, 2 x 4 ms of writing.
  const absl::Duration limit = absl::Milliseconds(25'992);
  Pair pair(options);
  CHECK(pair.world.Bind(pair.Pod(0), "b0-r0-n0", limit).decision.error ==
        Sentence("too late to be held", "train"));
  auto call = pair.world.Bind(pair.Pod(0), "b0-r0-n0", limit - absl::Milliseconds(1));
  CHECK(call.decision.held);
  pair.world.Pass(absl::Milliseconds(1));
  CHECK(pair.world.Answer(call.id) == Sentence("still waiting in bind", "train", 2));
  CHECK(pair.world.HoldCount() == 2);
}

TEST_CASE("Bind: a gang of more Bindings than are written in time is told so") {
  PlannerOptions options = PlannerWorld::Options();
  options.bind_timeout = absl::Seconds(10);
  // 10 s less 2.5 s for the POST, 1 s of margin, 1 s for the calls to come; 4 ms each.
  constexpr int32_t kMost = 1'375;
  for (const int32_t size : {kMost, kMost + 1}) {
    PlannerWorld world(options);
    world.AddNodes(MakeNodes(1, 1, 2));
    world.Sync();
    const JobSpec job = {.name = "wide", .size = size, .gpus = 0, .place = "rack=pack"};
    world.Register(job);
    world.Show(JobPod(job, 0));
    CHECK((world.Report("team/wide").reason.find("server.bindTimeout") != std::string::npos) ==
          (size > kMost));
  }
}

TEST_CASE("Bind: the commit looks at the time once more") {
  PlannerOptions options = PlannerWorld::Options();
  options.bind_timeout = absl::Seconds(40);
  Pair pair(options);
  pair.world.hold_commits = true;
  auto first = pair.world.Bind(pair.Pod(0), "b0-r0-n0", absl::Seconds(25));
  auto second = pair.Bind(1);
  std::vector<CommitReady> ready = pair.world.Take<CommitReady>();
  REQUIRE(ready.size() == 1);
  Planner& planner = pair.world.planner();
  planner.Commit(pair.world.now() + absl::Seconds(1), ready[0].group, {});
  CHECK(pair.world.Take<BindingWrite>().empty());
  CHECK(pair.world.Answer(first.id) == Sentence("too late to be written", "train"));
  CHECK_FALSE(pair.world.Answer(second.id).has_value());
}

TEST_CASE("Bind: a call whose peer is gone is dropped and its gang does not start") {
  Pair pair;
  pair.world.hold_commits = true;
  auto first = pair.Bind(0);
  auto second = pair.Bind(1);
  std::vector<CommitReady> ready = pair.world.Take<CommitReady>();
  REQUIRE(ready.size() == 1);
  pair.world.planner().Commit(pair.world.now(), ready[0].group, {first.id});
  CHECK(pair.world.Answer(first.id) == Sentence("call closed"));
  CHECK(pair.world.Take<BindingWrite>().empty());
  CHECK(pair.world.StateOf("team/train") == "Planned");
  // The scheduler tries again: the other call still waits.
  pair.world.hold_commits = false;
  pair.Bind(0);
  CHECK(pair.world.Take<BindingWrite>().size() == 2);
  CHECK_FALSE(pair.world.Answer(second.id).has_value());
}

TEST_CASE("Bind: closed calls are dropped whenever they are noticed") {
  Pair pair;
  auto call = pair.Bind(0);
  pair.world.planner().OnCallsClosed(pair.world.now(), {call.id, 77});
  CHECK(pair.world.Answer(call.id) == Sentence("call closed"));
  CHECK(pair.world.planner().HeldCalls().empty());
}

TEST_CASE("Bind: filter for a pod in bind drops its call") {
  Pair pair;
  auto call = pair.Bind(0);
  CHECK(pair.world.Passed(pair.Pod(0)) == "b0-r0-n0");
  CHECK(pair.world.Answer(call.id) == Sentence("call forgotten"));
  pair.Bind(1);
  CHECK(pair.world.Take<BindingWrite>().empty());
}

TEST_CASE("Bind: a second call for one pod takes the place of the first") {
  Pair pair;
  auto first = pair.Bind(0);
  auto again = pair.Bind(0);
  CHECK(pair.world.Answer(first.id) == Sentence("another call"));
  CHECK(again.decision.held);
  pair.Bind(1);
  CHECK(pair.world.BindAll() == 2);
  CHECK(pair.world.Answer(again.id) == "");
}

TEST_CASE("Bind: the service stops and every call that waits is answered") {
  Pair pair;
  auto call = pair.Bind(0);
  pair.world.planner().AnswerHeldCalls("gangplan is stopping");
  CHECK(pair.world.Answer(call.id) == "gangplan is stopping");
}

TEST_CASE("Bind: a member that is deleted while in bind leaves and its call is answered") {
  Pair pair;
  auto call = pair.Bind(0);
  SECTION("with terminating first") {
    pair.world.ShowTerminating(pair.Pod(0));
    CHECK(pair.world.Answer(call.id) == Sentence("pod being deleted", "train-0-0"));
  }
  SECTION("at once") {
    pair.world.Delete(pair.Pod(0));
    CHECK(pair.world.Answer(call.id) == Sentence("pod deleted", "train-0-0"));
  }
  CHECK(pair.world.StateOf("team/train") == "Gathering");
  CHECK(pair.world.HoldCount() == 2);
  auto other = pair.Bind(1);
  CHECK(pair.world.Take<BindingWrite>().empty());
  // The replacement takes the place and the gang starts.
  PodFacts replacement = JobPod(pair.job, 0, 1);
  pair.world.Show(replacement);
  CHECK(pair.world.FilterAndBind(replacement) == "b0-r0-n0");
  CHECK(pair.world.BindAll() == 2);
  CHECK(pair.world.Answer(other.id) == "");
}

TEST_CASE("Bind: a Binding that failed, or whose outcome is open") {
  Written written;
  Pair& pair = written.pair;
  auto& first = written.first;
  auto& posts = written.posts;
  SECTION("not bound: tried again at once when the scheduler does") {
    pair.world.Settle(posts[0], BindOutcome::kRefused, "forbidden");
    CHECK(pair.world.Answer(first.id) == "forbidden");
    CHECK(pair.world.StateOf("team/train") == "Binding");
    CHECK(pair.world.HoldCount() == 1);
    pair.world.FilterAndBind(pair.Pod(0));
    CHECK(pair.world.BindAll() == 1);
    CHECK(pair.world.StateOf("team/train") == "Running");
  }
  SECTION("unknown: the call waits and the pod is read until it tells") {
    pair.world.Settle(posts[0], BindOutcome::kUnknown);
    pair.world.Pass(absl::Seconds(1));
    CHECK(pair.world.Take<BindingRead>().empty());
    pair.world.Pass(absl::Seconds(1));
    CHECK(pair.world.Take<BindingRead>().size() == 1);
    CHECK_FALSE(pair.world.Answer(first.id).has_value());
    pair.world.Settle(posts[0], BindOutcome::kBound);
    CHECK(pair.world.Answer(first.id) == "");
    CHECK(pair.world.StateOf("team/train") == "Running");
  }
  SECTION("on its way: the scheduler's question waits") {
    CHECK(pair.world.Refusal(pair.Pod(0)) == "error: " + Sentence("Binding on its way"));
    CHECK(pair.world.Bind(pair.Pod(0), "b0-r0-n0").decision.error ==
          Sentence("Binding on its way, of a member", "train"));
  }
  SECTION("unknown: it may be written again and to the same node only") {
    pair.world.Settle(posts[0], BindOutcome::kUnknown);
    CHECK(pair.world.Refusal(pair.Pod(0), {"b0-r0-n1"}) == Sentence("not offered", "train"));
    std::vector<Nomination> nominations = pair.world.Take<Nomination>();
    REQUIRE(nominations.size() == 1);
    CHECK(nominations[0].node == "b0-r0-n0");
    PodFacts pointed = pair.Pod(0);
    pointed.nominated_node_name = "b0-r0-n0";
    CHECK(pair.world.Refusal(pointed, {"b0-r0-n1"}) == "error: " + Sentence("Binding on its way"));
    CHECK(pair.world.FilterAndBind(pair.Pod(0)) == "b0-r0-n0");
    CHECK(pair.world.BindAll() == 1);
    CHECK(pair.world.StateOf("team/train") == "Running");
  }
  CHECK(pair.world.Answer(written.second.id) == "");
}

TEST_CASE("Bind: a Binding whose pod or node is gone") {
  Written written;
  Pair& pair = written.pair;
  auto& first = written.first;
  auto& posts = written.posts;
  SECTION("gone: the slot waits for a replacement") {
    pair.world.Settle(posts[0], BindOutcome::kGone);
    CHECK(pair.world.Answer(first.id) == Sentence("Binding not written"));
    CHECK(pair.world.StateOf("team/train") == "Binding");
    pair.world.Show(JobPod(pair.job, 0, 1));
    pair.world.FilterAndBind(JobPod(pair.job, 0, 1));
    CHECK(pair.world.BindAll() == 1);
    CHECK(pair.world.StateOf("team/train") == "Running");
  }
  SECTION("gone while its node was cordoned: the room is given up") {
    NodeFacts cordoned = MakeNode(0, 0, 0);
    cordoned.unschedulable = true;
    pair.world.Put(cordoned);
    pair.world.Settle(posts[0], BindOutcome::kGone);
    CHECK(pair.world.HoldCount() == 0);
  }
  SECTION("not bound after its node was away: the rest may stand elsewhere by now") {
    pair.world.DeleteNode("b0-r0-n0");
    pair.world.Put(MakeNode(0, 0, 0));
    pair.world.Put(MakeNode(0, 0, 2));
    pair.world.Settle(posts[0], BindOutcome::kUnknown);
    CHECK(pair.world.Bind(pair.Pod(0), "b0-r0-n0").decision.error ==
          Sentence("planned node lost", "train"));
    pair.world.Settle(posts[0], BindOutcome::kRefused);
    CHECK(pair.world.HoldCount() == 1);
    pair.world.FilterAndBind(pair.Pod(0));
    CHECK(pair.world.BindAll() == 1);
  }
  CHECK(pair.world.Answer(written.second.id) == "");
}

TEST_CASE("Bind: a Binding that the watch tells of first") {
  Written written;
  Pair& pair = written.pair;
  auto& first = written.first;
  auto& posts = written.posts;
  SECTION("elsewhere: told by the watch and never answered as bound") {
    pair.world.Put(MakeNode(0, 0, 2));
    pair.world.Settle(posts[0], BindOutcome::kElsewhere, "bound to b0-r0-n2");
    CHECK(pair.world.Answer(first.id) == "bound to b0-r0-n2");
    pair.world.ShowBound(pair.Pod(0), "b0-r0-n2");
    CHECK(pair.world.Nodes("team/train") == std::vector<std::string>{"b0-r0-n2", "b0-r0-n1"});
    CHECK(pair.world.StateOf("team/train") == "Running");
    CHECK(pair.world.HoldCount() == 0);
  }
  SECTION("the watch shows it elsewhere before the answer") {
    pair.world.Put(MakeNode(0, 0, 2));
    pair.world.ShowBound(pair.Pod(0), "b0-r0-n2");
    CHECK(pair.world.Answer(first.id) == Sentence("bound elsewhere", "b0-r0-n2"));
    pair.world.Settle(posts[0], BindOutcome::kElsewhere, "bound to b0-r0-n2");
    CHECK(pair.world.StateOf("team/train") == "Running");
  }
  SECTION("the watch shows it bound before the answer and the answer comes twice") {
    pair.world.ShowBound(pair.Pod(0), "b0-r0-n0");
    CHECK(pair.world.Answer(first.id) == "");
    pair.world.Settle(posts[0], BindOutcome::kBound);
    pair.world.Settle(posts[0], BindOutcome::kBound);
    CHECK(pair.world.StateOf("team/train") == "Running");
  }
  CHECK(pair.world.Answer(written.second.id) == "");
}

TEST_CASE("Bind: a pod that is bound already is answered by what is so") {
  Pair pair;
  pair.Bind(0);
  pair.Bind(1);
  pair.world.BindAll();
  CHECK(pair.world.Bind(pair.Pod(0), "b0-r0-n0").decision.error == "");
  CHECK_FALSE(pair.world.Bind(pair.Pod(0), "b0-r0-n0").decision.held);
  CHECK(pair.world.Bind(pair.Pod(0), "b0-r0-n1").decision.error ==
        Sentence("bound already", "b0-r0-n0"));
}

TEST_CASE("Bind: a pod deleted while its Binding is open keeps its room until that is settled") {
  Pair pair;
  pair.Bind(0);
  pair.Bind(1);
  std::vector<BindingWrite> posts = pair.world.Take<BindingWrite>();
  REQUIRE(posts.size() == 2);
  pair.world.ShowTerminating(pair.Pod(0));
  JobSpec other{.name = "other", .size = 1, .gpus = 8, .place = "node=pack"};
  pair.world.ShowJob(other, 0, 1);
  CHECK(pair.world.StateOf("team/other") == "Blocked");
  pair.world.Settle(posts[0], BindOutcome::kGone);
  pair.world.Delete(pair.Pod(0));
  pair.world.Pass(absl::Seconds(1));
  CHECK(pair.world.StateOf("team/other") == "Planned");
}

TEST_CASE("Bind: a pod that goes with its node counts there until its Binding is settled") {
  Pair pair;
  pair.Bind(0);
  pair.Bind(1);
  const std::vector<BindingWrite> posts = pair.world.Take<BindingWrite>();
  REQUIRE(posts.size() == 2);
  pair.world.DeleteNode("b0-r0-n0");
  pair.world.ShowTerminating(pair.Pod(0));
  pair.world.Put(MakeNode(0, 0, 0));
  const Model& model = pair.world.planner().model();
  const ResourceUse use = model.Use(model.FindNode("b0-r0-n0"), "example.com/gpu");
  CHECK(use.used + use.held == 8);
}

TEST_CASE("Bind: the gang fails to start when every Binding was refused and is asked again") {
  Pair pair;
  pair.Bind(0);
  pair.Bind(1);
  for (const BindingWrite& post : pair.world.Take<BindingWrite>())
    pair.world.Settle(post, BindOutcome::kRefused, "refused");
  CHECK(pair.world.StateOf("team/train") == "Planned");
  pair.world.FilterAndBind(pair.Pod(0));
  CHECK(pair.world.Take<BindingWrite>().empty());  // whole again or not at all
  pair.world.FilterAndBind(pair.Pod(1));
  CHECK(pair.world.BindAll() == 2);
}

TEST_CASE("Bind: an extra pod in bind is refused") {
  Pair pair;
  pair.world.Show(JobPod(pair.job, 2));
  CHECK(pair.world.Bind(JobPod(pair.job, 2), "b0-r0-n0").decision.error ==
        Sentence("no slot", "train"));
}

}  // namespace gangplan::bind_test
