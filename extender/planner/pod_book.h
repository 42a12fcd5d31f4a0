// What is known of each pod: by the watch, or by a call of the scheduler that came before it; and
// which pods were deleted, so that what arrives late from another stream changes nothing.
// There are some hundred thousand, most of them of nobody's group: a record is small, and what pods
// of one template have alike they share.
// Thread rule: the planner's. A reference dies with its own Erase.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "extender/planner/ledger.h"
#include "extender/planner/single_pods.h"
#include "extender/planner/timers.h"
#include "topology/base/steady_map.h"
#include "topology/base/text_map.h"
#include "topology/pod_facts.h"

namespace gangplan {

// How a pod stands to groups while it is a member of none.
enum class Kin : uint8_t {
  kForeign,
  kAlone,  // foreign too: it waits for a scheduler of ours and says nothing of a group
  kWaitsForOwner,
  kClaimRefused,  // its group would be beyond what its namespace may claim
};

inline constexpr int kKins = 4;

using RequestsRef = std::shared_ptr<const ResourceList>;

struct KnownPod {
  RequestsRef requests;  // never null
  ProfileRef profile;    // likewise
  // Of the controller whose user it is in the owners' book, which keeps this text for its users;
  // empty: none.
  std::string_view owner_key;
  GroupId group = 0;              // 0: of none
  uint32_t created = 0;           // Unix seconds, as it was seen first
  NodeIndex single_on = kNoNode;  // where it is one of SinglePods; kNoNode: it is not
  // kClaimRefused: why, for people. Of a member: what others call it, where that is not its name
  // (PodFacts::host).
  std::unique_ptr<std::string> text;
  // The node that it was released to alone, or may have been: nobody asks us before it goes there,
  // so its room is its own until it is bound or gone. Empty: none.
  std::string pledge;
  int32_t priority = 0;
  uint32_t ends = 0;         // Unix seconds: it is gone by then; 0: not known, or not bound
  uint32_t shown_words = 0;  // what the watch has shown of one that waits (Roster::NoteShown)
  Kin kin = Kin::kForeign;
  bool going : 1 = false;           // a release from its gate may land
  bool bound : 1 = false;           // as the watch knows, to the node where the ledger has it
  bool leaving : 1 = false;         // terminating or finished: never placed again
  bool faulty : 1 = false;          // something in it cannot be read: it counts on its node alone
  bool confirmed : 1 = false;       // the watch has shown it
  bool controlled : 1 = false;      // it has a controller, which makes it anew
  bool late : 1 = false;            // ... but not before it is gone
  bool ready : 1 = false;           // as seen last, where that counts (ReadyTimes)
  bool was_ready : 1 = false;       // ... once
  bool found : 1 = false;           // it was bound when it was seen first
  bool asked : 1 = false;           // filter was, or may have been of the Gangplan before
  bool never_released : 1 = false;  // from a gate, whatever its annotation says
  // It is known as our last write has left it, not as the watch shows it.
  bool foreseen : 1 = false;
  // As last seen, where its words may be read again: of a member that waits, or of any when levels
  // or objects may change.
  std::unique_ptr<PodFacts> facts;

  bool foreign() const { return kin == Kin::kForeign || kin == Kin::kAlone; }
};

class PodBook {
 public:
  KnownPod* Find(std::string_view uid) { return pods_.Find(uid); }
  const KnownPod* Find(std::string_view uid) const { return pods_.Find(uid); }
  KnownPod& At(std::string_view uid) { return *Find(uid); }
  const KnownPod& At(std::string_view uid) const { return *Find(uid); }
  // The pod's record, made when there is none, with the facts that may change.
  KnownPod& Note(const PodFacts& pod);
  // So much text of a pod of which the scheduler alone has told is kept until the watch shows it.
  // False: that would be too many of them (kMaxUnconfirmed), or too much text of all
  // (kMaxUnconfirmedBytes); what was kept of this one is kept.
  bool KeepText(std::string_view uid, size_t bytes);
  // Such a one is due after a while.
  void AwaitConfirmation(std::string_view uid, absl::Time until);
  void Confirm(std::string_view uid);
  std::vector<std::string> TakeUnconfirmed(absl::Time now) { return unconfirmed_.TakeDue(now); }
  void SetKin(KnownPod& record, Kin kin);
  void Erase(std::string_view uid);
  // Of one that is bound: it is gone by then, in Unix seconds; 0: nobody knows.
  void NoteEnd(std::string_view uid, int64_t until);
  // Those of no group of which that is known, the first to go first. The slots of groups have it.
  const std::set<std::pair<uint32_t, std::string>>& ending() const { return ending_; }
  // It runs there, and may have to go by itself; kNoNode: it does not, or may not.
  void NoteSingle(const PodFacts& pod, NodeIndex node);
  const SinglePods& singles() const { return singles_; }
  // Of a record of this book. O(1).
  static std::string_view UidOf(const KnownPod& record) {
    return SteadyMap<KnownPod>::KeyOfValue(record);
  }
  // Terminating, and still on its node.
  void NoteStopping(std::string_view uid, bool stops);
  // Of one that does: if it still does then it hangs, and nobody knows when it goes. The first word
  // counts.
  void HangsAt(std::string_view uid, absl::Time at);
  void NoteHanging(absl::Time now);
  bool Hangs(std::string_view uid) const { return hanging_.contains(uid); }
  // But for those that hang.
  const std::set<std::string, std::less<>>& stopping() const { return stopping_; }

  // A member that runs has its slot; those of which that was noted since the last call, each once.
  void NoteSeated(std::string_view uid) { seated_.emplace(uid); }
  std::set<std::string> TakeSeated() { return std::exchange(seated_, {}); }

  int64_t faulty() const { return faulty_; }
  int64_t kin(Kin kin) const { return kins_[static_cast<size_t>(kin)]; }

  // The ledger has each pod that is bound, and single ones where they are listed.
  std::string BrokenInvariant(const Ledger& ledger) const;

  // The last ones that were deleted, so many.
  void Bury(std::string_view uid);
  bool Buried(std::string_view uid) const { return tombstones_.contains(uid); }

 private:
  SteadyMap<KnownPod> pods_;
  SinglePods singles_;
  std::set<std::string, std::less<>> stopping_;
  Timers<std::string> hangs_;  // of these, when they hang
  std::set<std::string, std::less<>> hanging_;
  std::set<std::pair<uint32_t, std::string>> ending_;
  std::set<std::string> seated_;
  int64_t faulty_ = 0;
  std::array<int64_t, kKins> kins_ = {};
  // Pods of one template often come one after another.
  ProfileRef last_profile_;
  RequestsRef last_requests_;
  void ForgetText(std::string_view uid);

  Timers<std::string> unconfirmed_;  // that no watch has shown
  absl::flat_hash_map<std::string, size_t, TextHash, TextEqual> kept_text_;  // ... so much text
  size_t kept_bytes_ = 0;                                                    // of all of them
  SteadyMap<std::monostate> tombstones_;
  std::deque<std::string> buried_;
};

}  // namespace gangplan
