#include "extender/kube/bodies.h"

#include "extender/cluster/annotations.h"
#include "extender/kube/affinity_body.h"
#include "extender/kube/limits.h"
#include "fmt/format.h"
#include "topology/base/json_text.h"
#include "topology/base/time_text.h"
#include "topology/base/utf8.h"

namespace gangplan {
namespace {

void WriteFields(JsonText& json, std::string_view key, const LabelSet& fields) {
  if (fields.empty()) return;
  json.Key(key).Begin();
  for (const auto& [name, value] : fields) json.Field(name, value);
  json.End();
}

// A merge patch: null removes.
void WriteChanges(JsonText& json, std::string_view key, const LabelPatch& patch) {
  json.Key(key).Begin();
  for (const auto& [name, value] : patch) {
    json.Key(name);
    value ? json.Value(*value) : json.Null();
  }
  json.End();
}

JsonText OpenPatch(std::string_view uid, std::string_view version = {}) {
  JsonText json;
  json.Begin().Key("metadata").Begin().Field("uid", uid);
  if (!version.empty()) json.Field("resourceVersion", version);
  return json;
}

// The required node affinity of a pod. A merge patch replaces a list whole.
void WriteAffinity(JsonText& json, const std::vector<NodeSelectorTerm>& terms) {
  json.Key("affinity").Begin();
  json.Key("nodeAffinity").Begin().Key("requiredDuringSchedulingIgnoredDuringExecution");
  if (terms.empty()) {
    json.Null();
  } else {
    WriteNodeTerms(json, terms);
  }
  json.End().End();
}

void WriteRequired(JsonText& json, const std::vector<NodeSelectorTerm>& terms) {
  json.Key("template").Begin().Key("spec").Begin();
  WriteAffinity(json, terms);
  json.End().End();
}

void TakeGate(JsonText& json, std::string_view gate) {
  json.Begin().Field("$patch", "delete").Field("name", gate).End();
}

// RFC 3339 with six digits, as MicroTime wants it.
std::string MicroTime(absl::Time time) {
  return absl::FormatTime("%Y-%m-%d%ET%H:%M:%E6SZ", time, absl::UTCTimeZone());
}

}  // namespace

std::string BindingBody(const BindingWrite& write) {
  JsonText json;
  json.Begin().Field("apiVersion", "v1").Field("kind", "Binding").Key("metadata").Begin();
  json.Field("namespace", write.pod.ns).Field("name", write.pod.name).Field("uid", write.pod.uid);
  WriteFields(json, "annotations", write.annotations);
  WriteFields(json, "labels", write.labels);
  json.End().Key("target").Begin().Field("apiVersion", "v1").Field("kind", "Node");
  return json.Field("name", write.node).End().End().Take();
}

std::string NominationBody(std::string_view uid, std::string_view node) {
  JsonText json = OpenPatch(uid);
  json.End().Key("status").Begin().Field("nominatedNodeName", node);
  return json.End().End().Take();
}

std::string WakeBody(std::string_view uid, absl::Time now) {
  JsonText json = OpenPatch(uid);
  json.Key("annotations").Begin().Field(kWakeAnnotation, MicroTime(now));
  return json.End().End().End().Take();
}

std::string DataBody(std::string_view uid, const LabelPatch& data) {
  JsonText json = OpenPatch(uid);
  json.End();
  WriteChanges(json, "data", data);
  return json.End().Take();
}

std::string AnnotationsBody(std::string_view uid, const LabelPatch& annotations) {
  JsonText json = OpenPatch(uid);
  WriteChanges(json, "annotations", annotations);
  return json.End().End().Take();
}

std::string LabelsBody(std::string_view uid, const LabelPatch& labels) {
  JsonText json = OpenPatch(uid);
  WriteChanges(json, "labels", labels);
  return json.End().End().Take();
}

std::string JobBody(const JobWrite& write) {
  JsonText json = OpenPatch(write.job.uid, write.resource_version);
  if (!write.labels.empty()) WriteChanges(json, "labels", write.labels);
  if (!write.annotations.empty()) WriteChanges(json, "annotations", write.annotations);
  json.End().Key("spec").Begin().Field("suspend", write.suspend);
  for (const TemplateTerms& terms : write.templates) {
    if (terms.name.empty()) WriteRequired(json, terms.required);
  }
  return json.End().End().Take();
}

std::string TermsBody(std::string_view uid, std::string_view resource_version,
                      const std::vector<NodeSelectorTerm>& terms) {
  JsonText json = OpenPatch(uid, resource_version);
  json.End().Key("spec").Begin();
  WriteRequired(json, terms);
  return json.End().End().Take();
}

std::string NoStartTimeBody(std::string_view uid, std::string_view resource_version) {
  JsonText json = OpenPatch(uid, resource_version);
  return json.End().Key("status").Begin().Key("startTime").Null().End().End().Take();
}

std::string PodGroupStatusBody(const PodGroupFacts& group, const PodGroupStatus& status) {
  JsonText json = OpenPatch(group.uid, group.resource_version);
  json.End().Key("status").Begin().Field("phase", status.phase);
  if (!status.occupied_by.empty()) json.Field("occupiedBy", status.occupied_by);
  const auto count = [&](std::string_view key, int64_t pods) {
    json.Key(key);
    pods == 0 ? json.Null() : json.Value(pods);
  };
  count("running", status.running);
  count("succeeded", status.succeeded);
  count("failed", status.failed);
  return json.End().End().Take();
}

namespace {

constexpr std::string_view kKueueVersion = "kueue.x-k8s.io/v1beta2";

JsonText OpenApply(std::string_view kind, std::string_view name) {
  JsonText json;
  json.Begin().Field("apiVersion", kKueueVersion).Field("kind", kind);
  json.Key("metadata").Begin().Field("name", name);
  return json;
}

std::string_view WordOf(CheckState state) {
  switch (state) {
    case CheckState::kPending:
      return "Pending";
    case CheckState::kReady:
      return "Ready";
    case CheckState::kRetry:
      return "Retry";
    case CheckState::kRejected:
      return "Rejected";
  }
  return {};
}

// Also where there are none: what stands of a quota before may be Kueue's own by now, which copies
// checks as they are, and would be added to the pods.
void WriteUpdates(JsonText& json, const std::vector<WorkloadFacts::Update>& updates) {
  json.Key("podSetUpdates").BeginList();
  for (const WorkloadFacts::Update& one : updates) {
    json.Begin().Field("name", one.pod_set);
    WriteFields(json, "nodeSelector", one.node_selector);
    json.End();
  }
  json.EndList();
}

}  // namespace

std::string CheckBody(std::string_view ns, const CheckWrite& write, std::string_view version,
                      absl::Time now) {
  JsonText json = OpenApply("Workload", write.workload);
  json.Field("namespace", ns).Field("uid", write.uid).Field("resourceVersion", version).End();
  json.Key("status").Begin().Key("admissionChecks").BeginList();
  const auto add = [&](const WorkloadFacts::Check& check) {
    json.Begin().Field("name", check.name).Field("state", WordOf(check.state));
    json.Field("message", check.message);
    json.Field("lastTransitionTime", UtcText(now));
    WriteUpdates(json, check.updates);
    json.End();
  };
  for (const std::string& name : write.names)
    add({name, write.state, write.message, write.updates});
  for (const WorkloadFacts::Check& check : write.standing) add(check);
  return json.EndList().End().End().Take();
}

std::string ActiveBody(const AdmissionCheckFacts& check, absl::Time now) {
  const bool active = check.MayBeActive();
  JsonText json = OpenApply("AdmissionCheck", check.name);
  json.Field("uid", check.uid).End().Key("status").Begin().Key("conditions").BeginList();
  json.Begin().Field("type", "Active").Field("status", active ? "True" : "False");
  json.Field("reason", active ? "Active" : "UnknownParameters");
  json.Field("message", active ? "gangplan answers it"
                               : "gangplan.io/room has no parameters: take spec.parameters away");
  json.Field("lastTransitionTime", UtcText(now)).End();
  return json.EndList().End().End().Take();
}

std::string PodReleaseBody(const PodRelease& release) {
  JsonText json = OpenPatch(release.pod.uid, release.resource_version);
  WriteFields(json, "annotations", release.annotations);
  // One empty entry, not an empty list, takes them away.
  if (release.disown) json.Key("managedFields").BeginList().Begin().End().EndList();
  json.End().Key("spec").Begin().Key("schedulingGates").BeginList();
  TakeGate(json, kGangGate);
  if (release.kueue) TakeGate(json, kKueueTopologyGate);
  json.EndList();
  if (!release.required_terms.empty()) WriteAffinity(json, release.required_terms);
  return json.End().End().Take();
}

namespace {

void WritePreconditions(JsonText& json, const PodDelete& pod) {
  json.Key("preconditions").Begin().Field("uid", pod.pod.uid);
  if (!pod.resource_version.empty()) json.Field("resourceVersion", pod.resource_version);
  json.End();
}

}  // namespace

std::string EvictionBody(const PodDelete& pod) {
  JsonText json;
  json.Begin().Field("apiVersion", "policy/v1").Field("kind", "Eviction");
  json.Key("metadata").Begin().Field("namespace", pod.pod.ns).Field("name", pod.pod.name).End();
  json.Key("deleteOptions").Begin();
  if (pod.how == PodDelete::How::kTry) json.Key("dryRun").BeginList().Value("All").EndList();
  WritePreconditions(json, pod);
  return json.End().End().Take();
}

std::string DeleteBody(const PodDelete& pod) {
  JsonText json;
  json.Begin().Field("apiVersion", "v1").Field("kind", "DeleteOptions");
  WritePreconditions(json, pod);
  return json.End().Take();
}

std::string EventBody(const EventNote& note, std::string_view event_name, std::string_view instance,
                      absl::Time now) {
  JsonText json;
  json.Begin().Field("apiVersion", "events.k8s.io/v1").Field("kind", "Event");
  json.Key("metadata").Begin().Field("namespace", note.ns).Field("name", event_name).End();
  json.Field("eventTime", MicroTime(now)).Field("reportingController", kReportingController);
  json.Field("reportingInstance", CutUtf8(instance, kMaxEventWordBytes));
  json.Field("action", CutUtf8(note.action, kMaxEventWordBytes));
  json.Field("reason", CutUtf8(note.reason, kMaxEventWordBytes));
  json.Key("regarding").Begin().Field("apiVersion", note.regarding.api_version);
  json.Field("kind", note.regarding.kind).Field("namespace", note.ns);
  json.Field("name", note.regarding.name).Field("uid", note.regarding.uid).End();
  json.Field("note", CutUtf8(note.note, kMaxEventNoteBytes));
  return json.Field("type", note.warning ? "Warning" : "Normal").End().Take();
}

User UserOf(const Account& account) {
  if (account.empty()) return {};
  return {.name = fmt::format("system:serviceaccount:{}:{}", account.ns, account.name),
          .groups = {"system:serviceaccounts", fmt::format("system:serviceaccounts:{}", account.ns),
                     "system:authenticated"}};
}

std::string AccessReviewBody(const Access& access, const User& user) {
  JsonText json;
  const auto list = [&json](const std::vector<std::string>& texts) {
    json.BeginList();
    for (const std::string& text : texts) json.Value(std::string_view(text));
    json.EndList();
  };
  json.Begin().Field("apiVersion", "authorization.k8s.io/v1");
  json.Field("kind", user.name.empty() ? "SelfSubjectAccessReview" : "SubjectAccessReview");
  json.Key("spec").Begin();
  if (!user.name.empty()) {
    json.Field("user", user.name);
    if (!user.uid.empty()) json.Field("uid", user.uid);
    json.Key("groups");
    list(user.groups);
    if (!user.extra.empty()) json.Key("extra").Begin();
    for (const auto& [key, values] : user.extra) {
      json.Key(key);
      list(values);
    }
    if (!user.extra.empty()) json.End();
  }
  json.Key("resourceAttributes").Begin();
  json.Field("verb", access.verb).Field("group", access.group).Field("resource", access.resource);
  if (!access.version.empty()) json.Field("version", access.version);
  if (!access.subresource.empty()) json.Field("subresource", access.subresource);
  if (!access.ns.empty()) json.Field("namespace", access.ns);
  if (!access.name.empty()) json.Field("name", access.name);
  json.End().End().End();
  return json.Take();
}

}  // namespace gangplan
