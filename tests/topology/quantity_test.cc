#include "topology/quantity.h"

#include <limits>
#include <string>

#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::quantity_test {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

struct Good {
  std::string_view text;
  Scale scale;
  int64_t up;
  int64_t down;
};

// Away from zero and towards zero.
constexpr Good kGood[] = {
    // cpu, in milli
    {"1", Scale::kMilli, 1000, 1000},
    {"0.1", Scale::kMilli, 100, 100},
    {"100m", Scale::kMilli, 100, 100},
    {"4.35", Scale::kMilli, 4350, 4350},
    {"1u", Scale::kMilli, 1, 0},
    {"1500u", Scale::kMilli, 2, 1},
    {"1n", Scale::kMilli, 1, 0},
    {"999999n", Scale::kMilli, 1, 0},
    {"1000000n", Scale::kMilli, 1, 1},
    {"1000001n", Scale::kMilli, 2, 1},
    {".5", Scale::kMilli, 500, 500},
    {"5.", Scale::kMilli, 5000, 5000},
    {"+5", Scale::kMilli, 5000, 5000},
    {"-5", Scale::kMilli, -5000, -5000},
    {"-1u", Scale::kMilli, -1, 0},
    {"0", Scale::kMilli, 0, 0},
    {"-0", Scale::kMilli, 0, 0},
    {"000000000000000000000000000000000000000000000001", Scale::kMilli, 1000, 1000},
    {"1.00000000000000000000000000000000000000000000000000", Scale::kMilli, 1000, 1000},
    {"1k", Scale::kMilli, 1'000'000, 1'000'000},
    // bytes and devices, whole
    {"435", Scale::kOne, 435, 435},
    {"100m", Scale::kOne, 1, 0},
    {"1000m", Scale::kOne, 1, 1},
    {"4.35k", Scale::kOne, 4350, 4350},
    {"1k", Scale::kOne, 1000, 1000},
    {"1Ki", Scale::kOne, 1024, 1024},
    {"1.5Gi", Scale::kOne, 1'610'612'736, 1'610'612'736},
    {"1M", Scale::kOne, 1'000'000, 1'000'000},
    {"1Mi", Scale::kOne, 1'048'576, 1'048'576},
    {"1G", Scale::kOne, 1'000'000'000, 1'000'000'000},
    {"1T", Scale::kOne, 1'000'000'000'000, 1'000'000'000'000},
    {"1Ti", Scale::kOne, 1'099'511'627'776, 1'099'511'627'776},
    {"1P", Scale::kOne, 1'000'000'000'000'000, 1'000'000'000'000'000},
    {"1Pi", Scale::kOne, 1'125'899'906'842'624, 1'125'899'906'842'624},
    {"1E", Scale::kOne, 1'000'000'000'000'000'000, 1'000'000'000'000'000'000},
    {"1E3", Scale::kOne, 1000, 1000},
    {"1e3", Scale::kOne, 1000, 1000},
    {"1E+3", Scale::kOne, 1000, 1000},
    {"2.5e3", Scale::kOne, 2500, 2500},
    {"1500e-3", Scale::kOne, 2, 1},
    {"1Ei", Scale::kOne, 1'152'921'504'606'846'976, 1'152'921'504'606'846'976},
    {"0.5Ki", Scale::kOne, 512, 512},
    {"0.001Ki", Scale::kOne, 2, 1},
    {"0Ei", Scale::kOne, 0, 0},
    {"0e999999", Scale::kOne, 0, 0},
    {"1e-999999", Scale::kOne, 1, 0},
    {"9223372036854775807", Scale::kOne, kMax, kMax},
    {"-9223372036854775807", Scale::kOne, -kMax, -kMax},
    {"9223372036854775.807", Scale::kMilli, kMax, kMax},
    // finer than nano goes to the next nano first, as in Kubernetes, also when rounding down
    {"0.9999999999", Scale::kOne, 1, 1},
    {"0.9999999990", Scale::kOne, 1, 0},
    {"1.0000000001", Scale::kOne, 2, 1},
};

struct Wrong {
  std::string_view text;
  std::string_view message;
};

#define UNKNOWN_SUFFIX(suffix) \
  "unknown suffix \"" suffix "\", expected n u m k M G T P E, Ki Mi Gi Ti Pi Ei or an exponent"

