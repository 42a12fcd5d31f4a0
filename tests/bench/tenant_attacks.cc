#include "tests/bench/tenant_attacks.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "extender/frontends/gangplan/words.h"
#include "extender/planner/advice_question.h"
#include "fmt/format.h"

namespace gangplan {
namespace {

constexpr std::string_view kTeam = "hostile";

void Say(PodFacts& pod, std::string_view word, std::string text) {
  SetLabel(pod.annotations, word, std::move(text));
}

// One member of a group of so many, alone.
PodFacts Claim(Hostile& hostile, std::string_view group, int64_t size, std::string_view place,
               int64_t gpus, int64_t cpus) {
  PodFacts pod = hostile.Pod(group, gpus, cpus);
  Say(pod, kSizeWord, fmt::format("{}", size));
  Say(pod, kPlaceWord, std::string(place));
  return pod;
}

// So many of them are there at the most.
void Renew(Hostile& hostile, const std::vector<PodFacts>& pods, size_t most) {
  if (hostile.pods() + pods.size() > most) hostile.Remove(pods.size());
  hostile.Make(pods);
}

void Nothing(Hostile&, int32_t) {}

// 40 gangs of 8 pod sets of other requests each, again and again.
void MixedGangs(Hostile& hostile, int32_t number) {
  constexpr size_t kGangs = 40;
  constexpr int64_t kSets = 8;
  std::string sets;
  for (int64_t set = 0; set < kSets; ++set)
    sets += fmt::format("{}s{}=8", set == 0 ? "" : ",", set);
  std::vector<PodFacts> pods;
  for (size_t i = 0; i < kHostilePods; ++i) {
    const auto set = static_cast<int64_t>(i) % kSets;
    pods.push_back(hostile.Pod(fmt::format("mixed-{}", number), set % 5, 2 + set * 3 + number % 7));
    Say(pods.back(), kPodSetsWord, sets);
    Say(pods.back(), kPodSetWord, fmt::format("s{}", set));
    Say(pods.back(), kPlaceWord, "rack=pack");
  }
  Renew(hostile, pods, kGangs * kHostilePods);
}

// 512 pods that say they are one of 50,000; then they change, all the time.
void ClaimedSizes(Hostile& hostile, int32_t number) {
  if (hostile.pods() >= 8 * kHostilePods) return hostile.Change(kHostilePods);
  std::vector<PodFacts> pods;
  for (size_t i = 0; i < kHostilePods; ++i) {
    const std::string group = fmt::format("claim-{}-{}", number, i);
    pods.push_back(Claim(hostile, group, 50'000, "rack=pack", 0, 1));
  }
  hostile.Make(pods);
}

// One pod claims every node, goes and comes again.
void WholeCluster(Hostile& hostile, int32_t number) {
  const std::string group = fmt::format("whole-{}", number);
  Renew(hostile, {Claim(hostile, group, hostile.nodes(), "node=spread", 0, 90)}, 1);
}

// Each pod is a tenth of its gang, for which room may be held: as much as one namespace may.
void Shares(Hostile& hostile, int32_t number) {
  std::vector<PodFacts> pods;
  for (size_t i = 0; i < kHostilePods; ++i)
    pods.push_back(Claim(hostile, fmt::format("share-{}-{}", number, i), 10, "rack=pack", 4, 4));
  Renew(hostile, pods, 16 * kHostilePods);
}

// 10,000 groups of one pod.
void ManyGroups(Hostile& hostile, int32_t number) {
  if (hostile.pods() >= 10'000) return hostile.Change(kHostilePods);
  std::vector<PodFacts> pods;
  for (size_t i = 0; i < kHostilePods; ++i)
    pods.push_back(Claim(hostile, fmt::format("many-{}-{}", number, i), 1 + i % 2, "rack=pack!", 8,
                         1 + number % 50));
  hostile.Make(pods);
}

// Pods with words that cannot be read run on one in four of the nodes that are free, and take all
// of their GPUs.
void UncountedPods(Hostile& hostile, int32_t number) {
  constexpr size_t kEach = 32;
  const size_t most = std::min<size_t>(hostile.bare().size() / 4, 1'024) / kEach * kEach;
  std::vector<PodFacts> pods;
  for (size_t i = 0; i < kEach; ++i) {
    pods.push_back(Claim(hostile, fmt::format("bad-{}", number), 2, "rack=pakc!", 8, 4));
    if (i % 2 == 1) Say(pods.back(), kSizeWord, "-1");
    pods.back().node_name = hostile.bare()[(static_cast<size_t>(number) * kEach + i) % most * 4];
    pods.back().phase = PodPhase::kRunning;
  }
  Renew(hostile, pods, most);
}

// Words full of bytes that command terminals and break JSON.
void ControlBytes(Hostile& hostile, int32_t number) {
  static constexpr std::string_view kBytes = "\x1a\x1b[2J\x1b]0;owned\x07\x1c\x1d\x1e\x1f\"\\\n";
  std::vector<PodFacts> pods;
  for (size_t i = 0; i < kHostilePods; ++i) {
    const std::string group = fmt::format("bytes-{}-{}", number, i / 4);
    pods.push_back(Claim(hostile, group, 4, fmt::format("rack=pack!; {}", kBytes), 1, 1));
    if (i % 3 == 0) Say(pods.back(), kGroupWord, group + std::string(kBytes));
    if (i % 5 == 0) Say(pods.back(), kSizeWord, std::string(kBytes));
  }
  Renew(hostile, pods, 16 * kHostilePods);
}

// As many gangs as one namespace may have, of great priority and without room now, come and go,
// while people ask what would start them and pods of no gang are scored against what they need.
void SmallGangs(Hostile& hostile, int32_t number) {
  std::vector<PodFacts> pods;
  for (size_t i = 0; i < kHostilePods; ++i) {
    const std::string group = fmt::format("small-{}-{}", number, i / 4);
    pods.push_back(Claim(hostile, group, 40, "rack=pack!", 8, 1 + number % 5));
    pods.back().priority = 1'000;
  }
  Renew(hostile, pods, 4 * 2'000);
  LockWorld& world = hostile.world();
  if (number % 10 == 0) {
    world.Turn("report: what would start a gang", [&](Planner& planner) {
      return planner.AskAdvice(world.now(), fmt::format("{}/small-{}-0", kTeam, number));
    });
  }
  const PodFacts lone = LockForeignPod(fmt::format("lone-{}", number), 1);
  const Offer offer = world.OfferWith("");
  world.Turn("prioritize", [&](Planner& p) { return p.Prioritize(world.now(), lone, offer); });
}

// All members but one of each gang have their place, and wait for the last in their bind calls:
// 10,000 calls.
void HeldCalls(Hostile& hostile, int32_t number) {
  constexpr int32_t kGangs = 158;
  if (number >= kGangs) return;
  LockGang gang;
  gang.name = fmt::format("held-{}", number);
  gang.team = kTeam;
  gang.job = false;
  gang.gpus = 0;
  gang.cpus = 1;
  std::vector<ClusterEvent> pods = hostile.world().Make(gang);
  pods.pop_back();
  hostile.world().Tell("pods: hostile", pods, kWatched);
  hostile.world().CarryOut();
  hostile.world().Call(gang, gang.size - 1);
}

}  // namespace

Hostile::Hostile(LockWorld& world, int32_t nodes) : world_(world), nodes_(nodes) {
  std::set<std::string> used;
  for (const PodFacts& pod : LockForeignPods(nodes)) used.insert(pod.node_name);
  std::copy_if(world.node_names().begin(), world.node_names().end(), std::back_inserter(bare_),
               [&](const std::string& name) { return !used.contains(name); });
}

PodFacts Hostile::Pod(std::string_view group, int64_t gpus, int64_t cpus) {
  PodFacts pod;
  pod.ns = kTeam;
  pod.name = fmt::format("p-{}", made_++);
  pod.uid = "hostile-" + pod.name;
  pod.scheduler_name = "gangplan";
  pod.requests = LockRequests(gpus, cpus);
  Say(pod, kGroupWord, std::string(group));
  return pod;
}

void Hostile::Make(const std::vector<PodFacts>& pods) {
  world_.Tell("pods: hostile", {pods.begin(), pods.end()}, kWatched);
  pods_.insert(pods_.end(), pods.begin(), pods.end());
}

void Hostile::Remove(size_t count) {
  std::vector<ClusterEvent> gone;
  for (; count > 0 && !pods_.empty(); --count, pods_.pop_front())
    gone.emplace_back(PodDeleted{pods_.front().uid});
  world_.Tell("pods: hostile, deleted", gone, kWatched);
}

void Hostile::Change(size_t count) {
  std::vector<PodFacts> changed;
  for (; count > 0 && !pods_.empty(); --count, pods_.pop_front()) {
    changed.push_back(std::move(pods_.front()));
    SetLabel(changed.back().labels, "turn", fmt::format("{}", made_++));
  }
  Make(changed);
}

void Hostile::Ask(size_t count) {
  for (; count > 0 && !pods_.empty(); --count) {
    const PodFacts pod = pods_[static_cast<size_t>(asked_++) % pods_.size()];
    if (!pod.node_name.empty()) continue;
    world_.Filter("filter: a hostile pod", pod, world_.OfferWith(""));
  }
}

const std::vector<TenantAttack>& TenantAttacks() {
  static const std::vector<TenantAttack> kAttacks = {{"nothing", Nothing},
                                                     {"mixed gangs", MixedGangs},
                                                     {"claimed sizes", ClaimedSizes},
                                                     {"whole cluster", WholeCluster},
                                                     {"shares of it", Shares},
                                                     {"10,000 groups", ManyGroups},
                                                     {"uncounted pods", UncountedPods},
                                                     {"control bytes", ControlBytes},
                                                     {"small gangs", SmallGangs},
                                                     {"held calls", HeldCalls}};
  return kAttacks;
}

}  // namespace gangplan
