#include "extender/observe/metrics.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "extender/observe/metric_buckets.h"
#include "prometheus/counter.h"
#include "prometheus/family.h"
#include "prometheus/gauge.h"
#include "prometheus/histogram.h"
#include "prometheus/registry.h"
#include "prometheus/text_serializer.h"
#include "topology/base/mutex.h"
#include "topology/base/version.h"

namespace gangplan {
namespace {

using CounterFamily = prometheus::Family<prometheus::Counter>;
using GaugeFamily = prometheus::Family<prometheus::Gauge>;
using HistogramFamily = prometheus::Family<prometheus::Histogram>;

CounterFamily& NewCounter(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

GaugeFamily& NewGauge(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
}

HistogramFamily& NewHistogram(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
}

prometheus::Labels Label(const char* key, std::string_view value) {
  return {{key, std::string(value)}};
}

// All label values, which the callers have from the names of their own types.
using Words = std::span<const std::string_view>;
constexpr std::string_view kVerbs[] = {"filter", "prioritize", "bind", "preempt"};
constexpr std::string_view kVerbResults[] = {"ok", "error", "malformed", "failed"};
constexpr std::string_view kTurns[] = {"filter", "prioritize", "bind",  "preempt", "commit",
                                       "settle", "events",     "owner", "results", "solved",
                                       "calls",  "tick",       "report"};
constexpr std::string_view kOutcomes[] = {"placed", "wait", "impossible", "invalid"};
constexpr std::string_view kBindings[] = {"bound",   "elsewhere",   "gone",
                                          "refused", "not_written", "unknown"};
constexpr std::string_view kNominations[] = {"ok", "error"};
constexpr std::string_view kHandshakes[] = {"done",   "too_slow",    "no_turn",
                                            "failed", "not_allowed", "shut_out"};
constexpr std::string_view kReloads[] = {"done", "refused"};
constexpr std::string_view kApiCalls[] = {"ok", "refused", "failed"};
constexpr std::string_view kWaits[] = {"planned", "gone"};
constexpr std::string_view kDefects[] = {"exception"};

void BeginAtZero(CounterFamily& family, const char* key, Words values) {
  for (std::string_view value : values) family.Add(Label(key, value));
}

void BeginAtZero(HistogramFamily& family, const char* key, Words values, const Buckets& buckets) {
  for (std::string_view value : values) family.Add(Label(key, value), buckets);
}

// Without labels.
prometheus::Gauge& Plain(prometheus::Registry& registry, const char* name, const char* help) {
  return NewGauge(registry, name, help).Add({});
}

void Set(prometheus::Gauge& gauge, int64_t figure) { gauge.Set(static_cast<double>(figure)); }

}  // namespace

struct Metrics::Families {
  // Of a count that another one keeps, as one who scrapes has read it: another may be ahead.
  void RaiseTo(prometheus::Counter& counter, int64_t total) {
    MutexLock raising(raise_mutex);
    counter.Increment(std::max(static_cast<double>(total) - counter.Value(), 0.0));
  }

  Families() {
    for (std::string_view verb : kVerbs) {
      for (std::string_view result : kVerbResults)
        verb_calls.Add({{"verb", std::string(verb)}, {"result", std::string(result)}});
    }
    BeginAtZero(verb_duration, "verb", kVerbs, VerbBuckets());
    BeginAtZero(lock, "call", kTurns, LockBuckets());
    BeginAtZero(gang_wait, "outcome", kWaits, GangBuckets());
    BeginAtZero(handshakes, "result", kHandshakes);
    BeginAtZero(tls_reloads, "result", kReloads);
    BeginAtZero(api_calls, "result", kApiCalls);
    BeginAtZero(solves, "outcome", kOutcomes);
    BeginAtZero(nominations, "result", kNominations);
    BeginAtZero(bindings, "outcome", kBindings);
    BeginAtZero(unexpected, "what", kDefects);
    build_info.Add({{"version", std::string(kVersion)}, {"revision", GANGPLAN_REVISION}}).Set(1);
  }

