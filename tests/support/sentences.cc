#include "tests/support/sentences.h"

#include <cstdlib>
#include <fstream>

#include "tests/support/catch.h"

namespace gangplan {
namespace {

constexpr char kPath[] = GANGPLAN_SOURCE_DIR "/tests/support/sentences.txt";

std::vector<std::string> FileLines() {
  std::ifstream file(kPath);
  std::vector<std::string> lines;
  std::string line;
  while (std::getline(file, line)) lines.push_back(line);
  return lines;
}

// In the place of the line with this key, or behind all others.
void WriteLine(const std::string& key, const std::string& line) {
  std::vector<std::string> lines = FileLines();
  bool found = false;
  for (std::string& one : lines) {
    if (!one.starts_with(key + ": ")) continue;
    one = line;
    found = true;
  }
  if (!found) lines.push_back(line);
  std::ofstream file(kPath);
  for (const std::string& one : lines) file << one << '\n';
}

}  // namespace

std::vector<SentenceLine> ReadSentences() {
  std::vector<SentenceLine> sentences;
  for (const std::string& line : FileLines()) {
    if (line.empty() || line[0] == '#') continue;
    const size_t colon = line.find(": ");
    const bool whole = colon != std::string::npos;
    sentences.push_back({line.substr(0, colon), whole ? line.substr(colon + 2) : ""});
  }
  return sentences;
}

void Sentence::Fill() {
  text_ = "sentences.txt has no such key";
  for (const SentenceLine& line : ReadSentences()) {
    if (line.key != key_) continue;
    text_ = line.sentence;
    size_t at = 0;
    size_t filled = 0;
    while ((at = text_.find("{}", at)) != std::string::npos) {
      const std::string arg = filled < args_.size() ? args_[filled] : "{}";
      text_.replace(at, 2, arg);
      at += arg.size();
      ++filled;
    }
    known_ = filled == args_.size();
    if (!known_) text_ = fmt::format("takes {} arguments and was given {}", filled, args_.size());
  }
}

std::string Sentence::LineFor(std::string_view told) const {
  std::string sentence(told);
  size_t from = 0;
  for (const std::string& arg : args_) {
    const size_t at = sentence.find(arg, from);
    if (at == std::string::npos) break;
    sentence.replace(at, arg.size(), "{}");
    from = at + 2;
  }
  return key_ + ": " + sentence;
}

bool Sentence::Is(std::string_view told) const {
  if (known_ && told == before_ + text_) return true;
  if (!told.starts_with(before_)) return false;
  const std::string line = LineFor(told.substr(before_.size()));
  if (std::getenv("GANGPLAN_WRITE_SENTENCES") != nullptr) {
    WriteLine(key_, line);
    return true;
  }
  UNSCOPED_INFO(
      "if that is right, this is the line of tests/support/sentences.txt, and "
      "GANGPLAN_WRITE_SENTENCES=1 puts it there:\n"
      << line);
  return false;
}

}  // namespace gangplan
