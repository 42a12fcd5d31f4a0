// The reasons of the Events about gangs, and what is done where several classes tell
// of it. Constant data.
#pragma once

namespace gangplan {

inline constexpr char kGangInvalid[] = "GangInvalid";
inline constexpr char kGangImpossible[] = "GangImpossible";
inline constexpr char kGangWaiting[] = "GangWaiting";
inline constexpr char kGangNeedsNodes[] = "GangNeedsNodes";
inline constexpr char kGangNodesAwaited[] = "GangNodesAwaited";
inline constexpr char kGangNodesFailed[] = "GangNodesFailed";
inline constexpr char kGangNodesGivenUp[] = "GangNodesGivenUp";
inline constexpr char kGangNodesProvisioned[] = "GangNodesProvisioned";
inline constexpr char kGangNodesRefused[] = "GangNodesRefused";
inline constexpr char kGangNodesUnfit[] = "GangNodesUnfit";
inline constexpr char kGangPlanned[] = "GangPlanned";
inline constexpr char kGangPreempted[] = "GangPreempted";
inline constexpr char kGangRelaxed[] = "GangRelaxed";
inline constexpr char kGangRepaired[] = "GangRepaired";
inline constexpr char kGangReprioritized[] = "GangReprioritized";
inline constexpr char kGangRestarted[] = "GangRestarted";
inline constexpr char kGangStarted[] = "GangStarted";
inline constexpr char kGangStarting[] = "GangStarting";
inline constexpr char kGangSuspended[] = "GangSuspended";
inline constexpr char kGateStays[] = "GateStays";
inline constexpr char kManyNodesNotReady[] = "ManyNodesNotReady";
inline constexpr char kManyWaitByRejection[] = "ManyWaitByRejection";
inline constexpr char kMarkStays[] = "MarkStays";
inline constexpr char kNodesLeft[] = "NodesLeft";
inline constexpr char kPodPreempted[] = "PodPreempted";
inline constexpr char kProvisioningUnavailable[] = "ProvisioningUnavailable";
inline constexpr char kRanksTooBig[] = "RanksTooBig";
inline constexpr char kReservationEnded[] = "ReservationEnded";
inline constexpr char kReservationPlanned[] = "ReservationPlanned";
inline constexpr char kReservationRefused[] = "ReservationRefused";
inline constexpr char kReservationShort[] = "ReservationShort";
inline constexpr char kReservationStarted[] = "ReservationStarted";

inline constexpr char kReserveAction[] = "Reserve";
inline constexpr char kRestartAction[] = "Restart";

}  // namespace gangplan
