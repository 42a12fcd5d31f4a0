// The shapes of owners, as far as facts need them: of any kind, and of a Job with its template.
// Constant data. Internal to this room.
#pragma once

#include <utility>

#include "extender/protocol/json_shape.h"
#include "extender/protocol/limits.h"
#include "extender/protocol/object_shapes.h"
#include "extender/protocol/owner_object.h"

namespace gangplan::owner_shapes {

using namespace gangplan::json;  // NOLINT: the makers are the language of this file

inline void NoteSpecFault(OwnerObjectDraft& draft, absl::Status status) {
  draft.spec_fault = std::move(status);
}
inline ObjectDraft& TemplateOf(OwnerObjectDraft& draft) { return draft.pod.emplace(); }
inline void NoteTemplateFault(OwnerObjectDraft& draft, absl::Status status) {
  draft.pod->fault = std::move(status);
}

inline constexpr JsonShape kParallelism =
    Integer<&OwnerObjectDraft::parallelism, 0, object_shapes::kInt32Most>();
inline constexpr JsonShape kCompletions =
    Integer<&OwnerObjectDraft::completions, 0, object_shapes::kInt32Most>();
inline constexpr JsonShape kSucceeded =
    Integer<&OwnerObjectDraft::succeeded, 0, object_shapes::kInt32Most>();
inline constexpr JsonShape kApiVersion = Text<&OwnerObjectDraft::api_version>(kMaxNameBytes);
inline constexpr JsonShape kKind = Text<&OwnerObjectDraft::kind>(kMaxNameBytes);
inline constexpr JsonShape kMetadata =
    In<&OwnerObjectDraft::metadata>(Object(object_shapes::kMetadataFields));

// --- any owner: its spec is another for each kind, so what is wrong in it only matters when the
// kind is one that we read
inline constexpr JsonField kSizeFields[] = {
    {"parallelism", kParallelism},
    {"completions", kCompletions},
};
inline constexpr JsonField kDoneFields[] = {
    {"succeeded", kSucceeded},
};
inline constexpr JsonField kOwnerFields[] = {
    {"apiVersion", kApiVersion},
    {"kind", kKind},
    {"metadata", kMetadata},
    {"spec", Forgiving<&NoteSpecFault>(Object(kSizeFields))},
    {"status", Forgiving<&NoteSpecFault>(Object(kDoneFields))},
};
// Target: an OwnerObjectDraft.
inline constexpr JsonShape kOwner = Object(kOwnerFields);

// --- a Job, or the Status of a watch
inline constexpr JsonField kTemplateFields[] = {
    {"metadata", In<&ObjectDraft::metadata>(Object(object_shapes::kMetadataFields))},
    {"spec", Object(object_shapes::kSpecFields)},
};
inline constexpr JsonField kJobSpecFields[] = {
    {"parallelism", kParallelism},
    {"completions", kCompletions},
    {"suspend", Boolean<&OwnerObjectDraft::suspended>()},
    {"template", Forgiving<&NoteTemplateFault>(At<&TemplateOf>(Object(kTemplateFields)))},
};
inline constexpr JsonField kJobStatusFields[] = {
    {"succeeded", kSucceeded},
    {"conditions",
     Anew<&OwnerObjectDraft::conditions>(Array(object_shapes::kCondition, kMaxConditions))},
};
inline constexpr JsonField kJobFields[] = {
    {"apiVersion", kApiVersion},
    {"kind", kKind},
    {"metadata", kMetadata},
    {"spec", Object(kJobSpecFields)},
    {"status", Object(kJobStatusFields)},
    {"message", Text<&OwnerObjectDraft::message>(kMaxMessageBytes)},
    {"code",
     Integer<&OwnerObjectDraft::code, object_shapes::kInt32Least, object_shapes::kInt32Most>()},
};
// Target: an OwnerObjectDraft.
inline constexpr JsonShape kJob = Object(kJobFields);

}  // namespace gangplan::owner_shapes
