#include "extender/protocol/scheduler_words.h"

#include <algorithm>

#include "extender/protocol/limits.h"
#include "topology/base/text.h"
#include "topology/base/utf8.h"

namespace gangplan {
namespace {

constexpr std::string_view kOpening = " nodes are available: ";
constexpr std::string_view kPreemption = "preemption: ";
constexpr std::string_view kBetween = ", ";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Behind "12 "; all of it when it does not begin with a count.
std::string_view WithoutCount(std::string_view entry) {
  const auto text = std::find_if_not(entry.begin(), entry.end(), IsDigit);
  const bool counted = text != entry.begin() && text != entry.end() && *text == ' ';
  return counted ? entry.substr(static_cast<size_t>(text - entry.begin()) + 1) : entry;
}

// Entries begin with the count of their nodes; a comma before anything else is part of one.
size_t EndOfEntry(std::string_view entries) {
  for (size_t end = entries.find(kBetween); end != std::string_view::npos;
       end = entries.find(kBetween, end + 1)) {
    const std::string_view next = entries.substr(end + kBetween.size());
    if (WithoutCount(next).size() < next.size()) return end;
  }
  return entries.size();
}

// Up to the sentence that tells of preemption, and of what else came after the filters.
std::string_view WithoutPreemption(std::string_view text) {
  const size_t preemption = text.find(kPreemption);
  if (preemption == std::string_view::npos) return text;
  const size_t end = text.rfind(". ", preemption);
  return end == std::string_view::npos ? text : text.substr(0, end);
}

bool IsOurs(std::string_view entry) {
  const std::string_view text = WithoutCount(entry);
  return text.starts_with("gang ") || text.starts_with("room is held for a gang");
}

}  // namespace

std::string SchedulerWords(std::string_view message) {
  const size_t opening = message.find(kOpening);
  std::string_view rest =
      opening == std::string_view::npos ? message : message.substr(opening + kOpening.size());
  rest = WithoutPreemption(rest);
  if (rest.ends_with('.')) rest.remove_suffix(1);
  std::string words;
  while (!rest.empty() && words.size() <= kMaxSchedulerWords) {
    const size_t end = EndOfEntry(rest);
    const std::string_view entry = Trim(rest.substr(0, end));
    if (!entry.empty() && !IsOurs(entry)) {
      if (!words.empty()) words += "; ";
      words += entry;
    }
    rest.remove_prefix(std::min(rest.size(), end + kBetween.size()));
  }
  return CutUtf8(words, kMaxSchedulerWords);
}

}  // namespace gangplan
