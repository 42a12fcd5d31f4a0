// One number of the metrics' text.
#pragma once

#include <charconv>
#include <string>
#include <string_view>

#include "extender/observe/metrics.h"

namespace gangplan {

// Behind `name`, labels and all; 0 when it is not there.
inline int MetricValue(Metrics& metrics, std::string_view name) {
  const std::string text = metrics.Text();
  const size_t at = text.find(std::string(name) + " ");
  int value = 0;
  if (at != std::string::npos)
    std::from_chars(text.data() + at + name.size() + 1, text.data() + text.size(), value);
  return value;
}

}  // namespace gangplan
