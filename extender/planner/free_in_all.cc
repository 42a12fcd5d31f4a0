#include "extender/planner/free_in_all.h"

#include <cstdint>
#include <string_view>

#include "fmt/format.h"

namespace gangplan {
namespace {

constexpr int64_t kGibi = int64_t{1} << 30;

// As people write it: cpu in thousandths where it must be, what is large in powers of two.
std::string AmountText(std::string_view resource, int64_t amount) {
  if (resource == "cpu")
    return amount % 1000 == 0 ? fmt::format("{}", amount / 1000) : fmt::format("{}m", amount);
  if (amount >= kGibi || amount <= -kGibi)
    return fmt::format("{:.1f}Gi", static_cast<double>(amount) / static_cast<double>(kGibi));
  return fmt::format("{}", amount);
}

}  // namespace

std::string LackInAll(const Model& model, const ResourceList& wanted) {
  for (const ResourceAmount& one : wanted) {
    const int64_t free = model.FreeInAll(one.name);
    if (free >= one.amount || model.Excludes(one.name)) continue;
    return fmt::format("{} {} free in the cluster, which has {}", AmountText(one.name, one.amount),
                       one.name, AmountText(one.name, free));
  }
  return {};
}

}  // namespace gangplan
