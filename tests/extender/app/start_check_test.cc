// What is told of a server while a Gangplan starts, and that a stop ends it.
#include "extender/app/start_check.h"

#include "extender/app/finding.h"
#include "standard_error.h"
#include "tests/support/catch.h"
#include "tests/support/stub_api.h"

namespace gangplan::start_check_test {
namespace {

TEST_CASE("Start check: what is not ok is a warning of the log, with its cure") {
  ProcessLogger().set_level(LogLevel::kInfo);
  StandardError log;
  StubApi api;
  api.answers["/version"] = {200, R"({"major":"1","minor":"29"})"};
  int asked = 0;
  api.other = [&asked](const HttpRequest&) {
    ++asked;
    return HttpResponse{201, R"({"status":{"allowed":true}})"};
  };
  Settings settings;
  settings.lease = "ns/lease";
  std::string said;
  {
    StartCheck check(settings, api);
    while (CountIn(said, "found at the start") == 0) said += log.Take();
  }
  CHECK(CountIn(said, R"("level":"warn","message":"found at the start","health":"FAIL",)"
                      R"("about":"version","why":"Kubernetes 1.29","cure":"Kubernetes 1.30 or )"
                      R"(later")") == 1);
  CHECK(CountIn(said, "found at the start") == 1);
  CHECK(asked > 10);
}

TEST_CASE("Start check: what a new configuration needs is asked for, and told as that") {
  ProcessLogger().set_level(LogLevel::kInfo);
  StandardError log;
  StubApi api;
  api.answers["/version"] = {200, R"({"major":"1","minor":"33"})"};
  api.other = [](const HttpRequest& request) {
    const bool evicts = request.body.find(R"("subresource":"eviction")") != std::string::npos;
    return HttpResponse{
        201, evicts ? R"({"status":{"allowed":false}})" : R"({"status":{"allowed":true}})"};
  };
  Settings settings;
  settings.lease = "ns/lease";
  settings.preemption = Preemption::kGangs;
  std::string said;
  {
    StartCheck check(settings, api, kFoundAnew);
    while (CountIn(said, "rights preemption") == 0) said += log.Take();
  }
  CHECK(CountIn(said, R"("message":"found with the configuration that is in force now",)"
                      R"("health":"FAIL","about":"rights preemption","why":"may not: )"
                      R"(pods/eviction create")") == 1);
  CHECK(CountIn(said, "found at the start") == 0);
}

// Answers nothing before it is interrupted.
class StuckApi : public TransportFactory {
 public:
  std::unique_ptr<Transport> Make() override { return std::make_unique<Stuck>(); }

 private:
  class Stuck : public Transport {
   public:
    absl::StatusOr<HttpResponse> Send(const HttpRequest&) override {
      pause_.For(absl::Hours(1));
      return absl::CancelledError("interrupted");
    }
    absl::StatusOr<HttpResponse> Stream(const HttpRequest& request, const ChunkReceiver&) override {
      return Send(request);
    }
    void Interrupt() override { pause_.Stop(); }

   private:
    StoppablePause pause_;
  };
};

TEST_CASE("Start check: a server that says nothing keeps no end, and is not told then") {
  StandardError log;
  StuckApi api;
  { const StartCheck check(Settings(), api); }
  CHECK(CountIn(log.Take(), "found at the start") == 0);
}

}  // namespace
}  // namespace gangplan::start_check_test
