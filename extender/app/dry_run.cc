#include "extender/app/dry_run.h"

#include <algorithm>
#include <future>
#include <iterator>
#include <tuple>
#include <variant>

#include "extender/app/cluster_check.h"
#include "extender/app/limits.h"
#include "extender/app/planner_options.h"
#include "extender/app/topology_gaps.h"
#include "extender/planner/advice_question.h"
#include "extender/planner/owner_key.h"

namespace gangplan {
namespace {

// When something is known to have happened last.
absl::Time LastOf(const ObjectList& objects) {
  int64_t last = 0;
  for (const PodFacts& pod : objects.pods) last = std::max({last, pod.created, pod.run.started});
  for (const OwnerFacts& owner : objects.owners) last = std::max(last, owner.created);
  return absl::FromUnixSeconds(last);
}

}  // namespace

DryRun::DryRun(const Settings& settings, ObjectList objects, absl::Time not_before)
    : clock_(std::max(LastOf(objects), not_before)),
      cluster_(std::move(objects), clock_),
      planner_(
          PlannerOptionsFrom(settings, metrics_, SystemClock()), metrics_,
          [this](Effects effects) {
            std::move(effects.begin(), effects.end(), std::back_inserter(waiting_));
          },
          [] {}),
      facts_(settings, cluster_, planner_, clock_) {
  planner_.Take(TurnFor::kEvents, [&](Planner& planner) { planner.SetActive(clock_.Now(), true); });
  cluster_.Start(&facts_).IgnoreError();  // a saved cluster always starts
  AwaitTold();
  Rest();
}

DryRun::~DryRun() { cluster_.Stop(); }

absl::StatusOr<OwnerFacts> DryRun::Read(OwnerRead read) {
  std::promise<absl::StatusOr<OwnerFacts>> done;
  cluster_.ReadOwner(std::move(read), [&done](absl::StatusOr<OwnerFacts> owner) {
    done.set_value(std::move(owner));
  });
  return done.get_future().get();
}

// What it says comes in the order in which it was asked.
void DryRun::AwaitTold() { Read({}).status().IgnoreError(); }

// Owners are read and copies are asked; what would be written is not.
void DryRun::Carry(Effect& effect) {
  if (const auto* read = std::get_if<OwnerRead>(&effect)) {
    const absl::StatusOr<OwnerFacts> owner = Read(*read);
    const std::string key = OwnerKey(read->ns, read->owner.uid);
    planner_.Take(TurnFor::kOwner,
                  [&](Planner& planner) { planner.OnOwner(clock_.Now(), key, owner); });
  } else if (const auto* solve = std::get_if<SolveOnCopy>(&effect)) {
    solve->task->Run();
    planner_.Take(TurnFor::kSolved,
                  [&](Planner& planner) { planner.OnSolved(clock_.Now(), *solve->task); });
  }
}

void DryRun::Rest() {
  bool busy = true;
  while (busy || !waiting_.empty()) {
    for (Effect& effect : std::exchange(waiting_, {})) Carry(effect);
    busy = planner_.Take(TurnFor::kTick, [&](Planner& planner) {
      planner.Tick(clock_.Now());
      return planner.busy();
    });
  }
}

void DryRun::Arrive(std::vector<OwnerFacts> owners, std::vector<PodFacts> pods) {
  // After all that is there, however old their manifest is.
  const int64_t created = absl::ToUnixSeconds(clock_.Now()) + 1;
  for (OwnerFacts& owner : owners) {
    owner.created = created;
    cluster_.AddOwner(std::move(owner));
  }
  for (PodFacts& pod : pods) {
    pod.created = created;
    cluster_.AddPod(std::move(pod));
  }
  AwaitTold();
  Rest();
}

bool DryRun::Has(const OwnerFacts& owner) const { return cluster_.HasOwner(owner.ns, owner.ref); }

void DryRun::MakeUnlike(std::vector<PodFacts>& pods) const {
  for (PodFacts& pod : pods) {
    if (cluster_.HasPod(pod.ns, pod.name)) pod.name += '_';
  }
}

std::optional<GroupReport> DryRun::ReportOf(std::string_view pod) {
  GroupId after = 0;
  std::string name;
  do {
    name = Ask([&](const Planner& planner) {
      return planner.GroupWith(pod, AskedBy::kPod, after, kMembersPerTurn);
    });
  } while (name.empty() && after != 0);
  if (name.empty()) return std::nullopt;
  auto [report, question] = Ask([&](const Planner& planner) {
    return std::tuple(planner.Report(name), planner.Question(name));
  });
  if (!report) return std::nullopt;
  report->topology = TopologyGaps(planner_);
  if (question != nullptr) report->evidence = question->Evidence();
  return report;
}

std::optional<Advice> DryRun::AdviceOf(std::string_view name) {
  const std::shared_ptr<AdviceQuestion> question =
      Ask([&](const Planner& planner) { return planner.AskAdvice(clock_.Now(), name); });
  if (question == nullptr) return std::nullopt;
  return question->Find();
}

std::vector<GroupReport> DryRun::Gangs() {
  std::vector<GroupReport> gangs;
  for (GroupId after = 0;;) {
    std::vector<GroupReport> page =
        Ask([after](const Planner& planner) { return planner.List(after, kGroupsPerTurn); });
    if (page.empty()) return gangs;
    after = page.back().id;
    for (GroupReport& listed : page) {
      std::optional<GroupReport> whole =
          Ask([&listed](const Planner& planner) { return planner.Report(listed.id); });
      gangs.push_back(whole ? *std::move(whole) : std::move(listed));
    }
  }
}

void DryRun::Check(Findings& findings) {
  facts_.Check(findings);
  CheckMembers(planner_, findings);
  CheckGangs(planner_, findings);
}

}  // namespace gangplan
