// Objects of an API server as a saved cluster keeps them: what the decoders of this room read, and
// nothing else (no environment, no commands, no volumes, no status of kubelets), so that they mean
// the same when they are read back. Pure; any thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "topology/pod_facts.h"

namespace gangplan {

struct SavedKind {
  std::string_view kind;
  std::string_view api_version;
  bool owner = false;  // of pods: read as DecodeOwner does
};

struct SavedObject {
  std::string ns;
  std::string name;
  std::string json;  // one object with its kind, on one line
};

// What stands for a name: of objects, namespaces, UIDs, values of labels. Null: itself.
using Rename = std::function<std::string(std::string_view name)>;

struct SavedItems {
  std::vector<SavedObject> objects;
  std::string continue_token;  // of the list's next page; empty: this is the last one
};
// The items of a list of this kind, in their order; `list` is changed. The same objects give the
// same bytes, whatever their versions and heartbeats are. With a `rename`, what the scheduler said
// of a pod is left out. Names stay where they are words: of resources, labels, levels, classes of
// taints, gates and rules.
absl::StatusOr<SavedItems> SaveItems(std::string& list, const SavedKind& kind,
                                     const Rename& rename);

// Jobs, JobSets and other owners that stand in a list of any kinds; one that cannot be read is as
// one that is not there. `json` is changed.
absl::StatusOr<std::vector<OwnerFacts>> DecodeOwners(std::string& json);
// Whether there may be one. Most lists have none, and need not be read for them.
bool MayHoldOwners(std::string_view json);

}  // namespace gangplan
