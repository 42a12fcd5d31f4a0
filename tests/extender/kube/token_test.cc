#include "extender/kube/token.h"

#include "kube_fakes.h"
#include "scratch_file.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::token_test {
namespace {

TEST_CASE("a token in a file is read again each minute") {
  FakeClock clock;
  const ScratchFile file("one\n");
  TokenSource source("fixed", file.path(), clock);
  CHECK(*source.Get() == "one");
  file.Write("two");
  clock.Advance(kTokenAge - absl::Nanoseconds(1));
  CHECK(*source.Get() == "one");
  clock.Advance(absl::Nanoseconds(1));
  CHECK(*source.Get() == "two");
}

TEST_CASE("a token that is expired is read again at once") {
  FakeClock clock;
  const ScratchFile file("one");
  TokenSource source("", file.path(), clock);
  CHECK(*source.Get() == "one");
  file.Write("two");
  source.Expire();
  CHECK(*source.Get() == "two");
}

TEST_CASE("a token of which a header could be made is none") {
  FakeClock clock;
  for (const char* text : {"one\r\nX-Other: 1", "one two",
                           "on\x7f"
                           "e",
                           "tok\xc3\xa9n"}) {
    INFO(text);
    const ScratchFile file(text);
    TokenSource in_file("", file.path(), clock);
    CHECK(Message(in_file.Get().status()) == file.path() + ": no token in it");
    TokenSource given(text, "", clock);
    CHECK(Message(given.Get().status()) == "the token has bytes that no token has");
    CHECK(absl::IsUnavailable(given.Get().status()));
  }
}

TEST_CASE("the last token goes on when its file cannot be read, without one it is an error") {
  FakeClock clock;
  auto file = std::make_unique<ScratchFile>("one");
  const std::string path = file->path();
  TokenSource source("", path, clock);
  CHECK(*source.Get() == "one");
  file->Write(" \n");
  source.Expire();
  CHECK(*source.Get() == "one");
  file.reset();
  source.Expire();
  CHECK(*source.Get() == "one");
  TokenSource none("", path, clock);
  CHECK(Message(none.Get().status()) == path + ": No such file or directory");
  const ScratchFile empty("");
  TokenSource blank("", empty.path(), clock);
  CHECK(Message(blank.Get().status()) == empty.path() + ": no token in it");
  CHECK(absl::IsUnavailable(blank.Get().status()));
}

TEST_CASE("without a file the token is what was given, or none") {
  FakeClock clock;
  CHECK(*TokenSource("fixed", "", clock).Get() == "fixed");
  CHECK(TokenSource("", "", clock).Get()->empty());
}

TEST_CASE("a 401 is tried once more with a fresh token") {
  FakeClock clock;
  const ScratchFile file("old");
  auto scripted = std::make_unique<ScriptedTransport>();
  ScriptedTransport& inner = *scripted;
  TokenTransport transport(std::move(scripted),
                           std::make_shared<TokenSource>("", file.path(), clock));
  inner.answers = {Answer(200), Answer(401), Answer(200), Answer(401), Answer(401)};
  CHECK(transport.Send({})->status == 200);
  file.Write("new");
  CHECK(transport.Stream({}, [&](std::string_view) { return true; })->status == 200);
  CHECK(transport.Send({})->status == 401);
  REQUIRE(inner.requests.size() == 5);
  CHECK(inner.requests[0].bearer == "old");
  CHECK(inner.requests[1].bearer == "old");
  CHECK(inner.requests[2].bearer == "new");
  transport.Interrupt();
  CHECK(inner.interrupts == 1);
}

}  // namespace
}  // namespace gangplan::token_test
