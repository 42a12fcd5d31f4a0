// Groups that objects of their users describe (ConfigMaps): what the objects say as they come and
// change, and what they and the groups' pods are to be told of how the groups go.
//
// Thread rule: one caller at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "extender/cluster/requests.h"
#include "extender/frontends/group_spec.h"
#include "topology/config_map_facts.h"
#include "topology/labels.h"
#include "topology/pod_facts.h"
#include "topology/tree.h"

namespace gangplan {

// How far a group is, as its object is told.
enum class GroupPhase {
  kWaiting,    // for members, or for room
  kNotPlaced,  // all members are there, and there is no room
  kPlanned,    // all members are there, and their room is held
  kBinding,    // some are bound, or are becoming so
  kStarted,    // all were bound
};

// One that is bound or has succeeded.
struct MemberStanding {
  PodRef pod;
  int32_t rank = 0;                    // in the group; of one that has succeeded any, or -1
  bool bound = false;                  // else it has succeeded
  std::vector<std::string_view> path;  // the units that hold its node from the top, the node last
  const LabelSet* labels = nullptr;    // the pod's, as last seen
};

// A group as it stands. Valid as long as what it points to.
struct GroupStanding {
  GroupKey key;
  GroupPhase phase = GroupPhase::kWaiting;
  int32_t size = 0;
  int32_t plans = 0;                     // how many it has had
  std::optional<absl::Time> begin = {};  // the first pod was seen; nothing: found by a restart
  std::optional<absl::Time> end = {};    // the last one was bound
  absl::Duration solver_time = {};
  std::vector<std::string_view> levels = {};  // of the tree, from the top, the node's last
  std::string quality = {};                   // how near its plan is to the best; empty: not known
  std::vector<MemberStanding> members = {};
};

// Only what is otherwise now; nothing: all was told already.
struct ResultWrites {
  std::optional<DataWrite> object;
  std::vector<LabelsWrite> members;
  std::vector<EventNote> notes;
};

// What a change of an object comes to.
struct ObjectChange {
  std::vector<GroupKey> reread;   // other words count for these from now on
  std::optional<GroupKey> group;  // which the object describes, and whose results it may lack now
  std::optional<EventNote> note;  // for the object's author
};

class GroupObjects {
 public:
  virtual ~GroupObjects() = default;
  // The object as it stands now, or that it is gone.
  virtual ObjectChange Put(ConfigMapFacts object) = 0;
  virtual ObjectChange Erase(std::string_view ns, std::string_view name) = 0;
  // What a pod that names such a group says.
  virtual GroupSpec FindGroup(const PodFacts& pod, const Topology& topology) const = 0;
  // The object that describes the group, for Events; nothing: none does.
  virtual std::optional<OwnerRef> ObjectOf(const GroupKey& key) const = 0;
  // What its object and its pods lack of a group's results. O(size of the object and the group).
  virtual ResultWrites FindResults(const GroupStanding& group) const = 0;
};

}  // namespace gangplan
