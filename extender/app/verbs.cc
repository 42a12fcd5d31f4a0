#include "extender/app/verbs.h"

#include <future>
#include <utility>

#include "extender/app/limits.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

std::vector<std::string_view> NamesAt(const OfferedNodes& nodes,
                                      const std::vector<int32_t>& indices) {
  std::vector<std::string_view> names;
  names.reserve(indices.size());
  for (int32_t index : indices) names.push_back(nodes.names[static_cast<size_t>(index)]);
  return names;
}

}  // namespace

std::string Verbs::WhyNotActing() const {
  const std::string why = cluster_.WhyNotActing(kActsWithin);
  return why.empty() ? why : fmt::format("gangplan does not act here: {}", why);
}

FilterDecision Verbs::Decide(const FilterRequest& request, const Offer& offer) {
  const absl::Time until = clock_.Now() + kOwnerPatience;
  for (;;) {
    const int64_t seen = owner_reads_.count();
    FilterDecision decision = planner_.Take(TurnFor::kFilter, [&](Planner& planner) {
      return planner.Filter(clock_.Now(), request.pod, offer);
    });
    const absl::Duration left = until - clock_.Now();
    const bool may_wait = decision.owner_unread && left > absl::ZeroDuration();
    if (!may_wait || !owner_reads_.Await(seen, left)) return decision;
  }
}

FilterReply Verbs::Filter(const FilterRequest& request) {
  FilterReply reply;
  reply.error = WhyNotActing();
  if (!reply.error.empty()) return reply;
  static const Offer kNoNodes;
  const Offer& offer = request.nodes ? request.nodes->names : kNoNodes;
  FilterDecision decision = Decide(request, offer);
  Split(decision, offer);
  if (!decision.error.empty()) {
    reply.error = std::move(decision.error);
    return reply;
  }
  reply.passed = std::move(decision.passed);
  if (request.nodes && !decision.rejected.empty()) {
    reply.unresolvable.push_back(
        {NamesAt(*request.nodes, decision.rejected), std::move(decision.text)});
  }
  if (request.nodes && !decision.outside.empty()) {
    reply.unresolvable.push_back(
        {NamesAt(*request.nodes, decision.outside), std::move(decision.outside_text)});
  }
  return reply;
}

// Filter has left one node of a member.
std::vector<HostScore> Verbs::Prioritize(const FilterRequest& request) {
  if (!request.nodes || !WhyNotActing().empty()) return {};
  const Offer& offer = request.nodes->names;
  const std::vector<int32_t> scores = planner_.Take(TurnFor::kPrioritize, [&](Planner& planner) {
    return planner.Prioritize(clock_.Now(), request.pod, offer);
  });
  std::vector<HostScore> reply;
  for (size_t i = 0; i < scores.size(); ++i) reply.push_back({offer[i], scores[i]});
  return reply;
}

std::string Verbs::Bind(const BindRequest& request, const PeerConnection& connection) {
  if (std::string why = WhyNotActing(); !why.empty()) return why;
  absl::StatusOr<std::future<std::string>> answer = Open(connection.id, request.pod_namespace);
  if (!answer.ok()) {
    metrics_.CountRefusedBindCall();
    return Message(answer.status());
  }
  const PodRef pod{request.pod_namespace, request.pod_name, request.pod_uid};
  BindDecision decision = planner_.Take(TurnFor::kBind, [&](Planner& planner) {
    if (draining_) return BindDecision{false, std::string(kStopping)};
    return planner.Bind(clock_.Now(), connection.id, pod, request.node, connection.accepted);
  });
  if (decision.held) return answer->get();
  calls_.Forget(connection.id);
  return std::move(decision.error);
}

// Where all calls are taken the namespace with the most of them gives way.
absl::StatusOr<std::future<std::string>> Verbs::Open(CallId call, std::string_view ns) {
  absl::StatusOr<std::future<std::string>> answer = calls_.Open(call, ns);
  if (answer.ok()) return answer;
  const std::optional<CallId> other = calls_.GiveWayTo(ns);
  if (!other) return answer;
  planner_.Take(TurnFor::kCalls,
                [&](Planner& planner) { planner.OnCallsClosed(clock_.Now(), {*other}); });
  metrics_.CountRefusedBindCall();
  calls_.LetStay(*other);  // its Binding is on its way
  return calls_.Open(call, ns);
}

std::vector<PreemptReplyNode> Verbs::Preempt(const PreemptRequest& request) {
  if (!WhyNotActing().empty()) return {};
  std::vector<PreemptCandidate> candidates;
  for (const PreemptNode& node : request.nodes) {
    candidates.push_back({node.node, {node.victim_uids.begin(), node.victim_uids.end()}});
  }
  const std::vector<int32_t> kept = planner_.Take(TurnFor::kPreempt, [&](Planner& planner) {
    return planner.Preempt(clock_.Now(), request.pod, candidates);
  });
  std::vector<PreemptReplyNode> reply;
  for (int32_t index : kept) {
    const PreemptNode& node = request.nodes[static_cast<size_t>(index)];
    reply.push_back(
        {node.node, candidates[static_cast<size_t>(index)].victims, node.pdb_violations});
  }
  return reply;
}

}  // namespace gangplan
