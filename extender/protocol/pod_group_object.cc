#include "extender/protocol/pod_group_object.h"

#include <utility>
#include <vector>

#include "extender/protocol/json_sax.h"
#include "extender/protocol/json_shape.h"
#include "extender/protocol/limits.h"
#include "extender/protocol/object_shapes.h"
#include "extender/protocol/pod_group_words.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

using namespace gangplan::json;  // NOLINT: the makers are the language of this file

struct ManagerDraft {
  std::string_view name;
  std::string_view subresource;
};
struct PodGroupDraft {
  std::string uid;
  std::string resource_version;
  std::vector<ManagerDraft> managers;
  int64_t min_member = 1;
  std::string phase;
  std::string occupied_by;
  int64_t running = 0;
  int64_t succeeded = 0;
  int64_t failed = 0;
};

constexpr JsonField kManagerFields[] = {
    {"manager", Text<&ManagerDraft::name>(kMaxNameBytes)},
    {"subresource", Text<&ManagerDraft::subresource>(kMaxNameBytes)},
};
constexpr JsonShape kManager = Appended<std::vector<ManagerDraft>>(Object(kManagerFields));
constexpr JsonField kPodGroupMetadataFields[] = {
    {"uid", Text<&PodGroupDraft::uid>(kMaxUidBytes)},
    {"resourceVersion", Text<&PodGroupDraft::resource_version>(kMaxNameBytes)},
    {"managedFields", Anew<&PodGroupDraft::managers>(Array(kManager, kMaxManagers))},
};
constexpr JsonField kSpecFields[] = {
    {"minMember", Integer<&PodGroupDraft::min_member, 0, object_shapes::kInt32Most>()},
};
constexpr JsonField kStatusFields[] = {
    {"phase", Text<&PodGroupDraft::phase>(kMaxTokenBytes)},
    {"occupiedBy", Text<&PodGroupDraft::occupied_by>(kMaxAnnotationBytes)},
    {"running", Integer<&PodGroupDraft::running, 0, object_shapes::kInt32Most>()},
    {"succeeded", Integer<&PodGroupDraft::succeeded, 0, object_shapes::kInt32Most>()},
    {"failed", Integer<&PodGroupDraft::failed, 0, object_shapes::kInt32Most>()},
};
constexpr JsonField kPodGroupFields[] = {
    {"metadata", Object(kPodGroupMetadataFields)},
    {"spec", Object(kSpecFields)},
    {"status", Object(kStatusFields)},
};
constexpr JsonShape kPodGroup = Object(kPodGroupFields);

std::string OtherWriter(const PodGroupDraft& draft, std::string_view us) {
  bool ours = false;
  for (const ManagerDraft& manager : draft.managers) {
    if (manager.subresource != "status") continue;
    if (manager.name != us) return fmt::format("\"{}\"", Shown(manager.name));
    ours = true;
  }
  return draft.phase.empty() || ours ? "" : "somebody";
}

}  // namespace

absl::StatusOr<PodGroupFacts> DecodePodGroup(std::string& json, std::string_view us) {
  PodGroupDraft draft;
  GANGPLAN_RETURN_IF_ERROR(ParseJson(json, kMaxObjectBytes, kPodGroupKind, kPodGroup, &draft));
  if (draft.uid.empty()) return Invalid("{}.metadata.uid is missing", kPodGroupKind);
  PodGroupFacts facts;
  facts.other_writer = OtherWriter(draft, us);
  facts.uid = std::move(draft.uid);
  facts.resource_version = std::move(draft.resource_version);
  facts.min_member = draft.min_member;
  facts.status = {std::move(draft.phase), std::move(draft.occupied_by), draft.running,
                  draft.succeeded, draft.failed};
  return facts;
}

}  // namespace gangplan
