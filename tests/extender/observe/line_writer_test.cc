#include "extender/observe/line_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "fmt/format.h"
#include "tests/support/catch.h"
#include "topology/base/clock.h"

namespace gangplan::line_writer_test {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(30);

std::string Notice(int64_t lines) { return fmt::format("{} missing\n", lines); }

class Pipe {
 public:
  Pipe() { REQUIRE(pipe(ends_) == 0); }
  ~Pipe() {
    CloseReader();
    close(ends_[1]);
  }
  int writer() const { return ends_[1]; }
  void CloseReader() {
    if (ends_[0] >= 0) close(ends_[0]);
    ends_[0] = -1;
  }
  bool ReadOne() {
    char one;
    return read(ends_[0], &one, 1) == 1;
  }
  // Reads until `end` has come.
  std::string ReadTo(std::string_view end) {
    std::string text;
    char some[4096];
    while (!std::string_view(text).ends_with(end)) {
      const ssize_t got = read(ends_[0], some, sizeof some);
      if (got <= 0) return text;
      text.append(some, static_cast<size_t>(got));
    }
    return text;
  }

 private:
  int ends_[2] = {-1, -1};
};

TEST_CASE("Lines come out in their order") {
  Pipe pipe;
  LineWriter lines(pipe.writer(), Notice);
  for (int i = 0; i < 100; ++i) lines.Write(fmt::format("{}\n", i));
  REQUIRE(lines.Flush(kPatience));
  const std::string text = pipe.ReadTo("\n99\n");
  CHECK(text.starts_with("0\n1\n2\n3\n"));
  CHECK(std::count(text.begin(), text.end(), '\n') == 100);
  CHECK(lines.dropped() == 0);
}

TEST_CASE("Nobody waits for a pipe that nobody reads, and what is missing is told where it is") {
  Pipe pipe;
  LineWriter lines(pipe.writer(), Notice);
  const std::string first = std::string(200'000, 'x') + "\n";  // more than the pipe
  lines.Write(first);
  REQUIRE(pipe.ReadOne());  // it is being written: all below waits or is dropped behind it
  const std::string line = std::string(999, 'x') + "\n";
  constexpr int kLines = 5000;  // more than those that wait
  const absl::Time start = SystemClock().Now();
  for (int i = 0; i < kLines; ++i) lines.Write(line);
  CHECK(SystemClock().Now() - start < absl::Seconds(5));
  CHECK_FALSE(lines.Flush(absl::Milliseconds(50)));
  const int64_t dropped = lines.dropped();
  CHECK(dropped > 0);
  const std::string notice = Notice(dropped);
  const std::string text = pipe.ReadTo(notice);
  const size_t taken = static_cast<size_t>(kLines - dropped) * line.size();
  CHECK(text.size() == first.size() - 1 + taken + notice.size());
  CHECK(taken <= kMaxWaitingLineBytes);
  lines.Write("after\n");
  CHECK(pipe.ReadTo("after\n") == "after\n");  // told once
  CHECK(lines.dropped() == dropped);
}

TEST_CASE("A line at the limit is taken, one beyond is dropped") {
  Pipe pipe;
  LineWriter lines(pipe.writer(), Notice);
  lines.Write(std::string(kMaxWaitingLineBytes - 1, 'x') + "\n");
  CHECK(pipe.ReadTo("\n").size() == kMaxWaitingLineBytes);
  REQUIRE(lines.Flush(kPatience));
  lines.Write(std::string(kMaxWaitingLineBytes, 'x') + "\n");
  lines.Write("after\n");
  CHECK(pipe.ReadTo("missing\n") == "after\n1 missing\n");
}

TEST_CASE("Lines that the file does not take are counted") {
  Pipe pipe;
  pipe.CloseReader();
  LineWriter lines(pipe.writer(), Notice);
  lines.Write("nobody\n");
  CHECK(lines.Flush(kPatience));
  CHECK(lines.dropped() == 1);
}

TEST_CASE("A writer ends beside a pipe that nobody reads") {
  Pipe pipe;
  LineWriter lines(pipe.writer(), Notice);
  for (int i = 0; i < 200; ++i) lines.Write(std::string(999, 'x') + "\n");
}

}  // namespace
}  // namespace gangplan::line_writer_test
