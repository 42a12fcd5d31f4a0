// The sentences that people are told, frozen in one place: the lines "key: sentence" of
// sentences.txt, where each {} stands for an argument. A test says
//   CHECK(world.Refusal(pod) == Sentence("too many members", "train", 4));
// and where it fails it prints the line that would be right. GANGPLAN_WRITE_SENTENCES=1 in the
// environment of one test program puts those lines into the file instead; not of ctest, which runs
// many programs at once. One thread.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/format.h"

namespace gangplan {

struct SentenceLine {
  std::string key;
  std::string sentence;
};
// As they stand in the file, which is read anew each time; a line without a sentence is one that is
// empty.
std::vector<SentenceLine> ReadSentences();

class Sentence {
 public:
  template <typename... Args>
  explicit Sentence(std::string_view key, const Args&... args)
      : key_(key), args_{fmt::format("{}", args)...} {
    Fill();
  }

  // With its arguments; what is wrong where the file has no such sentence.
  const std::string& text() const { return text_; }
  // The line of the file with which this would be told; arguments are found from left to right.
  std::string LineFor(std::string_view told) const;

  friend bool operator==(std::string_view told, const Sentence& sentence) {
    return sentence.Is(told);
  }
  friend Sentence operator+(std::string_view before, Sentence sentence) {
    sentence.before_.insert(0, before);
    return sentence;
  }
  friend std::ostream& operator<<(std::ostream& out, const Sentence& sentence) {
    return out << '"' << sentence.before_ << sentence.text_ << "\" (" << sentence.key_ << ')';
  }

 private:
  void Fill();
  bool Is(std::string_view told) const;

  std::string key_;
  std::vector<std::string> args_;
  bool known_ = false;
  std::string before_;
  std::string text_;
};

}  // namespace gangplan
