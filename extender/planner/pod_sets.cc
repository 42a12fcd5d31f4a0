#include "extender/planner/pod_sets.h"

#include <algorithm>

#include "extender/frontends/front_end.h"
#include "extender/frontends/gangplan/words.h"
#include "extender/frontends/named_group.h"
#include "extender/planner/gate_pin.h"
#include "extender/protocol/pod_requests.h"
#include "fmt/format.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

std::vector<PodSetCount> ListOf(const std::vector<PodSet>& sets) {
  std::vector<PodSetCount> listed;
  for (const PodSet& set : sets) listed.push_back({set.name, set.claimed() + set.gone});
  return listed;
}

// kube-scheduler takes no sample of fewer nodes than this (minFeasibleNodesToFind).
constexpr size_t kSampledFrom = 100;

bool NamesNodes(const NodeFilter& filter) {
  const auto& terms = filter.required_terms;
  return terms && terms->size() < kSampledFrom &&
         std::all_of(terms->begin(), terms->end(), [](const NodeSelectorTerm& term) {
           return std::any_of(term.fields.begin(), term.fields.end(), [](const auto& one) {
             return gangplan::NamesNodes(one) && one.op == SelectorOperator::kIn;
           });
         });
}

// A pod that runs may have been resized since it came.
std::string TemplateDifference(const PodSet& set, const PodFacts& pod) {
  if (!pod.node_name.empty() || set.provisional) return {};
  if (pod.requests != set.demand) return "requests other resources than the rest of its pod set";
  if (OwnFilterOf(pod) != set.filter)
    return "has another node selector, affinity or tolerations than the rest of its pod set";
  return {};
}

// With what to write where the pods of a group of others, which tells them apart by no word that is
// read here, are not alike.
std::string Unlike(const PodSet& set, const PodFacts& pod, const GroupSpec& spec) {
  std::string difference = TemplateDifference(set, pod);
  if (difference.empty() || !set.name.empty() || !IsNamedGroup(spec.key.kind)) return difference;
  return fmt::format(
      "{}: all pods of a {} are one; expected {} on all, such as \"leader=1,workers=8\", and {} on "
      "each",
      difference, spec.key.kind, kPodSetsWord, kPodSetWord);
}

// All pods of a gang go to the room of one reservation.
std::string ReservationDifference(const std::vector<PodSet>& sets, const GroupSpec& spec) {
  const auto other = std::find_if(sets.begin(), sets.end(), [&](const PodSet& set) {
    return set.known && set.reservation != spec.reservation;
  });
  if (other == sets.end()) return {};
  const auto shown = [](const std::string& name) {
    return name.empty() ? std::string("none") : fmt::format("\"{}\"", Shown(name));
  };
  return fmt::format("{}: {} where its gang has {}", kReservationWord, shown(spec.reservation),
                     shown(other->reservation));
}

}  // namespace

NodeFilter PodSet::Where() const {
  NodeFilter where = filter;
  if (!pin.empty()) where.required_terms = pin;
  return where;
}

int32_t PodSets::IndexOf(int32_t slot) const {
  int32_t set = 0;
  while (!at(set).Has(slot)) ++set;
  return set;
}

int32_t PodSets::claimed() const {
  int32_t claimed = size_;
  for (const PodSet& set : sets_) claimed -= set.spare;
  return claimed;
}

std::string PodSets::Difference(const PodFacts& pod, const GroupSpec& spec, bool by_owner) const {
  if (empty()) return {};
  std::vector<PodSetCount> list = ListOf(sets_);
  for (size_t i = 0; by_owner && list.size() == spec.pod_sets.size() && i < list.size(); ++i)
    list[i].count = spec.pod_sets[i].count;
  std::string difference = ListDifference(list, spec);
  if (!difference.empty()) return difference;
  const PodSet& own = at(spec.pod_set);
  if (difference = ReservationDifference(sets_, spec); !difference.empty()) return difference;
  if (own.known) {
    difference = OwnDifference(own, spec);
    return difference.empty() ? Unlike(own, pod, spec) : difference;
  }
  for (const PodSet& other : sets_) {
    if (difference.empty() && other.known) difference = OtherDifference(other, spec);
  }
  return difference;
}

int32_t PodSets::Find(std::string_view name) const {
  const auto set =
      std::find_if(sets_.begin(), sets_.end(), [&](const PodSet& one) { return one.name == name; });
  return set == sets_.end() ? -1 : static_cast<int32_t>(set - sets_.begin());
}

