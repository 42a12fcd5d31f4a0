// From the bytes of a watch through the mirror to the planner: a node that is full of a pod that
// cannot be read whole is full.
#include "extender/kube/mirror.h"
#include "extender/protocol/limits.h"
#include "fmt/format.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "topology/model.h"

namespace gangplan::faulty_pods_test {
namespace {

std::string BoundPod(std::string_view annotation, std::string_view phase) {
  return fmt::format(
      R"({{"metadata":{{"name":"p","namespace":"team","uid":"u",)"
      R"("annotations":{{"gangplan.io/place":"{}"}}}},"spec":{{"nodeName":"b0-r0-n0",)"
      R"("containers":[{{"resources":{{"requests":{{"example.com/gpu":"8"}}}}}}]}},)"
      R"("status":{{"phase":"{}"}}}})",
      annotation, phase);
}

void Tell(PlannerWorld& world, const std::vector<ClusterEvent>& events) {
  for (const ClusterEvent& event : events) {
    const auto* pod = std::get_if<PodFacts>(&event);
    REQUIRE(pod != nullptr);
    world.Show(*pod);
  }
}

}  // namespace

TEST_CASE("Faulty pods: from the list and from the watch the planner is told what they use") {
  const std::string too_long(kMaxAnnotationBytes + 1, 'x');
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 1));
  world.Sync();
  const auto gpus = [&] {
    const Model& model = world.planner().model();
    return model.Use(model.FindNode("b0-r0-n0"), "example.com/gpu").used;
  };
  const auto mirror = MakePodMirror();
  std::vector<ClusterEvent> events;
  std::string page = fmt::format(R"({{"items":[{}]}})", BoundPod(too_long, "Running"));
  mirror->BeginList();
  REQUIRE(mirror->AddPage(*DecodeList(page, "Pod"), &events).ok());
  mirror->EndList(&events);
  Tell(world, events);
  CHECK(gpus() == 8);
  JobSpec job{.size = 1, .gpus = 1, .place = "rack=pack!"};
  world.ShowJob(job, 0, 1);
  CHECK(world.StateOf("team/train") == "Blocked");

  // It can be read, then it cannot, and then it has ended: it counts as long as it runs.
  for (const auto& [annotation, phase, used] :
       {std::tuple(std::string("rack=pack"), "Running", 8), std::tuple(too_long, "Running", 8),
        std::tuple(too_long, "Succeeded", 0)}) {
    std::string line =
        fmt::format(R"({{"type":"MODIFIED","object":{}}})", BoundPod(annotation, phase));
    events.clear();
    REQUIRE(mirror->Apply(*DecodeWatchEvent(line, "Pod"), &events).ok());
    Tell(world, events);
    CHECK(gpus() == used);
  }
}

}  // namespace gangplan::faulty_pods_test
