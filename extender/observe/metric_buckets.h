// Where the histograms of /metrics are cut, in seconds: a wait shows at both of its ends. Constant
// data; any thread.
#pragma once

#include <vector>

namespace gangplan {

using Buckets = std::vector<double>;

// Filter answers in tens of microseconds, a held bind in minutes: both ends must be visible.
inline const Buckets& VerbBuckets() {
  static const Buckets buckets = {0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005,
                                  0.01,    0.025,  0.05,    0.1,    0.25,  0.5,    1,
                                  2.5,     10,     30,      60,     120,   300,    600};
  return buckets;
}

inline const Buckets& SolveBuckets() {
  static const Buckets buckets = {0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005,
                                  0.001,   0.0025,   0.005,   0.01,   0.025,   0.05,
                                  0.1,     0.25,     0.5,     1,      2.5};
  return buckets;
}

// No turn should cost more than 5 ms.
inline const Buckets& LockBuckets() {
  static const Buckets buckets = {0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001,
                                  0.0025,  0.005,    0.01,    0.025,  0.05,    0.1};
  return buckets;
}

// From a solve that succeeds at once to a wait over the week-end.
inline const Buckets& GangBuckets() {
  static const Buckets buckets = {0.1, 0.5,  1,    5,     15,    60,     300,
                                  900, 3600, 7200, 21600, 86400, 259200, 604800};
  return buckets;
}

}  // namespace gangplan
