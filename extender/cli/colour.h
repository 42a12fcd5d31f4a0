// Whether what is printed may have colours. Any thread.
#pragma once

namespace gangplan {

// Standard output is a terminal, and NO_COLOR is not set.
bool MayColour();

}  // namespace gangplan
