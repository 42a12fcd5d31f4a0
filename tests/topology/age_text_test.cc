#include "topology/base/age_text.h"

#include <utility>

#include "tests/support/catch.h"

namespace gangplan::age_text_test {
namespace {

TEST_CASE("AgeText: as kubectl has it") {
  const std::pair<int64_t, const char*> ages[] = {
      {-5, "0s"},           {0, "0s"},          {119, "119s"},
      {120, "2m"},          {330, "5m30s"},     {599, "9m59s"},
      {600, "10m"},         {10'799, "179m"},   {10'800, "3h"},
      {16'260, "4h31m"},    {28'800, "8h"},     {172'799, "47h"},
      {172'800, "2d"},      {273'600, "3d4h"},  {691'200, "8d"},
      {63'071'999, "729d"}, {63'072'000, "2y"}, {63'936'000, "2y10d"}};
  for (const auto& [seconds, text] : ages) CHECK(AgeText(absl::Seconds(seconds)) == text);
}

}  // namespace
}  // namespace gangplan::age_text_test
