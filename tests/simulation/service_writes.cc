// Writes of Jobs and of pods that wait, with a network that loses some.
#include "fmt/format.h"
#include "tests/simulation/service.h"

namespace gangplan::simulation {
namespace {

std::string_view WayOf(PodDelete::How how) {
  constexpr std::string_view kWays[] = {", evicted", ", to try", ", by force"};
  return kWays[static_cast<int>(how)];
}

}  // namespace

// On the wire: it arrives even when the service dies meanwhile.
void Service::Carry(const JobWrite& write) {
  if (trace) {
    trace(fmt::format("{} {} of version {}", write.suspend ? "suspend" : "start", write.job.name,
                      write.resource_version));
  }
  const bool lost = Fault(faults.lost_write);
  const auto tell = [this, write](const absl::Status& status) {
    if (trace) trace(fmt::format("{}: {}", write.job.name, status.ToString()));
    planner_->OnJobWritten(time_.now(), write.job.uid, write.attempt, status);
    Pump();
  };
  const absl::Status unknown = absl::UnavailableError("time-out");
  if (lost) Later(random_.Millis(1'000, 4'000), [tell, unknown] { tell(unknown); });
  if (lost && random_.OneIn(2)) return;
  if (!lost && Fault(20)) {
    return Later(random_.Millis(1, 20), [tell] { tell(absl::PermissionDeniedError("forbidden")); });
  }
  time_.After(random_.Millis(1, Fault(10) ? 900 : 20), [this, write, lost, tell, life = life_] {
    const absl::Status status = api_.WriteJob(write);
    if (!lost && life == life_) Later(random_.Millis(1, 50), [tell, status] { tell(status); });
  });
}

// On the wire: it arrives even when the service dies meanwhile.
void Service::Carry(const PodRelease& release) {
  const std::string& uid = release.pod.uid;
  if (!open_releases_.insert(uid).second)
    throw Broken(fmt::format("{} is released twice at once", release.pod.name));
  for (ServiceObserver* observer : observers) observer->OnRelease(release);
  if (trace) trace(fmt::format("release {}", release.pod.name));
  const auto tell = [this, release](const absl::Status& status) {
    if (trace) trace(fmt::format("release of {}: {}", release.pod.name, status.ToString()));
    open_releases_.erase(release.pod.uid);
    planner_->OnReleased(time_.now(), release.pod.uid, release.attempt, status);
    Pump();
  };
  const bool lost = Fault(faults.lost_write);
  if (lost) {
    Later(random_.Millis(1'000, 4'000), [tell] { tell(absl::UnavailableError("time-out")); });
    if (random_.OneIn(2)) return;
  } else if (Fault(20)) {
    return Later(random_.Millis(1, 20), [tell] { tell(absl::PermissionDeniedError("forbidden")); });
  }
  time_.After(random_.Millis(1, Fault(10) ? 900 : 20), [this, release, lost, tell, life = life_] {
    const absl::Status status = api_.ReleasePod(release);
    if (!lost && life == life_) Later(random_.Millis(1, 50), [tell, status] { tell(status); });
  });
}

void Service::Carry(const PodMark& mark) {
  if (trace) trace(fmt::format("mark {}", mark.pod.name));
  const auto tell = [this, mark](const absl::Status& status) {
    planner_->OnPodDelete(time_.now(), mark.pod.uid, mark.attempt, status);
    Pump();
  };
  const bool lost = Fault(faults.lost_write);
  if (lost) Later(random_.Millis(60, 4'000), [tell] { tell(absl::UnavailableError("time-out")); });
  if (lost && random_.OneIn(2)) return;
  time_.After(random_.Millis(1, 50), [this, mark, lost, tell, life = life_] {
    const absl::Status status = api_.MarkPod(mark);
    if (!lost && life == life_) Later(random_.Millis(1, 50), [tell, status] { tell(status); });
  });
}

void Service::Carry(const PodDelete& pod) {
  if (trace) trace(fmt::format("end {}{}", pod.pod.name, WayOf(pod.how)));
  const auto tell = [this, pod](const absl::Status& status) {
    if (trace) trace(fmt::format("end of {}: {}", pod.pod.name, status.ToString()));
    planner_->OnPodDelete(time_.now(), pod.pod.uid, pod.attempt, status);
    Pump();
  };
  const bool lost = Fault(faults.lost_write);
  if (lost) Later(random_.Millis(60, 4'000), [tell] { tell(absl::UnavailableError("time-out")); });
  if (lost && random_.OneIn(2)) return;
  time_.After(random_.Millis(1, 50), [this, pod, lost, tell, life = life_] {
    const absl::Status status = api_.EvictPod(pod, random_.Millis(0, 1'000));
    if (!lost && life == life_) Later(random_.Millis(1, 50), [tell, status] { tell(status); });
  });
}

}  // namespace gangplan::simulation
