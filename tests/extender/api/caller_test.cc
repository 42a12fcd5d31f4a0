#include "extender/api/caller.h"

#include "fmt/format.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::caller_test {
namespace {

const ProxyHeaders kNames = {
    {"X-Remote-User", "X-Other-User"}, {"X-Remote-Uid"}, {"X-Remote-Group"}, {"X-Remote-Extra-"}};

absl::StatusOr<User> Caller(const std::string& headers) {
  const std::string text = fmt::format("GET / HTTP/1.1\r\n{}\r\n", headers);
  const auto head = ReadHead(text);
  REQUIRE(head);
  return CallerOf(*head, kNames);
}

std::string Refusal(const std::string& headers) {
  const auto user = Caller(headers);
  CHECK(absl::IsUnauthenticated(user.status()));
  return Message(user.status());
}

TEST_CASE("Caller: a user with uid, groups and what else is known of it") {
  const auto user = Caller(
      "x-remote-user: jane\r\nX-Remote-Uid: 7\r\nX-Remote-Group: dev\r\nX-REMOTE-GROUP: ops\r\n"
      "X-Remote-Extra-Scopes: a\r\nX-Remote-Extra-scopes: b\r\n"
      "X-Remote-Extra-Example.com%2fproject: c\r\nAuthorization: Bearer x\r\n");
  REQUIRE(user.ok());
  CHECK(user->name == "jane");
  CHECK(user->uid == "7");
  CHECK(user->groups == std::vector<std::string>{"dev", "ops"});
  CHECK(user->extra ==
        decltype(user->extra){{"example.com/project", {"c"}}, {"scopes", {"a", "b"}}});
}

TEST_CASE("Caller: a name is what its bytes are") {
  for (const std::string_view name :
       {"a%40b", "system%3Aadmin", "jane, john", "j\xc3\xb6rg", "a+b"}) {
    const auto user = Caller(fmt::format("X-Remote-User: {}\r\n", name));
    REQUIRE(user.ok());
    CHECK(user->name == name);
  }
}

TEST_CASE("Caller: the second header counts where the first one is missing") {
  const auto user = Caller("X-Other-User: jane\r\n");
  REQUIRE(user.ok());
  CHECK(user->name == "jane");
  CHECK(user->groups.empty());
}

TEST_CASE("Caller: who is not named once, in UTF-8, is nobody") {
  CHECK(Refusal("") == "no header names a user");
  CHECK(Refusal("X-Remote-User:\r\n") == "no header names a user");
  CHECK(Refusal("X-Remote-Group: system:masters\r\n") == "no header names a user");
  CHECK(Refusal("X-Remote-User: a\r\nx-remote-user: b\r\n") == "X-Remote-User is there 2 times");
  CHECK(Refusal("X-Remote-User: a\r\nX-Remote-Uid: b\r\nX-Remote-Uid: c\r\n") ==
        "X-Remote-Uid is there 2 times");
  for (const char* header :
       {"X-Remote-User: ", "X-Remote-User: a\r\nX-Remote-Uid: ",
        "X-Remote-User: a\r\nX-Remote-Group: ", "X-Remote-User: a\r\nX-Remote-Extra-b: "}) {
    CHECK(Refusal(fmt::format("{}\xff\r\n", header)) == "a name in the headers is no UTF-8");
  }
  CHECK(Refusal("X-Remote-User: a\r\nX-Remote-Extra-%ff: b\r\n") ==
        "a name in the headers is no UTF-8");
}

}  // namespace
}  // namespace gangplan::caller_test
