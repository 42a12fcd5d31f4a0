#include "extender/kube/provisioning_calls.h"

#include <algorithm>
#include <utility>

#include "extender/cluster/provisioning_words.h"
#include "extender/kube/answers.h"
#include "extender/kube/limits.h"
#include "extender/kube/merge_patch.h"
#include "extender/kube/pages.h"
#include "extender/kube/provisioning_bodies.h"
#include "extender/kube/resource_path.h"
#include "extender/protocol/json_sax.h"
#include "fmt/ranges.h"
#include "topology/base/json_text.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/base/utf8.h"

namespace gangplan {
namespace {

// What a server takes of a text there.
constexpr size_t kMostText = size_t{64} << 10;
// Whoever may write one object may write it so that it has more, or longer ones, of what is read:
// of that one the rest is left out, and of all others nothing.
constexpr size_t kMostConditions = 64, kMostDetails = 64, kMostOwners = 1'000,
                 kMostAnnotations = 10'000;

struct ConditionDraft {
  std::string type, status, since, message;
};
struct OwnerDraft {
  std::string uid;
};
struct RequestItem {
  ProvisioningFacts facts;
  std::string by;
  std::string made;
  std::string deleted;
  std::vector<ConditionDraft> conditions;
  std::vector<OwnerDraft> owners;
};
struct RequestPage {
  std::string next;
  std::vector<RequestItem> items;
};

absl::Status KeepAnnotation(RequestItem& item, std::string_view key, std::string_view value) {
  if (key == kProvisioningForAnnotation) item.facts.gang = CutUtf8(value, kMaxServerMessageBytes);
  return absl::OkStatus();
}
absl::Status KeepLabel(RequestItem& item, std::string_view key, std::string_view value) {
  if (key == kProvisioningByLabel) item.by = value;
  return absl::OkStatus();
}
absl::Status KeepDetail(RequestItem& item, std::string_view key, std::string_view value) {
  SetLabel(item.facts.details, key, CutUtf8(value, kMaxServerMessageBytes));
  return absl::OkStatus();
}
absl::Status KeepMessage(ConditionDraft& condition, std::string_view message) {
  condition.message = CutUtf8(message, kMaxServerMessageBytes);
  return absl::OkStatus();
}
absl::Status KeepName(RequestItem& item, std::string_view name) {
  item.facts.name = name;
  return absl::OkStatus();
}
absl::Status KeepNamespace(RequestItem& item, std::string_view ns) {
  item.facts.ns = ns;
  return absl::OkStatus();
}
absl::Status KeepUid(RequestItem& item, std::string_view uid) {
  item.facts.uid = uid;
  return absl::OkStatus();
}

void LeaveOut(RequestItem&, const absl::Status&) {}
void LeaveOutItem(std::vector<RequestItem>&, const absl::Status&) {}

constexpr JsonShape kAnnotation = json::MapTextFor<&KeepAnnotation>(std::string::npos);
constexpr JsonShape kLabel = json::MapTextFor<&KeepLabel>(std::string::npos);
constexpr JsonShape kDetail = json::MapTextFor<&KeepDetail>(std::string::npos);
constexpr JsonField kOwnerFields[] = {{"uid", json::Text<&OwnerDraft::uid>(kMostText)}};
constexpr JsonShape kOwner = json::Appended<std::vector<OwnerDraft>>(json::Object(kOwnerFields));
constexpr JsonField kRequestMetadataFields[] = {
    {"name", json::TextFor<&KeepName>(kMostText)},
    {"namespace", json::TextFor<&KeepNamespace>(kMostText)},
    {"uid", json::TextFor<&KeepUid>(kMostText)},
    {"creationTimestamp", json::Text<&RequestItem::made>(kMostText)},
    {"deletionTimestamp", json::Text<&RequestItem::deleted>(kMostText)},
    {"annotations", json::Forgiving<&LeaveOut>(json::Map(kAnnotation, kMostAnnotations))},
    {"labels", json::Forgiving<&LeaveOut>(json::Map(kLabel, kMostAnnotations))},
    {"ownerReferences", json::Forgiving<&LeaveOut>(
                            json::Anew<&RequestItem::owners>(json::Array(kOwner, kMostOwners)))},
};
constexpr JsonField kConditionFields[] = {
    {"type", json::Text<&ConditionDraft::type>(kMostText)},
    {"status", json::Text<&ConditionDraft::status>(kMostText)},
    {"lastTransitionTime", json::Text<&ConditionDraft::since>(kMostText)},
    {"message", json::TextFor<&KeepMessage>(std::string::npos)},
};
constexpr JsonShape kCondition =
    json::Appended<std::vector<ConditionDraft>>(json::Object(kConditionFields));
constexpr JsonField kStatusFields[] = {
    {"conditions", json::Forgiving<&LeaveOut>(json::Anew<&RequestItem::conditions>(
                       json::Array(kCondition, kMostConditions)))},
    {"provisioningClassDetails", json::Forgiving<&LeaveOut>(json::Map(kDetail, kMostDetails))},
};
constexpr JsonField kRequestFields[] = {
    {"metadata", json::Object(kRequestMetadataFields)},
    {"status", json::Object(kStatusFields)},
};
constexpr JsonShape kOne = json::Object(kRequestFields);
constexpr JsonShape kRequest =
    json::Forgiving<&LeaveOutItem>(json::Appended<std::vector<RequestItem>>(kOne));
constexpr JsonField kRequestListFields[] = {
    {"continue", json::Text<&RequestPage::next>(kMostText)}};
constexpr JsonField kRequestPageFields[] = {
    {"metadata", json::Object(kRequestListFields)},
    {"items", json::In<&RequestPage::items>(json::Array(kRequest, kMaxListedProvisioning))},
};
constexpr JsonShape kRequestPage = json::Object(kRequestPageFields);

void ReadTime(const std::string& text, absl::Time& time) {
  absl::Time read;
  if (absl::ParseTime(absl::RFC3339_full, text, &read, nullptr)) time = read;
}

void Note(const ConditionDraft& draft, ProvisioningFacts::Condition& condition) {
  condition.is = true;
  condition.message = draft.message;
  ReadTime(draft.since, condition.since);
}

ProvisioningFacts FactsOf(RequestItem item) {
  ProvisioningFacts facts = std::move(item.facts);
  facts.going = !item.deleted.empty();
  ReadTime(item.made, facts.made);
  const std::pair<std::string_view, ProvisioningFacts::Condition*> kinds[] = {
      {"Provisioned", &facts.provisioned},
      {"Failed", &facts.failed},
      {"BookingExpired", &facts.expired},
      {"CapacityRevoked", &facts.revoked}};
  for (const ConditionDraft& one : item.conditions) {
    if (one.type == "Provisioned" && one.status == "False") Note(one, facts.awaited);
    for (const auto& [type, condition] : kinds) {
      if (one.type == type && one.status == "True") Note(one, *condition);
    }
  }
  return facts;
}

std::string RequestsPath(std::string_view ns, std::string_view name = {}) {
  std::string path = fmt::format("/apis/autoscaling.x-k8s.io/v1/namespaces/{}/provisioningrequests",
                                 PercentEncode(ns));
  if (!name.empty()) path += fmt::format("/{}", PercentEncode(name));
  return path;
}

std::string TemplatesPath(std::string_view ns, std::string_view name = {}) {
  std::string path = fmt::format("/api/v1/namespaces/{}/podtemplates", PercentEncode(ns));
  if (!name.empty()) path += fmt::format("/{}", PercentEncode(name));
  return path;
}

absl::StatusOr<RequestItem> Send(Transport& transport, HttpRequest request, std::string_view what,
                                 const CallTools& tools) {
  request.read_timeout = tools.read_timeout;
  GANGPLAN_ASSIGN_OR_RETURN(HttpResponse answer, SendPatiently(transport, request, tools));
  GANGPLAN_RETURN_IF_ERROR(AnswerStatus(answer, what));
  RequestItem item;
  GANGPLAN_RETURN_IF_ERROR(ParseJson(answer.body, kMaxAnswerBytes, what, kOne, &item));
  return item;
}

absl::StatusOr<RequestItem> ReadOne(Transport& transport, std::string path, std::string_view what,
                                    const CallTools& tools) {
  return Send(transport, {.target = std::move(path)}, what, tools);
}

// Aborted: there is one of this name.
absl::StatusOr<RequestItem> Make(Transport& transport, std::string path, std::string body,
                                 std::string_view what, const CallTools& tools) {
  return Send(transport,
              {.method = "POST",
               .target = std::move(path),
               .content_type = "application/json",
               .body = std::move(body)},
              what, tools);
}

// Its UID.
absl::StatusOr<std::string> MakeRequest(Transport& transport, const ProvisioningWrite& write,
                                        const CallTools& tools) {
  constexpr std::string_view kWhat = "making a ProvisioningRequest";
  absl::StatusOr<RequestItem> made =
      Make(transport, RequestsPath(write.ns), ProvisioningBody(write), kWhat, tools);
  if (!absl::IsAborted(made.status())) {
    GANGPLAN_RETURN_IF_ERROR(made.status());
    return made->facts.uid;
  }
  GANGPLAN_ASSIGN_OR_RETURN(const RequestItem known,
                            ReadOne(transport, RequestsPath(write.ns, write.name), kWhat, tools));
  if (known.by != write.by || known.facts.gang != write.gang) {
    return absl::AbortedError(
        ToAbsl(fmt::format("{}: another one is named {}", kWhat, write.name)));
  }
  if (!known.deleted.empty())
    return absl::UnavailableError(ToAbsl(fmt::format("{}: an older one goes first", kWhat)));
  return known.facts.uid;
}

absl::Status MakeTemplate(Transport& transport, const ProvisioningWrite& write, size_t set,
                          const std::string& uid, const CallTools& tools) {
  constexpr std::string_view kWhat = "making a PodTemplate";
  const absl::Status made =
      Make(transport, TemplatesPath(write.ns), PodTemplateBody(write, set, uid), kWhat, tools)
          .status();
  if (!absl::IsAborted(made)) return made;
  GANGPLAN_ASSIGN_OR_RETURN(
      const RequestItem known,
      ReadOne(transport, TemplatesPath(write.ns, TemplateNameOf(write, set)), kWhat, tools));
  if (known.by != write.by) {
    return absl::AbortedError(
        ToAbsl(fmt::format("{}: another one is named {}", kWhat, known.facts.name)));
  }
  const bool own = std::any_of(known.owners.begin(), known.owners.end(),
                               [&](const OwnerDraft& owner) { return owner.uid == uid; });
  if (own && known.deleted.empty()) return absl::OkStatus();
  return absl::UnavailableError(ToAbsl(fmt::format("{}: an older one goes first", kWhat)));
}

}  // namespace

absl::StatusOr<std::vector<ProvisioningFacts>> ReadProvisioning(Transport& transport,
                                                                const std::vector<std::string>& by,
                                                                const CallTools& tools) {
  constexpr std::string_view kWhat = "listing ProvisioningRequests";
  const std::string ours = fmt::format("{} in ({})", kProvisioningByLabel, fmt::join(by, ","));
  const PagedList list = {"/apis/autoscaling.x-k8s.io/v1/provisioningrequests",
                          "&labelSelector=" + PercentEncode(ours), kWhat};
  std::vector<ProvisioningFacts> known;
  size_t read = 0;
  const auto take = [&](std::string& text) -> absl::StatusOr<std::string> {
    RequestPage page;
    GANGPLAN_RETURN_IF_ERROR(ParseJson(text, kMaxAnswerBytes, kWhat, kRequestPage, &page));
    const bool more = !page.items.empty();
    read += page.items.size();
    for (RequestItem& item : page.items) {
      if (!item.facts.uid.empty()) known.push_back(FactsOf(std::move(item)));
    }
    return more && read < kMaxListedProvisioning ? page.next : "";
  };
  GANGPLAN_RETURN_IF_ERROR(EachPage(transport, list, tools, take));
  return known;
}

absl::Status SendProvisioning(Transport& transport, const ProvisioningWrite& write,
                              const CallTools& tools) {
  std::string uid = write.uid;
  if (uid.empty()) {
    GANGPLAN_ASSIGN_OR_RETURN(uid, MakeRequest(transport, write, tools));
  }
  for (size_t set = 0; set < write.pod_sets.size(); ++set)
    GANGPLAN_RETURN_IF_ERROR(MakeTemplate(transport, write, set, uid, tools));
  return absl::OkStatus();
}

absl::Status SendProvisioningDelete(Transport& transport, const ProvisioningDelete& request,
                                    const CallTools& tools) {
  JsonText json;
  json.Begin().Field("apiVersion", "v1").Field("kind", "DeleteOptions");
  json.Field("propagationPolicy", "Background");
  json.Key("preconditions").Begin().Field("uid", request.uid).End().End();
  const absl::Status status =
      SendDelete(transport, RequestsPath(request.ns, request.name), json.Take(),
                 "deleting a ProvisioningRequest", PatchOf::kAnyVersion, tools);
  // Another one of its name is none of ours to delete, and this one is gone.
  const bool gone = absl::IsNotFound(status) || absl::IsAborted(status);
  return gone ? absl::OkStatus() : status;
}

}  // namespace gangplan
