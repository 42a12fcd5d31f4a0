// Why a server was not reached, as far as the text of a connection's error tells. Pure; any thread.
#pragma once

#include <string_view>

namespace gangplan {

enum class Reach {
  kOther,         // it was, or nobody knows
  kNoHost,        // there is no host of that name
  kNoNameServer,  // nobody can be asked for it
  kNobodyListens,
};
Reach ReachOf(std::string_view why);

}  // namespace gangplan
