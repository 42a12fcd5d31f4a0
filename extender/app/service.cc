#include "extender/app/service.h"

#include <utility>
#include <vector>

#include "extender/app/planner_options.h"
#include "extender/observe/log.h"
#include "topology/base/host_clock.h"

namespace gangplan {

Service::Service(const Settings& settings, Cluster& cluster, Metrics& metrics, const Clock& clock,
                 ClosedCalls closed_calls)
    : cluster_(cluster),
      metrics_(metrics),
      clock_(clock),
      calls_(settings.server.max_held_calls),
      planner_(
          PlannerOptionsFrom(settings, metrics, clock), metrics,
          [this](Effects effects) { effects_.Run(std::move(effects)); },
          [this] { ticker_.Wake(); }),
      effects_(cluster, planner_, calls_, owner_reads_, metrics, clock, std::move(closed_calls),
               settings.wake),
      ticker_(
          planner_, [this] { EachSecond(); },
          [this] {
            return Ticker::Signs{cluster_.WhyNotActing(absl::ZeroDuration()).empty(),
                                 cluster_.OldestWatch(Watched::kNodesAndPods).age <= kBlindAfter};
          },
          clock),
      facts_(settings, cluster, planner_, clock),
      gaps_(planner_, cluster),
      clock_watch_(clock, HostClock(), [](std::string_view text) { Log(LogLevel::kWarn, text); }),
      verbs_(cluster, planner_, calls_, owner_reads_, metrics, clock, draining_),
      views_(planner_, ticker_, cluster, metrics, clock, draining_,
             [this] { return effects_.Solving(); }),
      needs_(planner_, views_.advisor(), cluster, clock),
      provisioning_(settings.provisioning, settings.scheduler_names, planner_, cluster, clock),
      page_(planner_, clock) {
  metrics.SetHeldBindCallsLimit(settings.server.max_held_calls);
}

Service::~Service() { Stop(); }

absl::Status Service::Start() {
  ticker_.Start();
  page_.Start();
  needs_.Start();
  provisioning_.Start();
  return cluster_.Start(&facts_);
}

void Service::Apply(const Settings& settings) {
  planner_.Take(TurnFor::kReport, [&](Planner& planner) {
    planner.Reconfigure(clock_.Now(), PlannerOptionsFrom(settings, metrics_, clock_));
  });
  facts_.TakeFiles(settings);
}

void Service::EachSecond() {
  effects_.DropClosedCalls();
  gaps_.Look(clock_.Now());
  clock_watch_.Look();
}

void Service::Drain() {
  draining_ = true;
  planner_.Take(TurnFor::kCalls,
                [](Planner& planner) { planner.AnswerHeldCalls(std::string(kStopping)); });
}

void Service::Stop() {
  if (std::exchange(stopped_, true)) return;
  page_.Stop();
  needs_.Stop();
  provisioning_.Stop();
  ticker_.Stop();
  effects_.Stop();
  cluster_.Stop();
  calls_.AnswerAll(kStopping);
}

}  // namespace gangplan
