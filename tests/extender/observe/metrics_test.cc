#include "extender/observe/metrics.h"

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "fmt/format.h"
#include "tests/support/catch.h"
#include "topology/base/version.h"

namespace gangplan::metrics_test {
namespace {

bool Has(const Metrics& metrics, const std::string& line) {
  return ("\n" + metrics.Text()).find("\n" + line + "\n") != std::string::npos;
}

TEST_CASE("figures without labels are there from the start") {
  const Metrics metrics;
  for (const char* name :
       {"gangplan_held_slots", "gangplan_held_bind_calls", "gangplan_wakes_total",
        "gangplan_watch_age_seconds", "gangplan_acts", "gangplan_waiting_pods_rejected",
        "gangplan_nodes", "gangplan_foreign_nodes", "gangplan_unplaced_nodes",
        "gangplan_faulty_pods", "gangplan_refused_claims_total",
        "gangplan_refused_suspensions_total", "gangplan_evicted_groups_total",
        "gangplan_refused_connections_total", "gangplan_dropped_log_lines_total",
        "gangplan_dropped_events_total", "gangplan_solve_duration_seconds_count"}) {
    INFO(name);
    CHECK(Has(metrics, std::string(name) + " 0"));
  }
}

// `name{label="value"` of each line that is a counter's or a histogram's.
std::set<std::string> LabelledAtStart() {
  std::set<std::string> found;
  std::string name, type;
  std::istringstream text(Metrics().Text());
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("# TYPE ")) std::istringstream(line.substr(7)) >> name >> type;
    const size_t open = line.find('{');
    if (line[0] == '#' || open == std::string::npos || type == "gauge") continue;
    const std::string labels = line.substr(open + 1, line.find('}') - open - 1);
    std::istringstream parts(labels);
    for (std::string part; std::getline(parts, part, ',');) {
      if (!part.starts_with("le=")) found.insert(name + "{" + part);
    }
  }
  return found;
}

// The same of the table in docs/metrics.md: `label`: `value`, `value`; `label` ...
std::set<std::string> LabelledInDocs() {
  std::set<std::string> found;
  std::ifstream page(GANGPLAN_SOURCE_DIR "/docs/metrics.md");
  for (std::string row; std::getline(page, row);) {
    if (!row.starts_with("| `gangplan_")) continue;
    const std::string name = row.substr(3, row.find('`', 3) - 3);
    if (!name.ends_with("_total") && !name.ends_with("_seconds")) continue;
    const size_t cell = row.find('|', 1) + 1;
    std::istringstream labels(row.substr(cell, row.find('|', cell) - cell));
    for (std::string part; std::getline(labels, part, ';');) {
      std::vector<std::string> words;
      for (size_t at = part.find('`'); at != std::string::npos; at = part.find('`', at)) {
        const size_t end = part.find('`', at + 1);
        words.push_back(part.substr(at + 1, end - at - 1));
        at = end + 1;
      }
      for (size_t i = 1; i < words.size(); ++i)
        found.insert(fmt::format("{}{{{}=\"{}\"", name, words[0], words[i]));
    }
  }
  return found;
}

TEST_CASE("every label value of a counter or a histogram is there from the start, and documented") {
  std::set<std::string> documented = LabelledInDocs();
  std::erase_if(documented, [](const std::string& one) {
    return one.starts_with("gangplan_longest_wait_seconds") ||  // gauges, set when they are read
           one.starts_with("gangplan_tls_certificate_expiry");  // or shown
  });
  CHECK(documented.size() > 40);
  CHECK(LabelledAtStart() == documented);
}

TEST_CASE("the build tells its version") {
  const Metrics metrics;
  const std::string text = metrics.Text();
  CHECK(text.find("gangplan_build_info{") != std::string::npos);
  CHECK(text.find(fmt::format("version=\"{}\"", kVersion)) != std::string::npos);
}

static void SetAll(Metrics& metrics) {
  metrics.CountVerb("filter", "ok", absl::Microseconds(70));
  metrics.CountVerb("filter", "error", absl::Milliseconds(2));
  metrics.CountRefusedConnection();
  metrics.CountHandshake("not_allowed");
  metrics.CountTlsReload("refused");
  metrics.CountApiCall("ok");
  metrics.SetCertificateEnd("verbs", absl::FromUnixSeconds(1800000000));
  metrics.SetGroups("Planned", 3);
  metrics.SetRoad("suspended", 2);
  metrics.SetReservations("kept", 2);
  metrics.SetReservedPods("missing", 7);
  metrics.SetHeldSlots(64);
  metrics.SetHeldBindCalls(12);
  metrics.SetHeldBindCallsLimit(300);
  metrics.CountRefusedBindCall();
  metrics.SetWaitingPodsRejected(5);
  metrics.ObserveLock("filter", absl::Milliseconds(5));
  metrics.ObserveLock("tick", absl::Milliseconds(101));
  metrics.CountSolve("placed", absl::Milliseconds(3));
  metrics.CountNomination("written");
  metrics.CountWake();
  metrics.CountBinding("bound");
  metrics.SetWatchAge(absl::Milliseconds(1500));
  metrics.SetActs(true);
  metrics.SetNodes(5000);
  metrics.SetForeignNodes(40);
  metrics.SetUnplacedNodes(2);
  metrics.SetFaultyPods(3);
  metrics.SetPodsWithoutGroup("unknown_word", 6);
  for (int64_t total : {4, 7}) metrics.SetRefusedClaims(total);
  metrics.SetRefusedSuspensions(2);
  metrics.SetEvictedGroups(3);
  metrics.SetDroppedLogLines(9);
  for (int64_t total : {3, 8}) metrics.SetDroppedEvents(total);
  metrics.CountUnexpected("lost plan");
  metrics.ObserveGangWait("planned", absl::Seconds(61));
  metrics.ObserveGangStart(absl::Minutes(2));
  metrics.SetLongestWait("free", absl::Hours(1));
}

