// Kueue's topology words: rules are about one pod set, and two pod sets may go together. Any
// thread.
#pragma once

#include "extender/frontends/front_end.h"

namespace gangplan {

const FrontEnd& KueueFrontEnd();

}  // namespace gangplan
