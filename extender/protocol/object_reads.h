// Reading lists and lines of a watch, whatever their objects are read into. Internal to this room.
// Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "extender/protocol/json_sax.h"
#include "extender/protocol/kubernetes_objects.h"
#include "extender/protocol/limits.h"
#include "extender/protocol/object_draft.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {

// Of a draft with `metadata` and `list`.
template <typename Draft>
absl::StatusOr<ObjectList> ReadList(std::string& json, const JsonShape& shape, Draft draft) {
  GANGPLAN_RETURN_IF_ERROR(ParseJson(json, kMaxListBytes, "", shape, &draft));
  draft.list.resource_version = std::move(draft.metadata.resource_version);
  draft.list.continue_token = std::move(draft.metadata.continue_token);
  return std::move(draft.list);
}

inline absl::StatusOr<WatchEvent::Type> ReadType(std::string_view type) {
  if (type == "ADDED") return WatchEvent::Type::kAdded;
  if (type == "MODIFIED") return WatchEvent::Type::kModified;
  if (type == "DELETED") return WatchEvent::Type::kDeleted;
  if (type == "BOOKMARK") return WatchEvent::Type::kBookmark;
  if (type == "ERROR") return WatchEvent::Type::kError;
  if (type.empty()) return Invalid("type is missing");
  return Invalid("type: expected ADDED, MODIFIED, DELETED, BOOKMARK or ERROR, found '{}'",
                 Shown(type));
}

// What was taken, or why it is no such object.
template <typename Facts>
void TakeInto(absl::StatusOr<Facts> taken, Facts& facts, absl::Status& bad) {
  if (taken.ok()) {
    facts = *std::move(taken);
  } else {
    bad = Invalid("object: {}", Message(taken.status()));
  }
}

// take(draft, event) when there is an object to take.
template <typename Draft, typename Take>
absl::StatusOr<WatchEvent> ReadEvent(std::string& line, const JsonShape& shape, Take take) {
  Draft draft;
  GANGPLAN_RETURN_IF_ERROR(ParseJson(line, kMaxObjectBytes, "", shape, &draft));
  WatchEvent event;
  GANGPLAN_ASSIGN_OR_RETURN(event.type, ReadType(draft.type));
  event.resource_version = draft.object.metadata.resource_version;
  event.name = FullName(draft.object.metadata);
  if (event.type == WatchEvent::Type::kError) {
    event.error_code = draft.object.code;
    event.error_message = std::string(draft.object.message);
  } else if (event.type != WatchEvent::Type::kBookmark) {
    take(draft, event);
  }
  return event;
}

}  // namespace gangplan
