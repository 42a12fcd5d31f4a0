// The kinds of docs/workloads.md, one row each: a pod and its object as the controllers write them,
// of random sizes, and the member that it is to be found as. Pure.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gangplan {

using Words = std::vector<std::pair<std::string, std::string>>;

// What is to come of a pod.
struct KindRow {
  std::string api_version = {}, kind = {};  // of the pod's controller; no kind: it has none
  std::string name = "train";               // likewise
  std::string object = {};   // as the API server has it; empty: there is none to read
  std::string leader = {};   // the UID of the pod that owns an object without words
  Words object_words = {};   // annotations that the object has, beside people's
  bool by_job = false;       // the pod's controller is a Job, which the object has made
  Words labels = {};         // that the controller writes on the pod
  Words annotations = {};    // likewise
  std::string extra = {};    // fields of the pod's spec
  std::string sets = {};     // expected: "leader=1,workers=3", "4 members"
  std::string pod_set = {};  // likewise, the pod's own
  int32_t rank = -1;         // likewise
  bool at_least = false;     // likewise: more may join
  bool needs_word = true;    // without one it is a plain pod
  bool by_pod = false;       // only its own words count
  std::string origin = {};   // expected: a part of what tells the size
};

class Dice {
 public:
  explicit Dice(uint32_t seed) : engine_(seed) {}
  int From(int low, int high) {
    return low + static_cast<int>(engine_() % static_cast<uint32_t>(high - low + 1));
  }
  bool Flip() { return From(0, 1) == 1; }

 private:
  std::mt19937 engine_;
};

// In a row's object: where the words of its own metadata go, and those of its pods' templates.
inline constexpr std::string_view kOwnWords = "@own@";
inline constexpr std::string_view kTemplateWords = "@template@";

struct KindOfRow {
  std::string_view name;
  KindRow (*make)(Dice&);
};
const std::vector<KindOfRow>& KindRows();

}  // namespace gangplan
