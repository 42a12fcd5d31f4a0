
#include <string>
#include <vector>

#include "extender/server/process_limits.h"
#include "extender/server/http_server.h"
#include "extender/server/routes.h"
#include "fmt/format.h"
#include "tests/bench/filter_request.h"
#include "tests/bench/latency.h"
#include "tests/bench/workloads.h"
#include "tests/extender/server/gate.h"
#include "tests/extender/server/loopback_client.h"

namespace gangplan {
namespace {

constexpr int kHeld = 2000;
constexpr int kRuns = 2000;

// Holds every bind call at the gate, lets the first offered node pass.
class Holder : public VerbHandler {
 public:
  FilterReply Filter(const FilterRequest&) override { return {{0}, {}, {}, {}}; }
  std::vector<HostScore> Prioritize(const FilterRequest&) override { return {}; }
  std::string Bind(const BindRequest&, const PeerConnection&) override {
    gate.Pass();
    return {};
  }
  std::vector<PreemptReplyNode> Preempt(const PreemptRequest&) override { return {}; }

  Gate gate;
};

bool TimeFilter(LoopbackClient& client, const std::string& request, Latency& latency) {
  bool good = true;
  for (int i = 0; i < kRuns; ++i) {
    latency.Time([&] { good = client.Call(request).status == 200 && good; });
  }
  return good;
}

}  // namespace

bool HeldBench() {
  RaiseProcessLimits();
  Metrics metrics;
  Holder holder;
  auto started = HttpServer::Start({}, VerbRoutes(holder, metrics), &metrics);
  if (!started.ok()) return false;
  HttpServer& server = **started;
  const std::string filter = PostText("/v1/extender/filter", FilterBody(NodeNames(500)));

  LoopbackClient client(server.port());
  Latency alone, beside, arrive, closed, release;
  bool good = TimeFilter(client, filter, alone);
  std::vector<LoopbackClient> held;
  arrive.Time([&] {
    for (int i = 0; i < kHeld; ++i) {
      held.emplace_back(server.port());
      good =
          held.back().Send(PostText(
              "/v1/extender/bind",
              fmt::format(R"({{"PodName":"p{0}","PodNamespace":"a","PodUID":"u{0}","Node":"n"}})",
                          i))) &&
          good;
    }
    holder.gate.AwaitArrivals(kHeld);
  });
  good = TimeFilter(client, filter, beside) && good;
  for (int i = 0; i < 100; ++i) {
    closed.Time([&] { good = server.ClosedCalls().empty() && good; });
  }
  release.Time([&] {
    holder.gate.Open();
    for (LoopbackClient& caller : held) good = caller.Receive().status == 200 && good;
  });

  Print("held/filter of 500 names, no call held", alone);
  Print(fmt::format("held/filter of 500 names, {} bind calls held", kHeld), beside);
  PrintRatio(fmt::format("held/filter, {} held against none", kHeld), beside, alone);
  Print(fmt::format("held/{} calls arrive", kHeld), arrive);
  Print(fmt::format("held/which of {} have lost their peer", kHeld), closed);
  Print(fmt::format("held/{} calls answered after the release", kHeld), release);
  return good;
}

}  // namespace gangplan
