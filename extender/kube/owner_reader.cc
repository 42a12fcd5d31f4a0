#include "extender/kube/owner_reader.h"

#include "extender/kube/answers.h"
#include "extender/kube/resource_path.h"
#include "extender/protocol/kubernetes_objects.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {

absl::StatusOr<OwnerFacts> ReadOwnerFacts(Transport& transport, const OwnerRead& read,
                                          const CallTools& tools) {
  const auto& [ns, owner] = read;
  GANGPLAN_ASSIGN_OR_RETURN(std::string path, OwnerPath(ns, owner));
  GANGPLAN_ASSIGN_OR_RETURN(
      HttpResponse answer,
      SendPatiently(transport, {.target = path, .read_timeout = tools.read_timeout}, tools));
  GANGPLAN_RETURN_IF_ERROR(
      AnswerStatus(answer, fmt::format("reading {} {}/{}", owner.kind, ns, owner.name)));
  GANGPLAN_ASSIGN_OR_RETURN(OwnerFacts facts, DecodeOwner(answer.body));
  if (!owner.uid.empty() && facts.ref.uid != owner.uid) {
    return absl::NotFoundError(ToAbsl(fmt::format("{} {}/{} has UID {} now, not {}", owner.kind, ns,
                                                  owner.name, facts.ref.uid, owner.uid)));
  }
  // A single object's own words for its kind may be left out; the reference has them.
  facts.ref = {owner.api_version, owner.kind, owner.name, facts.ref.uid};
  facts.ns = ns;
  return facts;
}

}  // namespace gangplan
