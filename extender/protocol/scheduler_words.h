// What kube-scheduler says in a pod's condition PodScheduled of why it goes nowhere. Pure.
// Internal to this room.
#pragma once

#include <string>
#include <string_view>

namespace gangplan {

// Of a message such as "0/5 nodes are available: 1 Insufficient cpu, 4 gang a/b waits for room.
// preemption: ...": the entries that are not our own, "1 Insufficient cpu", between semicolons, so
// that they are still told from ours when the scheduler gives them back as a part of our answer.
// Empty when all of it is ours. At most kMaxSchedulerWords bytes, cut between characters.
std::string SchedulerWords(std::string_view message);

}  // namespace gangplan
