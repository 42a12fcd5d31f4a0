#include "extender/demo/demo_day.h"

#include <iterator>
#include <string_view>
#include <utility>

#include "fmt/format.h"

namespace gangplan {
namespace {

constexpr absl::Duration kStep = absl::Milliseconds(250);
constexpr size_t kMostAtOnce = 32;
constexpr int32_t kFirstGangs = 10;  // that come at once, so that there is something to see
constexpr int32_t kRounds = 40;      // after so many gangs of a kind a name is used again
constexpr absl::Duration kGivenUp = absl::Seconds(45);
constexpr absl::Duration kShownWhenOver = absl::Seconds(4);

// What comes, so many times in twenty.
struct Kind {
  int often;
  std::string_view ns;
  std::string_view job;
  int32_t least;
  int32_t most;  // pods
  int64_t gpus;
  std::string_view level;
  int32_t priority;
};
constexpr Kind kKinds[] = {
    {6, "vision", "finetune", 8, 24, 1, "rack", 0},
    {4, "speech", "train", 12, 32, 2, "rack", 0},
    {4, "research", "sweep", 16, 64, 1, "block", 0},
    {3, "ml", "pretrain", 16, 40, 8, "block", 100},
    {2, "serving", "canary", 2, 6, 4, "rack", 500},
    {1, "research", "giant", 96, 96, 8, "block", 0},
};

const Kind& Choose(Seeded& seeded) {
  int64_t left = seeded.Between(0, 19);
  for (const Kind& kind : kKinds) {
    left -= kind.often;
    if (left < 0) return kind;
  }
  return kKinds[0];
}

}  // namespace

DemoDay::DemoDay(DemoWorld& world, uint64_t seed)
    : world_(world), seeded_(seed), next_(absl::InfinitePast()) {}

void DemoDay::Step(absl::Time now) {
  if (now >= next_ && visits_.size() < kMostAtOnce) Come(now);
  std::erase_if(visits_, [&](Visit& visit) { return Goes(visit, now); });
}

void DemoDay::Come(absl::Time now) {
  const Kind& kind = Choose(seeded_);
  Visit visit;
  visit.gang.run = ++came_;
  visit.gang.job = fmt::format("{}-{}", kind.job, came_ % kRounds);
  visit.gang.ns = kind.ns;
  visit.gang.size = static_cast<int32_t>(seeded_.Between(kind.least, kind.most));
  visit.gang.gpus = kind.gpus;
  visit.gang.level = kind.level;
  visit.gang.priority = kind.priority;
  visit.lasts = absl::Seconds(seeded_.Between(15, 60));
  visit.until = now + kGivenUp;
  world_.Submit(visit.gang);
  visits_.push_back(std::move(visit));
  next_ = now + absl::Milliseconds(came_ < kFirstGangs ? 100 : seeded_.Between(800, 4'000));
}

// True: it has gone.
bool DemoDay::Goes(Visit& visit, absl::Time now) {
  if (visit.stage == Stage::kWaits &&
      world_.scheduler().Account(visit.gang.job).bound == visit.gang.size) {
    visit.stage = Stage::kRuns;
    visit.until = now + visit.lasts;
  }
  if (now < visit.until) return false;
  if (visit.stage == Stage::kRuns) {
    world_.Finish(visit.gang);
    ++ended_;
    visit.stage = Stage::kOver;
    visit.until = now + kShownWhenOver;
    return false;
  }
  world_.Remove(visit.gang);
  return true;
}

void LiveDay(DemoWorld& world, uint64_t seed, const std::function<bool(absl::Duration)>& wait) {
  DemoDay day(world, seed);
  do {
    day.Step(SystemClock().Now());
  } while (wait(kStep));
}

}  // namespace gangplan
