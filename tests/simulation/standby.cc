#include "tests/simulation/standby.h"

#include <utility>
#include <variant>

#include "extender/planner/owner_key.h"
#include "extender/planner/solve_task.h"
#include "fmt/format.h"

namespace gangplan::simulation {

Standby::Standby(Timeline& time, Random& random, ApiServer& api, PlannerOptions options)
    : time_(time), random_(random), api_(api), planner_(std::move(options)) {}

void Standby::Start() {
  api_.Watch(this, absl::Seconds(1));
  TickAgain();
}

void Standby::TickAgain() {
  time_.After(random_.Millis(100, 1000), [this] {
    planner_.Tick(time_.now());
    Pump();
    TickAgain();
  });
}

void Standby::Pump() {
  const std::string broken = planner_.BrokenInvariant();
  if (!broken.empty()) throw Broken("standby: " + broken);
  for (const Effect& effect : planner_.TakeEffects()) {
    if (const auto* solve = std::get_if<SolveOnCopy>(&effect)) {
      time_.After(random_.Millis(1, 100), [this, task = solve->task] {
        task->Run();
        planner_.OnSolved(time_.now(), *task);
        Pump();
      });
      continue;
    }
    const auto* read = std::get_if<OwnerRead>(&effect);
    if (read == nullptr) {
      throw Broken(
          fmt::format("a Gangplan that does not act asks for a write: effect {}", effect.index()));
    }
    time_.After(random_.Millis(1, 100), [this, ns = read->ns, uid = read->owner.uid] {
      absl::StatusOr<OwnerFacts> owner = absl::NotFoundError("not found");
      const auto found = api_.owners().find(uid);
      if (found != api_.owners().end()) owner = found->second;
      planner_.OnOwner(time_.now(), OwnerKey(ns, uid), owner);
      Pump();
    });
  }
}

void Standby::SeePod(const PodFacts& pod) {
  planner_.OnPod(time_.now(), pod);
  Pump();
}

void Standby::SeePodGone(const std::string& uid) {
  planner_.OnPodDeleted(time_.now(), uid);
  Pump();
}

void Standby::SeeNode(const NodeFacts& node) {
  if (!planner_.OnNode(time_.now(), node).ok()) throw Broken("a node was refused");
  Pump();
}

void Standby::SeeNodeGone(const std::string& name) {
  planner_.OnNodeDeleted(time_.now(), name);
  Pump();
}

void Standby::SeeObject(const ConfigMapFacts& object) {
  planner_.OnGroupObject(time_.now(), object);
  Pump();
}

void Standby::SeeObjectGone(const std::string& name) {
  planner_.OnGroupObjectGone(time_.now(), "team", name);
  Pump();
}

void Standby::SeeOwner(const OwnerFacts& owner) {
  planner_.OnOwner(time_.now(), OwnerKey(owner.ns, owner.ref.uid), owner);
  Pump();
}

void Standby::SeeJob(const JobFacts& job) {
  planner_.OnJob(time_.now(), job);
  Pump();
}

void Standby::SeeJobLeft(const std::string& uid) {
  planner_.OnJobLeft(time_.now(), uid);
  Pump();
}

void Standby::SeeSynced() {
  planner_.OnSynced(time_.now());
  Pump();
}

}  // namespace gangplan::simulation
