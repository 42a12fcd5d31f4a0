// Words that nobody reads: whoever wrote one meant something by it. A key of ours, or of Kueue's
// about topology, that there is not; and a word that stands as a label, where none of them is read
// but gangplan.io/group. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "topology/labels.h"

namespace gangplan {

// Those of ours that people write.
std::span<const std::string_view> OurWords();
// "gangplan.io/palce: unknown word; did you mean gangplan.io/place?": of the first such key of an
// object in the order of the keys, ours before Kueue's. Empty: nothing is wrong.
std::string UnknownWord(const LabelSet& annotations, const LabelSet& labels);

}  // namespace gangplan
