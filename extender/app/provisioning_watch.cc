#include "extender/app/provisioning_watch.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "extender/app/group_turns.h"
#include "extender/app/provisioning_notes.h"
#include "extender/app/provisioning_request.h"
#include "extender/app/provisioning_sweep.h"
#include "extender/cluster/provisioning_words.h"
#include "extender/planner/event_reasons.h"
#include "fmt/format.h"
#include "topology/base/text.h"
#include "topology/object_name.h"

namespace gangplan {
namespace {

using Stand = ProvisioningStep::Stand;

constexpr absl::Duration kTellAgain = absl::Hours(1);

bool HasBegun(GroupState state) {
  return state == GroupState::kRunning || state == GroupState::kRepairing ||
         state == GroupState::kDone;
}

// The server says that it is not to be, and somebody has to do something about it: a right, a
// quota, a policy, another object of that name.
bool IsRefusal(const absl::Status& status) {
  return absl::IsPermissionDenied(status) || absl::IsFailedPrecondition(status) ||
         absl::IsAborted(status);
}

bool IsLasting(const absl::Status& status) {
  return IsRefusal(status) || absl::IsNotFound(status) || absl::IsUnimplemented(status);
}

}  // namespace

ProvisioningWatch::ProvisioningWatch(ProvisioningSettings settings,
                                     std::vector<std::string> schedulers, LockedPlanner& planner,
                                     Cluster& cluster, const Clock& clock)
    : settings_(std::move(settings)),
      schedulers_(std::move(schedulers)),
      planner_(planner),
      cluster_(cluster),
      clock_(clock),
      desk_(cluster) {}

void ProvisioningWatch::Start() {
  thread_.Start(kLookEach, [this] { settings_.on() ? Look() : Clear(); });
}

// What a look waits for does not come any more, so that it ends.
void ProvisioningWatch::Stop() {
  desk_.Stop();
  thread_.Stop();
}

// Before its groups are known again every request would be nobody's.
bool ProvisioningWatch::MayAct() const {
  if (!cluster_.WhyNotActing(absl::ZeroDuration()).empty()) return false;
  return planner_.Take(TurnFor::kReport, [](const Planner& planner) {
    return planner.synced() && !planner.recovering() && planner.WhyNotReady().empty();
  });
}

// Whether somebody lacks room.
bool ProvisioningWatch::ReadGangs(absl::Time now) {
  gangs_.clear();
  EachGroups(planner_, [&](const std::vector<GroupReport>& reports) {
    for (const GroupReport& report : reports) {  // of one name the newest
      const bool alone = report.id == 0;
      if (alone && gangs_.contains(report.name)) continue;
      gangs_[report.name] = {
          report.state,      alone,           report.outcome == Outcome::kInvalid,
          LacksRoom(report), report.priority, report.created};
    }
  });
  bool any = false;
  for (const auto& [name, gang] : gangs_) {
    if (!gang.lacks) continue;
    any = true;
    lacks_since_.try_emplace(name, now);
  }
  const auto over = [this](const auto& one) {
    const auto gang = gangs_.find(one.first);
    return gang == gangs_.end() || !gang->second.lacks;
  };
  std::erase_if(lacks_since_, over);
  std::erase_if(not_before_, over);
  std::erase_if(refused_, over);
  std::erase_if(given_, over);
  return any;
}

std::optional<std::vector<ProvisioningFacts>> ProvisioningWatch::List(absl::Time now) {
  auto listed = desk_.List(schedulers_);
  if (!listed) return std::nullopt;
  if (listed->ok()) return **std::move(listed);
  const absl::Status& why = listed->status();
  log_.Log(LogLevel::kWarn, "requests for nodes could not be listed", {{"why", Message(why)}});
  if (!IsLasting(why)) return std::nullopt;
  list_from_ = now + kPause;
  TellUnavailable(now, absl::IsNotFound(why)
                           ? "nobody serves ProvisioningRequests of autoscaling.x-k8s.io/v1 here"
                           : Message(why));
  return std::nullopt;
}

// On Gangplan's own pod: a right, or a kind, that is lacking. It is looked for each minute.
void ProvisioningWatch::TellUnavailable(absl::Time now, std::string why) {
  if (why == unavailable_ && now - unavailable_told_ < kTellAgain) return;
  unavailable_ = why;
  unavailable_told_ = now;
  cluster_.Emit(EventNote{
      "", {}, true, kProvisioningUnavailable, kPlanAction, "no nodes are asked for: " + why});
}

// By gang; "": of none.
std::map<std::string, ProvisioningWatch::Requests> ProvisioningWatch::Sort(
    const std::vector<Request>& listed) {
  std::map<std::string, Requests> by_gang;
  std::set<std::string> uids;
  load_.clear();
  for (const Request& one : listed) {
    // Whoever writes a request of ours into another namespace speaks for no gang there.
    const bool own = one.gang.starts_with(one.ns + "/");
    by_gang[own ? one.gang : ""].push_back(&one);
    uids.insert(one.uid);
    ++load_[one.ns].all;
    if (made_.contains(NameInNamespace(one.ns, one.name))) seen_[one.uid].whole = true;
  }
  made_.clear();
  std::erase_if(seen_, [&](const auto& one) { return !uids.contains(one.first); });
  return by_gang;
}

void ProvisioningWatch::Clear() {
  if (cleared_ || !cluster_.WhyNotActing(absl::ZeroDuration()).empty()) return;
  cleared_ = SweepProvisioning(desk_, schedulers_, log_);
}

void ProvisioningWatch::Look() {
  const absl::Time now = clock_.Now();
  if (now < list_from_ || !MayAct()) return;
  const bool any_lacks = ReadGangs(now);
  if (!any_lacks && !any_known_) return;
  const std::optional<std::vector<Request>> listed = List(now);
  if (!listed) return;
  any_known_ = !listed->empty();
  open_ = 0;
  followed_.clear();
  for (const auto& [gang, known] : Sort(*listed)) Follow(now, gang, known);
  std::erase_if(nobodys_, [this](const auto& one) { return !followed_.contains(one.first); });
  UnbookOthers();
  MakeNew(now);
  TakeAnswers(now);
}

std::shared_ptr<const RoomAsk> ProvisioningWatch::Ask(const std::string& gang) {
  return planner_.Take(TurnFor::kReport,
                       [&](const Planner& planner) { return planner.AskRoom(gang); });
}

void ProvisioningWatch::Follow(absl::Time now, const std::string& gang, const Requests& known) {
  followed_.insert(gang);
  const std::shared_ptr<const RoomAsk> ask = Ask(gang);
  if (ask != nullptr) nobodys_.erase(gang);
  if (ask == nullptr && MayComeBack(now, gang)) return CountOpen(now, *known.front());
  switch (ask == nullptr ? RoomAsk::Stand::kNothing : ask->stand) {
    case RoomAsk::Stand::kNothing:
      Remove(known);
      return Book(gang, nullptr);
    case RoomAsk::Stand::kHasRoom:
      return FollowPlaced(gang, known);
    case RoomAsk::Stand::kOpen:
      return CountOpen(now, *known.front());
    case RoomAsk::Stand::kLacks:
      return Pursue(now, gang, *ask, known);
  }
}

// Its owner waits without a group; or its pods are just made anew; or this Gangplan has started
// lately, and what tells of it is not read yet.
bool ProvisioningWatch::MayComeBack(absl::Time now, const std::string& gang) {
  const auto state = gangs_.find(gang);
  if (state != gangs_.end() && state->second.alone) {
    nobodys_.erase(gang);
    return !state->second.invalid;
  }
  return !gang.empty() && now - nobodys_.try_emplace(gang, now).first->second < kPause;
}

// Room that was booked for it stays booked until its pods are there.
void ProvisioningWatch::FollowPlaced(const std::string& gang, const Requests& known) {
  const auto state = gangs_.find(gang);
  const bool begun = state != gangs_.end() && HasBegun(state->second.state);
  const Request* booked = nullptr;
  Requests over;
  for (const Request* one : known) {
    if (!begun && booked == nullptr && IsBooked(*one)) {
      booked = one;
    } else {
      over.push_back(one);
    }
  }
  Remove(over);
  Book(gang, booked);
}

void ProvisioningWatch::Pursue(absl::Time now, const std::string& gang, const RoomAsk& ask,
                               const Requests& known) {
  ProvisioningWrite write = RequestOf(ask, gang, settings_, schedulers_.front());
  const ProvisioningStep step = NextStep(settings_, now, write.name, known);
  Remove(step.remove);
  Book(gang, step.stand == Stand::kProvisioned ? step.last : nullptr);
  if (step.last == nullptr) return;  // older ones go first
  if (step.stand != Stand::kGivenUp) CountOpen(now, *step.last);
  Tell(now, ask, step);
  if (Pauses(now, gang) || step.last->going) return;
  if (step.make > 0) return Make(std::move(write), step.make);
  if (step.stand == Stand::kEnded || step.stand == Stand::kGivenUp) return;
  if (seen_[step.last->uid].whole) return;
  // Whoever has made it may not have come to its templates.
  write.name = step.last->name;
  write.uid = step.last->uid;
  desk_.Write(std::move(write));
}

bool ProvisioningWatch::Pauses(absl::Time now, const std::string& gang) const {
  const auto failed = not_before_.find(gang);
  return failed != not_before_.end() && now < failed->second;
}

bool ProvisioningWatch::MayMake(absl::Time now, const std::string& gang, const Gang& state) const {
  return state.lacks && !followed_.contains(gang) && !Pauses(now, gang) &&
         now - lacks_since_.at(gang) >= settings_.after;
}

std::vector<ProvisioningWatch::Turn> ProvisioningWatch::Waiting(absl::Time now) const {
  std::vector<Turn> waiting;
  for (const auto& [name, gang] : gangs_) {
    if (MayMake(now, name, gang)) waiting.emplace_back(-int64_t{gang.priority}, gang.created, name);
  }
  std::sort(waiting.begin(), waiting.end());
  return waiting;
}

void ProvisioningWatch::MakeNew(absl::Time now) {
  const std::vector<Turn> waiting = Waiting(now);
  auto next = waiting.begin();
  if (asked_to_) next = std::upper_bound(waiting.begin(), waiting.end(), *asked_to_);
  asked_to_.reset();
  for (size_t asks = 0; next != waiting.end() && open_ < kMostOpen; ++next) {
    const std::string& name = std::get<std::string>(*next);
    Load& load = load_[name.substr(0, name.find('/'))];
    if (load.open >= kMostOpenInNamespace || load.all >= kMostInNamespace) continue;
    AskNew(now, name, load);
    if (++asks < kMostAsks) continue;
    asked_to_ = *next;
    return;
  }
}

// A request that goes away without us, as one whose owner is gone does, is made anew after a pause.
void ProvisioningWatch::AskNew(absl::Time now, const std::string& gang, Load& load) {
  const std::shared_ptr<const RoomAsk> ask = Ask(gang);
  if (ask == nullptr || ask->stand != RoomAsk::Stand::kLacks) return;
  if (ask->pod_sets.empty() || ask->pod_sets.size() > kMaxRequestedSets) return;
  ProvisioningWrite write = RequestOf(*ask, gang, settings_, schedulers_.front());
  const auto given = given_.find(gang);
  const bool again = given != given_.end() && AttemptOf(given->second.name, write.name) > 0;
  if (again && now - given->second.at < kPause) return;
  ++open_;
  ++load.open;
  ++load.all;
  Make(std::move(write), 1);
}

void ProvisioningWatch::CountOpen(absl::Time now, const Request& request) {
  if (IsOverdue(settings_, now, request)) return;
  ++open_;
  ++load_[request.ns].open;
}

void ProvisioningWatch::Make(ProvisioningWrite write, int attempt) {
  write.name = AttemptName(write.name, attempt);
  desk_.Write(std::move(write));
}

void ProvisioningWatch::Remove(const Requests& requests) {
  for (const Request* one : requests) desk_.Delete(*one);
}

// Its members are told with their Bindings; null: nothing. Told in each look, since a gang that is
// made anew under its name does not know it.
void ProvisioningWatch::Book(const std::string& gang, const Request* request) {
  LabelSet annotations;
  if (request != nullptr) {
    booked_.insert(gang);
    SetLabel(annotations, kConsumeAnnotation, request->name);
    SetLabel(annotations, kProvisioningClassAnnotation, settings_.class_name);
  } else if (booked_.erase(gang) == 0) {
    return;
  }
  planner_.Take(TurnFor::kReport,
                [&](Planner& planner) { planner.OnBooking(gang, std::move(annotations)); });
}

// Somebody else has deleted theirs.
void ProvisioningWatch::UnbookOthers() {
  std::vector<std::string> over;
  for (const std::string& gang : booked_) {
    if (!followed_.contains(gang)) over.push_back(gang);
  }
  for (const std::string& gang : over) Book(gang, nullptr);
}

void ProvisioningWatch::Tell(absl::Time now, const RoomAsk& ask, const ProvisioningStep& step) {
  if (!ask.regarding) return;
  for (ProvisioningNote& note : NotesOf(now, step, ask.reason)) {
    if (!seen_[step.last->uid].told.insert(note.reason).second) continue;
    cluster_.Emit(EventNote{ask.ns, *ask.regarding, note.warning, note.reason, kPlanAction,
                            std::move(note.text)});
  }
}

// What could not be written is tried again after a pause, by what the next list tells.
void ProvisioningWatch::TakeAnswers(absl::Time now) {
  for (const ProvisioningDesk::Written& one : desk_.Wait()) {
    any_known_ = true;
    const ProvisioningWrite& write = one.write;
    if (one.status.ok()) {
      made_.insert(NameInNamespace(write.ns, write.name));
      if (write.uid.empty()) given_[write.gang] = {write.name, now};
      refused_.erase(write.gang);
      continue;
    }
    const bool made = !write.name.empty();
    log_.Log(LogLevel::kWarn,
             made ? "a request for nodes could not be written"
                  : "a request for nodes could not be deleted",
             {{"gang", write.gang}, {"why", Message(one.status)}});
    if (!made) continue;
    not_before_[write.gang] = now + (IsLasting(one.status) ? kPause : kShortPause);
    if (IsRefusal(one.status)) TellRefused(now, write.gang, one.status);
  }
}

// Its owner each time that the server says something else, the operator once an hour: what names a
// gang is never the same text.
void ProvisioningWatch::TellRefused(absl::Time now, const std::string& gang,
                                    const absl::Status& why) {
  std::string text = Message(why);
  if (absl::IsPermissionDenied(why) && now - refusal_told_ >= kTellAgain) {
    refusal_told_ = now;
    cluster_.Emit(EventNote{"",
                            {},
                            true,
                            kProvisioningUnavailable,
                            kPlanAction,
                            fmt::format("no nodes are asked for gang {}: {}", gang, text)});
  }
  if (refused_[gang] == text) return;
  const std::shared_ptr<const RoomAsk> ask = Ask(gang);
  if (ask == nullptr || !ask->regarding) return;
  cluster_.Emit(EventNote{ask->ns, *ask->regarding, true, kGangNodesRefused, kPlanAction,
                          "no nodes are asked for: " + text});
  refused_[gang] = std::move(text);
}

}  // namespace gangplan
