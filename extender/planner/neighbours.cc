#include "extender/planner/neighbours.h"

#include "absl/container/flat_hash_map.h"
#include "extender/planner/limits.h"
#include "topology/label_columns.h"

namespace gangplan {
namespace {

template <typename Entry>
int32_t TakeSlot(std::vector<Entry>& entries, std::vector<int32_t>& unused) {
  if (unused.empty()) {
    entries.emplace_back();
    return static_cast<int32_t>(entries.size()) - 1;
  }
  const int32_t slot = unused.back();
  unused.pop_back();
  return slot;
}

std::vector<PodSelector> SelectorsOf(const std::vector<PodAffinityTerm>& terms) {
  std::vector<PodSelector> selectors;
  for (const PodAffinityTerm& term : terms) selectors.push_back(term.pods);
  return selectors;
}

// True: the node has none left.
bool TakeFrom(absl::flat_hash_map<NodeIndex, int32_t>& nodes, NodeIndex node) {
  auto it = nodes.find(node);
  if (--it->second > 0) return false;
  nodes.erase(it);
  return true;
}

}  // namespace

// ---- who stands

Neighbours::StandId Neighbours::Put(NodeIndex node, ProfileRef who, bool held) {
  const StandId id = TakeSlot(stands_, unused_stands_);
  std::vector<StandId>& siblings = SiblingsOf(who);
  siblings.push_back(id);
  for (int32_t one : FollowersOf(who)) {
    Followed& followed = followed_[static_cast<size_t>(one)];
    if (held && followed.near) continue;
    if (++followed.nodes[node] == 1 && followed.near) followed.version = ++version_;
  }
  for (const PodAffinityTerm& term : who->affinity.apart) Own(term, node);
  stands_[static_cast<size_t>(id)] = {node, std::move(who), held, siblings.size() - 1};
  return id;
}

void Neighbours::Erase(StandId id, bool for_a_moment) {
  const Stand stand = std::exchange(stands_[static_cast<size_t>(id)], {});
  unused_stands_.push_back(id);
  std::vector<StandId>& siblings = SiblingsOf(stand.who);
  const StandId last = siblings.back();
  siblings.pop_back();
  if (last != id) {
    siblings[stand.place] = last;
    stands_[static_cast<size_t>(last)].place = stand.place;
  }
  if (siblings.empty()) {
    by_namespace_.erase(stand.who->ns);
    last_sibling_ = nullptr;
  }
  for (int32_t one : FollowersOf(stand.who)) {
    Followed& followed = followed_[static_cast<size_t>(one)];
    if (stand.held && followed.near) continue;
    const bool left = TakeFrom(followed.nodes, stand.node) && !for_a_moment;
    // The last one of whom there is an affinity leaves the choice to the next.
    if (left && (!followed.near || followed.nodes.empty())) followed.version = ++version_;
  }
  for (const PodAffinityTerm& term : stand.who->affinity.apart)
    Disown(term, stand.node, for_a_moment);
}

// The pods of a gang come and go in a row.
std::vector<Neighbours::StandId>& Neighbours::SiblingsOf(const ProfileRef& who) {
  if (last_sibling_ != who) {
    last_siblings_ = &by_namespace_[who->ns];
    last_sibling_ = who;
  }
  return *last_siblings_;
}

const std::vector<int32_t>& Neighbours::FollowersOf(const ProfileRef& who) {
  if (last_who_ == who) return last_followers_;
  last_who_ = who;
  last_followers_.clear();
  followed_index_.Visit(*who, [&](int32_t one) {
    ++compared_;
    if (SelectAll(followed_[static_cast<size_t>(one)].pods, *who)) last_followers_.push_back(one);
  });
  return last_followers_;
}

void Neighbours::Own(const PodAffinityTerm& term, NodeIndex node) {
  auto known = owned_ids_.find(term);
  if (known == owned_ids_.end()) {
    const int32_t id = TakeSlot(owned_, unused_owned_);
    owned_[static_cast<size_t>(id)].term = term;
    owned_index_.Add(term.pods, id);
    known = owned_ids_.emplace(term, id).first;
  }
  ++owned_[static_cast<size_t>(known->second)].nodes[node];
}

void Neighbours::Disown(const PodAffinityTerm& term, NodeIndex node, bool for_a_moment) {
  auto known = owned_ids_.find(term);
  Owned& owned = owned_[static_cast<size_t>(known->second)];
  if (!TakeFrom(owned.nodes, node)) return;
  if (!for_a_moment && gone_.insert(term.pods).second) ++version_;
  if (!owned.nodes.empty()) return;
  owned_index_.Remove(term.pods, known->second);
  unused_owned_.push_back(known->second);
  owned = {};
  owned_ids_.erase(known);
}

void Neighbours::NoteNodes() {
  if (silent()) return;
  ++version_;
  for (auto& [group, seekers] : seekers_) seekers.version = version_;
}

// ---- who asks

void Neighbours::Seek(int64_t group, int32_t pod_set, ProfileRef who) {
  Seeker seeker;
  if (!who->affinity.near.empty())
    seeker.followed.push_back(Follow(SelectorsOf(who->affinity.near), true));
  for (const PodAffinityTerm& term : who->affinity.apart)
    seeker.followed.push_back(Follow({term.pods}, false));
  seekers_of_[who->ns].insert(group);
  seeker.who = std::move(who);
  Seeker& place = seekers_[group].pod_sets[pod_set];
  Drop(std::exchange(place, std::move(seeker)));
}

void Neighbours::Drop(const Seeker& seeker) {
  for (int32_t id : seeker.followed) Unfollow(id);
}

void Neighbours::Forget(int64_t group) {
  auto it = seekers_.find(group);
  if (it == seekers_.end()) return;
  for (const auto& [pod_set, seeker] : it->second.pod_sets) {
    Drop(seeker);
    auto of = seekers_of_.find(seeker.who->ns);
    if (of == seekers_of_.end()) continue;
    of->second.erase(group);
    if (of->second.empty()) seekers_of_.erase(of);
  }
  seekers_.erase(it);
}

int32_t Neighbours::Follow(std::vector<PodSelector> pods, bool near) {
  FollowedKey key(std::move(pods), near);
  auto known = followed_ids_.find(key);
  if (known == followed_ids_.end()) {
    const int32_t id = TakeSlot(followed_, unused_followed_);
    Followed& followed = followed_[static_cast<size_t>(id)];
    followed.pods = key.first;
    followed.near = near;
    CountStanding(followed);
    followed_index_.Add(followed.pods.front(), id);
    last_who_ = nullptr;
    known = followed_ids_.emplace(std::move(key), id).first;
  }
  ++followed_[static_cast<size_t>(known->second)].users;
  return known->second;
}

void Neighbours::Unfollow(int32_t id) {
  Followed& followed = followed_[static_cast<size_t>(id)];
  if (--followed.users > 0) return;
  followed_index_.Remove(followed.pods.front(), id);
  last_who_ = nullptr;
  followed_ids_.erase(FollowedKey(followed.pods, followed.near));
  followed = {};
  unused_followed_.push_back(id);
}

void Neighbours::CountStanding(Followed& followed) const {
  const PodProfile* last = nullptr;  // those of one template often stand in a row
  bool selected = false;
  const auto count = [&](const std::vector<StandId>& stands) {
    for (StandId id : stands) {
      const Stand& stand = at(id);
      if (stand.held && followed.near) continue;
      if (stand.who.get() != last) selected = SelectAll(followed.pods, *stand.who);
      last = stand.who.get();
      if (selected) ++followed.nodes[stand.node];
    }
  };
  const PodSelector& first = followed.pods.front();
  if (first.all_namespaces) {
    for (const auto& [ns, stands] : by_namespace_) count(stands);
    return;
  }
  for (const std::string& ns : first.namespaces) {
    auto stands = by_namespace_.find(ns);
    if (stands != by_namespace_.end()) count(stands->second);
  }
}

uint64_t Neighbours::Gain(int64_t group) {
  SpreadGone();
  auto it = seekers_.find(group);
  if (it == seekers_.end()) return 0;
  uint64_t gain = it->second.version;
  for (const auto& [pod_set, seeker] : it->second.pod_sets) {
    for (int32_t id : seeker.followed)
      gain = std::max(gain, followed_[static_cast<size_t>(id)].version);
  }
  return gain;
}

// Tells the groups that some term has selected, of which an owner has gone; all of the namespaces
// that they name where to find out which would take longer.
void Neighbours::SpreadGone() {
  size_t looks = 0;
  for (const PodSelector& gone : gone_)
    VisitSeekers(gone, [&](const std::set<int64_t>& groups) { looks += groups.size(); });
  const bool all = looks > kMaxGoneLooks;
  for (const PodSelector& gone : gone_) {
    VisitSeekers(gone, [&](const std::set<int64_t>& groups) {
      for (int64_t group : groups) Tell(gone, all, seekers_.at(group));
    });
  }
  gone_.clear();
}

template <typename Visit>
void Neighbours::VisitSeekers(const PodSelector& gone, Visit visit) const {
  if (gone.all_namespaces) {
    for (const auto& [ns, groups] : seekers_of_) visit(groups);
    return;
  }
  for (const std::string& ns : gone.namespaces) {
    const auto groups = seekers_of_.find(ns);
    if (groups != seekers_of_.end()) visit(groups->second);
  }
}

// `unseen`: also whom it may not select.
void Neighbours::Tell(const PodSelector& gone, bool unseen, Seekers& seekers) {
  if (unseen) seekers.version = version_;
  if (seekers.version == version_) return;
  for (const auto& [pod_set, seeker] : seekers.pod_sets) {
    ++compared_;
    if (Selects(gone, *seeker.who)) seekers.version = version_;
  }
}

// ---- what is ruled out

// The domains of one label in which somebody stands.
class Neighbours::Domains {
 public:
  Domains(const Model& model, std::string_view key)
      : label_(model.Label(key, made_)), has_(label_.texts().size(), 0) {}
  Domains(const Domains&) = delete;
  Domains& operator=(const Domains&) = delete;

