#include "extender/app/provisioning_desk.h"

#include <condition_variable>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "topology/base/mutex.h"

namespace gangplan {

struct ProvisioningDesk::Answers {
  using Listed = absl::StatusOr<std::vector<ProvisioningFacts>>;

  void Take(ProvisioningWrite write, absl::Status status) {
    MutexLock lock(mutex);
    ++answered;
    if (!status.ok() || !write.name.empty()) got.push_back({std::move(write), std::move(status)});
    changed.notify_all();
  }

  Mutex mutex;
  std::condition_variable_any changed;
  bool stopping ABSL_GUARDED_BY(mutex) = false;
  size_t answered ABSL_GUARDED_BY(mutex) = 0;
  std::vector<Written> got ABSL_GUARDED_BY(mutex);
  std::optional<Listed> listed ABSL_GUARDED_BY(mutex);
};

ProvisioningDesk::ProvisioningDesk(Cluster& cluster)
    : cluster_(cluster), answers_(std::make_shared<Answers>()) {}

void ProvisioningDesk::Stop() {
  MutexLock lock(answers_->mutex);
  answers_->stopping = true;
  answers_->changed.notify_all();
}

std::optional<absl::StatusOr<std::vector<ProvisioningFacts>>> ProvisioningDesk::List(
    std::vector<std::string> schedulers) {
  cluster_.ListProvisioning(std::move(schedulers), [answers = answers_](Answers::Listed listed) {
    MutexLock lock(answers->mutex);
    answers->listed = std::move(listed);
    answers->changed.notify_all();
  });
  MutexLock lock(answers_->mutex);
  while (!answers_->listed && !answers_->stopping) answers_->changed.wait(answers_->mutex);
  return std::exchange(answers_->listed, std::nullopt);
}

void ProvisioningDesk::Write(ProvisioningWrite write) {
  if (calls_ >= kMostCalls) return;
  ++calls_;
  cluster_.WriteProvisioning(write, [answers = answers_, write](absl::Status status) {
    answers->Take(write, std::move(status));
  });
}

void ProvisioningDesk::Delete(const ProvisioningFacts& request) {
  if (request.going || calls_ >= kMostCalls) return;
  ++calls_;
  cluster_.DeleteProvisioning(
      {request.ns, request.name, request.uid},
      [answers = answers_](absl::Status status) { answers->Take({}, std::move(status)); });
}

std::vector<ProvisioningDesk::Written> ProvisioningDesk::Wait() {
  MutexLock lock(answers_->mutex);
  while (answers_->answered < calls_ && !answers_->stopping)
    answers_->changed.wait(answers_->mutex);
  answers_->answered = calls_ = 0;
  return std::exchange(answers_->got, {});
}

}  // namespace gangplan
