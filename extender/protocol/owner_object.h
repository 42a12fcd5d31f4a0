// An object that makes pods while it is read: of any kind its metadata, of a Job also how many pods
// it has; and of a Job that waits its template, as the pod that it would make. Internal to this
// room. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "extender/protocol/object_draft.h"
#include "topology/job_facts.h"

namespace gangplan {

struct OwnerObjectDraft {
  std::string_view api_version;
  std::string_view kind;
  MetadataDraft metadata;
  std::optional<int64_t> parallelism;
  std::optional<int64_t> completions;
  std::optional<int64_t> succeeded;
  // What is wrong in the spec or the status of an owner, which may be of a kind that we do not
  // read. A Job that is read as such is refused by the walk.
  absl::Status spec_fault;
  bool suspended = false;
  std::vector<ConditionDraft> conditions;
  std::optional<ObjectDraft> pod;  // the template; its fault is what is wrong in it
  // Status, the object of a watch's error.
  std::string_view message;
  int32_t code = 0;
};

absl::StatusOr<OwnerFacts> TakeOwner(OwnerObjectDraft& draft);
// Of one that may lack apiVersion and kind, as in a list. An error, which leaves the draft as it
// is, when it does not tell which Job it is.
absl::StatusOr<JobFacts> TakeJob(OwnerObjectDraft& draft);

}  // namespace gangplan
