#include "topology/base/steady_map.h"

#include <map>
#include <random>
#include <string>

#include "fmt/format.h"
#include "tests/support/catch.h"

namespace gangplan::steady_map_test {
namespace {

TEST_CASE("A steady map is a map, whatever comes and goes") {
  std::mt19937 random(5);
  SteadyMap<int> steady;
  std::map<std::string, int> plain;
  for (int i = 0; i < 20'000; ++i) {
    const std::string key = fmt::format("key-{}", random() % 3'000);
    if (random() % 3 == 0) {
      steady.Erase(key);
      plain.erase(key);
    } else {
      const auto [value, made] = steady.Make(key);
      CHECK(made == !plain.contains(key));
      CHECK(*value == plain[key]);
      *value = plain[key] = i;
    }
    CHECK(steady.contains(key) == plain.contains(key));
    CHECK(steady.size() == plain.size());
  }
  std::map<std::string, int> seen;
  steady.VisitAll([&](std::string_view key, int value) { seen[std::string(key)] = value; });
  CHECK(seen == plain);
  for (const auto& [key, value] : plain) CHECK(*steady.Find(key) == value);
}

TEST_CASE("A copy of a steady map is another map") {
  SteadyMap<std::string> one;
  *one.Make("a").first = "first";
  *one.Make("").first = "of the empty key";
  SteadyMap<std::string> other = one;
  *other.Find("a") = "second";
  other.Erase("");
  CHECK(*one.Find("a") == "first");
  CHECK(*one.Find("") == "of the empty key");
  CHECK(other.size() == 1);
  other = one;
  CHECK(other.size() == 2);
  CHECK(*other.Find("a") == "first");
}

TEST_CASE("What points into a steady map stays while others come and go") {
  SteadyMap<int> steady;
  int* first = steady.Make("first").first;
  *first = 1;
  const std::string_view kept = steady.KeptKey(std::string("first"));
  for (int i = 0; i < 10'000; ++i) steady.Make(fmt::format("{}", i));
  CHECK(steady.Find("first") == first);
  CHECK(kept.data() == steady.KeptKey("first").data());
  CHECK(kept == "first");
  steady.EraseIf([](std::string_view key, int& value) { return key != "first" && value == 0; });
  CHECK(steady.size() == 1);
  CHECK(*steady.Find("first") == 1);
}

}  // namespace
}  // namespace gangplan::steady_map_test
