#include "tests/simulation/reserved.h"

#include <algorithm>

#include "extender/frontends/gangplan/words.h"
#include "fmt/format.h"
#include "topology/base/time_text.h"

namespace gangplan::simulation {
namespace {

// From the last pod's end until the planner has seen it.
constexpr absl::Duration kSeenAfter = absl::Seconds(10);
constexpr std::string_view kNames[] = {"reservation-a", "reservation-b"};

int64_t NodesOf(const ClusterSize& size) {
  return int64_t{size.blocks} * size.racks * size.per_rack;
}

std::string NodesOf(const GroupReport& report) {
  std::set<std::string> nodes;
  for (const auto& slot : report.slots) nodes.insert(slot.node);
  return fmt::format("{}", fmt::join(nodes, ", "));
}

absl::Time SecondOf(absl::Time time) { return absl::FromUnixSeconds(absl::ToUnixSeconds(time)); }

}  // namespace

void Reserved::Change() {
  const std::string name(random_.OneOf(std::vector<std::string_view>(kNames, kNames + 2)));
  if (written_.contains(name) && random_.OneIn(3)) {
    if (trace) trace(name + " is deleted");
    written_.erase(name);
    changed_ = time_.now();
    api_.DeleteObject(name);
    return;
  }
  Write(name);
}

void Reserved::Write(const std::string& name) {
  Written& own = written_[name];
  own.all = random_.OneIn(3);
  own.from = time_.now() + random_.Millis(-5'000, 60'000);
  own.until = std::max(own.from, time_.now()) + random_.Millis(5'000, 40'000);
  changed_ = time_.now();
  ConfigMapFacts object;
  object.ns = "gangplan";
  object.name = name;
  object.uid = "uid-of-" + name;
  object.labels = {{std::string(kReservationWord), ""}};
  const int64_t gpus = own.all ? size_.gpus : int64_t{1} << random_.Between(0, 2);
  const int64_t most = NodesOf(size_) * (size_.gpus / gpus);
  const int64_t count = own.all ? most : random_.Between(1, most);
  object.data = {{"count", fmt::format("{}", count)},
                 {"from", UtcText(own.from)},
                 {"lead", fmt::format("{}s", random_.Between(0, 60))},
                 {"namespaces", "team"},
                 {"place", !own.all && random_.OneIn(2) ? "rack=pack!" : ""},
                 {"requests", fmt::format("example.com/gpu={}", gpus)},
                 {"until", UtcText(own.until)}};
  if (!promises && random_.OneIn(6)) SetLabel(object.data, "until", "tomorrow");
  if (trace)
    trace(fmt::format("{}: {} x {} gpus from {} until {}", name, count, gpus, UtcText(own.from),
                      UtcText(own.until)));
  api_.PutObject(object);
}

void Reserved::Heal() {
  for (const auto& [name, own] : written_) api_.DeleteObject(name);
  written_.clear();
  promised_.clear();
  has_all_until_ = absl::InfinitePast();
}

bool Reserved::Begun(const Job& job) const {
  return std::any_of(job.indices.begin(), job.indices.end(), [&](const Job::Index& index) {
    const auto pod = api_.pods().find(index.pod);
    const bool bound = pod != api_.pods().end() && !pod->second.node_name.empty();
    return index.succeeded || bound || service_.open_posts(index.pod) > 0;
  });
}

void Reserved::LetGo() {
  for (auto& [uid, job] : jobs_.all()) {
    if (job.done || job.reservation.empty() || Begun(job)) continue;
    if (trace) trace(uid + " asks for no reservation any more");
    job.reservation.clear();
    std::erase_if(job.spec.words, [](const auto& word) { return word.first == kReservationWord; });
    jobs_.Put(job);
    for (const Job::Index& index : job.indices) {
      const auto found = api_.pods().find(index.pod);
      if (found == api_.pods().end()) continue;
      PodFacts pod = found->second;
      std::erase_if(pod.annotations,
                    [](const auto& word) { return word.first == kReservationWord; });
      api_.PutPod(pod);
    }
  }
}

void Reserved::OnRestart() {
  with_room_.clear();
  has_all_until_ = absl::InfinitePast();
  promised_.clear();
}

// Nobody else gets room that had none, while one has the whole cluster for its users.
void Reserved::CheckOthers(const std::set<std::string>& before, absl::Time reserved_until) {
  for (const auto& [uid, job] : jobs_.all()) {
    if (!job.reservation.empty()) continue;
    const std::optional<GroupReport> report = service_.planner().Report(GroupName(job));
    const bool has = report && std::any_of(report->slots.begin(), report->slots.end(),
                                           [](const auto& slot) { return slot.state == "held"; });
    if (!has) continue;
    with_room_.insert(uid);
    if (time_.now() < reserved_until && !before.contains(uid) && report->bound == 0)
      throw Broken(fmt::format("{} gets room of a reservation that it does not ask for, on {}: {}",
                               uid, NodesOf(*report), service_.Describe(GroupName(job))));
  }
}

// Another one may begin earlier, and has what both want then.
void Reserved::CheckPromise(const std::string& name, const ReservationReport& report) {
  if (time_.now() < changed_ + kSeenAfter) return promised_.clear();
  const int64_t from = absl::ToUnixSeconds(report.from);
  if (report.state == ReservationState::kKept && report.missing == 0)
    promised_.try_emplace(name, from);
  const auto promised = promised_.find(name);
  if (promised == promised_.end() || report.state != ReservationState::kStarted) return;
  if (time_.now() <= absl::FromUnixSeconds(promised->second) + kSeenAfter || report.missing == 0)
    return;
  throw Broken(fmt::format("{} was to have its room at its start: {}", name, report.text));
}

void Reserved::AfterInput() {
  if (!service_.alive()) return;
  const std::set<std::string> before = std::exchange(with_room_, {});
  const absl::Time had_all = std::exchange(has_all_until_, absl::InfinitePast());
  absl::Time stands = absl::InfinitePast();  // ... and it was not changed by this
  for (const ReservationReport& report : service_.planner().ListReservations()) {
    const auto own = written_.find(report.name);
    if (own == written_.end()) continue;
    // The planner has heard what was written last.
    const bool heard = report.problem.empty() && report.from == SecondOf(own->second.from) &&
                       report.until == SecondOf(own->second.until);
    if (!heard) continue;
    const bool all = own->second.all && report.state == ReservationState::kStarted &&
                     report.nodes == NodesOf(size_);
    if (all) stands = std::max(stands, report.until);
    if (all && report.missing == 0) has_all_until_ = std::max(has_all_until_, report.until);
    if (promises) CheckPromise(report.name, report);
  }
  CheckOthers(before, std::min(had_all, stands));
}

}  // namespace gangplan::simulation