std::optional<GroupSpec> PodSets::InOwnList(const GroupSpec& spec) const {
  const bool same =
      std::equal(sets_.begin(), sets_.end(), spec.pod_sets.begin(), spec.pod_sets.end(),
                 [](const PodSet& own, const PodSetCount& one) { return own.name == one.name; });
  const int32_t set = same ? -1 : Find(spec.pod_sets[static_cast<size_t>(spec.pod_set)].name);
  if (set < 0) return std::nullopt;
  GroupSpec own = spec;
  own.pod_sets = ListOf(sets_);
  own.pod_set = set;
  return own;
}

void PodSets::Append(std::string_view name) {
  PodSet& set = sets_.emplace_back();
  set.name = std::string(name);
  set.first = size_;
}

void PodSets::MakeSets(const GroupSpec& spec) {
  if (!empty()) return;
  for (const PodSetCount& one : spec.pod_sets) {
    PodSet& set = sets_.emplace_back();
    set.name = one.name;
    set.first = size_;
    set.count = one.count;
    size_ += one.count;
  }
  CountUnseen();
}

// Nobody waits to see a pod of a set without any.
void PodSets::CountUnseen() {
  const auto unseen = [](const PodSet& set) { return !set.known && set.count > 0; };
  unseen_ = static_cast<int32_t>(std::count_if(sets_.begin(), sets_.end(), unseen));
}

bool PodSets::Learn(const PodFacts& pod, const GroupSpec& spec) {
  MakeSets(spec);
  PodSet& set = sets_[static_cast<size_t>(spec.pod_set)];
  ++set.members;
  const bool runs = !pod.node_name.empty();
  set.waiting += static_cast<int32_t>(!runs);
  if (set.known && !(set.provisional && !runs)) return LearnRuntime(spec.pod_set, spec.room_taken);
  Tell(set, pod, spec, runs);
  return true;
}

bool PodSets::LearnRuntime(int32_t index, int64_t room_taken) {
  PodSet& set = sets_[static_cast<size_t>(index)];
  if (room_taken == 0 || room_taken == set.room_taken) return false;
  set.room_taken = room_taken;
  set.retelling = Retelling::kSame;
  return true;
}

void PodSets::Foretell(const Foretold& told) {
  MakeSets(told.spec);
  PodSet& set = sets_[static_cast<size_t>(told.spec.pod_set)];
  Tell(set, told.pod, told.spec, true);
  set.foretold = true;
}

void PodSets::ForetellLast(const Foretold& told) {
  Foretell(told);
  sets_[static_cast<size_t>(told.spec.pod_set)].last = true;
}

bool PodSets::only_foretold() const {
  return std::all_of(sets_.begin(), sets_.end(),
                     [](const PodSet& set) { return !set.known || set.foretold; });
}

void PodSets::SetFilter(int32_t index, const NodeFilter& filter) {
  PodSet& set = sets_[static_cast<size_t>(index)];
  if (set.filter == filter) return;
  DropShape(set);
  set.filter = filter;
  set.names_nodes = NamesNodes(filter);
}

void PodSets::SetPin(int32_t index, std::vector<NodeSelectorTerm> terms, std::string words) {
  PodSet& set = sets_[static_cast<size_t>(index)];
  if (set.pin == terms) return;
  DropShape(set);
  set.pin = std::move(terms);
  set.pin_words = std::move(words);
  set.names_nodes = NamesNodes(set.Where());
}

void PodSets::Tell(PodSet& set, const PodFacts& pod, const GroupSpec& spec, bool provisional) {
  set.known = true;
  CountUnseen();
  set.provisional = provisional;
  PodProfile profile = pod.profile();
  // Its pods have labels of their own, such as their index, of which their maker did not tell.
  if (std::exchange(set.foretold, false) && set.profile != nullptr)
    profile.labels = set.profile->labels;
  const bool alike = set.profile != nullptr && *set.profile == profile;
  NodeFilter own = OwnFilterOf(pod);
  const bool other = set.demand != pod.requests || !alike || set.topology != spec.topology;
  const Retelling of_nodes = set.filter == own ? Retelling::kSame : Retelling::kNodes;
  set.retelling = other ? Retelling::kOther : of_nodes;
  if (set.retelling != Retelling::kSame) DropShape(set);
  const int32_t count = set.count;  // another one is the owner's to say
  static_cast<PodSetSpec&>(set) = spec.Own();
  TakeRung(set);
  set.count = count;
  set.demand = pod.requests;
  set.filter = std::move(own);
  set.names_nodes = NamesNodes(set.Where());
  set.preferred_terms = pod.preferred_terms;
  set.never_preempts = pod.never_preempts;
  set.room_taken = spec.room_taken;
  set.spares = spec.spares;
  set.grace = static_cast<int32_t>(std::min<int64_t>(pod.run.grace, INT32_MAX));
  set.profile = std::make_shared<const PodProfile>(std::move(profile));
  front_end_ = FrontEndOf(Specs());
  topology_ = spec.topology;
}

