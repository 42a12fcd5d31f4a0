// Level rules in one line, for tests and benches.
#pragma once

#include "algorithms/request.h"

namespace gangplan {

// Numbers of 0 are not asked for.
inline LevelRule Rule(LevelRule::Kind kind, bool hard = false, int partitions = 0, int min = 0,
                      int max = 0, int factor = 0) {
  LevelRule rule;
  rule.kind = kind;
  rule.hard = hard;
  if (partitions > 0) rule.partitions = partitions;
  if (min > 0) rule.min = min;
  if (max > 0) rule.max = max;
  if (factor > 0) rule.factor = factor;
  return rule;
}

}  // namespace gangplan
