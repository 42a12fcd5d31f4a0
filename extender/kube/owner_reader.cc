#include "extender/kube/owner_reader.h"

#include <string>
#include <utility>

#include "extender/kube/answers.h"
#include "extender/kube/resource_path.h"
#include "extender/kube/served_kinds.h"
#include "extender/protocol/kubernetes_objects.h"
#include "extender/protocol/pod_group_words.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {

namespace {

// As an object of this version.
absl::StatusOr<OwnerFacts> ReadAs(Transport& transport, const std::string& ns,
                                  const OwnerRef& owner, std::string_view version,
                                  const CallTools& tools) {
  OwnerRef as = owner;
  as.api_version = version;
  GANGPLAN_ASSIGN_OR_RETURN(std::string path, OwnerPath(ns, as));
  GANGPLAN_ASSIGN_OR_RETURN(
      HttpResponse answer,
      SendPatiently(transport, {.target = path, .read_timeout = tools.read_timeout}, tools));
  GANGPLAN_RETURN_IF_ERROR(
      AnswerStatus(answer, fmt::format("reading {} {}/{}", owner.kind, ns, owner.name)));
  GANGPLAN_ASSIGN_OR_RETURN(OwnerFacts facts, DecodeOwner(answer.body));
  const bool by_uid = !owner.uid.empty() && !IsKnownByName(ns, owner);
  if (by_uid && facts.ref.uid != owner.uid) {
    return absl::NotFoundError(ToAbsl(fmt::format("{} {}/{} has UID {} now, not {}", owner.kind, ns,
                                                  owner.name, facts.ref.uid, owner.uid)));
  }
  // A single object's own words for its kind may be left out; the reference has them.
  facts.ref = {owner.api_version, owner.kind, owner.name,
               owner.uid.empty() ? facts.ref.uid : owner.uid};
  facts.ns = ns;
  return facts;
}

// Of one that is not there it is known whether it could be. Pods that name it alone do not tell in
// which version it is served.
absl::StatusOr<OwnerFacts> ReadOne(Transport& transport, const std::string& ns,
                                   const OwnerRef& owner, const CallTools& tools) {
  absl::StatusOr<OwnerFacts> facts = ReadAs(transport, ns, owner, owner.api_version, tools);
  const bool gone = absl::IsNotFound(facts.status());
  if (!gone || IsServed(transport, owner.api_version, owner.kind, tools) != Served::kNo)
    return facts;
  if (IsKnownByName(ns, owner)) {
    for (const std::string& version : ServedVersions(transport, owner.api_version, tools)) {
      if (version == owner.api_version) continue;
      if (IsServed(transport, version, owner.kind, tools) != Served::kYes) continue;
      return ReadAs(transport, ns, owner, version, tools);
    }
  }
  return absl::UnimplementedError(
      ToAbsl(fmt::format("the cluster serves no {} of {}", owner.kind, owner.api_version)));
}

}  // namespace

bool IsKnownByName(std::string_view ns, const OwnerRef& owner) {
  const NamedObject* object = FindNamedObject(owner.api_version);
  return object != nullptr && owner.kind == kPodGroupKind &&
         owner.uid == NamedUid(*object, ns, owner.name);
}

OwnerFacts PartOf(const OwnerFacts& part, OwnerFacts whole) {
  whole.part_of = std::exchange(whole.ref, part.ref);
  whole.deadline = part.deadline;
  return whole;
}

OwnerFacts UnreadPart(const OwnerFacts& part, Unread why) {
  OwnerFacts facts;
  facts.ref = part.ref;
  facts.part_of = part.part_of;
  facts.unread = why;
  facts.ns = part.ns;
  facts.deadline = part.deadline;
  return facts;
}

absl::StatusOr<OwnerFacts> ReadOwnerFacts(Transport& transport, const OwnerRead& read,
                                          const CallTools& tools) {
  GANGPLAN_ASSIGN_OR_RETURN(OwnerFacts facts, ReadOne(transport, read.ns, read.owner, tools));
  if (!facts.part_of) return facts;
  absl::StatusOr<OwnerFacts> whole = ReadOne(transport, read.ns, *facts.part_of, tools);
  if (whole.ok()) return PartOf(facts, *std::move(whole));
  const absl::Status& why = whole.status();
  if (absl::IsPermissionDenied(why)) return UnreadPart(facts, Unread::kDenied);
  if (absl::IsNotFound(why) || absl::IsUnimplemented(why)) return UnreadPart(facts, Unread::kGone);
  return why;
}

}  // namespace gangplan
