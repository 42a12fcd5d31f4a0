// In which order Jobs that wait suspended get their room: by priority and creation, whatever order
// a watch or a list tells of them in.
#include <algorithm>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "tests/extender/planner/suspended_world.h"

namespace gangplan::suspended_order_test {
namespace {

using Names = std::vector<std::string>;

struct Waiting {
  std::string name;
  int64_t created = 0;
  int32_t priority = 0;
};

// Room for two pairs.
struct OrderWorld : SuspendedWorld {
  // As a restart finds it: the list is told before anything is planned.
  void Begin() {
    Restart();
    AddNodes(MakeNodes(1, 2, 2));
  }
  void Put(const Waiting& one) {
    JobSpec job = Pair(one.name);
    job.priority = one.priority;
    JobFacts facts = Facts(job);
    facts.owner.created = one.created;
    SuspendedWorld::See(facts);
  }
  void PutPods(const Waiting& one) {
    Register(Pair(one.name));
    for (int i = 0; i < 2; ++i) {
      PodFacts pod = JobPod(Pair(one.name), i);
      pod.created = one.created + i;
      Show(pod);
    }
  }
  Names Started() {
    Pass(absl::Milliseconds(50));
    Names names;
    for (const JobWrite& write : Take<JobWrite>()) names.push_back(write.job.name);
    return names;
  }
};

}  // namespace

TEST_CASE("Suspended order: a list that is shuffled starts the oldest Jobs first") {
  std::vector<Waiting> jobs = {{"c", 10}, {"a", 20}, {"b", 30}, {"d", 40}};
  std::vector<size_t> order = {0, 1, 2, 3};
  OrderWorld world;
  do {
    world.Begin();
    for (size_t i : order) world.Put(jobs[i]);
    world.Sync();
    CHECK(world.Started() == Names{"c", "a"});
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("Suspended order: of one second the name decides, and a greater priority goes first") {
  OrderWorld world;
  world.Begin();
  for (const Waiting& job : std::vector<Waiting>{{"d", 10}, {"c", 10}, {"b", 10}, {"a", 99, 5}})
    world.Put(job);
  world.Sync();
  CHECK(world.Started() == Names{"a", "b"});
}

TEST_CASE("Suspended order: a class that is listed after its Jobs counts before they are planned") {
  OrderWorld world;
  world.Begin();
  for (const std::string name : {"a", "b", "c"}) {
    JobFacts facts = world.Facts(Pair(name));
    facts.owner.created = 10;
    facts.needs.emplace_back().priority_class = name == "c" ? "high" : "";
    world.See(facts);
  }
  AdmissionRule high{AdmissionRule::Kind::kPriorityClass, "", "high", {}, {}, {}, 1'000, false};
  world.planner().OnAdmissionRule(world.now(), high, true);
  world.Sync();
  CHECK(world.Started() == Names{"c", "a"});
}

TEST_CASE(
    "Suspended order: an older Job that the watch tells of last has the room that comes free") {
  OrderWorld world;
  for (int rack = 0; rack < 2; ++rack)
    world.ShowBound(ForeignPod(fmt::format("f{}", rack), 8), NodeNameAt(0, rack, 0));
  for (const Waiting& job : std::vector<Waiting>{{"young", 30}, {"old", 10}, {"middle", 20}})
    world.Put(job);
  CHECK(world.Started().empty());
  world.Delete(ForeignPod("f0", 8));
  CHECK(world.Started() == Names{"old"});
  world.Delete(ForeignPod("f1", 8));
  CHECK(world.Started() == Names{"middle"});
}

TEST_CASE("Suspended order: Jobs and gangs of pods compete by their age after a restart") {
  OrderWorld world;
  world.Begin();
  bool pods_first = false;
  SECTION("the pods are older") { pods_first = true; }
  SECTION("the Jobs are older") {}
  world.PutPods({"gang", pods_first ? 5 : 50});
  for (const Waiting& job : std::vector<Waiting>{{"one", 10}, {"two", 20}}) world.Put(job);
  world.Sync();
  CHECK(world.Started() == (pods_first ? Names{"one"} : Names{"one", "two"}));
  CHECK(world.StateOf("team/gang") == (pods_first ? "Planned" : "Blocked"));
}

TEST_CASE("Suspended order: gangs of pods have the order of their creation after a restart") {
  std::vector<Waiting> gangs = {{"c", 10}, {"a", 20}, {"b", 30}};
  std::vector<size_t> order = {0, 1, 2};
  OrderWorld world;
  do {
    world.Begin();
    for (size_t i : order) world.PutPods(gangs[i]);
    world.Sync();
    world.Pass(absl::Milliseconds(50));
    CHECK(world.StateOf("team/c") == "Planned");
    CHECK(world.StateOf("team/a") == "Planned");
    CHECK(world.StateOf("team/b") == "Blocked");
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("Suspended order: more Jobs than get their group in one turn keep it after a restart") {
  OrderWorld world;
  world.Begin();
  const int jobs = static_cast<int>(kForetoldAtOnce) + 20;
  // The oldest ones come last of all, by their UIDs and in the list.
  for (int i = 0; i < jobs; ++i) world.Put({fmt::format("j{:03}", i), 1'000 - i});
  world.Sync();
  while (world.planner().recovering() || world.planner().busy()) world.Pass(absl::Milliseconds(1));
  CHECK(world.Started() == Names{fmt::format("j{:03}", jobs - 1), fmt::format("j{:03}", jobs - 2)});
}

}  // namespace gangplan::suspended_order_test
