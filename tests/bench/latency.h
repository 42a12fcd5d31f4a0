// Durations of one workload, and the lines that tell them. One thread.
#pragma once

#include <chrono>
#include <string_view>
#include <vector>

namespace gangplan {

class Latency {
 public:
  // Times one call of `work`.
  template <typename Work>
  void Time(Work work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    Add(took.count());
  }
  void Add(double micros) { micros_.push_back(micros); }

  // Of 0 (least) to 1 (most), in microseconds. REQUIRES: something was timed.
  double Quantile(double share) const;
  size_t count() const { return micros_.size(); }

 private:
  std::vector<double> micros_;
};

// "filter/5000 names: p50 812 us, p99 1304 us (2000 runs)", one line a figure; of a single
// run its time.
void Print(std::string_view name, const Latency& latency);
// "filter/5000 names against empty: p50 x3.4, p99 x2.9": both from the same run.
void PrintRatio(std::string_view name, const Latency& latency, const Latency& base);

}  // namespace gangplan
