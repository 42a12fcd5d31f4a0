// What tests of reservations by name share: their objects, and a world in which they come and go
// beside gangs (line_world.h). Single-threaded.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "extender/frontends/gangplan/words.h"
#include "tests/extender/planner/line_world.h"
#include "topology/base/time_text.h"

namespace gangplan {

struct ReservationSpec {
  std::string name = "evening";
  absl::Duration from = absl::Hours(2);  // from the world's beginning on
  absl::Duration until = absl::Hours(4);
  int32_t count = 4;
  std::string place = "block=pack!";
  std::string namespaces = "team";
  std::string lead = {};
  LabelSet more = {};
  std::string uid = {};
};

inline ConfigMapFacts ObjectOf(const ReservationSpec& spec, absl::Time begun) {
  ConfigMapFacts object;
  object.ns = "gangplan";
  object.name = spec.name;
  object.uid = spec.uid.empty() ? "uid-" + spec.name : spec.uid;
  object.labels = {{std::string(kReservationWord), "true"}};
  object.data = spec.more;
  SetLabel(object.data, "from", UtcText(begun + spec.from));
  SetLabel(object.data, "until", UtcText(begun + spec.until));
  SetLabel(object.data, "count", std::to_string(spec.count));
  SetLabel(object.data, "requests", "example.com/gpu=8");
  SetLabel(object.data, "place", spec.place);
  SetLabel(object.data, "namespaces", spec.namespaces);
  if (!spec.lead.empty()) SetLabel(object.data, "lead", spec.lead);
  return object;
}

// A gang of whole nodes that asks for the reservation.
inline JobSpec UserOf(std::string_view reservation, std::string_view name, int32_t size,
                      std::string_view runtime = "") {
  JobSpec job = RackGang(name, size, runtime);
  job.place = "node=pack";
  SetWord(job.words, kReservationWord, reservation);
  return job;
}

inline JobSpec Anywhere(std::string_view name, int32_t size, std::string_view runtime = "",
                        int32_t priority = 0) {
  JobSpec job = RackGang(name, size, runtime, priority);
  job.place = "node=pack";
  return job;
}

struct ReservationWorld : LineWorld {
  absl::Time begun;

  explicit ReservationWorld(const std::vector<NodeFacts>& nodes,
                            PlannerOptions options = With(QueueMode::kGreedy))
      : LineWorld(nodes, std::move(options)), begun(now()) {}

  void Reserve(const ReservationSpec& spec) {
    planner().OnReservation(now(), ObjectOf(spec, begun), true);
    Some();
  }
  void Unreserve(const ReservationSpec& spec) {
    planner().OnReservation(now(), ObjectOf(spec, begun), false);
    Some();
  }
  // Until so long after the beginning.
  void GoTo(absl::Duration at) {
    Pass(begun + at - now());
    Some();
  }
  ReservationReport Reservation(std::string_view name = "evening") {
    for (ReservationReport& report : planner().ListReservations())
      if (report.name == name) return std::move(report);
    return {};
  }
  std::string WhyWaits(const JobSpec& job) { return Of(job).reason; }
  // Reasons of the Events about reservations since they were asked for last.
  std::vector<std::string> Told() {
    std::vector<std::string> reasons;
    for (const EventNote& note : Take<EventNote>())
      if (note.regarding.kind == "ConfigMap") reasons.push_back(note.reason);
    return reasons;
  }
};

}  // namespace gangplan
