// Mirrors of objects that are told as they are: of which what is kept of each says whether it has
// changed. One thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "extender/kube/known_objects.h"
#include "extender/kube/mirror.h"
#include "topology/base/status_macros.h"

namespace gangplan {

// Tells an object when it has changed. `kListed` and `kWatched` are where the decoder puts it;
// `Kept`, made of it, is what is kept: all of it unless something else is said.
template <typename Value, std::vector<Value> ObjectList::*kListed, Value WatchEvent::*kWatched,
          typename Kept = Value>
class WholeMirror : public Mirror {
 public:
  WholeMirror(std::string kind, size_t most) : known_(std::move(kind), most) {}

  void BeginList() override { known_.BeginList(); }

  absl::Status AddPage(ObjectList page, std::vector<ClusterEvent>* out) override {
    for (Value& value : page.*kListed) GANGPLAN_RETURN_IF_ERROR(Put(std::move(value), out));
    for (const BadItem& item : page.bad) known_.Touch(item.name);
    return absl::OkStatus();
  }

  void EndList(std::vector<ClusterEvent>* out) override {
    for (const auto& [key, kept] : known_.TakeUnlisted()) {
      Went(kept);
      out->push_back(Gone(kept));
    }
  }

  absl::Status Apply(WatchEvent event, std::vector<ClusterEvent>* out) override {
    if (event.type == WatchEvent::Type::kDeleted) {
      Delete(event.bad.ok() ? KeyOf(event.*kWatched) : event.name, out);
      return absl::OkStatus();
    }
    return event.bad.ok() ? Put(std::move(event.*kWatched), out) : absl::OkStatus();
  }

 private:
  // As the decoder names an object that it cannot use.
  virtual std::string KeyOf(const Value& value) const { return value.name; }
  virtual ClusterEvent Seen(Value value) const = 0;
  virtual ClusterEvent Gone(const Kept& kept) const = 0;
  // An object was not taken, for this reason: what becomes of its list or watch.
  virtual absl::Status NotTaken(const Kept&, absl::Status why) { return why; }
  // Of one that is new, or another than it was: false, it is left out. What was is not counted.
  virtual bool Takes(const Kept&, bool /*is_known*/) { return true; }
  virtual void Came(const Kept&) {}
  virtual void Went(const Kept&) {}

  absl::Status Put(Value value, std::vector<ClusterEvent>* out) {
    const std::string key = KeyOf(value);
    Kept kept(value);
    auto* entry = known_.Find(key);
    if (entry != nullptr && entry->value == kept) {
      known_.Touch(key);
      return absl::OkStatus();
    }
    if (entry != nullptr) Went(entry->value);
    if (!Takes(kept, entry != nullptr)) {
      if (entry != nullptr) Lose(key, *entry, out);
      return absl::OkStatus();
    }
    absl::Status put = known_.Put(key, kept);
    if (!put.ok()) return NotTaken(kept, std::move(put));
    Came(kept);
    out->push_back(Seen(std::move(value)));
    return absl::OkStatus();
  }

  void Delete(const std::string& key, std::vector<ClusterEvent>* out) {
    auto* entry = known_.Find(key);
    if (entry == nullptr) return;
    Went(entry->value);
    Lose(key, *entry, out);
  }

  void Lose(const std::string& key, const typename Known<Kept>::Entry& entry,
            std::vector<ClusterEvent>* out) {
    out->push_back(Gone(entry.value));
    known_.Erase(key);
  }

  Known<Kept> known_;
};

// Of objects that many people may write, those beyond the limits harm nobody but their own: see
// Shares.
template <typename Value, std::vector<Value> ObjectList::*kListed, Value WatchEvent::*kWatched,
          typename Kept = Value>
class BoundedMirror : public WholeMirror<Value, kListed, kWatched, Kept> {
  using Whole = WholeMirror<Value, kListed, kWatched, Kept>;

 public:
  BoundedMirror(std::string kind, std::string plural, const MirrorLimits& most)
      : Whole(std::move(kind), most.all), shares_(std::move(plural), most) {}

  void BeginList() override {
    shares_.BeginList();
    Whole::BeginList();
  }
  void EndList(std::vector<ClusterEvent>* out) override {
    Whole::EndList(out);
    shares_.EndList();
  }
  std::vector<std::string> TakeWarnings() override { return shares_.TakeWarnings(); }
  bool WantsList() const override { return shares_.WantsList(); }

 private:
  // Empty: it has a share of none.
  static std::string NamespaceOf(const Kept& kept) {
    if constexpr (requires { kept.ns; }) {
      return kept.ns;
    } else {
      return {};
    }
  }
  static size_t BytesOf(const Kept& kept) {
    if constexpr (requires { kept.bytes; }) {
      return kept.bytes;
    } else {
      return 0;
    }
  }
  bool Takes(const Kept& kept, bool is_known) override {
    return shares_.Takes(NamespaceOf(kept), BytesOf(kept), is_known);
  }
  void Came(const Kept& kept) override { shares_.Add(NamespaceOf(kept), BytesOf(kept)); }
  void Went(const Kept& kept) override { shares_.Remove(NamespaceOf(kept), BytesOf(kept)); }
  absl::Status NotTaken(const Kept& kept, absl::Status why) override {
    shares_.LeaveOut(why, BytesOf(kept));
    return absl::OkStatus();
  }

  Shares shares_;
};

}  // namespace gangplan
