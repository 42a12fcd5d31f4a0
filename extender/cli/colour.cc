#include "extender/cli/colour.h"

#include <unistd.h>

#include <cstdlib>

namespace gangplan {

bool MayColour() {
  const char* no_color = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) == 1 && (no_color == nullptr || *no_color == '\0');
}

}  // namespace gangplan
