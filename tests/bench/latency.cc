#include "tests/bench/latency.h"

#include <algorithm>

#include "fmt/format.h"
#include "topology/base/check.h"

namespace gangplan {

double Latency::Quantile(double share) const {
  GANGPLAN_CHECK(!micros_.empty());
  std::vector<double> sorted = micros_;
  const auto index = static_cast<size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5);
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<ptrdiff_t>(index), sorted.end());
  return sorted[index];
}

void Print(std::string_view name, const Latency& latency) {
  if (latency.count() == 1) {
    fmt::print("{}: {:.0f} us\n", name, latency.Quantile(1));
    return;
  }
  fmt::print("{}: p50 {:.0f} us, p99 {:.0f} us ({} runs)\n", name, latency.Quantile(0.5),
             latency.Quantile(0.99), latency.count());
}

void PrintRatio(std::string_view name, const Latency& latency, const Latency& base) {
  fmt::print("{}: p50 x{:.2f}, p99 x{:.2f}\n", name, latency.Quantile(0.5) / base.Quantile(0.5),
             latency.Quantile(0.99) / base.Quantile(0.99));
}

}  // namespace gangplan
