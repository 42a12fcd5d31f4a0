// ConfigMaps that are told the ranks of a gang (gangplan.io/ranks-of), over its life.
#include "extender/planner/rank_lists.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "extender/cluster/annotations.h"
#include "extender/planner/owner_key.h"
#include "fmt/format.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"

namespace gangplan::rank_lists_test {
namespace {

// A cluster with an API server for the lists: what is written is there, and is shown by the watch.
struct ListsWorld : PlannerWorld {
  ListsWorld() {
    AddNodes(MakeNodes(2, 2, 2));
    Sync();
  }

  void List(const std::string& name, const std::string& gang, LabelSet data = {}) {
    lists[name] = {"team", name, "uid-" + name, "1", {{"gangplan.io/ranks-of", gang}}, data};
    planner().OnRankList(now(), lists[name], true);
  }
  // What is due is written, as often as something is. How many writes there were.
  int Some(absl::Duration time = absl::Seconds(2)) {
    int writes = 0;
    for (int i = 0; i < 8; ++i) {
      Pass(time / 8);
      for (const WriteRankList& write : Take<WriteRankList>()) {
        ++writes;
        ConfigMapFacts& object = lists.at(write.write.object.name);
        REQUIRE(write.write.object.uid == object.uid);
        PatchLabels(object.data, write.write.data);
        planner().OnRankListWritten(now(), write.write.object, false);
        planner().OnRankList(now(), object, true);
      }
    }
    return writes;
  }
  std::string Hosts(const std::string& list = "ranks") {
    const std::string* hosts = FindLabel(lists.at(list).data, "hostfile");
    return hosts == nullptr ? "none" : *hosts;
  }
  void Run(const JobSpec& job) {
    ShowJob(job, 0, job.size);
    std::vector<Call> calls;
    for (int i = 0; i < job.size; ++i)
      calls.push_back(Bind(JobPod(job, i), Passed(JobPod(job, i))));
    REQUIRE(BindAll() == job.size);
  }

  // Its list is there, and known to the next instance; returns where it runs.
  std::vector<std::string> RunAndRestart();

