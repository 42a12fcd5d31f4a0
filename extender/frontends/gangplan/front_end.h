// Our own words, and pods without any: rules are about the whole group. Any thread.
#pragma once

#include "extender/frontends/front_end.h"

namespace gangplan {

const FrontEnd& GangplanFrontEnd();

}  // namespace gangplan
