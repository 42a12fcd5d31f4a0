#include "topology/base/steady_index.h"

#include <map>
#include <random>
#include <string>

#include "fmt/format.h"
#include "tests/support/catch.h"

namespace gangplan::steady_index_test {
namespace {

TEST_CASE("A steady index finds what was set, whatever comes and goes") {
  std::mt19937 random(5);
  SteadyIndex<int> steady;
  std::map<std::string, int> plain;
  for (int i = 0; i < 20'000; ++i) {
    const std::string key = fmt::format("key-{}", random() % 3'000);
    if (random() % 3 == 0) {
      steady.Erase(key);
      plain.erase(key);
    } else {
      steady.Set(key, i);
      plain[key] = i;
    }
    CHECK((steady.Find(key) != nullptr) == plain.contains(key));
  }
  for (const auto& [key, value] : plain) CHECK(*steady.Find(key) == value);
}

}  // namespace
}  // namespace gangplan::steady_index_test
