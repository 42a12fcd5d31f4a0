// The scheduler's four questions, put to the planner, where this Gangplan is the one that acts:
// else the answer is an error, after which the scheduler asks again. A bind call that the planner
// holds blocks its own server thread only.
//
// Thread rule: any thread.
#pragma once

#include <atomic>
#include <future>
#include <string>
#include <string_view>
#include <vector>

#include "extender/app/held_calls.h"
#include "extender/app/locked_planner.h"
#include "extender/app/owner_reads.h"
#include "extender/cluster/cluster.h"
#include "extender/observe/metrics.h"
#include "extender/server/verb_handler.h"
#include "topology/base/clock.h"

namespace gangplan {

inline constexpr std::string_view kStopping = "gangplan is stopping";

class Verbs : public VerbHandler {
 public:
  // All outlive the verbs. `draining`: bind calls are refused from then on.
  Verbs(const Cluster& cluster, LockedPlanner& planner, HeldCalls& calls, OwnerReads& owner_reads,
        Metrics& metrics, const Clock& clock, const std::atomic<bool>& draining)
      : cluster_(cluster),
        planner_(planner),
        calls_(calls),
        owner_reads_(owner_reads),
        metrics_(metrics),
        clock_(clock),
        draining_(draining) {}

  FilterReply Filter(const FilterRequest& request) override;
  std::vector<HostScore> Prioritize(const FilterRequest& request) override;
  std::string Bind(const BindRequest& request, const PeerConnection& connection) override;
  std::vector<PreemptReplyNode> Preempt(const PreemptRequest& request) override;

 private:
  FilterDecision Decide(const FilterRequest& request, const Offer& offer);
  absl::StatusOr<std::future<std::string>> Open(CallId call, std::string_view ns);

  std::string WhyNotActing() const;

  const Cluster& cluster_;
  LockedPlanner& planner_;
  HeldCalls& calls_;
  OwnerReads& owner_reads_;
  Metrics& metrics_;
  const Clock& clock_;
  const std::atomic<bool>& draining_;
};

}  // namespace gangplan
