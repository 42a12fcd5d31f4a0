// Measures what the project promises: gangplan_bench WORKLOAD..., one line a figure. Ratios are of
// one run on one machine: gangplan_bench WORKLOAD --against PROGRAM takes turns with another build.
#include <array>
#include <cstdio>
#include <string_view>

#include "fmt/format.h"
#include "tests/bench/pairs.h"
#include "tests/bench/workloads.h"

namespace {

struct Workload {
  std::string_view name;
  bool (*run)();
};
constexpr std::array<Workload, 14> kWorkloads = {{{"filter", gangplan::FilterBench},
                                                  {"held", gangplan::HeldBench},
                                                  {"solve", gangplan::SolveBench},
                                                  {"exact", gangplan::ExactBench},
                                                  {"exact-limits", gangplan::ExactLimitsBench},
                                                  {"exact-crowd", gangplan::ExactCrowdBench},
                                                  {"exact-roles", gangplan::ExactRolesBench},
                                                  {"gang", gangplan::GangBench},
                                                  {"lock", gangplan::LockBench},
                                                  {"victims", gangplan::VictimsBench},
                                                  {"steering", gangplan::SteeringBench},
                                                  {"line", gangplan::LineBench},
                                                  {"tenant", gangplan::TenantBench},
                                                  {"tas-memory", gangplan::TasMemoryBench}}};

bool Run(std::string_view name) {
  for (const Workload& workload : kWorkloads) {
    if (workload.name == name) return workload.run();
  }
  fmt::print(stderr, "no such workload: {}\n", name);
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(
        stderr,
        "usage: gangplan_bench "
        "filter|held|solve|exact|exact-limits|exact-crowd|exact-roles|gang|lock|victims|steering|"
        "line|tenant|tas-memory...\n"
        "       gangplan_bench WORKLOAD --against PROGRAM\n");
    return 2;
  }
  if (argc == 4 && std::string_view(argv[2]) == "--against")
    return gangplan::RunPairs(argv[0], argv[3], argv[1]) ? 0 : 1;
  for (int i = 1; i < argc; ++i) {
    if (!Run(argv[i])) return 1;
  }
  return 0;
}
