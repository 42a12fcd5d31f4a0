// What a group's ConfigMap and its pods' labels are told, and when.
#include <algorithm>

#include "extender/cluster/annotations.h"
#include "fmt/format.h"
#include "tests/support/sakkara_world.h"

namespace gangplan::sakkara_told_test {
namespace {

TEST_CASE("Sakkara: results are written a second after the group has settled, labels at once") {
  SakkaraWorld world;
  ConfigMapFacts object = RingObject("2");
  world.Tell(object);
  const std::vector<PodFacts> pods = {RingPod("master"), RingPod("w")};
  for (const PodFacts& pod : pods) world.Show(pod);
  world.Start(pods);
  REQUIRE(world.posts.size() == 2);
  CHECK(world.posts[0].labels == LabelSet{{"sakkara.member.rank", "0"},
                                          {"sakkara.member.retries", "0"},
                                          {"sakkara.member.status", "Bound"}});
  for (size_t i = 0; i < pods.size(); ++i) {
    PodFacts shown = pods[i];
    if (i == 0)
      shown.labels.insert(shown.labels.end(), world.posts[0].labels.begin(),
                          world.posts[0].labels.end());
    std::sort(shown.labels.begin(), shown.labels.end());
    world.ShowBound(shown, world.posts[i].node);
  }
  world.Pass(absl::Milliseconds(100));
  world.Pass(absl::Milliseconds(900));
  CHECK(world.Take<WriteResults>().empty());
  world.Pass(absl::Milliseconds(200));
  const auto labels = world.Take<WriteMemberLabels>();
  REQUIRE(labels.size() == 1);  // the first one's Binding has brought them
  CHECK(labels[0].write.pod.name == "w");
  const LabelSet data = world.Written(object);
  CHECK(ValueOf(data, "status") == "Bound");
  CHECK(ValueOf(data, "rank") == "[(master,0) (w,1)]");
  CHECK(ValueOf(data, "placement") ==
        R"({"root":{"b0":{"r0":{"b0-r0-n0":{"master":{},"w":{}}}}}})");
  CHECK(ValueOf(data, "schedBeginTime") == "1970-01-12T13:46:40Z");
  CHECK(ValueOf(data, "schedTotalTimeMilli") == "0");
  CHECK(ValueOf(data, "schedSolverTimeMilli") == "0");
  world.Pass(absl::Minutes(5));
  CHECK(world.Take<WriteResults>().empty());
}

TEST_CASE("Sakkara: results that somebody undoes are written again, more and more slowly") {
  SakkaraWorld world;
  const ConfigMapFacts clean = RingObject("1");
  world.Tell(clean);
  world.Show(RingPod("a"));
  world.Start({RingPod("a")});
  world.ShowBound(RingPod("a"), world.posts[0].node);
  int writes = 0;
  for (int second = 0; second < 300; ++second) {
    world.Pass(absl::Seconds(1));
    const auto written = world.Take<WriteResults>();
    for (const WriteMemberLabels& labels : world.Take<WriteMemberLabels>())
      world.planner().OnResultsWritten(world.now(), labels.group, false);
    writes += static_cast<int>(written.size());
    if (written.empty()) continue;
    world.planner().OnResultsWritten(world.now(), written[0].group, false);
    world.Tell(clean);  // without the results
  }
  CHECK(writes >= 8);
  CHECK(writes <= 11);
}

TEST_CASE("Sakkara: a write that fails is tried again, one of a group that is gone is not") {
  SakkaraWorld world;
  world.Tell(RingObject("1"));
  world.Show(RingPod("a"));
  world.Pass(absl::Milliseconds(10));
  world.Pass(absl::Seconds(2));
  auto writes = world.Take<WriteResults>();
  REQUIRE(writes.size() == 1);
  CHECK(writes[0].write.object.uid == "uid-ring-object");
  world.Pass(absl::Minutes(5));
  CHECK(world.Take<WriteResults>().empty());  // the first one is still on its way
  world.planner().OnResultsWritten(world.now(), writes[0].group, true);
  world.Pass(absl::Seconds(3));
  writes = world.Take<WriteResults>();
  REQUIRE(writes.size() == 1);
  world.Delete(RingPod("a"));
  world.planner().OnResultsWritten(world.now(), writes[0].group, true);
  world.Pass(absl::Seconds(10));
  CHECK(world.Take<WriteResults>().empty());
}

TEST_CASE("Sakkara: a group without room is Failed, one without its members Waiting") {
  SakkaraWorld world;
  ConfigMapFacts object = RingObject("2", kOneNode);
  world.Tell(object);
  world.Show(RingPod("a", 5));
  world.Pass(absl::Milliseconds(10));
  world.Pass(absl::Seconds(1));
  CHECK(ValueOf(world.Written(object), "status") == "Waiting");
  world.Show(RingPod("b", 5));
  world.Pass(absl::Milliseconds(10));
  world.Pass(absl::Seconds(1));
  const LabelSet data = world.Written(object);
  CHECK(ValueOf(data, "status") == "Failed");
  CHECK(ValueOf(data, "placement") == "(none)");
  const auto told = world.Take<EventNote>();
  REQUIRE_FALSE(told.empty());  // bare pods: the object hears why
  CHECK(told.back().regarding.name == "ring-object");
}

TEST_CASE("Sakkara: after a restart what was written before is kept") {
  SakkaraWorld world;
  ConfigMapFacts object = RingObject("1");
  SetLabel(object.data, "status", "Bound");
  SetLabel(object.data, "schedBeginTime", "2024-07-02T14:53:58Z");
  SetLabel(object.data, "schedTotalTimeMilli", "77");
  world.Restart();
  world.AddNodes(MakeNodes(1, 2, 2));
  world.Tell(object);
  PodFacts bound = RingPod("a");
  SetWord(bound.annotations, kAssignedRankAnnotation, "0");
  SetWord(bound.labels, "sakkara.member.rank", "0");
  SetWord(bound.labels, "sakkara.member.retries", "3");
  SetWord(bound.labels, "sakkara.member.status", "Bound");
  world.ShowBound(bound, "b0-r0-n1");
  world.Sync();
  CHECK(world.StateOf("team/ring") == "Running");
  world.Pass(absl::Seconds(2));
  CHECK(world.Take<WriteMemberLabels>().empty());
  const LabelSet data = world.Written(object);
  CHECK(ValueOf(data, "rank") == "[(a,0)]");
  CHECK(ValueOf(data, "schedBeginTime") == "2024-07-02T14:53:58Z");
  CHECK(ValueOf(data, "schedTotalTimeMilli") == "77");
}

TEST_CASE("Sakkara: where the pods were stays written when they finish") {
  SakkaraWorld world;
  ConfigMapFacts object = RingObject("2");
  world.Tell(object);
  for (const char* name : {"a", "b"}) world.Show(RingPod(name));
  world.Start({RingPod("a"), RingPod("b")});
  const std::string node = world.posts[0].node;
  for (const char* name : {"a", "b"}) world.ShowBound(RingPod(name), node);
  world.Pass(absl::Milliseconds(10));
  world.Pass(absl::Seconds(1));
  const LabelSet written = world.Written(object);
  CHECK(ValueOf(written, "rank") == "[(b,0) (a,1)]");
  for (const char* name : {"a", "b"}) {
    world.ShowFinished(RingPod(name), node);
    world.Pass(absl::Seconds(2));
    world.Pass(absl::Seconds(2));
    CHECK(world.Written(object).empty());
  }
  CHECK(world.StateOf("team/ring") == "Done");
}

// The group runs on pods of 5 GPUs, a node each, and its object says so.
struct RunningRing : SakkaraWorld {
  explicit RunningRing(const std::vector<std::string>& names)
      : object(RingObject(fmt::format("{}", names.size()))) {
    Tell(object);
    for (const std::string& name : names) {
      pods.push_back(RingPod(name, 5));
      Show(pods.back());
    }
    Start(pods);
    for (const BindingWrite& post : posts) {
      const auto pod = std::find_if(pods.begin(), pods.end(),
                                    [&](const PodFacts& one) { return one.uid == post.pod.uid; });
      for (const auto& [key, value] : post.annotations) SetWord(pod->annotations, key, value);
      for (const auto& [key, value] : post.labels) SetWord(pod->labels, key, value);
      pod->node_name = post.node;
      Put(*pod);
    }
    Later();
  }
  void Put(const PodFacts& pod) { ShowBound(pod, pod.node_name); }
  LabelSet Later() {
    Pass(absl::Milliseconds(10));
    Pass(absl::Seconds(1));
    return Written(object);
  }
  ConfigMapFacts object;
  std::vector<PodFacts> pods;
};

TEST_CASE("Sakkara: a pod that is lost leaves its rank to a new one") {
  RunningRing world({"master", "b", "c"});
  const std::string begin = ValueOf(world.object.data, "schedBeginTime");
  world.Delete(world.pods[1]);
  CHECK(world.Later().empty());  // all stays as it was
  world.Show(RingPod("d", 5));
  world.Start({RingPod("d", 5)});
  const LabelSet data = world.Later();
  CHECK(ValueOf(data, "rank") == "[(master,0) (d,1) (c,2)]");
  CHECK(ValueOf(data, "schedBeginTime") == begin);
}

TEST_CASE("Sakkara: pods that have succeeded stay in the results") {
  RunningRing world({"master", "b", "c"});
  const LabelSet before = world.object.data;
  CHECK(ValueOf(before, "rank") == "[(master,0) (b,1) (c,2)]");
  for (const PodFacts& pod : world.pods) {
    world.ShowFinished(pod, pod.node_name);
    world.Later();
    CHECK(world.object.data == before);
  }
  CHECK(world.StateOf("team/ring") == "Done");
  world.object = RingObject("3");
  world.Tell(world.object);
  world.Later();
  CHECK(world.object.data == before);
}

TEST_CASE("Sakkara: who was passed over is in no result of those that run since") {
  RunningRing world({"master", "b", "c"});
  const PodFacts d = RingPod("d", 5), e = RingPod("e", 5);
  world.ShowFinished(world.pods[2], world.pods[2].node_name);
  world.Delete(world.pods[0]);
  world.Show(d);  // another run while nobody stands
  world.Delete(world.pods[1]);
  world.Show(e);
  world.posts.clear();
  world.Start({d, e});
  REQUIRE(world.posts.size() == 2);
  for (const BindingWrite& post : world.posts)
    world.ShowBound(post.pod.uid == d.uid ? d : e, post.node);
  CHECK(ValueOf(world.Later(), "rank") == "[(e,0) (d,1)]");
  const LabelSet before = world.object.data;
  world.Delete(e);
  world.Later();
  CHECK(world.object.data == before);
  world.ShowFinished(d, world.posts[0].node);
  world.Later();
  CHECK(world.object.data == before);
  CHECK(world.planner().BrokenInvariant() == "");
}

TEST_CASE("Sakkara: results come back when the object of a running group is made anew") {
  RunningRing world({"master", "b", "c"});
  const LabelSet before = world.object.data;
  world.object = RingObject("3", kOneNode);
  world.Tell(world.object);
  world.Later();
  LabelSet again = world.object.data;
  SetLabel(again, "constraints", "{}");
  CHECK(again == before);
  CHECK(world.Take<WriteMemberLabels>().empty());
}

TEST_CASE("Sakkara: a bound group that a restart finds without a pod stays Bound") {
  for (const bool bound : {true, false}) {
    RunningRing world({"master", "b", "c"});
    const LabelSet before = world.object.data;
    if (!bound) SetLabel(world.object.data, "status", "Permitted");
    world.Restart();
    world.AddNodes(MakeNodes(1, 2, 2));
    world.Tell(world.object);
    for (size_t i : {0, 2}) world.Put(world.pods[i]);
    world.Sync();
    world.Later();
    CHECK(ValueOf(world.object.data, "status") == (bound ? "Bound" : "Permitted"));
    CHECK(ValueOf(world.object.data, "rank") == (bound ? ValueOf(before, "rank") : "(none)"));
    CHECK(ValueOf(world.object.data, "schedBeginTime") ==
          (bound ? ValueOf(before, "schedBeginTime") : "(none)"));
  }
}

}  // namespace
}  // namespace gangplan::sakkara_told_test
