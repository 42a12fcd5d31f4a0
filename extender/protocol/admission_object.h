// LimitRange, RuntimeClass, PriorityClass and Kueue's ResourceFlavor, as far as they change what a
// pod asks for, where it may go and how it is ranked. Internal to this room. Pure; any thread.
#pragma once

#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "extender/protocol/object_draft.h"
#include "topology/admission_rule.h"

namespace gangplan {

// Of the kind of an object; nothing: it is none that admission follows.
std::optional<AdmissionRule::Kind> AdmissionKindOf(std::string_view kind);
// Taken out of a draft without a fault; an error when it has no name.
absl::StatusOr<AdmissionRule> TakeAdmissionRule(AdmissionRule::Kind kind, ObjectDraft& draft);

}  // namespace gangplan
