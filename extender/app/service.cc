#include "extender/app/service.h"

#include <utility>
#include <vector>

#include "extender/app/planner_options.h"

namespace gangplan {
namespace {

// Between two ticks: while there is work left, and at most.
constexpr absl::Duration kBusyTick = absl::Milliseconds(1);
constexpr absl::Duration kTick = absl::Milliseconds(50);
constexpr absl::Duration kClosedCheck = absl::Seconds(1);

}  // namespace

Service::Service(const Settings& settings, Cluster& cluster, Metrics& metrics, const Clock& clock,
                 ClosedCalls closed_calls)
    : cluster_(cluster),
      clock_(clock),
      calls_(settings.server.max_held_calls),
      planner_(
          PlannerOptionsFrom(settings, metrics, clock), metrics,
          [this](Effects effects) { effects_.Run(std::move(effects)); }, [this] { WakeTicker(); }),
      effects_(cluster, planner_, calls_, owner_reads_, metrics, clock, std::move(closed_calls),
               settings.wake),
      facts_(settings, cluster, planner_, clock),
      verbs_(planner_, calls_, owner_reads_, metrics, clock, draining_),
      views_(planner_, cluster, metrics, clock, draining_) {
  metrics.SetHeldBindCallsLimit(settings.server.max_held_calls);
}

Service::~Service() { Stop(); }

absl::Status Service::Start() {
  ticker_ = std::thread([this] { TickLoop(); });
  return cluster_.Start(&facts_);
}

void Service::Drain() {
  draining_ = true;
  planner_.Take(TurnFor::kCalls,
                [](Planner& planner) { planner.AnswerHeldCalls(std::string(kStopping)); });
}

void Service::Stop() {
  {
    MutexLock lock(tick_mutex_);
    if (stopping_) return;
    stopping_ = true;
  }
  stop_wake_.notify_all();
  tick_wake_.notify_all();
  if (ticker_.joinable()) ticker_.join();
  effects_.Stop();
  cluster_.Stop();
  calls_.AnswerAll(kStopping);
}

void Service::WakeTicker() {
  {
    MutexLock lock(tick_mutex_);
    if (std::exchange(work_left_, true)) return;
  }
  tick_wake_.notify_all();
}

// Until the next tick, which is not due before kBusyTick and not long after kTick, also when there
// is no work. False: the service stops.
bool Service::WaitForTick(bool busy) {
  MutexLock lock(tick_mutex_);
  if (!stopping_) stop_wake_.wait_for(tick_mutex_, absl::ToChronoMilliseconds(kBusyTick));
  if (!busy && !work_left_ && !stopping_)
    tick_wake_.wait_for(tick_mutex_, absl::ToChronoMilliseconds(kTick - kBusyTick));
  work_left_ = false;
  return !stopping_;
}

void Service::TickLoop() {
  absl::Time next_check = clock_.Now();
  bool busy = false;
  while (WaitForTick(busy)) {
    if (clock_.Now() >= next_check) {
      next_check = clock_.Now() + kClosedCheck;
      effects_.DropClosedCalls();
    }
    busy = planner_.Take(TurnFor::kTick, [&](Planner& planner) {
      planner.Tick(clock_.Now());
      return planner.busy();
    });
  }
}

}  // namespace gangplan
