#include "extender/app/provisioning_step.h"

#include <algorithm>

#include "extender/app/provisioning_request.h"

namespace gangplan {
namespace {

// What has ended it; null: nothing.
const ProvisioningFacts::Condition* EndOf(const ProvisioningFacts& request) {
  for (const auto* end : {&request.failed, &request.revoked, &request.expired}) {
    if (end->is) return end;
  }
  return nullptr;
}

std::string_view WhyEnded(const ProvisioningFacts& request) {
  if (request.failed.is) return "failed";
  return request.revoked.is ? "lost what it was given" : "is not booked any more";
}

// As Kueue: the base, then twice as long each time.
absl::Duration BackOff(const ProvisioningSettings& settings, int attempt) {
  absl::Duration wait = settings.back_off;
  for (int i = 1; i < attempt && wait < settings.max_back_off; ++i) wait *= 2;
  return std::min(wait, settings.max_back_off);
}

}  // namespace

bool IsBooked(const ProvisioningFacts& request) {
  return request.provisioned.is && EndOf(request) == nullptr && !request.going;
}

bool IsOverdue(const ProvisioningSettings& settings, absl::Time now,
               const ProvisioningFacts& request) {
  return !request.provisioned.is && EndOf(request) == nullptr &&
         now - request.made >= settings.max_back_off;
}

ProvisioningStep NextStep(const ProvisioningSettings& settings, absl::Time now,
                          std::string_view base,
                          const std::vector<const ProvisioningFacts*>& known) {
  ProvisioningStep step;
  for (const ProvisioningFacts* one : known) {
    const int attempt = AttemptOf(one->name, base);
    if (attempt > step.attempt) step.last = one, step.attempt = attempt;
  }
  for (const ProvisioningFacts* one : known) {
    if (one != step.last && !one->going) step.remove.push_back(one);
  }
  if (step.last == nullptr) {
    if (known.empty()) step.make = 1;
    return step;
  }
  const ProvisioningFacts::Condition* end = EndOf(*step.last);
  if (end == nullptr) {
    step.stand = step.last->provisioned.is ? ProvisioningStep::Stand::kProvisioned
                                           : ProvisioningStep::Stand::kOpen;
    return step;
  }
  step.why = WhyEnded(*step.last);
  if (step.attempt > settings.retries) {
    step.stand = ProvisioningStep::Stand::kGivenUp;
    return step;
  }
  step.stand = ProvisioningStep::Stand::kEnded;
  step.again = end->since + BackOff(settings, step.attempt);
  if (now >= step.again) step.make = step.attempt + 1;
  return step;
}

}  // namespace gangplan
