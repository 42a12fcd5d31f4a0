// Kueue's admission checks that are ours: their watches, and that we answer them.
#include <utility>

#include "extender/kube/api_cluster.h"
#include "extender/kube/check_writes.h"
#include "extender/kube/jobs_of_set.h"
#include "topology/base/text.h"

namespace gangplan {

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
  for (auto make :
       {+[] { return MakeAdmissionCheckMirror(); }, +[] { return MakeWorkloadMirror(); }}) {
    ReflectorOptions options = WatchOptions();
    options.deliver = [this](std::vector<ClusterEvent> events) {
      std::vector<ClusterEvent> jobs = room_checks_->Take(std::move(events));
      if (!jobs.empty()) sink_->OnEvents(std::move(jobs));
    };
    options.listed = [this] { Listed(); };
    reflectors_.push_back(
        std::make_unique<Reflector>(make(), transports_.Make(), std::move(options)));
  }
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
