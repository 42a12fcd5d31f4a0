// What people and probes ask: life, readiness, metrics, groups, the topology. The probes wait for
// nobody; all else is read from the planner in short turns, made into text outside of them.
//
// Thread rule: any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "extender/api/gang_source.h"
#include "extender/api/recent.h"
#include "extender/app/advisor.h"
#include "extender/app/limits.h"
#include "extender/app/locked_planner.h"
#include "extender/app/room_gauges.h"
#include "extender/app/ticker.h"
#include "extender/cluster/cluster.h"
#include "extender/observe/metrics.h"
#include "extender/server/verb_handler.h"
#include "extender/web/view.h"
#include "topology/base/clock.h"
#include "topology/base/mutex.h"

namespace gangplan {

class Views : public InfoHandler, public GangSource {
 public:
  // All outlive the views. `draining`: not ready from then on. `solving`: so long the question that
  // is under way on a copy has been; waits for nobody. Null: none is asked.
  Views(LockedPlanner& planner, const Ticker& ticker, const Cluster& cluster,
        gangplan::Metrics& metrics, const Clock& clock, const std::atomic<bool>& draining,
        std::function<absl::Duration()> solving = nullptr)
      : planner_(planner),
        ticker_(ticker),
        cluster_(cluster),
        metrics_(metrics),
        clock_(clock),
        draining_(draining),
        solving_(std::move(solving)),
        advisor_(planner, clock),
        room_(planner, metrics, clock),
        scraped_(kMetricsLast, 1, clock),
        reports_(kReportsLast, kMaxReportsKept, clock) {}

  std::string WhyNotAlive() override;
  std::string WhyNotReady() override;
  std::string Metrics() override;
  Answer Info(const std::string& path) override;
  std::vector<ListedGroup> Listed() override;
  std::optional<GroupReport> Whole(std::string_view name) override;
  Answer Explain(const Asked& asked) override;
  Advisor& advisor() { return advisor_; }

 private:
  void Publish();
  std::vector<GroupReport> AllGroups();
  std::vector<ReservationReport> Reservations();
  std::vector<ListedGroup> ListedOf(std::string_view ns);
  std::string Where(const GroupReport& listed);
  Answer Numbered(std::string_view asked, bool text);
  Answer OneOfAll(std::string_view asked, bool text);
  Answer One(std::string_view asked, bool pod_only, bool text, const std::string* ns);
  Answer Told(GroupReport report, SolveTask* question, bool text, const std::string* ns);
  using Finder = std::function<absl::StatusOr<Answer>()>;
  Finder ReportOf(std::string_view path);
  Answer History(std::string_view name);
  std::string GroupOf(std::string_view asked, AskedBy by);
  Answer Unknown(std::string_view name, const std::string& left, bool text);
  TopologyView WholeTopology();
  void AddNodes(const Tree& tree, const std::string& head, TopologyView& view);

  LockedPlanner& planner_;
  const Ticker& ticker_;
  const Cluster& cluster_;
  gangplan::Metrics& metrics_;
  const Clock& clock_;
  const std::atomic<bool>& draining_;
  const std::function<absl::Duration()> solving_;
  Advisor advisor_;
  RoomGauges room_;
  Recent<std::string> scraped_;
  Recent<Answer> reports_;  // of the whole cluster, or a namespace, by path
  // Of large gangs, by their number: where they stood, and when that was looked at.
  struct Stood {
    std::string where;
    absl::Time at;
  };
  Mutex stood_mutex_;  // never held over a turn
  std::map<int64_t, Stood> stood_ ABSL_GUARDED_BY(stood_mutex_);
};

}  // namespace gangplan
