// The names by which MPIJobs and their pods are known. Constant data; any thread.
#pragma once

#include <string_view>

namespace gangplan {

inline constexpr std::string_view kMpiJobGroup = "kubeflow.org/";
inline constexpr std::string_view kMpiJobKind = "MPIJob";
// Of the training operator, which makes the launcher's pod itself and labels both as it does those
// of its other kinds.
inline constexpr std::string_view kTrainingMpiJob = "kubeflow.org/v1";
inline constexpr std::string_view kMpiLauncher = "launcher";
// A launcherCreationPolicy.
inline constexpr std::string_view kLauncherLast = "WaitForWorkersReady";
inline constexpr std::string_view kMpiJobRole = "training.kubeflow.org/job-role";

}  // namespace gangplan
