// `gangplan plan`, `capacity` and `drain` on a cluster that is read from its API server: they say
// what they say of a saved one.
#include "extender/cli/commands.h"
#include "tests/extender/cli/told.h"
#include "tests/extender/kube/scratch_file.h"
#include "tests/extender/server/echo_server.h"
#include "topology/base/text.h"

namespace gangplan::live_cluster_test {
namespace {

std::string Nodes() {
  std::string items;
  for (int i = 0; i < 2; ++i) {
    items += fmt::format(
        R"({2}{{"kind":"Node","metadata":{{"name":"n{0}","labels":{{"example.com/block":"b",)"
        R"("example.com/rack":"r{1}","kubernetes.io/hostname":"n{0}"}}}},"status":{{"allocatable":)"
        R"({{"cpu":"8","pods":"9","nvidia.com/gpu":"8"}},"conditions":[{{"type":"Ready",)"
        R"("status":"True"}}]}}}})",
        i, i, i == 0 ? "" : ",");
  }
  return items;
}
std::string Pods() {
  return R"({"kind":"Pod","metadata":{"name":"run","namespace":"ml","uid":"u","annotations":)"
         R"({"gangplan.io/place":"rack=pack!","gangplan.io/group":"run","gangplan.io/size":"1"}},)"
         R"("spec":{"schedulerName":"gangplan","nodeName":"n1","containers":[{"name":"c",)"
         R"("resources":{"limits":{"nvidia.com/gpu":"8"}}}]},"status":{"phase":"Running"}})";
}

Routes ApiRoutes() {
  const auto list = [](std::string items) {
    return [items = std::move(items)](HttpCall&) {
      return HttpReply{200, R"({"metadata":{"resourceVersion":"7"},"items":[)" + items + "]}"};
    };
  };
  return {{"GET", "/api/v1/nodes", false, list(Nodes())},
          {"GET", "/api/v1/pods", false, list(Pods())}};
}

TEST_CASE("plan, capacity and drain of a live cluster say what they say of its snapshot") {
  const TestServer api({}, ApiRoutes());
  const std::string url = fmt::format("http://127.0.0.1:{}", api.server->port());
  const ScratchFile snapshot(fmt::format(R"({{"kind":"List","items":[{},{}]}})", Nodes(), Pods()));
  const std::string job = GANGPLAN_SOURCE_DIR "/examples/mpijob.yaml";
  const std::vector<std::vector<std::string_view>> asked = {
      {"plan", "-f", job}, {"capacity"}, {"drain", "n1", "--dry-run"}};
  for (const std::vector<std::string_view>& words : asked) {
    INFO(words[0]);
    std::vector<std::string_view> live = words, saved = words;
    live.insert(live.end(), {"--server", url});
    saved.insert(saved.end(), {"--snapshot", snapshot.path()});
    const Told said = RunOf(AllCommands(), live);
    CHECK(said == RunOf(AllCommands(), saved));
    CHECK(said.code == kExitDone);
    CHECK(said.err == "");
  }
}

}  // namespace
}  // namespace gangplan::live_cluster_test
