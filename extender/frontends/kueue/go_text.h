// Numbers and truth as Go's strconv reads them, which is how Kueue reads its words: the whole text,
// no blanks. Nothing when the text is no such word. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gangplan {

// A decimal number of 32 bits, a sign allowed.
std::optional<int32_t> ReadGoInteger(std::string_view text);
// 1, t, T, true, TRUE, True and 0, f, F, false, FALSE, False.
std::optional<bool> ReadGoTruth(std::string_view text);

}  // namespace gangplan
