// The names by which MPIJobs and their pods are known. Constant data; any thread.
#pragma once

#include <string_view>

namespace gangplan {

inline constexpr std::string_view kMpiJobGroup = "kubeflow.org/";
inline constexpr std::string_view kMpiJobKind = "MPIJob";
inline constexpr std::string_view kMpiLauncher = "launcher";
// A launcherCreationPolicy.
inline constexpr std::string_view kLauncherLast = "WaitForWorkersReady";
inline constexpr std::string_view kMpiJobRole = "training.kubeflow.org/job-role";

}  // namespace gangplan
