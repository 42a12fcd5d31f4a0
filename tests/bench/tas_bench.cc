// Times the `tas` engine on a uniform cluster: gangplan_tas_bench [--blocks N] [--racks N]
// [--hosts N] [--used-permille N]. Reads requests from its input, one a line, and answers each with
// a line of JSON, in the words of peers/ask/ask.go.
#include <charconv>
#include <cstdio>
#include <iostream>
#include <span>
#include <string>
#include <string_view>

#include "fmt/format.h"
#include "tests/bench/latency.h"
#include "tests/bench/tas_ask.h"
#include "tests/bench/tas_cluster.h"
#include "topology/base/text.h"
#include "topology/model.h"

namespace gangplan {
namespace {

// Repeats `step` for `min_ms`, and often enough for a least and a median.
template <typename Step>
void AtLeast(int64_t min_ms, Step step) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::milliseconds(min_ms);
  for (int runs = 0; runs < 5 || Clock::now() < end; ++runs) step();
}

int64_t Nanos(const Latency& latency, double share) {
  return static_cast<int64_t>(latency.Quantile(share) * 1000);
}

// One request on one cluster, asked again and again.
class Measure {
 public:
  // `shapes` counts the shapes that were ever asked of the model.
  Measure(Model& model, const TasAsk& ask, int64_t& shapes)
      : model_(model), ask_(ask), shapes_(shapes) {}

  // Each time of a shape that the model has not met: a pod template that tolerates something else.
  void Cold() {
    AtLeast(ask_.min_ms, [&] {
      NodeFilter filter;
      filter.tolerations = {{fmt::format("bench-{}", shapes_++), true, "", {}}};
      model_.PutPod("idle", model_.NodeName(0), {});  // a change makes the model trim its counts
      model_.ErasePod("idle");
      ShapeId shape = -1;
      cold_.Time([&] {
        shape = model_.AcquireShape(0, TasDemand(ask_.gpus), filter);
        Solve(shape);
      });
      Check();
      model_.ReleaseShape(shape);
    });
  }

  void Warm() {
    const ShapeId shape = model_.AcquireShape(0, TasDemand(ask_.gpus), {});
    Solve(shape);
    AtLeast(ask_.min_ms, [&] {
      warm_.Time([&] { Solve(shape); });
      Check();
    });
    model_.ReleaseShape(shape);
  }

  void Print(const std::string& cluster) const {
    const bool placed = !first_.failure.has_value();
    fmt::print(R"({{"program":"gangplan","nodes":{},"cluster_digest":"{}","placed":{},)"
               R"("assignment_digest":"{}","steady":{},"cold_ns_min":{},"warm_ns_min":{},)"
               R"("warm_ns_median":{}}})"
               "\n",
               model_.node_count(), cluster, placed,
               placed ? AnswerDigest(model_, first_.workers) : "", steady_, Nanos(cold_, 0),
               Nanos(warm_, 0), Nanos(warm_, 0.5));
    std::fflush(stdout);
  }

 private:
  void Solve(ShapeId shape) {
    TasCounts counts;
    counts.lowest = model_.tree(0).leaf_level();
    counts.workers = &model_.Counts(shape);
    PlaceTas(model_.tree(0), counts, ask_.request, scratch_, result_);
  }

  void Check() {
    if (cold_.count() == 1 && warm_.count() == 0) first_ = result_;
    steady_ = steady_ && result_.workers == first_.workers && result_.failure == first_.failure;
  }

  Model& model_;
  const TasAsk& ask_;
  int64_t& shapes_;
  TasScratch scratch_;
  TasResult result_;
  TasResult first_;
  bool steady_ = true;  // every call gave this answer
  Latency cold_;
  Latency warm_;
};

bool ReadFlags(std::span<char*> flags, TasCluster& cluster) {
  if (flags.size() % 2 != 0) return false;
  for (size_t i = 0; i < flags.size(); i += 2) {
    const std::string_view name = flags[i], text = flags[i + 1];
    int32_t value = -1;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ptr != text.data() + text.size() || value < 0) return false;
    if (name == "--blocks")
      cluster.blocks = value;
    else if (name == "--racks")
      cluster.racks = value;
    else if (name == "--hosts")
      cluster.hosts = value;
    else if (name == "--used-permille")
      cluster.used_permille = static_cast<uint32_t>(value);
    else
      return false;
  }
  return true;
}

int Run(const TasCluster& cluster) {
  Model model = MakeTasCluster(cluster);
  const std::string digest = ClusterDigest(model);
  int64_t shapes = 0;
  for (std::string line; std::getline(std::cin, line);) {
    const auto ask = ParseTasAsk(line, model.tree(0));
    if (!ask.ok()) {
      fmt::print(stderr, "gangplan_tas_bench: {}: {}\n", line, Message(ask.status()));
      return 1;
    }
    Measure measure(model, *ask, shapes);
    measure.Cold();
    measure.Warm();
    measure.Print(digest);
  }
  return 0;
}

}  // namespace
}  // namespace gangplan

int main(int argc, char** argv) {
  gangplan::TasCluster cluster;
  if (!gangplan::ReadFlags({argv + 1, static_cast<size_t>(argc - 1)}, cluster)) {
    fmt::print(stderr,
               "usage: gangplan_tas_bench [--blocks N] [--racks N] [--hosts N] "
               "[--used-permille N], requests on the input\n");
    return 2;
  }
  return gangplan::Run(cluster);
}