  Mutex raise_mutex;
  prometheus::Registry registry;
  GaugeFamily& build_info = NewGauge(registry, "gangplan_build_info",
                                     "1, of the version and the revision of the source.");
  CounterFamily& verb_calls =
      NewCounter(registry, "gangplan_verb_calls_total", "Answered calls of the scheduler.");
  HistogramFamily& verb_duration =
      NewHistogram(registry, "gangplan_verb_duration_seconds",
                   "Time from the whole request to the reply; bind includes the time held.");
  prometheus::Counter& refused_connections =
      NewCounter(registry, "gangplan_refused_connections_total",
                 "Connections closed at once because the limit was reached.")
          .Add({});
  CounterFamily& handshakes =
      NewCounter(registry, "gangplan_tls_handshakes_total",
                 "TLS handshakes of the scheduler and of the API server, by result.");
  CounterFamily& tls_reloads =
      NewCounter(registry, "gangplan_tls_reloads_total",
                 "Certificates that were replaced; where they were refused, the old ones stay.");
  GaugeFamily& certificate_end =
      NewGauge(registry, "gangplan_tls_certificate_expiry_timestamp_seconds",
               "Until when the certificate is good that a listener shows.");
  CounterFamily& api_calls =
      NewCounter(registry, "gangplan_api_requests_total",
                 "Requests to the aggregated API: ok, refused (4xx), failed (5xx).");
  GaugeFamily& groups = NewGauge(registry, "gangplan_groups", "Groups by state.");
  GaugeFamily& roads =
      NewGauge(registry, "gangplan_waiting_groups",
               "Groups of which not all members are bound, by how their members wait.");
  GaugeFamily& reservations =
      NewGauge(registry, "gangplan_reservations", "Reservations of room by name, by state");
  GaugeFamily& reserved_pods =
      NewGauge(registry, "gangplan_reserved_pods", "Pods of reservations with room and without");
  prometheus::Gauge& held_slots =
      Plain(registry, "gangplan_held_slots", "Planned places whose pod is not bound yet.");
  prometheus::Gauge& held_bind_calls =
      Plain(registry, "gangplan_held_bind_calls", "Bind calls that wait for their group.");
  prometheus::Gauge& held_bind_calls_limit =
      Plain(registry, "gangplan_held_bind_calls_limit", "Bind calls that may be open at once.");
  prometheus::Counter& refused_bind_calls =
      NewCounter(registry, "gangplan_refused_bind_calls_total",
                 "Bind calls answered at once because the limit was reached.")
          .Add({});
  prometheus::Gauge& waiting_pods_rejected =
      Plain(registry, "gangplan_waiting_pods_rejected",
            "Ungated pods that wait for their group by rejection.");
  HistogramFamily& lock =
      NewHistogram(registry, "gangplan_lock_seconds",
                   "CPU time of a thread under the service's one lock, by what it was for.");
  CounterFamily& solves = NewCounter(registry, "gangplan_solves_total", "Solves by outcome.");
  prometheus::Histogram& solve_duration =
      NewHistogram(registry, "gangplan_solve_duration_seconds", "Time of one solve.")
          .Add({}, SolveBuckets());
  CounterFamily& nominations =
      NewCounter(registry, "gangplan_nominations_total", "Nominations written, by result.");
  prometheus::Counter& wakes =
      NewCounter(registry, "gangplan_wakes_total", "Patches that only wake a waiting pod.").Add({});
  CounterFamily& bindings =
      NewCounter(registry, "gangplan_bindings_total", "Bindings written, by outcome.");
  prometheus::Gauge& watch_age = Plain(registry, "gangplan_watch_age_seconds",
                                       "Time since the last sign of life of the oldest watch.");
  prometheus::Gauge& acts =
      Plain(registry, "gangplan_acts", "1: of several instances this one acts; 0: it stands by.");
  prometheus::Gauge& nodes = Plain(registry, "gangplan_nodes", "Nodes that are this Gangplan's.");
  prometheus::Gauge& foreign_nodes = Plain(registry, "gangplan_foreign_nodes",
                                           "Nodes of the cluster that are not this Gangplan's.");
  prometheus::Gauge& unplaced_nodes =
      Plain(registry, "gangplan_unplaced_nodes",
            "Nodes outside the topology because a level label is missing.");
  prometheus::Gauge& faulty_pods =
      Plain(registry, "gangplan_faulty_pods",
            "Bound pods that cannot be read whole: they count on their node, in no group.");
  GaugeFamily& pods_without_group =
      NewGauge(registry, "gangplan_pods_without_group",
               "Pods of our schedulers that are members of no group, by why: those that say "
               "nothing of one while they wait, and those that do and cannot be members.");
  prometheus::Counter& refused_claims =
      NewCounter(registry, "gangplan_refused_claims_total",
                 "Pods whose group, or its size, is beyond what its namespace may claim; each time "
                 "that they were judged.")
          .Add({});
  prometheus::Counter& evicted_groups =
      NewCounter(
          registry, "gangplan_evicted_groups_total",
          "Gangs whose eviction was begun, for one of greater priority; all of one goes, or, "
          "where the first eviction is refused, none of it.")
          .Add({});
  prometheus::Counter& refused_suspensions =
      NewCounter(registry, "gangplan_refused_suspensions_total",
                 "Writes that were to suspend a Job or a JobSet again and that the API server has "
                 "refused.")
          .Add({});
  prometheus::Gauge& topology_levels =
      Plain(registry, "gangplan_topology_levels",
            "Levels of the topology in force; 0 before they are known.");
  prometheus::Counter& dropped_log_lines =
      NewCounter(registry, "gangplan_dropped_log_lines_total",
                 "Lines of the log that are missing: too long, or not taken in time.")
          .Add({});
  prometheus::Counter& dropped_events =
      NewCounter(registry, "gangplan_dropped_events_total",
                 "Events that were not written: more came than may be, or than were taken.")
          .Add({});
  HistogramFamily& gang_wait =
      NewHistogram(registry, "gangplan_gang_wait_seconds",
                   "Time from the first pod of a gang to its plan, or to its end without one.");
  prometheus::Histogram& gang_start =
      NewHistogram(registry, "gangplan_gang_start_seconds",
                   "Time from the first pod of a gang until all of it is bound.")
          .Add({}, GangBuckets());
  GaugeFamily& longest_wait =
      NewGauge(registry, "gangplan_longest_wait_seconds",
               "The longest wait for a plan now, of gangs that wait for room alone: for all of "
               "which the cluster has enough (free), or too little (short).");
  GaugeFamily& largest_gang =
      NewGauge(registry, "gangplan_largest_gang",
               "Pods of the largest gang that one domain of the level has room for now.");
  GaugeFamily& fragmentation =
      NewGauge(registry, "gangplan_fragmentation_ratio",
               "Of the pods for which what is free would do, as far as the largest domain of the "
               "level could have them, the part that is too many for the largest gang.");
  Mutex room_mutex;
  // Of the last SetRoom.
  std::vector<prometheus::Gauge*> largest_now ABSL_GUARDED_BY(room_mutex);
  std::vector<prometheus::Gauge*> fragmentation_now ABSL_GUARDED_BY(room_mutex);
  CounterFamily& unexpected =
      NewCounter(registry, "gangplan_unexpected_total",
                 "Events that should not happen and were survived; any is a defect.");
};

Metrics::Metrics() : families_(std::make_unique<Families>()) {}
Metrics::~Metrics() = default;

void Metrics::CountVerb(std::string_view verb, std::string_view result, absl::Duration duration) {
  families_->verb_calls.Add({{"verb", std::string(verb)}, {"result", std::string(result)}})
      .Increment();
  families_->verb_duration.Add(Label("verb", verb), VerbBuckets())
      .Observe(absl::ToDoubleSeconds(duration));
}

void Metrics::CountRefusedConnection() { families_->refused_connections.Increment(); }

void Metrics::CountHandshake(std::string_view result) {
  families_->handshakes.Add(Label("result", result)).Increment();
}

void Metrics::CountTlsReload(std::string_view result) {
  families_->tls_reloads.Add(Label("result", result)).Increment();
}

void Metrics::SetCertificateEnd(std::string_view listener, absl::Time end) {
  Set(families_->certificate_end.Add(Label("listener", listener)), absl::ToUnixSeconds(end));
}

void Metrics::CountApiCall(std::string_view result) {
  families_->api_calls.Add(Label("result", result)).Increment();
}

void Metrics::SetGroups(std::string_view state, int64_t groups) {
  families_->groups.Add(Label("state", state)).Set(static_cast<double>(groups));
}

void Metrics::SetRoad(std::string_view road, int64_t groups) {
  families_->roads.Add(Label("road", road)).Set(static_cast<double>(groups));
}

void Metrics::SetReservations(std::string_view state, int64_t reservations) {
  families_->reservations.Add(Label("state", state)).Set(static_cast<double>(reservations));
}

void Metrics::SetReservedPods(std::string_view room, int64_t pods) {
  families_->reserved_pods.Add(Label("room", room)).Set(static_cast<double>(pods));
}

void Metrics::SetHeldSlots(int64_t slots) { Set(families_->held_slots, slots); }

void Metrics::SetHeldBindCalls(int64_t calls) { Set(families_->held_bind_calls, calls); }

void Metrics::SetHeldBindCallsLimit(int64_t calls) { Set(families_->held_bind_calls_limit, calls); }

void Metrics::CountRefusedBindCall() { families_->refused_bind_calls.Increment(); }

void Metrics::SetWaitingPodsRejected(int64_t pods) { Set(families_->waiting_pods_rejected, pods); }

void Metrics::ObserveLock(std::string_view kind, absl::Duration spent) {
  families_->lock.Add(Label("call", kind), LockBuckets()).Observe(absl::ToDoubleSeconds(spent));
}

void Metrics::CountSolve(std::string_view outcome, absl::Duration duration) {
  families_->solves.Add(Label("outcome", outcome)).Increment();
  families_->solve_duration.Observe(absl::ToDoubleSeconds(duration));
}

void Metrics::CountNomination(std::string_view result) {
  families_->nominations.Add(Label("result", result)).Increment();
}

void Metrics::CountWake() { families_->wakes.Increment(); }

void Metrics::CountBinding(std::string_view outcome) {
  families_->bindings.Add(Label("outcome", outcome)).Increment();
}

void Metrics::SetWatchAge(absl::Duration age) {
  families_->watch_age.Set(absl::ToDoubleSeconds(age));
}

void Metrics::SetActs(bool acts) { families_->acts.Set(acts ? 1 : 0); }

void Metrics::SetNodes(int64_t nodes) { Set(families_->nodes, nodes); }

void Metrics::SetForeignNodes(int64_t nodes) { Set(families_->foreign_nodes, nodes); }

void Metrics::SetUnplacedNodes(int64_t nodes) { Set(families_->unplaced_nodes, nodes); }

void Metrics::SetRefusedClaims(int64_t total) {
  families_->RaiseTo(families_->refused_claims, total);
}

void Metrics::SetEvictedGroups(int64_t total) {
  families_->RaiseTo(families_->evicted_groups, total);
}

void Metrics::SetRefusedSuspensions(int64_t total) {
  families_->RaiseTo(families_->refused_suspensions, total);
}

void Metrics::SetPodsWithoutGroup(std::string_view reason, int64_t pods) {
  families_->pods_without_group.Add(Label("reason", reason)).Set(static_cast<double>(pods));
}

void Metrics::SetFaultyPods(int64_t pods) { Set(families_->faulty_pods, pods); }

void Metrics::SetTopologyLevels(int64_t levels) { Set(families_->topology_levels, levels); }

void Metrics::SetDroppedLogLines(int64_t total) {
  families_->RaiseTo(families_->dropped_log_lines, total);
}

void Metrics::SetDroppedEvents(int64_t total) {
  families_->RaiseTo(families_->dropped_events, total);
}

void Metrics::CountUnexpected(std::string_view what) {
  families_->unexpected.Add(Label("what", what)).Increment();
}

void Metrics::ObserveGangWait(std::string_view outcome, absl::Duration waited) {
  families_->gang_wait.Add(Label("outcome", outcome), GangBuckets())
      .Observe(absl::ToDoubleSeconds(waited));
}

void Metrics::ObserveGangStart(absl::Duration took) {
  families_->gang_start.Observe(absl::ToDoubleSeconds(took));
}

void Metrics::SetLongestWait(std::string_view room, absl::Duration waited) {
  families_->longest_wait.Add(Label("room", room)).Set(absl::ToDoubleSeconds(waited));
}

void Metrics::SetRoom(const std::vector<RoomGauge>& gauges) {
  MutexLock lock(families_->room_mutex);
  for (prometheus::Gauge* gauge : std::exchange(families_->largest_now, {}))
    families_->largest_gang.Remove(gauge);
  for (prometheus::Gauge* gauge : std::exchange(families_->fragmentation_now, {}))
    families_->fragmentation.Remove(gauge);
  for (const RoomGauge& one : gauges) {
    const prometheus::Labels labels = {{"level", one.level}, {"shape", one.shape}};
    prometheus::Gauge& largest = families_->largest_gang.Add(labels);
    largest.Set(static_cast<double>(one.largest));
    families_->largest_now.push_back(&largest);
    prometheus::Gauge& lost = families_->fragmentation.Add(labels);
    lost.Set(one.fragmentation);
    families_->fragmentation_now.push_back(&lost);
  }
}

std::string Metrics::Text() const {
  return prometheus::TextSerializer().Serialize(families_->registry.Collect());
}

}  // namespace gangplan
