// The ConfigMaps in which Sakkara's users describe their groups: which object tells of which group,
// and what it says. Of several objects of one namespace that tell of one group the first by name
// counts; Sakkara takes the last one that it heard of, which a restart changes.
//
// Invariant: every object is listed under exactly one group.
// Thread rule: one caller at a time.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "extender/protocol/sakkara_group.h"
#include "topology/config_map_facts.h"

namespace gangplan {

struct SakkaraObject {
  ConfigMapFacts facts;                // as last seen
  std::string group;                   // whose name it tells
  absl::StatusOr<SakkaraGroup> words;  // the error names the key
};

class SakkaraObjects {
 public:
  // The object as it stands now, or that it is gone. Returns the groups of its namespace for which
  // other words count from now on (at most two, when it has changed its group's name).
  std::vector<std::string> Put(ConfigMapFacts facts);
  std::vector<std::string> Erase(std::string_view ns, std::string_view name);

  // The object that counts for the group; null when none tells of it. Valid until the next change.
  const SakkaraObject* Find(std::string_view ns, std::string_view group) const;
  // The object with this name; null when there is none.
  const SakkaraObject* At(std::string_view ns, std::string_view name) const;

 private:
  using Name = std::pair<std::string, std::string>;  // namespace, name

  void Unlist(const Name& object, const std::string& group);

  std::map<Name, SakkaraObject> objects_;
  std::map<Name, std::set<std::string>> by_group_;  // the names of the objects that tell of it
};

}  // namespace gangplan
