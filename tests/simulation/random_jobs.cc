#include "tests/simulation/random_jobs.h"

#include <algorithm>
#include <array>
#include <utility>

#include "extender/frontends/gangplan/runtime.h"
#include "extender/frontends/gangplan/words.h"
#include "extender/frontends/kueue/words.h"
#include "extender/protocol/sakkara_words.h"
#include "fmt/format.h"
#include "tests/simulation/room.h"

namespace gangplan::simulation {
namespace {

// Nodes of the domain that all must share, and how many such domains there are.
int64_t NodesOf(const ClusterSize& cluster, int level) {
  int64_t nodes = cluster.per_rack;
  if (level < 1) nodes *= cluster.racks;
  if (level < 0) nodes *= cluster.blocks;
  return nodes;
}

int64_t DomainsOf(const ClusterSize& cluster, int hard_level) {
  if (hard_level < 0) return 1;
  return hard_level == 0 ? cluster.blocks : int64_t{cluster.blocks} * cluster.racks;
}

// Members that its best domain holds when it is empty; the leader is one of them.
int64_t Capacity(const ClusterSize& cluster, const Job& job) {
  const int zone_level = job.traits.zone ? job.traits.zone_level : -1;
  const int64_t nodes = NodesOf(cluster, std::max(job.hard_level, zone_level));
  const Amounts node{cluster.gpus, cluster.cpu};
  const Amounts each{job.spec.gpus, job.spec.cpu};
  int64_t per_node = Times(node, each);
  if (job.traits.one_a_node || job.traits.host_port) per_node = std::min<int64_t>(per_node, 1);
  if (job.spec.leader_gpus == 0) return nodes * per_node;
  const bool apart = !job.spec.together && DomainsOf(cluster, job.hard_level) > 1;
  Amounts beside = node;
  beside -= {job.spec.leader_gpus, job.spec.cpu};
  return 1 + (apart ? nodes * per_node : (nodes - 1) * per_node + Times(beside, each));
}

void GiveOurWords(Random& random, Job& job) {
  constexpr std::array<std::string_view, 4> kPlaces = {"rack=pack!", "block=pack!", "rack=pack",
                                                       "rack=pack!"};
  constexpr std::array kHard = {1, 0, -1, 1};
  const auto place = static_cast<size_t>(random.Between(0, 3));
  job.spec.place = std::string(kPlaces[place]);
  job.hard_level = kHard[place];
}

// Until then it waits for better places; what is asked of it is by its last rung.
void GiveLadder(Random& random, Job& job) {
  const std::string_view first = random.OneIn(2) ? "rack=pack!" : "rack=pack!; node=pack max=2";
  job.spec.place = fmt::format("{} | after {}s: {}", first, random.Between(1, 60), job.spec.place);
}

void GiveLeader(Random& random, bool in_set, Job& job) {
  job.spec.leader_gpus = int64_t{1} << random.Between(0, 2);
  job.spec.in_set = in_set;
  job.spec.together = !in_set && random.OneIn(2);
  job.hard_level = static_cast<int>(random.Between(-1, 1));
  const std::string level = job.hard_level == 0 ? "example.com/block" : "example.com/rack";
  SetWord(job.spec.words, job.hard_level < 0 ? kKueuePreferred : kKueueRequired, level);
  if (job.spec.together) SetWord(job.spec.words, kKueueGroupName, "lw");
}

// Leader and workers that go apart, in our own words: each by rules of its own.
void SayOwnRules(Job& job) {
  constexpr std::array<std::string_view, 3> kOwn = {"rack=pack", "block=pack!", "rack=pack!"};
  job.spec.words.clear();
  SetWord(job.spec.words, kPodSetPlaceWord, kOwn[static_cast<size_t>(job.hard_level + 1)]);
}

// Words of Sakkara that mean the same as our own hard packs, and keep apart below where they can.
void GiveSakkara(Random& random, Job& job) {
  constexpr std::array<std::string_view, 3> kHard = {
      R"("block":{"type":"pack"})", R"("block":{"type":"pack","hard":true})",
      R"("block":{"type":"pack","hard":true},"rack":{"type":"pack","hard":true})"};
  job.spec.leader_gpus = 0;
  job.spec.in_set = false;
  job.spec.words.clear();
  job.spec.place.clear();
  job.spec.indexed = false;
  job.hard_level = static_cast<int>(random.Between(-1, 1));
  const std::string_view node = random.OneIn(2) ? R"(,"node":{"type":"spread"})" : "";
  job.constraints = fmt::format("{{{}{}}}", kHard[static_cast<size_t>(job.hard_level + 1)], node);
  SetWord(job.spec.labels, kSakkaraPodGroup, job.spec.name);
}

// A while more than it takes.
void GiveRuntime(Random& random, Job& job) {
  const int64_t seconds = absl::ToInt64Seconds(job.run_for) + random.Between(4, 60);
  SetWord(job.spec.words, kRuntimeWord, fmt::format("{}s", seconds));
}

void GiveReservation(Random& random, Job& job) {
  job.reservation = random.OneIn(2) ? "reservation-a" : "reservation-b";
  SetWord(job.spec.words, kReservationWord, job.reservation);
}

// By the word, by a node selector, or by saying nothing. Who is described by an object has no
// words.
void GiveTopology(Random& random, Job& job) {
  const bool rings = random.OneIn(2);
  job.topology = std::string(rings ? kRings : kRacks);
  const bool described = !job.constraints.empty();
  const bool by_selector = rings && (described || random.OneIn(2));
  if (by_selector) job.traits.net = std::string(kRings);
  if (!by_selector && !described && (rings || random.OneIn(2)))
    SetWord(job.spec.words, kTopologyWord, job.topology);
  if (job.traits.zone) *job.traits.zone = (rings ? "b1" : "b0") + job.traits.zone->substr(2);
}

// One pod set, so that the room is easily told.
void GiveTraits(Random& random, const ClusterSize& cluster, Job& job) {
  switch (random.Between(0, 3)) {
    case 0:
      job.traits.one_a_node = true;
      break;
    case 1:
      job.traits.host_port = true;
      break;
    case 2:
      job.traits.zone_level = static_cast<int>(random.Between(0, 1));
      job.traits.zone = fmt::format("b{}", random.Between(0, cluster.blocks - 1));
      if (job.traits.zone_level == 1)
        *job.traits.zone += fmt::format("/r{}", random.Between(0, cluster.racks - 1));
      break;
    default:
      break;
  }
}

std::string NamespaceOf(int number) {
  return std::vector<std::string>{"team", "many", "few"}[static_cast<size_t>(number) % 3];
}

// What its pods are, and where they go.
void GivePods(Random& random, const Profile& profile, const ClusterSize& cluster, int number,
              Job& job) {
  job.spec.gpus = int64_t{1} << random.Between(0, 2);
  if (profile.two_resources) job.spec.cpu = random.Between(1, cluster.cpu / 500) * 500;
  if (random.OneIn(profile.job_sets ? 2 : 3)) GiveLeader(random, profile.job_sets, job);
  if (job.spec.leader_gpus == 0 || Capacity(cluster, job) < 2) {  // no place for a worker
    job.spec.leader_gpus = 0;
    job.spec.in_set = false;
    job.spec.words.clear();
    GiveOurWords(random, job);
  } else if (!job.spec.together && number % 2 == 1) {
    SayOwnRules(job);
  }
}

}  // namespace

ClusterSize RandomSize(Random& random, const Profile& profile) {
  ClusterSize size;
  size.blocks = static_cast<int>(random.Between(1, 2));
  size.racks = static_cast<int>(random.Between(1, 3));
  size.per_rack = static_cast<int>(random.Between(1, 3));
  if (profile.large) {
    size.blocks = static_cast<int>(random.Between(2, 5));
    size.racks = static_cast<int>(random.Between(2, 8));
    size.per_rack = static_cast<int>(random.Between(2, 5));
    size.jobs = 40;
  }
  if (profile.topologies) size.blocks = 2;
  if (profile.liveness || profile.promises) size.jobs = 20;
  if (profile.two_resources) size.cpu = random.Between(2, 8) * 1'000;
  return size;
}

Job RandomJob(Random& random, const Profile& profile, const ClusterSize& all, int number) {
  Job job;
  ClusterSize cluster = all;
  if (profile.topologies) cluster.blocks = 1;  // each topology has one of them
  job.spec.name = fmt::format("job{}", number);
  GivePods(random, profile, cluster, number, job);
  if (profile.spares && number % 3 != 0)
    SetWord(job.spec.words, kSparesWord, fmt::format("{}", number % 3));
  job.spec.indexed = !random.OneIn(3);
  if (random.OneIn(4)) GiveSakkara(random, job);
  if (profile.in_tree && job.spec.leader_gpus == 0) GiveTraits(random, cluster, job);
  if (profile.topologies) GiveTopology(random, job);
  job.spec.priority = static_cast<int32_t>(random.OneIn(3) ? random.Between(1, 3) * 10 : 0);
  job.fits = static_cast<int32_t>(Capacity(cluster, job));
  const int64_t least = job.spec.leader_gpus > 0 ? 2 : 1;
  job.spec.size =
      static_cast<int32_t>(random.Between(least, std::min(job.fits, profile.large ? 32 : 8)));
  if (random.OneIn(10)) job.spec.size = job.fits + 1;
  job.run_for = random.Millis(1'000, 20'000);
  job.pod_every = random.OneIn(3) ? random.Millis(500, 4'000) : random.Millis(0, 50);
  const bool of_job = job.constraints.empty() && !job.spec.in_set;
  if (of_job && random.OneIn(4)) {  // a gang that is only a name
    SetWord(job.spec.words, "gangplan.io/group", job.spec.name);
    job.keeps_pods = profile.reuse && random.OneIn(2);
    SetWord(job.spec.words, "gangplan.io/size", fmt::format("{}", job.spec.size));
  }
  const bool plain = job.constraints.empty() && job.spec.leader_gpus == 0;
  if (profile.streams && plain && random.OneIn(2))
    job.completions = job.spec.size + static_cast<int32_t>(random.Between(1, 6));
  const bool by_scheduler = profile.refused_member && random.OneIn(4);
  const bool by_server = !by_scheduler && profile.refused_binding && random.OneIn(4);
  if (by_scheduler) job.refusal = Refusal::kByScheduler;
  if (by_server) job.refusal = Refusal::kByApiServer;
  if (by_scheduler || by_server)
    job.refused_index = static_cast<int>(random.Between(0, job.spec.size - 1));
  job.ordered = profile.first_member && job.spec.leader_gpus == 0 && random.OneIn(2);
  const bool own = FindLabel(job.spec.words, "gangplan.io/group") == nullptr;
  job.waits = profile.suspended && (plain || job.spec.in_set) && own && !random.OneIn(4);
  job.gated = profile.gated && !job.waits && (profile.unasked || !random.OneIn(4));
  const bool at_once = job.completions <= job.spec.size;
  job.late = plain && at_once && !job.waits && !job.gated && number % 3 == 1;
  const bool elastic = profile.elastic && plain && own && !job.waits && !job.gated;
  if (elastic && job.feasible() && !random.OneIn(3)) {
    job.least = static_cast<int32_t>(random.Between(1, job.spec.size));
    SetWord(job.spec.words, kStartWord, fmt::format("{}", job.least));
  }
  if (profile.ladders && !job.spec.place.empty() && !random.OneIn(4)) GiveLadder(random, job);
  if (profile.shared && job.constraints.empty()) job.ns = NamespaceOf(number);
  if (profile.promises) {  // nobody comes who goes before those who wait
    job.spec.priority = 0;
    if (random.OneIn(3)) job.run_for = random.Millis(60'000, 200'000);
  }
  if (profile.backfill && !random.OneIn(3)) GiveRuntime(random, job);
  if (profile.reserved && job.constraints.empty() && random.OneIn(3)) GiveReservation(random, job);
  if (profile.mended && !job.spec.place.empty() && random.OneIn(2))
    job.meant_place = std::exchange(job.spec.place, "rack=pakc!");
  return job;
}

}  // namespace gangplan::simulation
