// What tests of fair shares have in common: gangs of several namespaces, each of whole nodes, on
// one rack. Single-threaded.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "tests/extender/planner/line_world.h"
#include "tests/support/catch.h"

namespace gangplan {

inline PlannerOptions Shared(QueueMode mode = QueueMode::kGreedy, bool fair = true) {
  PlannerOptions options = With(mode);
  options.fair = fair;
  return options;
}

struct SharedWorld : LineWorld {
  struct Gang {
    std::string ns;
    JobSpec job;
    int64_t created = 0;
  };

  explicit SharedWorld(int nodes, PlannerOptions options = Shared())
      : LineWorld(MakeNodes(1, 1, nodes), std::move(options)) {}

  static Gang Of(std::string ns, std::string_view name, int32_t size = 1,
                 std::string_view runtime = "", int32_t priority = 0) {
    return {std::move(ns), RackGang(name, size, runtime, priority)};
  }
  static PodFacts PodOf(const Gang& gang, int index) {
    PodFacts pod = JobPod(gang.job, index);
    pod.ns = gang.ns;
    pod.created = gang.created;
    return pod;
  }
  static std::string NameOf(const Gang& gang) { return gang.ns + "/" + gang.job.name; }

  void Come(const Gang& gang) {
    OwnerFacts owner = JobOwner(gang.job);
    owner.ns = gang.ns;
    Register(owner);
    for (int i = 0; i < gang.job.size; ++i) Show(PodOf(gang, i));
    Some();
  }
  bool HasRoom(const Gang& gang) {
    return planner().Report(NameOf(gang)).has_value() && !Nodes(NameOf(gang)).empty();
  }
  void Bind(const Gang& gang) {
    for (int i = 0; i < gang.job.size; ++i) FilterAndBind(PodOf(gang, i));
    REQUIRE(BindAll() == gang.job.size);
    Some();
  }
  void Start(const Gang& gang) {
    Come(gang);
    Bind(gang);
  }
  void End(const Gang& gang) {
    const std::vector<std::string> nodes = Nodes(NameOf(gang));
    for (int i = 0; i < gang.job.size; ++i) {
      PodFacts pod = PodOf(gang, i);
      pod.node_name = nodes[static_cast<size_t>(i)];
      Delete(pod);
    }
    Some();
  }
  void Second() { Pass(absl::Seconds(1)), Some(); }
  // Who of these has room now, that had none.
  std::string Next(const std::vector<Gang>& gangs) {
    std::string next;
    for (const Gang& gang : gangs) {
      if (!HasRoom(gang) || got_.contains(NameOf(gang))) continue;
      got_.insert(NameOf(gang));
      next += (next.empty() ? "" : " ") + gang.job.name;
    }
    return next;
  }

 private:
  std::set<std::string> got_;
};

}  // namespace gangplan
