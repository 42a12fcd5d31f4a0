// Calls about requests for nodes, and what came of them: whoever asks waits for the answers of all
// that it has asked, and goes on without them when it is to end.
//
// Thread rule: Stop any; the others one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "extender/cluster/cluster.h"

namespace gangplan {

class ProvisioningDesk {
 public:
  static constexpr size_t kMostCalls = 500;  // between two waits; what is beyond is not done

  struct Written {
    ProvisioningWrite write;
    absl::Status status;
  };

  explicit ProvisioningDesk(Cluster& cluster);

  // Waits for it. Nothing: it is to end.
  std::optional<absl::StatusOr<std::vector<ProvisioningFacts>>> List(
      std::vector<std::string> schedulers);
  void Write(ProvisioningWrite write);
  void Delete(const ProvisioningFacts& request);
  // Of all writes since the last time; why a delete has failed is told as a write without a name.
  std::vector<Written> Wait();
  // No answer is waited for any more.
  void Stop();

 private:
  struct Answers;

  Cluster& cluster_;
  const std::shared_ptr<Answers> answers_;  // also of what comes later
  size_t calls_ = 0;
};

}  // namespace gangplan
