#include "topology/resources.h"

#include <algorithm>
#include <limits>

namespace gangplan {
namespace {

template <typename List>
auto At(List& amounts, std::string_view name) {
  return std::lower_bound(amounts.begin(), amounts.end(), name,
                          [](const ResourceAmount& amount, std::string_view wanted) {
                            return std::string_view(amount.name) < wanted;
                          });
}

int64_t Saturated(int64_t sum, int64_t amount, int64_t times) {
  using Limits = std::numeric_limits<int64_t>;
  const __int128 exact = static_cast<__int128>(amount) * times + sum;
  return static_cast<int64_t>(std::clamp<__int128>(exact, Limits::min(), Limits::max()));
}

}  // namespace

int64_t AmountOf(const ResourceList& amounts, std::string_view name) {
  const auto found = At(amounts, name);
  return found != amounts.end() && found->name == name ? found->amount : 0;
}

void AddResources(ResourceList& sum, const ResourceList& more, int64_t times) {
  for (const ResourceAmount& entry : more) {
    auto place = At(sum, entry.name);
    if (place == sum.end() || place->name != entry.name) place = sum.insert(place, {entry.name, 0});
    place->amount = Saturated(place->amount, entry.amount, times);
  }
}

}  // namespace gangplan
