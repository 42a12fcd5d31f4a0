#include "tests/simulation/service.h"

#include <algorithm>

#include "extender/frontends/gangplan/words.h"
#include "extender/planner/owner_key.h"
#include "extender/planner/solve_task.h"
#include "fmt/format.h"

namespace gangplan::simulation {
namespace {

BindingRead About(const BindingWrite& post) { return {post.pod, post.node, post.attempt}; }

}  // namespace

Service::Service(Timeline& time, Random& random, ApiServer& api, PlannerOptions options)
    : time_(time), random_(random), api_(api), options_(std::move(options)) {}

void Service::Start() {
  ++life_;
  planner_ = std::make_unique<Planner>(options_);
  for (ServiceObserver* observer : observers) observer->OnRestart();
  watch_ = api_.Watch(this, absl::Seconds(1));
  TickAgain();
}

// What is on its way to the API server may still arrive; nobody hears of it.
void Service::Kill() {
  ++life_;
  api_.Unwatch(watch_);
  planner_.reset();
  auto calls = std::move(calls_);
  calls_.clear();
  closed_.clear();
  open_posts_.clear();
  open_writes_.clear();
  open_results_.clear();
  open_releases_.clear();
  for (auto& [id, call] : calls) {
    if (call.done)
      time_.After(random_.Millis(0, 5), [done = call.done] { done("connection reset"); });
  }
}

std::string Service::Describe(const std::string& group) {
  const std::optional<GroupReport> report = planner_->Report(group);
  if (!report) return "not known";
  const std::string line =
      report->line_place == 0
          ? ""
          : fmt::format(" (in line {} of {})", report->line_place, report->line_length);
  return fmt::format("{}, {} seen, {} in bind, {} bound, {}{}{}{}", Name(report->state),
                     report->seen, report->in_bind, report->bound, report->reason, line,
                     report->reservation.empty() ? "" : "; ", report->reservation);
}

void Service::BreakStream(Kind kind) {
  if (alive()) api_.BreakStream(watch_, kind);
}

void Service::Later(absl::Duration delay, std::function<void()> what) {
  time_.After(delay, [this, life = life_, what = std::move(what)] {
    if (life == life_) what();
  });
}

void Service::TickAgain() {
  // As the ticker does: at once where the last turn has left work.
  Later(planner_->busy() ? random_.Millis(1, 20) : random_.Millis(100, 1000), [this] {
    if (planner_->synced()) planner_->SetActive(time_.now(), true);
    planner_->Tick(time_.now());
    Pump();
    TickAgain();
  });
}

void Service::Pump() {
  for (ServiceObserver* observer : observers) observer->AfterInput();
  for (Effects effects = planner_->TakeEffects(); !effects.empty();
       effects = planner_->TakeEffects()) {
    std::vector<BindingWrite> posts;
    for (const Effect& effect : effects) {
      if (const auto* all = std::get_if<WriteBindings>(&effect)) {
        for (const auto& post : all->writes) posts.push_back(*post);
      }
    }
    for (ServiceObserver* observer : observers) {
      if (!posts.empty()) observer->OnPosts(posts);
    }
    for (const Effect& effect : effects)
      std::visit([this](const auto& one) { Carry(one); }, effect);
  }
}

void Service::Carry(const WriteBindings& all) {
  for (const auto& post : all.writes) Carry(*post);
}

void Service::Carry(const BindingWrite& post) {
  ++open_posts_[post.pod.uid];
  const int64_t number = next_write_++;
  open_writes_.emplace(number, post);
  if (trace) trace(fmt::format("POST {} -> {}", post.pod.name, post.node));
  absl::Duration wait = Fault(40) ? random_.Millis(0, 60'000) : random_.Millis(0, 20);
  Later(wait, [this, post, number] {
    if (time_.now() > post.not_after) {
      Result(About(post), BindOutcome::kNotWritten, absl::ZeroDuration(), number);
    } else if (Fault(faults.refused_binding)) {
      Result(About(post), BindOutcome::kRefused, random_.Millis(1, 20), number);
    } else {
      Send(post, number);
    }
  });
}

// On the wire: it arrives even when the service dies meanwhile.
void Service::Send(const BindingWrite& post, int64_t number) {
  if (Fault(faults.lost_binding)) {
    Result(About(post), BindOutcome::kUnknown, random_.Millis(1000, 4000), number);
    return;
  }
  const bool reply_lost = Fault(faults.lost_reply);
  const absl::Duration way = random_.Millis(1, faults.on && random_.OneIn(10) ? 900 : 20);
  time_.After(way, [this, post, reply_lost, number, life = life_] {
    const BindOutcome outcome = api_.Bind(post);
    if (life != life_) return;
    if (!reply_lost) {
      Result(About(post), outcome, random_.Millis(1, 20), number);
      return;
    }
    const bool unread = Fault(faults.failed_read);
    Result(About(post), unread ? BindOutcome::kUnknown : outcome, random_.Millis(1000, 4000),
           number);
  });
}

void Service::Result(const BindingRead& about, BindOutcome outcome, absl::Duration delay,
                     int64_t number) {
  const auto tell = [this, about](BindOutcome told, std::string message) {
    planner_->OnBindResult(time_.now(), about.pod, about.node, about.attempt,
                           {told, std::move(message)});
    for (ServiceObserver* observer : observers) observer->AfterResult(about, told);
    Pump();
  };
  Later(delay, [this, about, outcome, tell, number] {
    open_writes_.erase(number);
    if (trace) {
      trace(fmt::format("result {} -> {}: {}", about.pod.name, about.node,
                        static_cast<int>(outcome)));
    }
    if (outcome != BindOutcome::kUnknown) --open_posts_[about.pod.uid];
    tell(outcome, "as the API server said");
  });
  if (outcome != BindOutcome::kBound || !Fault(faults.repeated_result)) return;
  Later(delay + random_.Millis(1, 3000), [tell] { tell(BindOutcome::kBound, ""); });
}

void Service::Carry(const BindingRead& prove) {
  Later(random_.Millis(1, 50), [this, prove] {
    const BindOutcome outcome =
        Fault(faults.failed_read) ? BindOutcome::kUnknown : api_.Read(prove);
    const bool slow = faults.slow_reads && random_.OneIn(3);
    Result(prove, outcome, random_.Millis(1, slow ? 5'000 : 20));
  });
}

// Every call is answered exactly once, and "bound" only when it is so.
void Service::Carry(const AnswerCall& answer) {
  auto it = calls_.find(answer.call);
  if (it == calls_.end()) throw Broken(fmt::format("call {} was answered twice", answer.call));
  Call call = std::move(it->second);
  calls_.erase(it);
  const BindOutcome truth = api_.Read({call.pod, call.node});
  if (answer.error.empty() && truth != BindOutcome::kBound && truth != BindOutcome::kGone) {
    throw Broken(fmt::format("the call of {} was answered with bound to {}: it is not",
                             call.pod.name, call.node));
  }
  if (call.done) {
    time_.After(random_.Millis(0, 10), [done = call.done, error = answer.error] { done(error); });
  }
}

void Service::Carry(const CommitReady& commit) {
  Later(random_.OneIn(10) ? random_.Millis(0, 500) : absl::ZeroDuration(), [this, commit] {
    std::vector<CallId> closed;
    if (!random_.OneIn(5)) closed = closed_;  // a socket's end may be noticed late
    planner_->Commit(time_.now(), commit.group, closed);
    Pump();
  });
}

void Service::Carry(const Nomination& nomination) {
  if (Fault(faults.lost_nomination)) return;
  time_.After(random_.Millis(1, 40), [this, nomination] {
    if (trace) trace(fmt::format("nominate {} -> {}", nomination.pod.name, nomination.node));
    api_.Nominate(nomination.pod.uid, nomination.node);
  });
}

void Service::Carry(const WriteResults& write) {
  if (open_results_[write.group] > 0)
    throw Broken(fmt::format("group {}: its object is written twice at once", write.group));
  Write(write.group, [this, write] { api_.PatchObject(write.write); });
}

// There are no objects of theirs here.
void Service::Carry(const WriteRankList& write) {
  throw Broken(fmt::format("{}: a rank list is written", write.write.object.name));
}

void Service::Carry(const WriteMemberLabels& write) {
  Write(write.group, [this, write] { api_.PatchPod(write.write); });
}

void Service::Write(int64_t group, std::function<void()> write) {
  ++open_results_[group];
  const bool lost = Fault(faults.lost_write);
  if (!lost || random_.OneIn(2)) time_.After(random_.Millis(1, 50), std::move(write));
  Later(random_.Millis(60, Fault(6) ? 5'000 : 500), [this, group, lost] {
    --open_results_[group];
    planner_->OnResultsWritten(time_.now(), group, lost);
    Pump();
  });
}

// Nobody reads it here.
void Service::Carry(const PodGroupWrite& write) {
  Later(random_.Millis(1, 50), [this, write] {
    planner_->OnPodGroupWritten(time_.now(), write.ns, write.name, absl::OkStatus());
  });
}

void Service::Carry(const OwnerRead& read) {
  Later(random_.Millis(1, 100), [this, read] {
    absl::StatusOr<OwnerFacts> owner = absl::NotFoundError("not found");
    auto it = api_.owners().find(read.owner.uid);
    if (it != api_.owners().end()) owner = it->second;
    if (Fault(faults.failed_owner) || time_.now() < faults.owners_back)
      owner = absl::UnavailableError("try again");
    for (ServiceObserver* observer : observers) {
      if (owner.ok()) observer->OnOwner(*owner);
    }
    planner_->OnOwner(time_.now(), OwnerKey(read.ns, read.owner.uid), owner);
    Pump();
  });
}

void Service::Carry(const EventNote& tell) {
  for (ServiceObserver* observer : observers) observer->OnEvent(tell);
  if (trace) trace(fmt::format("event {} on {}: {}", tell.reason, tell.regarding.name, tell.note));
}

void Service::Carry(const GangChange& change) {
  if (change.event) Carry(*change.event);
}

// Solved at the moment of the copy; the answer comes when things may have changed.
void Service::Carry(const SolveOnCopy& solve) {
  solve.task->Run();
  Later(random_.Millis(1, 2000), [this, solve] {
    planner_->OnSolved(time_.now(), *solve.task);
    Pump();
  });
}

void Service::Carry(const ExplainGroup& explain) { Carry(Explained(explain)); }

FilterDecision Service::Filter(const PodFacts& pod, const std::vector<std::string>& offer) {
  if (!alive()) {
    FilterDecision decision;
    decision.error = "connection refused";
    return decision;
  }
  const Offer offered(offer.begin(), offer.end());
  FilterDecision decision = planner_->Filter(time_.now(), pod, offered);
  Split(decision, offered);
  if (trace) {
    trace(fmt::format("filter {} of {}: passed {}, {}{}", pod.name, fmt::join(offer, " "),
                      decision.passed.size(), decision.text, decision.error));
  }
  for (ServiceObserver* observer : observers) observer->OnFilter(pod, decision);
  Pump();
  return decision;
}

std::vector<int32_t> Service::Preempt(const PodFacts& pod,
                                      const std::vector<PreemptCandidate>& candidates) {
  if (!alive()) return {};
  std::vector<int32_t> kept = planner_->Preempt(time_.now(), pod, candidates);
  Pump();
  return kept;
}

CallId Service::Bind(const PodRef& pod, const std::string& node,
                     std::function<void(const std::string&)> done) {
  CallId call = next_call_++;
  if (!alive()) {
    time_.After(random_.Millis(0, 5), [done] { done("connection refused"); });
    return call;
  }
  calls_[call] = {pod, node, done};
  BindDecision decision = planner_->Bind(time_.now(), call, pod, node, time_.now());
  if (!decision.held) {
    calls_.erase(call);
    time_.After(random_.Millis(0, 5), [done, error = decision.error] { done(error); });
  }
  Pump();
  return call;
}

void Service::CloseCall(CallId call) {
  auto it = calls_.find(call);
  if (it == calls_.end()) return;
  it->second.done = nullptr;
  closed_.push_back(call);
  if (random_.OneIn(3)) return;  // only the commit looks
  Later(random_.Millis(1, 200), [this] {
    planner_->OnCallsClosed(time_.now(), closed_);
    Pump();
  });
}

int64_t Service::open_posts(const std::string& uid) const {
  auto it = open_posts_.find(uid);
  return it == open_posts_.end() ? 0 : it->second;
}

void Service::SeePod(const PodFacts& pod) {
  for (ServiceObserver* observer : observers) observer->OnPod(pod);
  planner_->OnPod(time_.now(), pod);
  if (faults.on && random_.OneIn(30)) planner_->OnPod(time_.now(), pod);
  Pump();
}

void Service::SeePodGone(const std::string& uid) {
  for (ServiceObserver* observer : observers) observer->OnPodGone(uid);
  planner_->OnPodDeleted(time_.now(), uid);
  Pump();
}

void Service::SeeNode(const NodeFacts& node) {
  for (ServiceObserver* observer : observers) observer->OnNode(node);
  if (!planner_->OnNode(time_.now(), node).ok()) throw Broken("a node was refused");
  Pump();
}

void Service::SeeNodeGone(const std::string& name) {
  for (ServiceObserver* observer : observers) observer->OnNodeGone(name);
  planner_->OnNodeDeleted(time_.now(), name);
  Pump();
}

void Service::SeeObject(const ConfigMapFacts& object) {
  if (FindLabel(object.labels, kReservationWord) != nullptr)
    planner_->OnReservation(time_.now(), object, true);
  else
    planner_->OnGroupObject(time_.now(), object);
  Pump();
}

void Service::SeeObjectGone(const std::string& name) {
  if (name.starts_with("reservation-")) {
    ConfigMapFacts gone;
    gone.name = name;
    planner_->OnReservation(time_.now(), gone, false);
  } else {
    planner_->OnGroupObjectGone(time_.now(), "team", name);
  }
  Pump();
}

void Service::SeeOwner(const OwnerFacts& owner) {
  for (ServiceObserver* observer : observers) observer->OnOwner(owner);
  planner_->OnOwner(time_.now(), OwnerKey(owner.ns, owner.ref.uid), owner);
  Pump();
}

void Service::SeeJob(const JobFacts& job) {
  for (ServiceObserver* observer : observers) observer->OnJob(job);
  planner_->OnJob(time_.now(), job);
  Pump();
}

void Service::SeeJobLeft(const std::string& uid) {
  planner_->OnJobLeft(time_.now(), uid);
  Pump();
}

void Service::SeeSynced() {
  planner_->OnSynced(time_.now());
  Pump();
}

}  // namespace gangplan::simulation
