// The demo in this process, letter by letter: docs/demo.txt is what it prints, but for the times.
#include "extender/demo/demo.h"

#include <cctype>
#include <fstream>
#include <sstream>

#include "extender/observe/log.h"
#include "tests/support/catch.h"

namespace gangplan::demo_test {
namespace {

// "after 12 ms" becomes "after N ms".
std::string WithoutTimes(std::string text) {
  constexpr std::string_view kBefore = "after ";
  for (size_t at = text.find(kBefore); at != std::string::npos; at = text.find(kBefore, at)) {
    at += kBefore.size();
    size_t end = at;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    if (text.substr(end, 3) == " ms") text.replace(at, end - at, "N");
  }
  return text;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST_CASE("The demo keeps what it says and prints what docs show") {
  ProcessLogger().set_level(LogLevel::kError);
  std::string printed;
  const bool kept = PlayDemo(DemoOptions(), [&](std::string_view text) { printed += text; });
  CHECK(WithoutTimes(printed) == WithoutTimes(ReadFile(GANGPLAN_SOURCE_DIR "/docs/demo.txt")));
  CHECK(kept);
  CHECK_THAT(printed, EndsWith("4 of 4 gangs as expected\n"));
}

TEST_CASE("Times are left out of the comparison") {
  CHECK(WithoutTimes("running after 12 ms\nafter all, after 3 ms") ==
        "running after N ms\nafter all, after N ms");
}

}  // namespace
}  // namespace gangplan::demo_test
