// Standard error as a pipe, for as long as the object lives: what the process logs can be read, or
// be left in a full pipe. One of it at a time.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "extender/observe/log.h"
#include "tests/support/catch.h"

namespace gangplan {

class StandardError {
 public:
  StandardError() : before_(dup(STDERR_FILENO)) {
    FlushLog(absl::Seconds(5));  // what tests before have logged is not its own
    REQUIRE(pipe(ends_) == 0);
    REQUIRE(dup2(ends_[1], STDERR_FILENO) == STDERR_FILENO);
    SetBlocking(ends_[0], false);
  }
  ~StandardError() {
    dup2(before_, STDERR_FILENO);
    for (int file : {before_, ends_[0], ends_[1]}) close(file);
  }
  StandardError(const StandardError&) = delete;
  StandardError& operator=(const StandardError&) = delete;

  // No line is written until Take.
  void Fill() {
    SetBlocking(ends_[1], false);
    while (write(ends_[1], " ", 1) == 1) {
    }
    SetBlocking(ends_[1], true);
  }
  // What has been written since.
  std::string Take() {
    std::string text;
    char some[4096];
    bool written = false;
    do {
      written = FlushLog(absl::Milliseconds(1));
      for (ssize_t got = 0; (got = read(ends_[0], some, sizeof some)) > 0;)
        text.append(some, static_cast<size_t>(got));
    } while (!written);
    return text;
  }

 private:
  static void SetBlocking(int file, bool blocking) {
    const int flags = fcntl(file, F_GETFL);
    fcntl(file, F_SETFL, blocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK);
  }

  const int before_;
  int ends_[2] = {-1, -1};
};

// How often `word` stands in `text`.
inline int CountIn(const std::string& text, const std::string& word) {
  int count = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

}  // namespace gangplan
