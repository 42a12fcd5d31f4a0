// A planner over a saved cluster, without a server, writes or the passing of time: it is told what
// the cluster holds, by the same way as a Gangplan that serves it, and asked what it would do. The
// same facts give the same answers.
//
// Thread rule: one thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/settings.h"
#include "extender/app/facts.h"
#include "extender/app/finding.h"
#include "extender/app/locked_planner.h"
#include "extender/kube/file_cluster.h"
#include "extender/observe/metrics.h"
#include "extender/protocol/kubernetes_objects.h"
#include "topology/base/clock.h"

namespace gangplan {

class DryRun {
 public:
  // It is the time of the last thing that is known to have happened, or `not_before` where that is
  // later: when a cluster was read. Takes as long as all that waits there takes to be decided.
  DryRun(const Settings& settings, ObjectList objects,
         absl::Time not_before = absl::InfinitePast());
  ~DryRun();
  DryRun(const DryRun&) = delete;
  DryRun& operator=(const DryRun&) = delete;

  // Why nothing can be planned, such as levels that no object tells; empty: it can be.
  std::string WhyNotReady() const { return planner_.WhyNotReady(); }
  absl::Time now() const { return clock_.Now(); }

  // They come now, as from their controllers, and all is decided that follows from it. The owners
  // are those of the pods; nothing has a name or UID of what is there.
  void Arrive(std::vector<OwnerFacts> owners, std::vector<PodFacts> pods);

  // The cluster has an owner of this kind, namespace and name.
  bool Has(const OwnerFacts& owner) const;
  // Gives pods that are to come names that nobody has there: one that is taken gets an underscore,
  // which no name of the API server has.
  void MakeUnlike(std::vector<PodFacts>& pods) const;

  // The group of which the pod "namespace/name" is a member, with its evidence; nothing: it is of
  // none.
  std::optional<GroupReport> ReportOf(std::string_view pod);

  // What would start the group "namespace/name", whether or not others give way by themselves;
  // nothing: it does not wait for room. Up to a second.
  std::optional<Advice> AdviceOf(std::string_view name);

  // All groups with their slots, without evidence, in order of arrival.
  std::vector<GroupReport> Gangs();

  // What of the cluster is not as somebody wants it.
  void Check(Findings& findings);

  // Returns function(const Planner&).
  template <typename Function>
  auto Ask(Function function) {
    return planner_.Take(TurnFor::kReport,
                         [&](const Planner& planner) { return function(planner); });
  }

 private:
  class StillClock : public Clock {
   public:
    explicit StillClock(absl::Time now) : now_(now) {}
    absl::Time Now() const override { return now_; }

   private:
    const absl::Time now_;
  };

  // Returns when the cluster has told all that it was given.
  void AwaitTold();
  absl::StatusOr<OwnerFacts> Read(OwnerRead read);
  void Carry(Effect& effect);
  void Rest();

  const StillClock clock_;
  Metrics metrics_;
  // Of turns on the cluster's thread, too: it is waited for before they are looked at.
  Effects waiting_;
  FileCluster cluster_;
  LockedPlanner planner_;
  Facts facts_;
};

}  // namespace gangplan
