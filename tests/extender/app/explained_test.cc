// What the aggregated API tells of gangs to who may see their namespace alone, from a real planner.
#include <atomic>
#include <string>

#include "extender/api/gang_api.h"
#include "extender/app/views.h"
#include "extender/planner/owner_key.h"
#include "fmt/format.h"
#include "stub_cluster.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "topology/base/check.h"

namespace gangplan::explained_test {
namespace {

class Judge : public Reviewer {
 public:
  absl::StatusOr<bool> May(const User&, const Access& access) override { return access.ns == ns; }
  std::string ns;
};

struct World {
  World() {
    proxy.Set({{"authority", {}}, {{"X-Remote-User"}, {}, {"X-Remote-Group"}, {}}});
    planner.Take(TurnFor::kEvents, [](Planner& inner) {
      for (const NodeFacts& node : MakeNodes(1, 1, 1))
        GANGPLAN_CHECK(inner.OnNode(absl::UnixEpoch(), node).ok());
      inner.SetActive(absl::UnixEpoch(), true);
      inner.OnSynced(absl::UnixEpoch());
      inner.Tick(absl::UnixEpoch());
    });
  }
  void Come(const std::string& pods, const std::string& group) {
    planner.Take(TurnFor::kEvents, [&](Planner& inner) {
      for (int i = 0; i < 2; ++i) {
        PodFacts pod = ForeignPod(fmt::format("{}-{}", pods, i), 8);
        SetWord(pod.annotations, "gangplan.io/group", group);
        SetWord(pod.annotations, "gangplan.io/size", "2");
        inner.OnPod(absl::UnixEpoch(), pod);
      }
    });
  }
  HttpReply Get(const std::string& path) {
    HttpCall call;
    call.head = fmt::format(
        "GET /apis/gangplan.io/v1alpha1{} HTTP/1.1\r\nX-Remote-User: jane\r\n\r\n", path);
    return api.Serve(call);
  }
  Metrics metrics;
  StubCluster cluster;
  std::atomic<bool> draining = false;
  LockedPlanner planner{PlannerWorld::Options(), metrics, [](Effects) {}, [] {}};
  Ticker ticker{planner, [] {}, [] { return Ticker::Signs{true}; }, SystemClock()};
  Views views{planner, ticker, cluster, metrics, SystemClock(), draining};
  Judge judge;
  KnownFrontProxy proxy;
  GangApi api{views, judge, proxy, metrics, SystemClock(), {}};
};

TEST_CASE("Explained: who may see the namespace pod alone reads no gang of another one") {
  World world;
  world.judge.ns = "pod";
  world.Come("train", "secret");
  CHECK(world.Get("/namespaces/team/gangs/secret/explanation").status == 403);
  const HttpReply reply = world.Get("/namespaces/pod/gangs/team~2Ftrain-0/explanation");
  INFO(reply.status << " " << reply.body);
  CHECK(reply.status == 404);
  CHECK(reply.body.find("secret") == std::string::npos);
}

TEST_CASE("Explained: nothing in an explanation commands a terminal") {
  World world;
  world.judge.ns = "team";
  world.Come("train",
             "a\x1b]0;owned\x07\n  place: any\xc2\x9b"
             "31m");
  const HttpReply reply = world.Get("/namespaces/team/gangs/train-0/explanation?of=pod");
  INFO(reply.status << " " << reply.content_type << " " << reply.body);
  CHECK(reply.status == 200);
  CHECK(reply.body.find('\x1b') == std::string::npos);
  CHECK(reply.body.find("\xc2\x9b") == std::string::npos);
  const HttpReply history =
      world.Get("/namespaces/team/gangs/a~1B]0;owned~07~0A~20~20place:~20any~C2~9B31m/history");
  INFO(history.status << " " << history.body);
  CHECK(history.body.find("\xc2\x9b") == std::string::npos);
}

TEST_CASE("Explained: of two gangs of one name the older one is told as it is") {
  World world;
  world.judge.ns = "team";
  world.planner.Take(TurnFor::kEvents, [](Planner& inner) {
    for (const std::string uid : {"first", "second"}) {
      JobSpec job{.name = "train", .size = uid == "first" ? 2 : 3, .place = "rack=pack!"};
      job.uid = uid;
      PodFacts pod = JobPod(job, 0);
      inner.OnPod(absl::UnixEpoch(), pod);
      inner.OnOwner(absl::UnixEpoch(), OwnerKey("team", uid), JobOwner(job));
    }
  });
  const HttpReply list = world.Get("/namespaces/team/gangs");
  const size_t at = list.body.find("train~~");
  INFO(list.body);
  REQUIRE(at != std::string::npos);
  const std::string older = list.body.substr(at, list.body.find('"', at) - at);
  const HttpReply told = world.Get("/namespaces/team/gangs/" + older + "/explanation");
  INFO(told.body);
  CHECK(told.status == 200);
  CHECK(told.body.find("1 of 2 members seen") != std::string::npos);
  CHECK(world.Get("/namespaces/team/gangs/train/explanation").body.find("1 of 3 members seen") !=
        std::string::npos);
  const auto json_of = [&](const std::string& name) {
    return world.Get("/namespaces/team/gangs/" + name + "/explanation?form=json");
  };
  CHECK(json_of(older).body.find(R"("uid":"first")") != std::string::npos);
  CHECK(json_of("train").body.find(R"("uid":"second")") != std::string::npos);
  CHECK(json_of("none").status == 404);
  CHECK(json_of("none").body.find(R"("message":"no group team/none")") != std::string::npos);
  CHECK(world.Get("/namespaces/team/gangs/train/explanation?form=yaml").status == 400);
}

TEST_CASE("Explained: who holds the room is told by name of the own namespace alone") {
  for (const std::string ns : {"team", "other"}) {
    World world;
    world.judge.ns = "team";
    world.planner.Take(TurnFor::kEvents, [&](Planner& inner) {
      PodFacts pod = ForeignPod("holder", 8);
      pod.ns = ns;
      SetWord(pod.annotations, "gangplan.io/group", "secret");
      SetWord(pod.annotations, "gangplan.io/size", "1");
      pod.node_name = NodeNameAt(0, 0, 0);
      inner.OnPod(absl::UnixEpoch(), pod);
      inner.Tick(absl::UnixEpoch() + absl::Seconds(1));
    });
    world.Come("train", "waits");
    const HttpReply reply = world.Get("/namespaces/team/gangs/waits/explanation");
    INFO(reply.status << " " << reply.body);
    CHECK(reply.status == 200);
    const std::string room = " (priority 0, 8 example.com/gpu on 1 node)";
    CHECK((reply.body.find("secret") != std::string::npos) == (ns == "team"));
    const std::string hidden = "held in the cluster: a gang of another namespace" + room;
    CHECK((reply.body.find(hidden) != std::string::npos) == (ns == "other"));
    const HttpReply json = world.Get("/namespaces/team/gangs/waits/explanation?form=json");
    INFO(json.status << " " << json.body);
    CHECK(json.status == 200);
    CHECK(json.content_type == "application/json");
    CHECK(json.body.find(R"("advice":{"later":false,"held":{)") != std::string::npos);
    CHECK((json.body.find("secret") != std::string::npos) == (ns == "team"));
    CHECK(world.Get("/namespaces/other/gangs/waits/explanation?form=json").status == 403);
    // The port of the reports tells all.
    CHECK(world.views.Info("explain/team/waits").body.find(ns + "/secret" + room) !=
          std::string::npos);
  }
}

}  // namespace
}  // namespace gangplan::explained_test