TEST_CASE("every figure appears under its name, labels and unit") {
  Metrics metrics;
  SetAll(metrics);
  for (const char* line : {"gangplan_verb_calls_total{result=\"ok\",verb=\"filter\"} 1",
                           "gangplan_verb_calls_total{result=\"error\",verb=\"filter\"} 1",
                           "gangplan_verb_duration_seconds_count{verb=\"filter\"} 2",
                           "gangplan_verb_duration_seconds_bucket{verb=\"filter\",le=\"0.0001\"} 1",
                           "gangplan_refused_connections_total 1",
                           "gangplan_tls_handshakes_total{result=\"not_allowed\"} 1",
                           "gangplan_tls_reloads_total{result=\"refused\"} 1",
                           "gangplan_api_requests_total{result=\"ok\"} 1",
                           "gangplan_tls_certificate_expiry_timestamp_seconds{listener=\"verbs\"} "
                           "1800000000",
                           "gangplan_groups{state=\"Planned\"} 3",
                           "gangplan_waiting_groups{road=\"suspended\"} 2",
                           "gangplan_reservations{state=\"kept\"} 2",
                           "gangplan_reserved_pods{room=\"missing\"} 7",
                           "gangplan_held_slots 64",
                           "gangplan_held_bind_calls 12",
                           "gangplan_held_bind_calls_limit 300",
                           "gangplan_refused_bind_calls_total 1",
                           "gangplan_waiting_pods_rejected 5",
                           "gangplan_lock_seconds_count{call=\"filter\"} 1",
                           "gangplan_lock_seconds_bucket{call=\"filter\",le=\"0.0025\"} 0",
                           "gangplan_lock_seconds_bucket{call=\"filter\",le=\"0.005\"} 1",
                           "gangplan_lock_seconds_bucket{call=\"tick\",le=\"0.1\"} 0",
                           "gangplan_lock_seconds_bucket{call=\"tick\",le=\"+Inf\"} 1",
                           "gangplan_solves_total{outcome=\"placed\"} 1",
                           "gangplan_solve_duration_seconds_count 1",
                           "gangplan_nominations_total{result=\"written\"} 1",
                           "gangplan_wakes_total 1",
                           "gangplan_bindings_total{outcome=\"bound\"} 1",
                           "gangplan_watch_age_seconds 1.5",
                           "gangplan_acts 1",
                           "gangplan_nodes 5000",
                           "gangplan_foreign_nodes 40",
                           "gangplan_unplaced_nodes 2",
                           "gangplan_faulty_pods 3",
                           "gangplan_pods_without_group{reason=\"unknown_word\"} 6",
                           "gangplan_refused_claims_total 7",
                           "gangplan_refused_suspensions_total 2",
                           "gangplan_evicted_groups_total 3",
                           "gangplan_dropped_log_lines_total 9",
                           "gangplan_dropped_events_total 8",
                           "gangplan_unexpected_total{what=\"lost plan\"} 1",
                           "gangplan_gang_wait_seconds_bucket{outcome=\"planned\",le=\"60\"} 0",
                           "gangplan_gang_wait_seconds_bucket{outcome=\"planned\",le=\"300\"} 1",
                           "gangplan_gang_wait_seconds_count{outcome=\"gone\"} 0",
                           "gangplan_gang_start_seconds_sum 120",
                           "gangplan_longest_wait_seconds{room=\"free\"} 3600"}) {
    INFO(line << "\n" << metrics.Text());
    CHECK(Has(metrics, line));
  }
}

TEST_CASE("a gauge is what it was set to last") {
  Metrics metrics;
  metrics.SetGroups("Running", 7);
  metrics.SetGroups("Running", 2);
  CHECK(Has(metrics, "gangplan_groups{state=\"Running\"} 2"));
}

TEST_CASE("every figure explains itself") {
  Metrics metrics;
  metrics.CountWake();
  CHECK(Has(metrics, "# HELP gangplan_wakes_total Patches that only wake a waiting pod."));
  CHECK(Has(metrics, "# TYPE gangplan_wakes_total counter"));
}

TEST_CASE("no count is lost between threads") {
  Metrics metrics;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&metrics] {
      for (int i = 0; i < 1000; ++i) metrics.CountVerb("bind", "ok", absl::Milliseconds(1));
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(Has(metrics, "gangplan_verb_calls_total{result=\"ok\",verb=\"bind\"} 4000"));
}

TEST_CASE("a count that several read at once is not raised twice") {
  Metrics metrics;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&metrics] {
      for (int64_t total = 1; total <= 20'000; ++total) metrics.SetDroppedLogLines(total);
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(Has(metrics, "gangplan_dropped_log_lines_total 20000"));
}

}  // namespace
}  // namespace gangplan::metrics_test
