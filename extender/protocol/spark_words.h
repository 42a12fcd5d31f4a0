// The labels by which Spark's pods on Kubernetes tell of their run. Constant data; any thread.
#pragma once

#include <string_view>

namespace gangplan {

inline constexpr std::string_view kSparkApp = "spark-app-selector";  // another one for each run
inline constexpr std::string_view kSparkRole = "spark-role";
inline constexpr std::string_view kSparkExecutor = "executor";
inline constexpr std::string_view kSparkDriver = "driver";

}  // namespace gangplan
