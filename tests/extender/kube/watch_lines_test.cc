#include "extender/kube/watch_lines.h"

#include <vector>

#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::watch_lines_test {
namespace {

struct Lines {
  WatchLines lines;
  std::vector<std::string> seen;

  explicit Lines(size_t most = kMaxWatchLineBytes) : lines(most) {}
  absl::Status Append(std::string_view chunk) {
    return lines.Append(chunk, [this](std::string& line) {
      seen.push_back(line);
      return true;
    });
  }
};

TEST_CASE("a line may come in pieces, and a piece may hold several lines") {
  Lines lines;
  CHECK(lines.Append("on").ok());
  CHECK(lines.Append("e\ntwo\n\nth").ok());
  CHECK(lines.seen == std::vector<std::string>{"one", "two"});
  CHECK(lines.Append("ree\n").ok());
  CHECK(lines.seen.back() == "three");
}

TEST_CASE("every cut of a stream gives the same lines") {
  const std::string text = "alpha\nbeta\n\ngamma\n";
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    Lines lines;
    CHECK(lines.Append(text.substr(0, cut)).ok());
    CHECK(lines.Append(text.substr(cut)).ok());
    CHECK(lines.seen == std::vector<std::string>{"alpha", "beta", "gamma"});
  }
}

TEST_CASE("a line of the longest length passes, one byte more does not") {
  Lines fits(4);
  CHECK(fits.Append("abcd\n").ok());
  CHECK(fits.seen == std::vector<std::string>{"abcd"});
  Lines whole(4);
  const absl::Status status = whole.Append("abcde\n");
  CHECK(absl::IsResourceExhausted(status));
  CHECK(Message(status) == "a line of the watch is longer than 4 bytes");
  Lines pieces(4);
  CHECK(pieces.Append("abc").ok());
  CHECK(absl::IsResourceExhausted(pieces.Append("de")));
}

TEST_CASE("the receiver ends the call, and a new stream forgets a begun line") {
  WatchLines lines;
  int calls = 0;
  auto stop = [&](std::string&) { return ++calls < 2; };
  CHECK(lines.Append("a\nb\nc\n", stop).ok());
  CHECK(calls == 2);
  CHECK(lines.Append("begun", stop).ok());
  lines.Clear();
  std::string seen;
  CHECK(lines
            .Append("new\n",
                    [&](std::string& line) {
                      seen = line;
                      return true;
                    })
            .ok());
  CHECK(seen == "new");
}

}  // namespace
}  // namespace gangplan::watch_lines_test
