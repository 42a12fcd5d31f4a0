// Kubernetes resource quantities: "500m", "1.5Gi", "2e3". The grammar is apimachinery's: a sign,
// digits with an optional point on either side, then one of the suffixes n u m (none) k M G T P E,
// Ki Mi Gi Ti Pi Ei, or an exponent e/E with a signed integer. Integers only, 128 bits inside;
// what does not fit into int64 in the wanted scale is an error, never a cap.
// As in Kubernetes a value finer than a nano-unit is rounded away from zero to nanos first.
// Pure functions; any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"

namespace gangplan {

enum class Scale { kMilli, kOne };

// Away from zero (what is asked for), or towards zero (what there is).
enum class Rounding { kUp, kDown };

// Longer text is refused.
inline constexpr size_t kMaxQuantityLength = 128;

// `text` in thousandths or in whole units. Negative values are values: whether they make sense is
// for the caller to say.
absl::StatusOr<int64_t> ParseQuantity(std::string_view text, Scale scale, Rounding rounding);

}  // namespace gangplan
