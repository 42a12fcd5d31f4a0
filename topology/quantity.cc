#include "topology/quantity.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

using Wide = unsigned __int128;

constexpr int kNanoDigits = 9;
constexpr int kMaxPower = 38;  // 10^38 is the largest power of ten in 128 bits

// mantissa x 10^decimal x 2^binary
struct Number {
  bool negative = false;
  Wide mantissa = 0;
  int64_t decimal = 0;
  int binary = 0;
};

template <typename... Args>
absl::Status Bad(std::string_view text, fmt::format_string<Args...> why, Args&&... args) {
  return Invalid("quantity \"{}\": {}", text.substr(0, kMaxQuantityLength),
                 fmt::format(why, std::forward<Args>(args)...));
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// a x b, or nothing when 128 bits do not hold it.
std::optional<Wide> Product(Wide a, Wide b) {
  Wide product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

Wide PowerOfTen(int64_t power) {
  Wide result = 1;
  for (int64_t i = 0; i < power; ++i) result *= 10;
  return result;
}

std::string_view TakeDigits(std::string_view& rest) {
  auto end = std::find_if_not(rest.begin(), rest.end(), IsDigit);
  std::string_view digits = rest.substr(0, static_cast<size_t>(end - rest.begin()));
  rest.remove_prefix(digits.size());
  return digits;
}

bool AppendDigits(std::string_view digits, Wide& mantissa) {
  for (char c : digits) {
    std::optional<Wide> shifted = Product(mantissa, 10);
    if (!shifted || __builtin_add_overflow(*shifted, static_cast<Wide>(c - '0'), &mantissa))
      return false;
  }
  return true;
}

// Sign, digits and point, taken off the front of `rest`.
absl::StatusOr<Number> TakeNumber(std::string_view text, std::string_view& rest) {
  Number number;
  if (!rest.empty() && (rest[0] == '+' || rest[0] == '-')) {
    number.negative = rest[0] == '-';
    rest.remove_prefix(1);
  }
  std::string_view whole = TakeDigits(rest);
  std::string_view fraction;
  if (!rest.empty() && rest[0] == '.') {
    rest.remove_prefix(1);
    fraction = TakeDigits(rest);
  }
  if (whole.empty() && fraction.empty()) return Bad(text, "a digit is missing");
  while (!fraction.empty() && fraction.back() == '0') fraction.remove_suffix(1);
  if (!AppendDigits(whole, number.mantissa)) return Bad(text, "too large");
  if (!AppendDigits(fraction, number.mantissa)) return Bad(text, "too many digits");
  number.decimal = -static_cast<int64_t>(fraction.size());
  return number;
}

struct Suffix {
  std::string_view text;
  int decimal = 0;
  int binary = 0;
};
constexpr Suffix kSuffixes[] = {
    {"", 0, 0},    {"n", -9, 0},  {"u", -6, 0},  {"m", -3, 0},  {"k", 3, 0},   {"M", 6, 0},
    {"G", 9, 0},   {"T", 12, 0},  {"P", 15, 0},  {"E", 18, 0},  {"Ki", 0, 10}, {"Mi", 0, 20},
    {"Gi", 0, 30}, {"Ti", 0, 40}, {"Pi", 0, 50}, {"Ei", 0, 60},
};

absl::StatusOr<int32_t> ParseExponent(std::string_view text, std::string_view digits) {
  std::string_view unsigned_part = digits;
  if (!unsigned_part.empty() && (unsigned_part[0] == '+' || unsigned_part[0] == '-'))
    unsigned_part.remove_prefix(1);
  if (unsigned_part.empty() || !std::all_of(unsigned_part.begin(), unsigned_part.end(), IsDigit))
    return Bad(text, "the exponent is not an integer");
  if (digits[0] == '+') digits.remove_prefix(1);
  int32_t exponent = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  if (error != std::errc() || end != digits.data() + digits.size())
    return Bad(text, "the exponent is too large");
  return exponent;
}

absl::Status ApplySuffix(std::string_view text, std::string_view suffix, Number& number) {
  for (const Suffix& known : kSuffixes) {
    if (suffix != known.text) continue;
    number.decimal += known.decimal;
    number.binary = known.binary;
    return absl::OkStatus();
  }
  if (suffix.size() > 1 && (suffix[0] == 'e' || suffix[0] == 'E')) {
    GANGPLAN_ASSIGN_OR_RETURN(int32_t exponent, ParseExponent(text, suffix.substr(1)));
    number.decimal += exponent;
    return absl::OkStatus();
  }
  return Bad(text,
             "unknown suffix \"{}\", expected n u m k M G T P E, Ki Mi Gi Ti Pi Ei or an exponent",
             suffix);
}

Wide Divide(Wide value, Wide divisor, Rounding rounding) {
  bool up = rounding == Rounding::kUp && value % divisor != 0;
  return value / divisor + (up ? 1 : 0);
}

// The absolute value in nano-units, rounded up.
absl::StatusOr<Wide> Nanos(std::string_view text, const Number& number) {
  if (number.mantissa == 0) return Wide{0};
  int64_t power = number.decimal + kNanoDigits;
  if (power < -kMaxPower - kNanoDigits && number.binary == 0) return Wide{1};
  std::optional<Wide> scaled = Product(number.mantissa, Wide{1} << number.binary);
  if (!scaled && power < 0) return Bad(text, "too many digits");
  if (!scaled) return Bad(text, "too large");
  if (power < -kMaxPower) return Wide{1};
  if (power < 0) return Divide(*scaled, PowerOfTen(-power), Rounding::kUp);
  if (power <= kMaxPower) scaled = Product(*scaled, PowerOfTen(power));
  if (power > kMaxPower || !scaled) return Bad(text, "too large");
  return *scaled;
}

}  // namespace

absl::StatusOr<int64_t> ParseQuantity(std::string_view text, Scale scale, Rounding rounding) {
  if (text.empty()) return Bad(text, "empty");
  if (text.size() > kMaxQuantityLength)
    return Bad(text, "longer than {} characters", kMaxQuantityLength);
  std::string_view rest = text;
  GANGPLAN_ASSIGN_OR_RETURN(Number number, TakeNumber(text, rest));
  GANGPLAN_RETURN_IF_ERROR(ApplySuffix(text, rest, number));
  GANGPLAN_ASSIGN_OR_RETURN(Wide nanos, Nanos(text, number));
  Wide value = Divide(nanos, PowerOfTen(scale == Scale::kMilli ? 6 : 9), rounding);
  if (value > static_cast<Wide>(std::numeric_limits<int64_t>::max())) return Bad(text, "too large");
  auto amount = static_cast<int64_t>(value);
  return number.negative ? -amount : amount;
}

}  // namespace gangplan
