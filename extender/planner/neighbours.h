// Who stands where, for those whom required affinity and anti-affinity bid to stand beside others
// or apart from them: which nodes that rules out for a pod set now, and which groups may gain when
// somebody comes or goes. What a pod set asks of its own members is not decided here.
//
// A pod on a node counts in both ways, room that is held in anti-affinity alone: the scheduler does
// not see it yet. Passing like what is full: the empty cluster knows nothing of it.
//
// Cost: for who comes or goes O(its labels and the selectors that they lead to), next to nothing
// while nobody has terms; for a selector that was not known O(those who stand in its namespaces).
// Thread rule: the planner's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "extender/planner/selector_index.h"
#include "topology/base/text_map.h"
#include "topology/model.h"
#include "topology/pod_affinity.h"

namespace gangplan {

class Neighbours {
 public:
  using StandId = int32_t;
  struct Stand {
    NodeIndex node = kNoNode;
    ProfileRef who;
    bool held = false;  // room, not a pod
    size_t place = 0;   // among those of its namespace
  };

  // --- Who stands.
  StandId Put(NodeIndex node, ProfileRef who, bool held);
  const Stand& at(StandId stand) const { return stands_[static_cast<size_t>(stand)]; }
  // `for_a_moment`: it comes back or is gone for good later; nobody gains yet.
  void Erase(StandId stand, bool for_a_moment = false);
  // Some node's labels changed: domains may be others.
  void NoteNodes();
  size_t size() const { return stands_.size() - unused_stands_.size(); }
  // Nobody asks for anything: who stands rules nothing out.
  bool silent() const { return followed_ids_.empty() && owned_ids_.empty(); }
  // Selectors that were held against somebody, since start: what this class costs.
  int64_t compared() const { return compared_; }

  // --- Who asks. A pod set that asks again is known by its last profile.
  void Seek(int64_t group, int32_t pod_set, ProfileRef who);
  void Forget(int64_t group);
  // Grows whenever some group may have gained.
  uint64_t version() const { return version_; }
  // Grows when a pod set of the group may go where it could not. O(log groups), and once O(groups
  // of the namespaces) for each kind of term whose owner has gone.
  uint64_t Gain(int64_t group);

  // --- What is ruled out.
  struct Ruled {
    std::vector<int32_t> apart;  // leaves of the topology, ascending: of anti-affinity
    std::vector<int32_t> near;   // likewise, of affinity alone
    bool first = false;          // it has an affinity, and nobody stands whom that selects

    bool Has(int32_t leaf) const {
      return std::binary_search(apart.begin(), apart.end(), leaf) ||
             std::binary_search(near.begin(), near.end(), leaf);
    }
  };
  // `company`: some pod of its own group is one that its affinity selects, so that the group may be
  // the first. REQUIRES: somebody seeks with it, or its own terms say nothing. O(leaves x terms),
  // nothing without terms.
  Ruled RuledOut(const Model& model, TopologyIndex topology, const PodProfile& who,
                 bool company) const;

 private:
  using NodeCounts = absl::flat_hash_map<NodeIndex, int32_t>;
  // Selectors that some pod set follows together.
  struct Followed {
    std::vector<PodSelector> pods;
    bool near = false;
    int32_t users = 0;
    NodeCounts nodes;  // of those that all of them select
    uint64_t version = 0;
  };
  // An anti-affinity term of somebody who stands.
  struct Owned {
    PodAffinityTerm term;
    NodeCounts nodes;
  };
  struct Seeker {
    ProfileRef who;
    std::vector<int32_t> followed;
  };
  struct Seekers {
    std::map<int32_t, Seeker> pod_sets;
    uint64_t version = 0;  // when owners of terms that select them have gone
  };
  using FollowedKey = std::pair<std::vector<PodSelector>, bool>;
  class Domains;
  using DomainsByKey = std::map<std::string, Domains>;

  // Those of its namespace, itself among them.
  std::vector<StandId>& SiblingsOf(const ProfileRef& who);
  // Who follows this one, by id. The pods and the room of one template are asked for in a row.
  const std::vector<int32_t>& FollowersOf(const ProfileRef& who);
  int32_t Follow(std::vector<PodSelector> pods, bool near);
  void Unfollow(int32_t id);
  void CountStanding(Followed& followed) const;
  void Drop(const Seeker& seeker);
  void Own(const PodAffinityTerm& term, NodeIndex node);
  void Disown(const PodAffinityTerm& term, NodeIndex node, bool for_a_moment);
  void SpreadGone();
  // visit(groups) of each namespace that it names.
  template <typename Visit>
  void VisitSeekers(const PodSelector& gone, Visit visit) const;
  void Tell(const PodSelector& gone, bool unseen, Seekers& seekers);
  DomainsByKey ApartDomains(const Model& model, const PodProfile& who) const;
  DomainsByKey NearDomains(const Model& model, const PodProfile& who) const;

  std::vector<Stand> stands_;
  std::vector<StandId> unused_stands_;
  std::map<std::string, std::vector<StandId>, std::less<>> by_namespace_;
  ProfileRef last_sibling_;  // whose siblings were asked for last; null: nobody's
  std::vector<StandId>* last_siblings_ = nullptr;

  std::vector<Followed> followed_;
  std::vector<int32_t> unused_followed_;
  absl::flat_hash_map<FollowedKey, int32_t> followed_ids_;
  SelectorIndex followed_index_;
  ProfileRef last_who_;  // of whom the followers were asked last; null: they are others now
  std::vector<int32_t> last_followers_;
  int64_t compared_ = 0;

  std::vector<Owned> owned_;
  std::vector<int32_t> unused_owned_;
  absl::flat_hash_map<PodAffinityTerm, int32_t> owned_ids_;
  SelectorIndex owned_index_;
  absl::flat_hash_set<PodSelector> gone_;  // of terms of which an owner has left a node

  std::map<int64_t, Seekers> seekers_;
  TextMap<std::set<int64_t>> seekers_of_;  // by namespace
  uint64_t version_ = 0;
};

}  // namespace gangplan
