// Kueue's Workloads: where it has placed them, and admission checks that are ours: their watches,
// and that we answer them.
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "extender/kube/api_cluster.h"
#include "extender/kube/check_writes.h"
#include "extender/kube/jobs_of_set.h"
#include "topology/base/mutex.h"
#include "topology/base/text.h"
#include "topology/object_name.h"

namespace gangplan {
namespace {

// What of these events is about places that Kueue itself has given; the checks know nothing of
// them.
std::vector<ClusterEvent> TakePlaces(std::vector<ClusterEvent>& events) {
  std::vector<ClusterEvent> places;
  for (ClusterEvent& event : events) {
    auto* workload = std::get_if<WorkloadFacts>(&event);
    if (workload != nullptr && workload->placed()) {
      places.emplace_back(*workload);
      workload->Unplace();
    } else if (workload != nullptr) {
      places.emplace_back(WorkloadGone{NameInNamespace(workload->ns, workload->name)});
    } else if (const auto* gone = std::get_if<WorkloadGone>(&event)) {
      places.emplace_back(*gone);
    }
  }
  return places;
}

}  // namespace

// One watch for both.
void ApiCluster::WatchWorkloads() {
  if (options_.room_checks) {
    WatchRoomChecks();
  } else if (options_.kueue_places) {
    reflectors_.push_back(MakeReflector(MakeWorkloadMirror(WorkloadUse::kPlaces)));
  }
}

void ApiCluster::WatchRoomChecks() {
  owners_ = transports_.Make();
  room_checks_ = std::make_unique<RoomChecks>(
      [this](const std::string& ns, const OwnerRef& owner) {
        JobWrite of;
        of.ns = ns;
        of.job = owner;
        return gangplan::ReadOwner(*owners_, *FindOwnerKind(owner.kind), of, tools_);
      },
      [this](const AdmissionCheckFacts& check) { SayActive(check); });
  reflectors_.push_back(MakeReflector(MakeAdmissionMirror(AdmissionRule::Kind::kResourceFlavor)));
  // Two threads tell of them: what the one has made goes out before the other makes any.
  const auto turn = std::make_shared<Mutex>();
  const auto tell = [this, turn](const std::function<std::vector<ClusterEvent>()>& make) {
    MutexLock lock(*turn);
    std::vector<ClusterEvent> jobs = make();
    if (!jobs.empty()) sink_->OnEvents(std::move(jobs));
  };
  const auto watch = [&](std::unique_ptr<Mirror> mirror, std::function<void()> bookmark) {
    ReflectorOptions options = WatchOptions();
    options.deliver = [this, tell](std::vector<ClusterEvent> events) {
      tell([&] {
        std::vector<ClusterEvent> out = TakePlaces(events);
        for (ClusterEvent& job : room_checks_->Take(std::move(events)))
          out.push_back(std::move(job));
        return out;
      });
    };
    options.bookmark = std::move(bookmark);
    options.listed = [this] { Listed(); };
    reflectors_.push_back(
        std::make_unique<Reflector>(std::move(mirror), transports_.Make(), std::move(options)));
  };
  watch(MakeAdmissionCheckMirror(), [this] { SayAgain(); });
  watch(MakeWorkloadMirror(), [this, tell] { tell([&] { return room_checks_->ReadAgain(); }); });
}

// What failed, or was another one's to say. Who may not write does not.
void ApiCluster::SayAgain() {
  if (room_checks_ != nullptr && leadership_.MayWrite()) room_checks_->SayAgain();
}

void ApiCluster::SayActive(const AdmissionCheckFacts& check) {
  pool_.Add(
      CallClass::kResult,
      [this, check](Transport& transport) {
        const absl::Status status = SayCheckActive(transport, check, tools_);
        if (!status.ok() && leadership_.MayWrite()) options_.warn(Message(status));
      },
      [](const absl::Status&) {});
}

}  // namespace gangplan
