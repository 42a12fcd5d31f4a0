// What a pod of a StatefulSet leaves that stops is its gang's, as long as that runs and the next
// pod of its index may come: no other gang has it. Looked at where nothing else may be the reason,
// as the planner was told: the rest of the gang runs, nobody of it waits, and the node is as it
// was. Not where gangs give way, or room is reserved by name.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>

#include "tests/simulation/api_server.h"
#include "tests/simulation/jobs.h"
#include "tests/simulation/service.h"
#include "tests/simulation/timeline.h"
#include "tests/simulation/told.h"

namespace gangplan::simulation {

class OwnRoom : public ServiceObserver {
 public:
  OwnRoom(const Timeline& time, Service& service, const ApiServer& api, const Told& told,
          Jobs& jobs)
      : time_(time), service_(service), api_(api), told_(told), jobs_(jobs) {}

  void OnPod(const PodFacts& pod) override;
  void OnPodGone(const std::string& uid) override;
  void OnNode(const NodeFacts& node) override { Forget(node.name); }
  void OnNodeGone(const std::string& name) override { Forget(name); }
  void OnRestart() override;
  void AfterInput() override;

 private:
  // Group, incarnation, pod set, rank.
  using Hold = std::tuple<std::string, std::string, std::string, int32_t>;
  struct Left {
    std::string node;
    Amounts room;
    std::set<Hold> others;  // that were on its node before
    absl::Time until;
  };

  bool IsLate(const Job& job) const;
  bool RestRuns(const Job& job, const PodFacts& pod) const;
  bool AsItWas(const PodFacts& pod) const;
  bool MayLose(const Job& job, const PodFacts& pod) const;
  bool HasRoom(const Left& left) const;
  std::set<Hold> HoldsOn(const std::string& node, const std::string& but_of) const;
  void Forget(const std::string& node);

  const Timeline& time_;
  Service& service_;
  const ApiServer& api_;
  const Told& told_;
  Jobs& jobs_;
  bool began_ = false;
  absl::Time since_ = absl::InfinitePast();  // the last restart, but for the first start
  std::map<std::string, PodFacts> running_;  // or stopping; pods of StatefulSets
  std::map<const Job*, Left> left_;
};

}  // namespace gangplan::simulation