void PodSets::DropShape(PodSet& set) {
  if (set.shape >= 0) dropped_.push_back(set.shape);
  set.shape = -1;
}

void PodSets::Waits(PodSet& set, int32_t more) {
  set.waiting += more;
  set.provisional = set.provisional || set.waiting == 0;
}

void PodSets::Run(int32_t set) { Waits(sets_[static_cast<size_t>(set)], -1); }

void PodSets::Lose(int32_t set, bool runs) {
  --sets_[static_cast<size_t>(set)].members;
  Waits(sets_[static_cast<size_t>(set)], runs ? 0 : -1);
}

void PodSets::Unlearn(int32_t index) {
  PodSet& set = sets_[static_cast<size_t>(index)];
  DropShape(set);
  PodSet fresh;
  fresh.name = set.name;
  fresh.first = set.first;
  fresh.count = set.count;
  fresh.spare = set.spare;
  fresh.gone = set.gone;
  set = std::move(fresh);
  CountUnseen();
  fault_.clear();
}

void PodSets::Clear() {
  sets_.clear();
  size_ = unseen_ = 0;
  fault_.clear();
  front_end_ = nullptr;
  rung_ = 0;
  relaxed_ = false;
}

const std::string& PodSets::reservation() const {
  static const std::string kNone;
  const auto set = std::find_if(sets_.begin(), sets_.end(),
                                [](const PodSet& one) { return !one.reservation.empty(); });
  return set == sets_.end() ? kNone : set->reservation;
}

const std::vector<Rung>& PodSets::ladder() const {
  static const std::vector<Rung> kNone;
  const auto set = std::find_if(sets_.begin(), sets_.end(),
                                [](const PodSet& one) { return !one.ladder.empty(); });
  return set == sets_.end() ? kNone : set->ladder;
}

void PodSets::TakeRung(PodSet& set) const {
  if (!set.ladder.empty()) set.rules = set.ladder[std::min(rung_, set.ladder.size() - 1)].rules;
}

void PodSets::SetRung(size_t rung) {
  rung_ = rung;
  for (PodSet& set : sets_) TakeRung(set);
}

bool PodSets::Tie() {
  const PodSetTies ties = front_end_->Tie(Specs());
  fault_ = ties.fault;
  bool moved = false;
  for (size_t i = 0; i < sets_.size(); ++i) {
    sets_[i].tie = ties.group[i];
    moved = moved || sets_[i].first_index != ties.offset[i];
    sets_[i].first_index = ties.offset[i];
  }
  return moved;
}

int64_t PodSets::Asked(std::string_view resource) const {
  int64_t sum = 0;
  for (const PodSet& set : sets_) {
    const int64_t each =
        std::max<int64_t>(AmountOf(set.demand, resource), resource == kPodsResource ? 1 : 0);
    sum += each * set.count;
  }
  return sum;
}

void PodSets::Resize(int32_t index, int32_t count) {
  sets_[static_cast<size_t>(index)].count = count;
  sets_[static_cast<size_t>(index)].spare = 0;
  sets_[static_cast<size_t>(index)].last &= count == 1;
  size_ = 0;
  for (PodSet& set : sets_) {
    set.first = size_;
    size_ += set.count;
  }
  CountUnseen();
}

void PodSets::TakeSpare() {
  for (size_t i = 0; i < sets_.size(); ++i) {
    if (sets_[i].spare > 0) Resize(static_cast<int32_t>(i), sets_[i].claimed());
  }
}

std::string PodSets::BrokenInvariant() const {
  int32_t first = 0;
  int32_t unseen = 0;
  for (const PodSet& set : sets_) {
    if (set.first != first) return fmt::format("pod set {} is misplaced", set.name);
    if (set.members > 0 && !set.known)
      return fmt::format("pod set {} has members but no template", set.name);
    first += set.count;
    unseen += static_cast<int32_t>(!set.known && set.count > 0);
  }
  if (first != size_) return "pod sets do not add up";
  return unseen == unseen_ ? std::string() : "unseen pod sets are miscounted";
}

}  // namespace gangplan
