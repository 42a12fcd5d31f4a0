// Which gangplan.io/* keys there are, and what is wrong with the others on an object. Pure; any
// thread.
#pragma once

#include <string>

#include "topology/labels.h"

namespace gangplan {

// "gangplan.io/plase: unknown; expected one of ...", of the first such key in the order of the
// keys; also of a word that stands as a label only, where nobody reads it. Empty: nothing is wrong.
std::string UnknownKey(const LabelSet& annotations, const LabelSet& labels);

}  // namespace gangplan
