// What the service counts, under Prometheus names and units. One method per figure, so that names,
// units and labels stand in one place; label values are words of the code, never outside text (but
// for the names of levels, and of the resource that devices have). Each of them that
// docs/metrics.md lists of a counter or a histogram is there from the start, at zero: a rate over
// the first event is a rate.
//
// Thread rule: every method from any thread; each costs well under a microsecond, Text a few
// milliseconds.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"

namespace gangplan {

// What one level has for pods that ask for `shape`.
struct RoomGauge {
  std::string level;
  std::string shape;
  int64_t largest = 0;  // pods of the largest gang that one domain has room for
  double fragmentation =
      0;  // of the pods that all that is free would do for, the part that is lost
};

class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  // A verb was answered. `result`: ok, error (a reply with Error), malformed (400), failed (500).
  // Bind's duration includes the time that the call was held.
  void CountVerb(std::string_view verb, std::string_view result, absl::Duration duration);
  void CountRefusedConnection();
  // Of listeners under TLS. `result`: done, too_slow, no_turn (others did not let it begin),
  // failed, not_allowed, shut_out (done once, and not let in by new certificates).
  void CountHandshake(std::string_view result);
  void CountTlsReload(std::string_view result);  // of certificates that have changed: done, refused
  // What a listener (verbs, api) shows now is good until then.
  void SetCertificateEnd(std::string_view listener, absl::Time end);
  void CountApiCall(std::string_view result);  // of the aggregated API: ok, refused, failed

  void SetGroups(std::string_view state, int64_t groups);
  void SetRoad(std::string_view road, int64_t groups);  // that wait, by how
  void SetHeldSlots(int64_t slots);                     // planned places whose pod is not bound yet
  void SetReservations(std::string_view state, int64_t reservations);
  // Of those that keep room, or have begun: "there" or "missing".
  void SetReservedPods(std::string_view room, int64_t pods);
  void SetHeldBindCalls(int64_t calls);  // bind calls that wait for their group
  void SetHeldBindCallsLimit(int64_t calls);
  void CountRefusedBindCall();                // beyond that limit
  void SetWaitingPodsRejected(int64_t pods);  // ungated pods that wait by rejection

  // The service's one lock was kept this long, in CPU time of the thread that had it.
  void ObserveLock(std::string_view kind, absl::Duration spent);

  void CountSolve(std::string_view outcome, absl::Duration duration);
  void CountNomination(std::string_view result);
  void CountWake();
  void CountBinding(std::string_view outcome);

  void SetWatchAge(absl::Duration age);
  void SetActs(bool acts);
  void SetNodes(int64_t nodes);
  void SetForeignNodes(int64_t nodes);   // that are not this Gangplan's
  void SetUnplacedNodes(int64_t nodes);  // nodes that lack a level label
  void SetFaultyPods(int64_t pods);      // bound ones that cannot be read whole
  void SetPodsWithoutGroup(std::string_view reason, int64_t pods);
  void SetRefusedClaims(int64_t total);       // since start: of groups beyond what may be claimed
  void SetRefusedSuspensions(int64_t total);  // since start: of owners that were started
  void SetEvictedGroups(int64_t total);       // likewise: for one of greater priority

  void SetTopologyLevels(int64_t levels);  // in force, the node's too; 0: none are known yet

  void SetDroppedLogLines(int64_t total);  // since start
  void SetDroppedEvents(int64_t total);    // likewise

  // Something that should not happen and could be survived.
  void CountUnexpected(std::string_view what);

  // A gang's wait for a plan has ended. `outcome`: planned, gone (all of it left without one).
  void ObserveGangWait(std::string_view outcome, absl::Duration waited);
  // All of a gang is bound, so long after its first pod was seen.
  void ObserveGangStart(absl::Duration took);
  // The longest wait for a plan there is now. `room`: free (the cluster has enough for it, all
  // together), short.
  void SetLongestWait(std::string_view room, absl::Duration waited);

  // All there is to say of room, in place of what was said before.
  void SetRoom(const std::vector<RoomGauge>& gauges);

  // The Prometheus text exposition format, version 0.0.4.
  std::string Text() const;

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

}  // namespace gangplan
