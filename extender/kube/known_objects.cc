#include "extender/kube/known_objects.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr size_t kMib = size_t{1} << 20;

}  // namespace

void Shares::Count(const std::string& ns, size_t objects, size_t bytes) {
  const auto add = [&](Taken& taken) {
    taken.objects += objects;
    taken.bytes += bytes;
  };
  add(all_);
  if (!ns.empty()) add(taken_[ns]);
}

std::pair<std::string, absl::Status> Shares::WhyNot(const std::string& ns, size_t bytes) const {
  const auto found = taken_.find(ns);
  const Taken taken = found == taken_.end() ? Taken() : found->second;
  const auto full = [](auto text) { return absl::ResourceExhaustedError(ToAbsl(text)); };
  if (!ns.empty() && taken.objects >= most_.in_namespace) {
    return {ns,
            full(fmt::format("namespace {} has more than {} {}", ns, most_.in_namespace, plural_))};
  }
  if (!ns.empty() && taken.bytes + bytes > most_.bytes_in_namespace) {
    return {ns, full(fmt::format("namespace {} has more than {} MiB of {}", ns,
                                 most_.bytes_in_namespace / kMib, plural_))};
  }
  if (all_.bytes + bytes > most_.bytes)
    return {"", full(fmt::format("there are more than {} MiB of {}", most_.bytes / kMib, plural_))};
  return {"", absl::OkStatus()};
}

bool Shares::Takes(const std::string& ns, size_t bytes, bool is_known) {
  const auto [place, why] = WhyNot(ns, bytes);
  if (why.ok() || (is_known && place.empty())) return true;
  LeaveOut(place, bytes, why);
  return false;
}

void Shares::LeaveOut(const std::string& place, size_t bytes, const absl::Status& why) {
  const auto [full, is_new] = full_.emplace(place, bytes);
  if (!is_new) full->second = std::min(full->second, bytes);
  if (told_.insert(place).second)
    warnings_.push_back(fmt::format("{}: those beyond are left out", Message(why)));
}

bool Shares::WantsList() const {
  return all_.objects < most_.all &&
         std::any_of(full_.begin(), full_.end(),
                     [this](const auto& left) { return Fits(left.first, left.second); });
}

}  // namespace gangplan
