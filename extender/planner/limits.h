// Every bound of the planner on what comes from outside.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"

namespace gangplan {

// Groups known at once, of pods, and as many of owners that wait without pods.
inline constexpr size_t kMaxGroups = 10'000;
inline constexpr size_t kMaxTombstones = 65'536;  // deleted pods remembered, by UID
inline constexpr int kMaxNominations = 4;         // of one pod to one node, the first included
inline constexpr size_t kMaxUntold = 1'000;       // Events that wait until this instance is active
inline constexpr absl::Duration kUntoldLast = absl::Minutes(5);
// Slots of lesser groups that a group of greater priority may look behind in one solve, and those
// of the groups that stand in its way then: no more groups once there are so many, and in all, with
// those of the last one, which is left out where it has more.
inline constexpr size_t kMaxLiftedSlots = 2'000;
inline constexpr size_t kMaxLiftedInAll = 8'192;
// Nodes, times pods beside the main shape, up to which a mixed group is solved at once.
inline constexpr int32_t kMaxLeavesOfSeveral = 8'192;
// What one input may cause beyond itself, in leaves that are counted or looked at (some 10 ns
// each): what begins before that is done is finished.
inline constexpr int64_t kRoundWork = 25'000;
inline constexpr int64_t kLookWork = 20;  // a look at a group that may gain or yield
// Counts of domains that are summed up while one leaf is looked at.
inline constexpr int64_t kSummedAtOnce = 64;
inline constexpr int64_t kFreeSummedAtOnce = 8;  // likewise nodes, of which one amount is summed up
inline constexpr int64_t kSlotWork = 60;         // room taken for one slot, or given up
inline constexpr int64_t kJoinWork = 500;        // a pod that joins its group after a restart
// A round that was cut goes on where it ended, so that all have their turn; before each of them so
// many times it turns back to those who are older and may gain by now, and each time so many of
// these find no room.
inline constexpr int32_t kMostTurnsBack = 8;
inline constexpr int32_t kMostOlder = 8;
// Whoever waits is looked through at once when room comes free, unless that takes more than this
// (a millisecond): then with the tick that comes anyway.
inline constexpr int64_t kEagerPassWork = 100'000;
inline constexpr int32_t kMostLooks = 8;  // for those who may gain, until as much is solved
// Members that are told in one turn what an instance that stood by has not told.
inline constexpr int64_t kActivatedMembers = 2'000;
inline constexpr int64_t kNominatedAtOnce = 1'000;  // members, in one turn
inline constexpr size_t kMaxToldProblems = 20;      // members in one Event that cannot be any
// Pods that wait and join their groups in one turn, when all others have, after a restart.
inline constexpr size_t kJoinedAtOnce = 100;
// Pods that are asked once more in one turn, where a template was told anew.
inline constexpr size_t kMaxJudgedAnew = 200;
// Members of groups that are read anew, or whose room is given back, in one turn.
inline constexpr size_t kMembersAtOnce = 200;
inline constexpr size_t kEndedAtOnce = 1'000;  // holds whose end has come, likewise
// Members and slots of groups that are gone whose memory is given back in one turn.
inline constexpr int64_t kFreedAtOnce = 2'000;
// Terms of those who have gone, times groups that may gain by it, that are looked at one by one.
inline constexpr size_t kMaxGoneLooks = 20'000;
inline constexpr int32_t kToldRefusals = 2;  // of one Binding in a row, before people are told

// Nodes that are copied for the Events of one tick.
inline constexpr int64_t kToldWork = 100'000;

// What one solve may search under the planner's lock: some milliseconds at the most. One that is
// not decided by then is asked again on a copy outside of the lock; the evidence for people is,
// too.
inline constexpr int64_t kSolveSteps = 200'000;
inline constexpr int64_t kCopySteps = 20'000'000;
inline constexpr int32_t kMostDoubledSteps = 2;  // times, of one that was not decided with these
inline constexpr int64_t kEvidenceSteps = 2'000'000;

// Of a Job that is started: nodes that its pods may use by name, beyond which they are told the
// labels of their domain; of a domain with up to kPinnedWhole nodes all of them, else those of the
// plan and a spare one for each four, since every name is read by all who watch pods.
inline constexpr size_t kMaxPinnedNodes = 64;
inline constexpr size_t kPinnedWhole = 32;
inline constexpr size_t kLeastSpareNodes = 8;
// Jobs that get their group, or are looked at since their time has come, in one turn.
inline constexpr size_t kForetoldAtOnce = 100;
inline constexpr size_t kRankedAtOnce =
    2'000;  // ... whose place in the line is found, at a restart
inline constexpr size_t kMaxRememberedStarts = 65'536;  // Jobs that were started a while ago
inline constexpr absl::Duration kClaimRetry = absl::Seconds(10);  // beyond what may be claimed
// Gangs whose next rung is due, in one turn; whose plan stands is looked at again after so long,
// since it may have come to nothing.
inline constexpr size_t kWatchedAtOnce = 100;
inline constexpr absl::Duration kLadderRetry = absl::Seconds(5);
// Whose pods a group had: of more nobody knows later that they are of the same run.
inline constexpr size_t kMaxMakers = 1'024;
// A gang that runs and has lost a member for which there will never be room is left so long: nodes
// come back, and taints go.
inline constexpr absl::Duration kLostFor = absl::Minutes(5);
inline constexpr absl::Duration kEndedRetry = absl::Seconds(1);     // pods of it are still there
inline constexpr absl::Duration kJobWriteRetry = absl::Seconds(2);  // doubles each time
inline constexpr absl::Duration kMaxJobWriteRetry = absl::Seconds(30);
// A Job that was suspended again and is not seen so by then is nothing more of ours.
inline constexpr absl::Duration kUnmarkedFor = absl::Minutes(10);
// What is said in a Workload's admission check: first so long after it was seen, since its plan may
// come at once, and then so often at the most.
inline constexpr absl::Duration kFirstSaying = absl::Milliseconds(200);
inline constexpr absl::Duration kSayEvery = absl::Seconds(30);
inline constexpr size_t kMaxSaidBytes = 2'048;

// Pods that are deleted for failed nodes at once, and when those that are there still are again.
inline constexpr int32_t kDeletedAtOnce = 256;
inline constexpr absl::Duration kFailedRetry = absl::Seconds(10);
// More nodes than this share, and than so many, are no failure of nodes: kube-controller-manager's
// unhealthy-zone-threshold.
inline constexpr int64_t kOutagePercent = 55;
inline constexpr int64_t kLeastOutage = 2;

// Slots that are looked at in one turn for members on nodes that are another one's now.
inline constexpr int64_t kLeftLooks = 20'000;

// Pods that are released from their gates, or deleted, at once; the next ones when half of these
// are done.
inline constexpr size_t kReleasesAtOnce = 256;
inline constexpr absl::Duration kReleaseRetry = absl::Seconds(2);  // of one in doubt
// Between two looks at a write of a pod that was refused, or that the watch does not show.
inline constexpr absl::Duration kReleaseAgain = absl::Seconds(10);
// A release in doubt that is not wanted any more may land so long: an API server has given up by
// then.
inline constexpr absl::Duration kLandsWithin = absl::Minutes(1);
// So long a pod that was released to its own node is left where the scheduler has refused it.
inline constexpr absl::Duration kRefusedFor = absl::Seconds(30);

// Pods behind a gate that are no members are told so when that has lasted so long, one of them in
// each such time: half of the Events that may be written.
inline constexpr absl::Duration kLeftToldAfter = absl::Seconds(5);
inline constexpr absl::Duration kLeftToldEach = absl::Milliseconds(200);
// What names a scheduler of which nothing is known, beside other pairs, is told after so long: it
// may be one of theirs. So many are remembered.
inline constexpr absl::Duration kUnknownPairToldAfter = absl::Minutes(10);
inline constexpr size_t kMaxKnownPairs = 64;
// One in each such time of a namespace, however many wait there.
inline constexpr absl::Duration kLeftToldEachInNamespace = absl::Seconds(1);
inline constexpr size_t kMaxTopicsPaced = 1'000;  // that get their moment in one turn

// Questions who has to go for a waiting group, beyond those that find the first set: some hundred
// milliseconds beside the lock. Pods of lesser groups that are looked at, the least groups first.
inline constexpr int64_t kVictimChecks = 300;
inline constexpr int64_t kMaxVictimPods = 100'000;
// Likewise of no gang, node by node: the next question goes on behind them.
inline constexpr size_t kMaxSingleVictims = 10'000;
inline constexpr size_t kMaxStoppingPods = 10'000;  // that count as gone
// Between two such questions of one group; doubles each time.
inline constexpr absl::Duration kVictimPause = absl::Seconds(2);
inline constexpr absl::Duration kMaxVictimPause = absl::Minutes(1);
// Likewise after others have gone for a group that has no room all the same.
inline constexpr absl::Duration kInVainPause = absl::Minutes(5);
inline constexpr absl::Duration kMaxInVainPause = absl::Hours(1);
inline constexpr size_t kMaxVainPauses = 65'536;  // names of such groups that are remembered
// A group waits so much longer at the most for those that give way to it, by their own words, to
// stop.
inline constexpr absl::Duration kMostStop = absl::Minutes(30);
// A group that may not be evicted is not asked about again for so long.
inline constexpr absl::Duration kSparedFor = absl::Minutes(5);
inline constexpr size_t kMaxSparedPods = 65'536;
inline constexpr size_t kEvictionsAtOnce = 256;  // on their way, of all groups
inline constexpr size_t kEvictionsOfOne = 64;    // open, of one: on their way, or to be sent again
// An eviction that has not come on for so long ends where nobody has gone, and keeps nobody else
// from starting anew.
inline constexpr absl::Duration kUnheardFor = absl::Minutes(5);
inline constexpr absl::Duration kEvictionRetry = absl::Seconds(2);
// Pods that should be on their way out, and are not, are evicted once more.
inline constexpr absl::Duration kStopsWithin = absl::Seconds(30);
inline constexpr absl::Duration kSuspendedWithin = absl::Minutes(5);  // by their owner's controller
inline constexpr size_t kToldVictims = 5;                             // named in one reason
inline constexpr size_t kMaxToldRefusal = 512;                        // bytes, behind one
inline constexpr size_t kMaxToldName = 317;  // of a gang, as a pod's annotation has it

// Gangs that no repair makes whole are looked for that often, and may be started anew a number of
// times within so long.
inline constexpr absl::Duration kRestartLook = absl::Seconds(1);
inline constexpr absl::Duration kRestartsWithin = absl::Hours(1);

// Gangs whose time to be ready is over are looked at again that often. What was evicted for it
// rests so long, twice as long each time, and is forgotten so long after that.
inline constexpr absl::Duration kReadyLook = absl::Seconds(10);
inline constexpr absl::Duration kReadySweep = absl::Minutes(1);
inline constexpr absl::Duration kLeastRest = absl::Minutes(1);
inline constexpr absl::Duration kMostRest = absl::Hours(1);
inline constexpr absl::Duration kRestsForgotten = absl::Hours(2);
inline constexpr size_t kToldUnready = 3;  // pods named in one reason

// Of the pods of no gang whose end is known, the first ones, when it is asked when a group fits.
inline constexpr size_t kMaxEndingPods = 5'000;
// What is kept for the first in line is found anew after so long, and where there was nothing.
inline constexpr absl::Duration kReservedFor = absl::Minutes(10);
inline constexpr absl::Duration kReservedAgain = absl::Seconds(5);
// What was found for it was taken meanwhile so many times: others pass for a while.
inline constexpr int kReservedTries = 5;
// While room is kept for it, the first in line is asked about what comes free that often.
inline constexpr absl::Duration kReservedLook = absl::Seconds(5);
inline constexpr size_t kToldEnds = 3;  // who ends, named in one reason

// Of reservations by name: nodes whose room is looked at in one turn; how often one is looked at;
// when room is looked for once more where some is missing, and when one may move for who waits.
inline constexpr size_t kMaxReservations = 64;
inline constexpr size_t kFittedAtOnce = 256;
inline constexpr absl::Duration kNamedLook = absl::Seconds(5);
inline constexpr absl::Duration kNamedAgain = absl::Seconds(60);
inline constexpr absl::Duration kNamedMoves = absl::Seconds(30);
// After a restart nobody who has not started is planned before they are found again, or so long.
inline constexpr absl::Duration kNamedSought = absl::Seconds(10);

// How often the shares of namespaces are counted, and so many gangs get another place by them in
// one turn.
inline constexpr absl::Duration kSharesCounted = absl::Seconds(1);
inline constexpr size_t kPlacedAnew = 1'000;

// Groups that are looked at in a turn for spare nodes to keep; of one of these nodes are looked for
// then, and again after so long where not all were found; so often it is asked whether those that
// are kept are of use still. What is kept ends unless it is wanted on.
inline constexpr size_t kSparesLooked = 256;
inline constexpr int64_t kSparesWork = 10'000;  // as Model::work counts it: it goes on next turn
inline constexpr absl::Duration kSparesAgain = absl::Seconds(30);
inline constexpr absl::Duration kSparesEnd = absl::Minutes(5);

// What pods of no gang are kept off is looked for that often, among so many groups, the newest
// first; of a longer list of nodes nothing is said: some milliseconds under the lock.
inline constexpr absl::Duration kSteeringLook = absl::Seconds(10);
inline constexpr size_t kSteeredGroups = 1'000;
inline constexpr size_t kMaxNeeds = 8;
inline constexpr size_t kMaxSteeredNodes = 10'000;
inline constexpr size_t kMaxSteeredRequests = 16;  // resources, of the pod and of a gang's member

// Of what has become of groups.
inline constexpr size_t kMaxHistoryGroups = 4'096;
inline constexpr size_t kMaxHistoryLines = 64;  // of each
inline constexpr size_t kMaxHistoryWhyBytes = 256;

inline constexpr absl::Duration kAvoidFor = absl::Minutes(5);
// Between two Events about many pods that wait by rejection.
inline constexpr absl::Duration kCrowdToldAgain = absl::Minutes(30);
// Between two refusals of a node of which the second is believed.
inline constexpr absl::Duration kDoubtAtLeast = absl::Milliseconds(500);
inline constexpr absl::Duration kDoubtAtMost = absl::Minutes(2);
inline constexpr size_t kSweptDoubts = 1'000;  // looked at for their age, a tick
inline constexpr int kMaxDoubts = 3;           // then it is believed, whatever has left it
// Pods with a nomination that is of no use any more, taken from one node at once.
inline constexpr size_t kMaxWithdrawn = 100;
// Pods that only the scheduler has shown, some 600 bytes each beside their text, and the bytes of
// that (TextBytes), which we keep up to three times; one is dropped when the watch does not confirm
// it by then.
inline constexpr size_t kMaxUnconfirmed = 10'000;
inline constexpr size_t kMaxUnconfirmedBytes = size_t{64} << 20;
inline constexpr absl::Duration kUnconfirmedFor = absl::Minutes(1);
inline constexpr absl::Duration kOwnerRetry = absl::Seconds(2);  // doubles each time
inline constexpr absl::Duration kMaxOwnerRetry = absl::Minutes(5);
inline constexpr absl::Duration kOwnerReadAfter = absl::Seconds(2);  // its pods came or went
// Gangs that run and may not grow, since their namespaces claim enough, are tried again so many
// at once.
inline constexpr absl::Duration kGrowthRetry = absl::Seconds(1);
inline constexpr size_t kMaxGrownAtOnce = 100;
inline constexpr absl::Duration kOwnerRecheck = absl::Seconds(30);  // while members are missing
// A namespace of whose gang, which was started, no pod came in its time is held to its share
// (limits.namespace.vacantShare) for so long, twice as long each time.
inline constexpr absl::Duration kBarrenPause = absl::Minutes(4);
inline constexpr absl::Duration kMaxBarrenPause = absl::Hours(1);
// Room that came to nothing twice is not taken again at once; doubles each time.
inline constexpr absl::Duration kFruitlessPause = absl::Seconds(5);
inline constexpr absl::Duration kUndecidedPause = absl::Seconds(30);  // likewise
inline constexpr absl::Duration kMaxPause = absl::Minutes(10);
inline constexpr absl::Duration kNominationBackoff = absl::Seconds(1);  // doubles each time
// Results of a group are written this long after it has changed; doubled each time that they have
// to be written once more.
inline constexpr absl::Duration kResultsAfter = absl::Seconds(1);
inline constexpr absl::Duration kMaxResultsAfter = absl::Minutes(1);
// Statuses of PodGroups that are written in one tick: each is a read, and a write where it differs.
inline constexpr size_t kStatusesAtOnce = 20;
inline constexpr int kLastStatusTries = 5;  // once its pods have all gone
inline constexpr absl::Duration kProveAgainAfter = absl::Seconds(2);

// Room that Kueue has given to a Workload that it has not admitted yet: as long as its checks may
// take, since it has quota.
inline constexpr absl::Duration kKueueRoomUnadmittedFor = absl::Minutes(10);
// What of it waits for a turn is looked at so often: Workloads with room in racks, so many sites
// and nodes; one of more sites, when its pods become members of gangs.
inline constexpr absl::Duration kKueueTurn = absl::Seconds(1);
inline constexpr size_t kKueueSitesAtOnce = 1'024;
// Nodes of racks that one input looks at for room, and the first one with all nodes there.
inline constexpr int64_t kKueueLooksAtOnce = 4'096;
inline constexpr int64_t kKueueLooksAtStart = 1'000'000;
// Lists of labels by which racks are known, kept when nobody goes by them.
inline constexpr size_t kRackListsKept = 4;
// Of what a pod says that it is of: there is no longer name.
inline constexpr size_t kMaxWorkloadNameBytes = 253;

}  // namespace gangplan
