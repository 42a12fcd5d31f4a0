#include "topology/base/steady_map.h"

#include <map>
#include <random>
#include <string>

#include "fmt/format.h"
#include "tests/support/catch.h"

namespace gangplan {
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
  steady.VisitAll([&](const std::string& key, int value) { seen[key] = value; });
  CHECK(seen == plain);
  for (const auto& [key, value] : plain) CHECK(*steady.Find(key) == value);
}

}  // namespace
}  // namespace gangplan
