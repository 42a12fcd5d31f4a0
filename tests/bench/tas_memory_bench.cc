#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "fmt/format.h"
#include "tests/bench/tas_cluster.h"
#include "tests/bench/workloads.h"
#include "topology/model.h"

namespace gangplan {
namespace {

constexpr int kSolves = 1'000'000;
constexpr int kFirstSolves = 10'000;  // until every buffer has its size
constexpr int64_t kMaxGrowthKib = 1024;

// Resident memory of this process; 0 where there is no /proc.
int64_t ResidentKib() {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;) {
    int64_t kib = 0;
    if (word == "VmRSS:" && file >> kib) return kib;
  }
  return 0;
}

TasRequest Ask(int turn) {
  constexpr TasRequest::Mode kModes[] = {TasRequest::Mode::kRequired, TasRequest::Mode::kPreferred,
                                         TasRequest::Mode::kUnconstrained};
  TasRequest request;
  request.mode = kModes[turn % 3];
  request.level = request.mode == TasRequest::Mode::kUnconstrained ? 2 : 1;
  request.count = 1 + turn % 200;  // some do not fit into a rack
  request.balanced = turn % 7 == 0;
  if (turn % 5 == 0 && request.mode != TasRequest::Mode::kUnconstrained) {
    request.count *= 2;
    request.slices = {{1, 2}};
  }
  return request;
}

}  // namespace

bool TasMemoryBench() {
  Model model = MakeTasCluster(TasCluster{4, 10, 16, 500});
  TasScratch scratch;
  TasResult result;
  int64_t placed = 0, before = 0;
  for (int turn = 0; turn < kSolves + kFirstSolves; ++turn) {
    if (turn == kFirstSolves) before = ResidentKib();
    const ShapeId shape = model.AcquireShape(0, TasDemand(1 + turn % 8), {});
    TasCounts counts;
    counts.lowest = model.tree(0).leaf_level();
    counts.workers = &model.Counts(shape);
    PlaceTas(model.tree(0), counts, Ask(turn), scratch, result);
    placed += result.failure ? 0 : 1;
    if (turn % 16 == 0) model.PutPod("wanderer", model.NodeName(turn % model.node_count()), {});
    model.ReleaseShape(shape);
  }
  const int64_t after = ResidentKib();
  fmt::print("tas-memory/{} solves on {} nodes, {} placed: {} KiB before, {} KiB after\n", kSolves,
             model.node_count(), placed, before, after);
  return placed > 0 && placed < kSolves && after - before <= kMaxGrowthKib;
}

}  // namespace gangplan