  void Add(const NodeCounts& nodes) {
    for (const auto& [node, count] : nodes) has_[ValueOf(node)] = 1;
    has_.front() = 0;  // without the label it is in none
  }
  bool empty() const { return std::find(has_.begin(), has_.end(), 1) == has_.end(); }
  // The node is in some domain of the label, and in one of these.
  bool Divides(NodeIndex node) const { return ValueOf(node) != 0; }
  bool Has(NodeIndex node) const { return has_[ValueOf(node)] != 0; }

 private:
  size_t ValueOf(NodeIndex node) const {
    return static_cast<size_t>(label_.values()[static_cast<size_t>(node)]);
  }

  LabelColumn made_;
  const LabelColumn& label_;
  std::vector<uint8_t> has_;  // by value
};

Neighbours::DomainsByKey Neighbours::ApartDomains(const Model& model, const PodProfile& who) const {
  DomainsByKey domains;
  const auto add = [&](const std::string& key, const NodeCounts& nodes) {
    domains.try_emplace(key, model, key).first->second.Add(nodes);
  };
  for (const PodAffinityTerm& term : who.affinity.apart) {
    auto id = followed_ids_.find(FollowedKey({term.pods}, false));
    if (id != followed_ids_.end())
      add(term.topology_key, followed_[static_cast<size_t>(id->second)].nodes);
  }
  owned_index_.Visit(who, [&](int32_t id) {
    const Owned& owned = owned_[static_cast<size_t>(id)];
    if (Selects(owned.term.pods, who)) add(owned.term.topology_key, owned.nodes);
  });
  std::erase_if(domains, [](const auto& entry) { return entry.second.empty(); });
  return domains;
}

Neighbours::DomainsByKey Neighbours::NearDomains(const Model& model, const PodProfile& who) const {
  DomainsByKey domains;
  if (who.affinity.near.empty()) return domains;
  auto id = followed_ids_.find(FollowedKey(SelectorsOf(who.affinity.near), true));
  if (id == followed_ids_.end()) return domains;
  for (const PodAffinityTerm& term : who.affinity.near) {
    domains.try_emplace(term.topology_key, model, term.topology_key)
        .first->second.Add(followed_[static_cast<size_t>(id->second)].nodes);
  }
  return domains;
}

Neighbours::Ruled Neighbours::RuledOut(const Model& model, TopologyIndex topology,
                                       const PodProfile& who, bool company) const {
  Ruled ruled;
  const DomainsByKey apart = ApartDomains(model, who);
  const DomainsByKey near = NearDomains(model, who);
  ruled.first = !near.empty() && std::all_of(near.begin(), near.end(), [](const auto& entry) {
    return entry.second.empty();
  });
  if (apart.empty() && near.empty()) return ruled;
  const bool anywhere = ruled.first && company;
  for (int32_t leaf = 0; leaf < model.tree(topology).leaf_count(); ++leaf) {
    const NodeIndex node = model.NodeOfLeaf(topology, leaf);
    const auto kept_apart = [&](const auto& entry) { return entry.second.Has(node); };
    const auto near_some = [&](const auto& entry) {
      return anywhere ? entry.second.Divides(node) : entry.second.Has(node);
    };
    if (std::any_of(apart.begin(), apart.end(), kept_apart)) {
      ruled.apart.push_back(leaf);
    } else if (!std::all_of(near.begin(), near.end(), near_some)) {
      ruled.near.push_back(leaf);
    }
  }
  return ruled;
}

}  // namespace gangplan
