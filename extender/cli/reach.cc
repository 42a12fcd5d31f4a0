#include "extender/cli/reach.h"

#include <netdb.h>

#include <cerrno>
#include <cstring>

namespace gangplan {
namespace {

bool Says(std::string_view text, std::string_view words) {
  return text.find(words) != std::string_view::npos;
}

}  // namespace

Reach ReachOf(std::string_view why) {
  if (Says(why, gai_strerror(EAI_NONAME)) || Says(why, gai_strerror(EAI_NODATA)))
    return Reach::kNoHost;
  if (Says(why, gai_strerror(EAI_AGAIN))) return Reach::kNoNameServer;
  return Says(why, std::strerror(ECONNREFUSED)) ? Reach::kNobodyListens : Reach::kOther;
}

}  // namespace gangplan
