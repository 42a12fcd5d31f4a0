#include "config/host_list.h"

#include <sys/resource.h>

#include "tests/support/catch.h"
#include "topology/base/clock.h"
#include "topology/base/text.h"

namespace gangplan::host_list_test {
namespace {

using Names = std::vector<std::string>;

Names HostsOf(std::string_view text, size_t most = 1'000) {
  Names hosts;
  const absl::Status status = AppendHosts(text, most, hosts);
  INFO(Message(status));
  CHECK(status.ok());
  return hosts;
}

std::string ErrorOf(std::string_view text, size_t most = 1'000) {
  Names hosts = {"before"};
  const absl::Status status = AppendHosts(text, most, hosts);
  CHECK_FALSE(status.ok());
  CHECK(hosts == Names{"before"});
  return Message(status);
}

}  // namespace

TEST_CASE("A host list names each host once for each number") {
  CHECK(HostsOf("login") == Names{"login"});
  CHECK(HostsOf("n[1-3,7]") == Names{"n1", "n2", "n3", "n7"});
  CHECK(HostsOf("n[08-10]") == Names{"n08", "n09", "n10"});
  CHECK(HostsOf("n[5]x,a,b[2-2]") == Names{"n5x", "a", "b2"});
  CHECK(HostsOf("r[0-1]n[1-2].lab") == Names{"r0n1.lab", "r0n2.lab", "r1n1.lab", "r1n2.lab"});
  CHECK(HostsOf("n[999999999]") == Names{"n999999999"});
}

TEST_CASE("A host list that is none is refused with what was expected") {
  CHECK(ErrorOf("") == "\"\": the name of a host expected between commas");
  CHECK(ErrorOf("a,,b") == "\"\": the name of a host expected between commas");
  CHECK(ErrorOf("a,") == "\"\": the name of a host expected between commas");
  CHECK(ErrorOf("a,n[1-3") == "n[1-3: a ] expected behind each [");
  CHECK(ErrorOf("n1-3]") == "n1-3]: a [ expected before each ]");
  CHECK(ErrorOf("n[]") == "n[]: \"\": a number or a range such as 1-4 expected in brackets");
  CHECK(ErrorOf("n[1,]") == "n[1,]: \"\": a number expected behind the comma");
  CHECK(ErrorOf("n[a-c]") ==
        "n[a-c]: \"a-c\": a number or a range such as 1-4 expected in brackets");
  CHECK(ErrorOf("n[1-2-3]") ==
        "n[1-2-3]: \"1-2-3\": a number or a range such as 1-4 expected in brackets");
  CHECK(ErrorOf("n[3-1]") == "n[3-1]: \"3-1\": the greater number expected last");
  CHECK(ErrorOf("n[1000000000]") ==
        "n[1000000000]: \"1000000000\": a number or a range such as 1-4 expected in brackets");
  CHECK(ErrorOf("n[[1]]") ==
        "n[[1]]: \"[1\": a number or a range such as 1-4 expected in brackets");
}

TEST_CASE("A host list names no more hosts than are allowed, and costs no more") {
  CHECK(HostsOf("n[1-4]", 4).size() == 4);
  CHECK(ErrorOf("n[1-5]", 4) == "n[1-5]: \"1-5\": at most 4 names expected");
  CHECK(HostsOf("a[0-1]b[0-1]", 4).size() == 4);
  CHECK(ErrorOf("a[0-1]b[0-2]", 4) == "a[0-1]b[0-2]: at most 4 names expected");
  CHECK(HostsOf("n[1-2],m[1-2]", 4).size() == 4);
  CHECK(ErrorOf("n[1-2],m[1-3]", 4) == "m[1-3]: at most 4 names expected");
  CHECK(ErrorOf("n[0-999999999]") ==
        "n[0-999999999]: \"0-999999999\": at most 1000 names expected");
  const std::string most(253, 'x');
  CHECK(HostsOf(most) == Names{most});
  CHECK(ErrorOf(most + "y").ends_with("...: a name of at most 253 characters expected"));
}

TEST_CASE("A host list with hundreds of numbers in each name is read at once") {
  std::string list = "n[0-99999]", last = "n99999";
  for (int i = 0; i < 240; ++i) list += "[0]", last += "0";
  const absl::Duration before = ThreadCpuTime();
  const Names hosts = HostsOf(list, 100'000);
  REQUIRE(hosts.size() == 100'000);
  CHECK(hosts.back() == last);
  CHECK(ThreadCpuTime() - before < absl::Seconds(3));
}

TEST_CASE("A host list whose names are too long is refused before there are many of them") {
  const auto most_ever = [] {  // KiB
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  const std::string line = "n[0-999]" + std::string(1'000'000, 'x');
  const int64_t before = most_ever();
  CHECK(ErrorOf(line).ends_with("...: a name of at most 253 characters expected"));
  CHECK(most_ever() - before < int64_t{100} * 1024);
}

}  // namespace gangplan::host_list_test
