// The reasons of the Events that the planner asks for, and what is done where several classes tell
// of it. Constant data.
#pragma once

namespace gangplan {

inline constexpr char kGangInvalid[] = "GangInvalid";
inline constexpr char kGangImpossible[] = "GangImpossible";
inline constexpr char kGangWaiting[] = "GangWaiting";
inline constexpr char kGangPlanned[] = "GangPlanned";
inline constexpr char kGangPreempted[] = "GangPreempted";
inline constexpr char kGangRelaxed[] = "GangRelaxed";
inline constexpr char kGangRepaired[] = "GangRepaired";
inline constexpr char kGangRestarted[] = "GangRestarted";
inline constexpr char kGangStarted[] = "GangStarted";
inline constexpr char kGangStarting[] = "GangStarting";
inline constexpr char kGangSuspended[] = "GangSuspended";
inline constexpr char kGateStays[] = "GateStays";
inline constexpr char kManyNodesNotReady[] = "ManyNodesNotReady";
inline constexpr char kManyWaitByRejection[] = "ManyWaitByRejection";

inline constexpr char kRestartAction[] = "Restart";

}  // namespace gangplan
