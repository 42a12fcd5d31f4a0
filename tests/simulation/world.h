// The parts of one run: the fakes, the planner's service between them, and who watches over it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/simulation/api_server.h"
#include "tests/simulation/checker.h"
#include "tests/simulation/foreign_pods.h"
#include "tests/simulation/group_objects.h"
#include "tests/simulation/hold_ages.h"
#include "tests/simulation/holds.h"
#include "tests/simulation/jobs.h"
#include "tests/simulation/kubelets.h"
#include "tests/simulation/line_order.h"
#include "tests/simulation/liveness.h"
#include "tests/simulation/own_room.h"
#include "tests/simulation/plain_pods.h"
#include "tests/simulation/priority_order.h"
#include "tests/simulation/profile.h"
#include "tests/simulation/promises.h"
#include "tests/simulation/random_jobs.h"
#include "tests/simulation/reserved.h"
#include "tests/simulation/scheduler.h"
#include "tests/simulation/service.h"
#include "tests/simulation/standby.h"
#include "tests/simulation/timeline.h"
#include "tests/simulation/told.h"
#include "tests/simulation/whole_evictions.h"

namespace gangplan::simulation {

class World {
 public:
  using Trace = std::function<void(const std::string&)>;

  World(const Random& chance, const Profile& chosen, const Trace& to);
  // Nodes, Jobs that come within half a minute, and the programs.
  void Start();
  void AddJob(const Job& job);
  void Until(absl::Time end);
  void Say(const std::string& line) const;
  int64_t steps() const { return steps_; }

  Timeline time;
  Random random;
  const Profile profile;
  const Trace trace;
  const ClusterSize size;
  ApiServer api;
  Jobs jobs;
  GroupObjects objects;
  ForeignPods foreign;
  const PlannerOptions options;
  Service service;
  Told told;
  Checker checker;
  Scheduler scheduler;
  Liveness liveness;
  HoldAges hold_ages;
  PriorityOrder priority_order;
  PlainPods plain_pods;
  OwnRoom own_room;
  Kubelets kubelets;
  Holds holds;
  WholeEvictions whole_evictions;
  LineOrder line_order;
  Promises promises;
  Reserved reserved;
  Standby standby;
  const std::vector<NodeFacts> nodes;  // as they are when nothing is wrong

 private:
  bool Evicts() const { return profile.evictions || profile.anew || profile.unready; }
  PlannerOptions MakeOptions();
  Scheduler::Options MakeSchedulerOptions();
  void MakeJobs();
  void JobsAgain();
  void LookAgain();

  int64_t steps_ = 0;
};

}  // namespace gangplan::simulation
