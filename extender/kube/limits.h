// Every limit on what comes from an API server or a file, and on what waits to be sent to it.
// Constants only. Each is tested at its value and one beyond.
#pragma once

#include <cstddef>

#include "absl/time/time.h"

namespace gangplan {

// --- Answers of the API server.
inline constexpr int kListPageItems = 500;
inline constexpr int kConfigMapPageItems = 25;  // each may be as large as etcd takes
inline constexpr int kJobPageItems = 25;        // likewise
inline constexpr int kMaxListPages = 10'000;
inline constexpr size_t kMaxAnswerBytes = size_t{256} << 20;  // a server may ignore `limit`
// Of an answer before its body: status line and headers, with those of all interim answers (1xx)
// before it; and of what stands around the data of a body in chunks.
inline constexpr size_t kMaxAnswerHeadBytes = size_t{64} << 10;
inline constexpr size_t kMaxChunkLineBytes = 256;
inline constexpr size_t kMaxTrailerBytes = size_t{8} << 10;
inline constexpr size_t kMaxWatchLineBytes = size_t{16} << 20;  // etcd keeps objects below 1.5 MB
inline constexpr size_t kMaxMirroredNodes = 100'000;
inline constexpr size_t kMaxMirroredPods = 500'000;
inline constexpr size_t kMaxMirroredTopologies = 1'000;
// Of ConfigMaps, of Jobs that wait and of LimitRanges, which many people may write, what is beyond
// is left out; of all else more is an error, and nothing is synced.
inline constexpr size_t kMaxMirroredSakkaraGroups = 20'000;
inline constexpr size_t kMaxSakkaraGroupsInNamespace = 5'000;
inline constexpr size_t kMaxSakkaraGroupBytes = size_t{256} << 20;  // in memory, as those below
inline constexpr size_t kMaxSakkaraGroupBytesInNamespace = kMaxSakkaraGroupBytes / 4;
inline constexpr size_t kMaxMirroredSakkaraTopologies = 64;
inline constexpr size_t kMaxSakkaraTopologyBytes = size_t{64} << 20;
inline constexpr size_t kMaxMirroredReservations = 256;
inline constexpr size_t kMaxReservationBytes = size_t{16} << 20;
// Of each namespace that is named; where all are meant of all together, and of each one. What they
// say is kept nowhere.
inline constexpr size_t kMaxMirroredRankLists = 100;
inline constexpr size_t kMaxRankListsOfAll = 200;
inline constexpr size_t kMaxRankListsInNamespaceOfAll = kMaxRankListsOfAll / 2;
inline constexpr size_t kMaxMirroredSuspendedJobs = 20'000;  // of each kind
inline constexpr size_t kMaxSuspendedJobsInNamespace = 5'000;
inline constexpr size_t kMaxMirroredAdmissionRules = 20'000;  // of each kind
// Of Kueue's: Workloads that have quota and a check, and as many that have quota and a place; of
// the nodes or racks of such places, about what they take in memory.
inline constexpr size_t kMaxMirroredWorkloads = 20'000;
inline constexpr size_t kMaxWorkloadsInNamespace = 5'000;
inline constexpr size_t kMaxWorkloadBytes = size_t{256} << 20;
inline constexpr size_t kMaxWorkloadBytesInNamespace = size_t{64} << 20;
inline constexpr size_t kBytesOfDomain = 1'000;  // most of it in the planner
inline constexpr size_t kBytesOfText = 32;
// A first list that nobody has to wait for is waited for so long, and for so many tries.
inline constexpr absl::Duration kUnawaitedFor = absl::Seconds(30);
inline constexpr int kUnawaitedTries = 5;
inline constexpr size_t kMaxMirroredAdmissionChecks = 1'000;
inline constexpr size_t kMaxBudgets = 1'000;     // disruption budgets of a namespace
inline constexpr int kBudgetPodPageItems = 100;  // whole pods, each as large as etcd takes
inline constexpr absl::Duration kMostBudgetTime = absl::Seconds(20);
inline constexpr size_t kMaxListedProvisioning = 10'000;
inline constexpr size_t kMaxServerMessageBytes = 512;  // of an error text that is passed on
inline constexpr absl::Duration kMaxRetryAfter = absl::Seconds(60);

// A connection that nothing has gone over for so long is asked whether it still stands, and is lost
// after so long without an answer.
inline constexpr absl::Duration kIdleAskedAfter = absl::Seconds(20);
inline constexpr absl::Duration kIdleAskedEvery = absl::Seconds(10);
inline constexpr absl::Duration kServerLost = absl::Seconds(60);

// A Lease is renewed each few seconds: a watch of it that says nothing for so long is made anew.
inline constexpr absl::Duration kLeaseSilence = absl::Seconds(8);

// The largest object that etcd stores by default, and what JSON may make of one of its bytes:
// \u003c. Such an object, and a page of such ConfigMaps or Jobs, must be readable.
inline constexpr size_t kMaxStoredBytes = size_t{3} << 19;
inline constexpr size_t kMostJsonBytesOfOne = 6;
static_assert(kMaxStoredBytes * kMostJsonBytesOfOne < kMaxWatchLineBytes);
static_assert(kMaxStoredBytes * kMostJsonBytesOfOne * kConfigMapPageItems < kMaxAnswerBytes);
static_assert(kMaxStoredBytes * kMostJsonBytesOfOne * kJobPageItems < kMaxAnswerBytes);

// --- Work that waits for a connection.
// All members that may be in bind at once: of a gang whose last one comes none is refused.
inline constexpr size_t kMaxQueuedBindings = 65'536;
inline constexpr size_t kMaxQueuedNominations = 16'384;
inline constexpr size_t kMaxQueuedOthers = 4'096;
inline constexpr size_t kMaxQueuedResults = 65'536;  // a label patch for every pod of large gangs
// Pods whose Binding may still land. Beyond them a pod's Binding stays in doubt for as long as all
// the others may land.
inline constexpr size_t kMaxDoubtfulPosts = 65'536;

// --- Events.
inline constexpr size_t kMaxEventNoteBytes = 1'024;
inline constexpr size_t kMaxEventWordBytes = 128;  // reason and action
inline constexpr size_t kMaxRememberedEvents = 4'096;
inline constexpr int kEventMemorySeconds = 300;
inline constexpr absl::Duration kEventMemory = absl::Seconds(kEventMemorySeconds);
inline constexpr int kMaxEventBurst = 100;
inline constexpr int kEventsPerSecond = 10;
// Of which one namespace may have so many.
inline constexpr int kMaxEventBurstOfNamespace = kMaxEventBurst / 2;
inline constexpr int kEventsPerSecondOfNamespace = kEventsPerSecond / 2;
// One that has written nothing for so long is heard beyond the rate of all.
inline constexpr absl::Duration kQuietNamespace = absl::Seconds(5);
// That wait until the Lease is renewed.
inline constexpr size_t kMaxLateEvents = 1'000;
inline constexpr absl::Duration kLateEventsLast = absl::Minutes(5);
// Of schedulers, that a pod was placed: so many are read, in pages of kListPageItems.
inline constexpr size_t kMaxPlacedEvents = 10'000;

// --- Files.
inline constexpr size_t kMaxClusterFileBytes = size_t{512} << 20;
inline constexpr size_t kMaxKubeconfigBytes = size_t{4} << 20;
inline constexpr size_t kMaxKubeconfigs = 64;                       // that KUBECONFIG names
inline constexpr size_t kMaxCredentialFileBytes = size_t{1} << 20;  // a token, a key, certificates
inline constexpr size_t kMaxYamlDepth = 64;
inline constexpr size_t kMaxYamlNodes = 40'000'000;  // keys and values

}  // namespace gangplan
