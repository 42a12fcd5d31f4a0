#include "extender/protocol/unique_names.h"

#include <cstddef>
#include <cstdint>

#include "absl/hash/hash.h"
#include "topology/base/text_map.h"

namespace gangplan {
namespace {

// Open addressing; a slot holds a position + 1, zero is free. At most half full.
class SeenNames {
 public:
  explicit SeenNames(const std::vector<std::string_view>& names) : names_(names) {
    size_t size = 2;
    while (size < 2 * names.size()) size *= 2;
    slots_.resize(size);
  }

  // True when no position that was noted before has this name.
  bool Note(size_t position) {
    const size_t mask = slots_.size() - 1;
    size_t slot = TextHash{}(names_[position]) & mask;
    while (slots_[slot] != 0) {
      if (names_[slots_[slot] - 1] == names_[position]) return false;
      slot = (slot + 1) & mask;
    }
    slots_[slot] = static_cast<uint32_t>(position + 1);
    return true;
  }

 private:
  const std::vector<std::string_view>& names_;
  std::vector<uint32_t> slots_;
};

}  // namespace

void KeepFirstOfEach(std::vector<std::string_view>& names, std::vector<std::string_view>& items) {
  SeenNames seen(names);
  size_t kept = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    // Positions before `kept` are final, so a name that moves there is compared with itself only.
    names[kept] = names[i];
    if (!items.empty()) items[kept] = items[i];
    if (seen.Note(kept)) ++kept;
  }
  names.resize(kept);
  if (!items.empty()) items.resize(kept);
}

}  // namespace gangplan