  std::map<std::string, ConfigMapFacts> lists;
};

std::string HostsOf(const JobSpec& job, int life = 0) {
  std::string hosts;
  for (int i = 0; i < job.size; ++i) hosts += JobPod(job, i, life).name + "\n";
  return hosts;
}

const JobSpec kJob{.name = "train", .size = 3, .place = "rack=pack!"};

std::vector<std::string> ListsWorld::RunAndRestart() {
  List("ranks", "train");
  Run(kJob);
  Some();
  std::vector<std::string> nodes = Nodes("team/train");
  Restart();
  AddNodes(MakeNodes(2, 2, 2));
  planner().OnRankList(now(), lists["ranks"], true);
  return nodes;
}

}  // namespace

TEST_CASE("Rank list: it is there once the place of each member is known, and before it starts") {
  ListsWorld world;
  world.List("ranks", "train");
  world.ShowJob(kJob, 0, 2);
  CHECK(world.Some() == 0);
  CHECK(world.Hosts() == "none");
  world.Show(JobPod(kJob, 2));
  CHECK(world.Some() == 1);
  CHECK(world.StateOf("team/train") == "Planned");
  CHECK(world.Hosts() == HostsOf(kJob));
  for (int i = 0; i < 3; ++i) world.Bind(JobPod(kJob, i), world.Passed(JobPod(kJob, i)));
  REQUIRE(world.BindAll() == 3);
  CHECK(world.Some() == 0);
  const std::string placement = *FindLabel(world.lists["ranks"].data, "placement.json");
  for (const std::string& node : world.Nodes("team/train"))
    CHECK(placement.find(fmt::format("\"node\":\"{}\",\"domains\":[\"{}\",\"{}\"]", node,
                                     DomainOf(node, 0), "r" + node.substr(4, 1))) !=
          std::string::npos);
}

TEST_CASE("Rank list: its hosts are the pods' own names for each other") {
  ListsWorld world;
  world.List("ranks", "train");
  world.Register(kJob);
  std::string hosts;
  for (int i = 0; i < 3; ++i) {
    PodFacts pod = JobPod(kJob, i);
    pod.host = fmt::format("train-{}.train", i);
    hosts += pod.host + "\n";
    world.Show(pod);
  }
  CHECK(world.Some() == 1);
  CHECK(world.Hosts() == hosts);
}

TEST_CASE("Rank list: it is taken away while a member is missing, and names who takes its place") {
  ListsWorld world;
  world.List("ranks", "train");
  world.Run(kJob);
  world.Some();
  REQUIRE(world.Hosts() == HostsOf(kJob));
  world.Delete(JobPod(kJob, 1));
  CHECK(world.Some() == 1);
  CHECK(world.Hosts() == "none");
  const PodFacts next = JobPod(kJob, 1, 1);
  world.Show(next);
  CHECK(world.Some() == 1);
  CHECK(world.Hosts() ==
        JobPod(kJob, 0).name + "\n" + next.name + "\n" + JobPod(kJob, 2).name + "\n");
}

TEST_CASE("Rank list: it stays when pods succeed, and goes with the gang") {
  ListsWorld world;
  world.List("ranks", "train");
  world.Run(kJob);
  world.Some();
  const std::vector<std::string> nodes = world.Nodes("team/train");
  for (int i = 0; i < 3; ++i) {
    world.ShowFinished(JobPod(kJob, i), nodes[static_cast<size_t>(i)]);
    CHECK(world.Some() == 0);
  }
  CHECK(world.Hosts() == HostsOf(kJob));
  for (int i = 0; i < 3; ++i) world.Delete(JobPod(kJob, i));
  world.Pass(absl::Hours(1));
  world.Some();
  CHECK(world.Hosts() == "none");
}

TEST_CASE("Rank list: the next gang of the name has a list of its own") {
  ListsWorld world;
  world.List("ranks", "train");
  world.Run(kJob);
  world.Some();
  for (int i = 0; i < 3; ++i) world.Delete(JobPod(kJob, i));
  JobSpec again = kJob;
  again.uid = "again";
  world.ShowJob(again, 0, 2);
  world.Some();
  CHECK(world.Hosts() == "none");
  world.Show(JobPod(again, 2));
  world.Some();
  CHECK(world.Hosts() == HostsOf(again));
  CHECK(*FindLabel(world.lists["ranks"].data, "list-of") == "gangplan team/train again");
}

TEST_CASE("Rank list: it may come after the gang, there may be several, and others' keys stay") {
  ListsWorld world;
  world.Run(kJob);
  world.Some();
  world.List("ranks", "train", {{"mine", "stays"}});
  world.List("more", "train");
  world.List("other", "nobody", {{"hostfile", "of an older gang"}});
  CHECK(world.Some() == 3);
  CHECK(world.Hosts("ranks") == HostsOf(kJob));
  CHECK(world.Hosts("more") == HostsOf(kJob));
  CHECK(world.Hosts("other") == "none");
  CHECK(*FindLabel(world.lists["ranks"].data, "mine") == "stays");
  CHECK(world.Some() == 0);
}

TEST_CASE("Rank list: what others change is written again, ever less often") {
  ListsWorld world;
  world.List("ranks", "train");
  world.Run(kJob);
  world.Some();
  int writes = 0;
  for (int second = 0; second < 600; ++second) {
    world.lists["ranks"].data = {{"hostfile", "mine"}};
    world.planner().OnRankList(world.now(), world.lists["ranks"], true);
    writes += world.Some(absl::Seconds(1));
  }
  CHECK(writes >= 8);
  CHECK(writes <= 20);
}

TEST_CASE(
    "Rank list: a write that was refused is made again, one to an object that is gone is not") {
  ListsWorld world;
  world.List("ranks", "train");
  world.Run(kJob);
  world.Pass(absl::Seconds(2));
  auto writes = world.Take<WriteRankList>();
  REQUIRE(writes.size() == 1);
  world.Pass(absl::Minutes(2));
  CHECK(world.Take<WriteRankList>().empty());  // it is on its way
  world.planner().OnRankListWritten(world.now(), writes[0].write.object, true);
  world.Pass(absl::Minutes(2));
  writes = world.Take<WriteRankList>();
  REQUIRE(writes.size() == 1);
  world.planner().OnRankList(world.now(), world.lists["ranks"], false);
  world.planner().OnRankListWritten(world.now(), writes[0].write.object, true);
  world.Pass(absl::Minutes(2));
  CHECK(world.Take<WriteRankList>().empty());
}

TEST_CASE("Rank list: after a restart nothing is taken away before the gang is known") {
  ListsWorld world;
  const std::vector<std::string> nodes = world.RunAndRestart();
  CHECK(world.Some() == 0);
  world.Register(kJob);
  for (int i = 0; i < 3; ++i) world.ShowBound(JobPod(kJob, i), nodes[static_cast<size_t>(i)]);
  world.Sync();
  world.Some(absl::Minutes(2));
  CHECK(world.Hosts() == HostsOf(kJob));
}

TEST_CASE(
    "Rank list: it stays while the owner of pods that were bound by its plan cannot be read") {
  ListsWorld world;
  const std::vector<std::string> nodes = world.RunAndRestart();
  world.answer_owners = false;
  for (int i = 0; i < 3; ++i) {
    PodFacts pod = JobPod(kJob, i);
    SetWord(pod.annotations, kPlanAnnotation, "train.1");
    world.ShowBound(pod, nodes[static_cast<size_t>(i)]);
  }
  world.Sync();
  CHECK(world.Some(absl::Minutes(2)) == 0);
  CHECK(world.Hosts() == HostsOf(kJob));
  world.Register(kJob);
  world.planner().OnOwner(world.now(), OwnerKey("team", kJob.Uid()), JobOwner(kJob));
  world.Some(absl::Minutes(2));
  CHECK(world.Hosts() == HostsOf(kJob));
}

TEST_CASE("Rank list: two Gangplans in one cluster leave each other's lists alone") {
  ListsWorld world;
  world.List("ranks", "nobody", {{"hostfile", "x"}, {"list-of", "another team/nobody uid"}});
  CHECK(world.Some() == 0);
  world.List("older", "nobody", {{"hostfile", "x"}, {"list-of", "gangplan team/nobody uid"}});
  CHECK(world.Some() == 1);
  CHECK(world.Hosts("older") == "none");
  CHECK(world.Hosts("ranks") == "x");
}

TEST_CASE("Rank list: what a gang of the name before has left goes though this one is ending") {
  ListsWorld world;
  world.Run(kJob);
  world.ShowFinished(JobPod(kJob, 0), world.Nodes("team/train")[0]);
  world.List("ranks", "train", {{"hostfile", "x"}, {"list-of", "gangplan team/train older"}});
  CHECK(world.Some() == 1);
  CHECK(world.Hosts() == "none");
}

TEST_CASE("Rank list: a gang that pods join has those that have a place") {
  ListsWorld world;
  world.List("ranks", "ring");
  const auto member = [](int i) {
    PodFacts pod = ForeignPod(fmt::format("ring-{}", i), 8);
    pod.scheduler_name = "gangplan";
    SetWord(pod.annotations, "gangplan.io/group", "ring");
    SetWord(pod.annotations, "gangplan.io/size", "12");
    SetWord(pod.annotations, "gangplan.io/start", "2");
    return pod;
  };
  for (int i = 0; i < 2; ++i) world.Show(member(i));
  for (int i = 0; i < 2; ++i) world.Bind(member(i), world.Passed(member(i)));
  REQUIRE(world.BindAll() == 2);
  world.Some();
  CHECK(world.Hosts() == "ring-0\nring-1\n");
  for (int i = 2; i < 10; ++i) world.Show(member(i));  // there is room for eight in all
  world.Some();
  const std::string hosts = world.Hosts();
  CHECK(std::count(hosts.begin(), hosts.end(), '\n') == 8);
}

TEST_CASE("Rank list: many lists of one namespace keep nobody else's waiting") {
  RankLists lists("gangplan");
  const absl::Time start = absl::FromUnixSeconds(1'000);
  for (int i = 0; i < 100; ++i)
    lists.OnObject(
        start, {"a", fmt::format("l{}", i), "u", "1", {{"gangplan.io/ranks-of", "x"}}, {}}, true);
  lists.OnObject(start, {"b", "l", "u", "1", {{"gangplan.io/ranks-of", "y"}}, {{"hostfile", "x"}}},
                 true);
  const auto none = [](std::string_view) { return RankLists::Found(); };
  int taken = 0;
  bool reached = false;
  for (absl::Time now = start + absl::Seconds(1); taken < 500 && !reached; ++taken) {
    now += absl::Milliseconds(1);
    lists.Touch(now, "a/x");  // it comes and goes without end
    const auto due = lists.TakeDue(now, none);
    reached = due && due->write && due->write->object.ns == "b";
  }
  CHECK(reached);
}

TEST_CASE("Rank list: of more pods than a ConfigMap holds there is none, and its author is told") {
  RankLists lists("gangplan");
  const ConfigMapFacts object{"team", "ranks", "uid", "1", {{"gangplan.io/ranks-of", "big"}}, {}};
  const absl::Time now = absl::FromUnixSeconds(1'000);
  lists.OnObject(now, object, true);
  const auto look = [&](absl::Time when, int32_t size) {
    return lists.TakeDue(when, [&](std::string_view) {
      return RankLists::Found{RankLists::Gang{"", size, {}}};
    });
  };
  const auto first = look(now + absl::Seconds(1), kMaxListedRanks + 1);
  REQUIRE(first.has_value());
  CHECK_FALSE(first->write.has_value());
  REQUIRE(first->note.has_value());
  CHECK(first->note->reason == "RanksTooBig");
  CHECK(first->note->note ==
        "hostfile and placement.json of 8193 ranks: a ConfigMap does not hold as much");
  CHECK(first->note->regarding.kind == "ConfigMap");
  lists.Touch(now + absl::Seconds(2), "team/big");
  CHECK_FALSE(look(now + absl::Seconds(2), kMaxListedRanks + 1)->note.has_value());  // once
  lists.Touch(now + absl::Seconds(3), "team/big");
  CHECK_FALSE(look(now + absl::Seconds(3), kMaxListedRanks)->note.has_value());
}

}  // namespace gangplan::rank_lists_test
