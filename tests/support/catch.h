// Catch2 under one name for both versions that Debian ships (2 on Debian 12, 3 on Debian 13).
// What differs, and what works in both:
// - the header: include this file only, never "catch2/...";
// - matchers on text and vectors: `REQUIRE_THAT(text, Contains("x"))` with the `using` lines below.
//   In version 3 `Contains` on text is `ContainsSubstring`; here `ContainsText` is right in both.
//   Matchers of one's own and matchers on ranges differ too much: compare values instead;
// - doubles: `Approx` (a class of Catch:: in 3);
// - GENERATE, SECTION, TEMPLATE_TEST_CASE, INFO, CAPTURE and StringMaker are the same.
// A test case with the tag [.long] runs in `./dev test --long` only.
#pragma once

#ifdef GANGPLAN_CATCH3
#include "catch2/catch_all.hpp"
#else
#include "catch2/catch.hpp"
#endif

#include <string>

namespace gangplan {

using Catch::Matchers::EndsWith;
using Catch::Matchers::Equals;
using Catch::Matchers::StartsWith;

// The text holds this part.
inline auto ContainsText(const std::string& part) {
#ifdef GANGPLAN_CATCH3
  return Catch::Matchers::ContainsSubstring(part);
#else
  return Catch::Matchers::Contains(part);
#endif
}

}  // namespace gangplan

#ifdef GANGPLAN_CATCH3
using Catch::Approx;
#endif