constexpr Wrong kWrong[] = {
    {"", "quantity \"\": empty"},
    {".", "quantity \".\": a digit is missing"},
    {"+", "quantity \"+\": a digit is missing"},
    {"-.", "quantity \"-.\": a digit is missing"},
    {"Ki", "quantity \"Ki\": a digit is missing"},
    {"e3", "quantity \"e3\": a digit is missing"},
    {"--1", "quantity \"--1\": a digit is missing"},
    {" 1", "quantity \" 1\": a digit is missing"},
    {"1 ", "quantity \"1 \": " UNKNOWN_SUFFIX(" ")},
    {"1K", "quantity \"1K\": " UNKNOWN_SUFFIX("K")},
    {"1ki", "quantity \"1ki\": " UNKNOWN_SUFFIX("ki")},
    {"1e", "quantity \"1e\": " UNKNOWN_SUFFIX("e")},
    {"1g", "quantity \"1g\": " UNKNOWN_SUFFIX("g")},
    {"1mi", "quantity \"1mi\": " UNKNOWN_SUFFIX("mi")},
    {"1.2.3", "quantity \"1.2.3\": " UNKNOWN_SUFFIX(".3")},
    {"1_000", "quantity \"1_000\": " UNKNOWN_SUFFIX("_000")},
    {"0x10", "quantity \"0x10\": " UNKNOWN_SUFFIX("x10")},
    {"1e+", "quantity \"1e+\": the exponent is not an integer"},
    {"1E+-3", "quantity \"1E+-3\": the exponent is not an integer"},
    {"1e3i", "quantity \"1e3i\": the exponent is not an integer"},
    {"1e1.5", "quantity \"1e1.5\": the exponent is not an integer"},
    {"1e99999999999", "quantity \"1e99999999999\": the exponent is too large"},
    {"9223372036854775808", "quantity \"9223372036854775808\": too large"},
    {"-9223372036854775808", "quantity \"-9223372036854775808\": too large"},
    {"8Ei", "quantity \"8Ei\": too large"},
    {"10E", "quantity \"10E\": too large"},
    {"1e30", "quantity \"1e30\": too large"},
    {"1e400", "quantity \"1e400\": too large"},
    {"999999999999999999999999999999999999999",
     "quantity \"999999999999999999999999999999999999999\": "
     "too large"},
    {"99999999999999999999999999999999999999Ei",
     "quantity \"99999999999999999999999999999999999999Ei\": "
     "too large"},
    {"0.1111111111111111111111111111111111111111",
     "quantity "
     "\"0.1111111111111111111111111111111111111111\": too many digits"},
    {"0.12345678901234567890123456789Ei",
     "quantity \"0.12345678901234567890123456789Ei\": too many "
     "digits"},
};

TEST_CASE("quantities are read exactly, and rounded as asked") {
  for (const Good& good : kGood) {
    INFO(good.text);
    auto up = ParseQuantity(good.text, good.scale, Rounding::kUp);
    auto down = ParseQuantity(good.text, good.scale, Rounding::kDown);
    REQUIRE(up.ok());
    REQUIRE(down.ok());
    CHECK(*up == good.up);
    CHECK(*down == good.down);
  }
}

TEST_CASE("what is no quantity is refused with the reason") {
  for (const Wrong& wrong : kWrong) {
    INFO(wrong.text);
    auto value = ParseQuantity(wrong.text, Scale::kOne, Rounding::kUp);
    REQUIRE_FALSE(value.ok());
    CHECK(Message(value.status()) == wrong.message);
  }
}

TEST_CASE("milli-units reach their limit a thousand times earlier") {
  CHECK(ParseQuantity("9223372036854775", Scale::kMilli, Rounding::kUp).ok());
  auto value = ParseQuantity("9223372036854776", Scale::kMilli, Rounding::kUp);
  CHECK(Message(value.status()) == "quantity \"9223372036854776\": too large");
}

TEST_CASE("the length of a quantity is limited") {
  std::string text(kMaxQuantityLength, '0');
  CHECK(ParseQuantity(text, Scale::kOne, Rounding::kUp).value() == 0);
  auto value = ParseQuantity(text + "0", Scale::kOne, Rounding::kUp);
  CHECK(Message(value.status()) == "quantity \"" + text + "\": longer than 128 characters");
}

}  // namespace
}  // namespace gangplan::quantity_test
