// What may happen in one run: everything is off unless a test turns it on. Plain data.
#pragma once

#include <string_view>
#include <vector>

namespace gangplan::simulation {

struct Profile {
  bool faults = false;       // lost, late and repeated calls; watches that break
  bool harm = false;         // pods that are deleted or fail
  bool node_faults = false;  // nodes that go, come back, are cordoned
  bool foreign = false;      // pods of nobody's gang
  bool second_scheduler = false;
  bool restarts = false;    // of Gangplan and of the scheduler
  bool preemption = false;  // foreign pods of higher priority
  bool evictions = false;   // gangs that run give way to those of higher priority
  bool anew = false;        // gangs that no repair makes whole start anew
  bool unready = false;     // pods that run and are not ready
  bool held = false;        // gangs that their users hold for a while
  bool unfit = false;       // nodes that the scheduler never offers to some Job

  bool node_changes = false;     // nodes that shrink or get a taint
  bool node_moves = false;       // nodes that move to another rack
  bool two_resources = false;    // cpu is short, too: now it, now the gpus decide
  bool streams = false;          // Jobs of which one pod follows another
  bool in_tree = false;          // Jobs with rules that only the scheduler sees
  bool reuse = false;            // the same work runs again, under the same names
  bool remade = false;           // Jobs that are deleted and made again under their name
  bool scaling = false;          // Jobs that want more or fewer pods
  bool mended = false;           // words that are wrong at first, requests of pods that wait
  bool resized = false;          // pods that are resized where they run
  bool refused_member = false;   // a member that the scheduler takes nowhere, ever
  bool refused_binding = false;  // a member whose Binding the API server refuses, always
  bool slow_reads = false;       // what a read tells of a Binding may be old by seconds
  bool owners_away = false;      // owners that cannot be read for minutes
  bool first_member = false;     // members start as they come
  bool standby = false;          // a second Gangplan that never acts
  bool order = false;            // who waits with a greater priority is not overtaken
  bool liveness = false;         // who fits is bound though the faults go on
  bool succeeded_go = false;     // pods that have succeeded are deleted
  bool large = false;            // up to 200 nodes and 40 Jobs
  bool suspended = false;        // Jobs that wait suspended until they are started
  bool job_sets = false;         // a leader and its workers are made by a JobSet
  bool gated = false;            // pods that wait behind a gate until they are released
  bool ladders = false;          // Jobs that ask for more at first than after a while
  bool strict = false;           // nobody passes who waits for room
  bool backfill = false;         // ... but who does not delay the first one
  bool shared = false;           // Jobs of three namespaces, which share room
  bool promises = false;         // who is told when it starts does so: nothing else comes between
  bool spares = false;           // Jobs that keep nodes while they run
  bool reserved = false;         // room is reserved by name, and some Jobs ask for it
  bool elastic = false;          // Jobs of which a number start, and others join them
  bool topologies = false;       // there are two of them, and each gang goes by one
  bool unasked = false;          // the scheduler knows nothing of Gangplan, all gangs are gated
  // Whether something may put members out of the order in which they were planned.
  bool Disturbs() const;
};

// The flag of this name; null when there is none.
bool Profile::*FlagNamed(std::string_view name);
std::vector<std::string_view> FlagNames();

}  // namespace gangplan::simulation
