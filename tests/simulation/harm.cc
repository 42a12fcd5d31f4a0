#include "tests/simulation/harm.h"

namespace gangplan::simulation {

Harm::Harm(World& world, Users& users) : world_(world), users_(users), nodes_(world) {
  const Profile& profile = world.profile;
  const auto nothing = [] {};
  auto add = [&](bool happens, std::function<void()> what) {
    kinds_.push_back(happens ? std::move(what) : nothing);
  };
  add(profile.harm, [this] { world_.jobs.Harm(); });
  add(profile.harm, [this] { world_.jobs.Harm(); });
  add(profile.node_faults, [this] { nodes_.LoseOrCordon(); });
  add(profile.foreign, [this] { ForeignPod(); });
  add(profile.second_scheduler, [this] { world_.foreign.AddBound(world_.random.Between(1, 2)); });
  add(profile.restarts, [this] { RestartService(); });
  add(profile.restarts, [this] { RestartScheduler(); });
  add(profile.faults, [this] { BreakStreams(); });
  add(profile.harm, [this] { world_.objects.Harm(world_.jobs.all()); });
  if (profile.node_changes) kinds_.push_back([this] { nodes_.Change(); });
  if (profile.node_moves) kinds_.push_back([this] { nodes_.Move(); });
  if (profile.owners_away) kinds_.push_back([this] { HideOwners(); });
  if (profile.scaling) kinds_.push_back([this] { users_.Scale(); });
  if (profile.mended) kinds_.push_back([this] { users_.Mend(); });
  if (profile.resized) kinds_.push_back([this] { users_.Resize(); });
  if (profile.remade) kinds_.push_back([this] { users_.Remake(); });
  if (profile.gated && !profile.unasked) kinds_.push_back([this] { users_.Ungate(); });
  if (profile.suspended) kinds_.push_back([this] { users_.Suspend(); });
  if (profile.reserved) kinds_.push_back([this] { world_.reserved.Change(); });
  if (profile.held) kinds_.push_back([this] { users_.Hold(); });
}

void Harm::Until(absl::Time end) {
  ends_ = end;
  Again();
  world_.Until(ends_ + absl::Seconds(31));
}

void Harm::Again() {
  const int64_t often = world_.profile.liveness ? 5 : 1;
  world_.time.After(world_.random.Millis(200 * often, 4'000 * often), [this] {
    if (world_.time.now() >= ends_) return;
    world_.random.OneOf(kinds_)();
    Again();
  });
}

void Harm::ForeignPod() {
  int32_t priority = world_.profile.preemption && world_.random.OneIn(3) ? 100 : 0;
  if (world_.profile.evictions && priority == 0)  // of some gangs it is less than theirs
    priority = static_cast<int32_t>(world_.random.Between(-1, 3)) * 10;
  const bool owned =
      (world_.profile.owners_away || world_.profile.evictions) && world_.random.OneIn(2);
  world_.foreign.Add(world_.random.Between(1, world_.size.gpus), priority, owned);
}

void Harm::HideOwners() {
  if (!world_.random.OneIn(3)) return;
  world_.Say("owners cannot be read");
  world_.service.faults.owners_back = world_.time.now() + world_.random.Millis(10'000, 180'000);
}

void Harm::BreakStreams() {
  const int64_t last =
      static_cast<int64_t>(world_.profile.suspended ? Kind::kJobs : Kind::kObjects);
  world_.service.BreakStream(static_cast<Kind>(world_.random.Between(0, last)));
  world_.scheduler.BreakStream(static_cast<Kind>(world_.random.Between(0, 1)));
}

void Harm::RestartService() {
  if (!world_.random.OneIn(3) || !world_.service.alive()) return;
  world_.Say("gangplan dies");
  world_.service.Kill();
  world_.time.After(world_.random.Millis(1'500, 6'000), [this] {
    world_.Say("gangplan starts");
    world_.service.Start();
  });
}

void Harm::RestartScheduler() {
  if (!world_.random.OneIn(3) || !world_.scheduler.alive()) return;
  world_.Say("the scheduler dies");
  world_.scheduler.Kill();
  const int64_t longest = world_.random.OneIn(5) ? 60'000 : 4'000;
  world_.time.After(world_.random.Millis(200, longest), [this] {
    world_.Say("the scheduler starts");
    world_.scheduler.Start();
  });
}

}  // namespace gangplan::simulation
