// The service: one planner, the verbs, the facts, the effects and the views around it, and the
// ticking that gives the planner its time. Each part has its own header; here they are put
// together, started and ended.
//
// Thread rule: Start once, then Drain and Stop, from one thread; the parts as they say.
#pragma once

#include <atomic>

#include "absl/status/status.h"
#include "config/settings.h"
#include "extender/app/clock_watch.h"
#include "extender/app/effect_runner.h"
#include "extender/app/facts.h"
#include "extender/app/held_calls.h"
#include "extender/app/locked_planner.h"
#include "extender/app/needs_watch.h"
#include "extender/app/page.h"
#include "extender/app/provisioning_watch.h"
#include "extender/app/ticker.h"
#include "extender/app/topology_gaps.h"
#include "extender/app/verbs.h"
#include "extender/app/views.h"
#include "extender/cluster/cluster.h"
#include "extender/observe/metrics.h"
#include "topology/base/clock.h"

namespace gangplan {

class Service {
 public:
  // `closed_calls` is asked each second and before a commit. Cluster, metrics and clock outlive the
  // service.
  Service(const Settings& settings, Cluster& cluster, Metrics& metrics, const Clock& clock,
          ClosedCalls closed_calls);
  ~Service();

  absl::Status Start();
  // The planner goes on by these, as far as it can without a restart. Any thread.
  void Apply(const Settings& settings);
  // Readiness fails from here on, held calls are answered; Bindings on their way are finished.
  void Drain();
  // Answers every held call, ends the ticking thread and the cluster's.
  void Stop();

  VerbHandler& verbs() { return verbs_; }
  Views& views() { return views_; }
  PageHandler& page() { return page_; }

 private:
  void EachSecond();  // of the ticker's thread

  Cluster& cluster_;
  Metrics& metrics_;
  const Clock& clock_;
  bool stopped_ = false;
  std::atomic<bool> draining_ = false;
  HeldCalls calls_;
  OwnerReads owner_reads_;
  LockedPlanner planner_;
  EffectRunner effects_;
  Ticker ticker_;
  Facts facts_;
  GapsWatch gaps_;
  ClockWatch clock_watch_;
  Verbs verbs_;
  Views views_;
  NeedsWatch needs_;
  ProvisioningWatch provisioning_;
  Page page_;
};

}  // namespace gangplan
