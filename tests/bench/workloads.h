// The named workloads. Each prints its figures and returns whether the program did what was timed.
#pragma once

namespace gangplan {

// filter over loopback through the whole service at 1, 500 and 5,000 offered names, against a route
// that reads the same body and answers a constant, turn by turn.
bool FilterBench();
// filter while 2,000 bind calls are held open, against the same with none held.
bool HeldBench();
// One solve of a gang of 512 at 640, 5,120 and 51,200 nodes: cold (first of its shape) and warm
// (one node changed since).
bool SolveBench();
// One solve of the `exact` engine with warm counts at 5,120 and 51,200 nodes, for every kind of
// rule and mixes of them, 64 to 1,024 members, on an empty and on a half used cluster.
bool ExactBench();
// One solve with two leaders where the limits cost the most, with 1, 2 and 20 million steps.
bool ExactLimitsBench();
bool ExactCrowdBench();
bool ExactRolesBench();
// The life of one gang of 512, 4,096 and 16,384 in the planner alone, a figure a step.
bool GangBench();
// The longest time that one call keeps the planner's lock, by kind of call, at 51,200 nodes and
// 1,000 gangs of which most wait.
bool LockBench();
// Who has to go for a gang in a full cluster of 2,000 nodes and 700 gangs, against one placement.
bool VictimsBench();
// A simulated week with and without our scores for pods of no gang: how long gangs that need a rack
// wait.
bool SteeringBench();
// A simulated week in each `queue.mode`, of gangs that say how long they run: waits, and whether
// the times that were told were kept.
bool LineBench();
// What 29 namespaces wait while the thirtieth attacks, at 5,120 and 51,200 nodes, an attack a line;
// false: a gang did not start, or a node has more than it can take.
bool TenantBench();
// A million solves of the `tas` engine, of every mode and of eight shapes, while the cluster
// changes: resident memory before and after, which must be the same but for a little.
bool TasMemoryBench();

}  // namespace gangplan
