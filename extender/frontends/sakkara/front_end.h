// The words of Sakkara's users: a ConfigMap describes the group and is told its results. Any
// thread.
#pragma once

#include "extender/frontends/front_end.h"

namespace gangplan {

const FrontEnd& SakkaraFrontEnd();

}  // namespace gangplan
