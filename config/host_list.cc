#include "config/host_list.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "absl/strings/ascii.h"
#include "topology/base/decimal.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr size_t kMostDigits = 9;   // what is longer is no number of a host
constexpr size_t kMostBytes = 253;  // of a name

bool IsNumber(std::string_view text) {
  return !text.empty() && text.size() <= kMostDigits &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); });
}

// What stands before the first comma that is in no brackets; the rest stays in `text`.
std::string_view TakePart(std::string_view& text) {
  size_t at = 0;
  for (bool inside = false; at < text.size() && (inside || text[at] != ','); ++at) {
    if (text[at] == '[') inside = true;
    if (text[at] == ']') inside = false;
  }
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return part;
}

// Of "1-4" or "7" the numbers, each as wide as the first.
absl::Status AppendRange(std::string_view range, size_t most, std::vector<std::string>& numbers) {
  const size_t dash = range.find('-');
  const std::string_view first = range.substr(0, dash);
  const std::string_view last = dash == std::string_view::npos ? first : range.substr(dash + 1);
  if (!IsNumber(first) || !IsNumber(last))
    return Invalid("\"{}\": a number or a range such as 1-4 expected in brackets", Shown(range));
  const int64_t from = *ReadDecimal<int64_t>(first);
  const int64_t to = *ReadDecimal<int64_t>(last);
  if (to < from) return Invalid("\"{}\": the greater number expected last", Shown(range));
  if (static_cast<size_t>(to - from) >= most - std::min(numbers.size(), most))
    return Invalid("\"{}\": at most {} names expected", Shown(range), most);
  for (int64_t number = from; number <= to; ++number)
    numbers.push_back(fmt::format("{:0{}}", number, first.size()));
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> Numbers(std::string_view ranges, size_t most) {
  std::vector<std::string> numbers;
  do {
    const size_t comma = std::min(ranges.find(','), ranges.size());
    GANGPLAN_RETURN_IF_ERROR(AppendRange(ranges.substr(0, comma), most, numbers));
    if (comma + 1 == ranges.size()) return Invalid("\"\": a number expected behind the comma");
    ranges.remove_prefix(std::min(comma + 1, ranges.size()));
  } while (!ranges.empty());
  return numbers;
}

// Each of the names followed by each of the ends.
absl::Status Cross(std::vector<std::string>& names, const std::vector<std::string>& ends,
                   size_t most) {
  if (names.size() * ends.size() > most) return Invalid("at most {} names expected", most);
  if (ends.size() == 1) {  // there may be hundreds of such in one name
    for (std::string& name : names) name += ends.front();
    return absl::OkStatus();
  }
  std::vector<std::string> all;
  all.reserve(names.size() * ends.size());
  for (const std::string& name : names) {
    for (const std::string& end : ends) all.push_back(name + end);
  }
  names = std::move(all);
  return absl::OkStatus();
}

// The names of one part: text and brackets in turn.
absl::StatusOr<std::vector<std::string>> NamesOf(std::string_view part, size_t most) {
  std::vector<std::string> names = {""};
  while (!part.empty()) {
    const size_t open = std::min(part.find('['), part.size());
    const std::string_view plain = part.substr(0, open);
    if (plain.find(']') != std::string_view::npos) return Invalid("a [ expected before each ]");
    // Before each of many names has it.
    if (names.front().size() + plain.size() > kMostBytes)
      return Invalid("a name of at most {} characters expected", kMostBytes);
    for (std::string& name : names) name += plain;
    if (open == part.size()) break;
    const size_t close = part.find(']', open);
    if (close == std::string_view::npos) return Invalid("a ] expected behind each [");
    GANGPLAN_ASSIGN_OR_RETURN(const std::vector<std::string> numbers,
                              Numbers(part.substr(open + 1, close - open - 1), most));
    GANGPLAN_RETURN_IF_ERROR(Cross(names, numbers, most));
    part.remove_prefix(close + 1);
  }
  return names;
}

}  // namespace

absl::Status AppendHosts(std::string_view text, size_t most, std::vector<std::string>& hosts) {
  const size_t before = hosts.size();
  const auto fail = [&](std::string_view part, std::string_view why) {
    hosts.resize(before);
    return Invalid("{}: {}", part.empty() ? "\"\"" : Shown(part), why);
  };
  const bool ends_open = text.ends_with(',');
  do {
    const std::string_view part = TakePart(text);
    if (part.empty()) return fail(part, "the name of a host expected between commas");
    const absl::StatusOr<std::vector<std::string>> names = NamesOf(part, most);
    if (!names.ok()) return fail(part, Message(names.status()));
    if (hosts.size() - before + names->size() > most)
      return fail(part, fmt::format("at most {} names expected", most));
    hosts.insert(hosts.end(), names->begin(), names->end());
  } while (!text.empty());
  if (ends_open) return fail("", "the name of a host expected between commas");
  return absl::OkStatus();
}

}  // namespace gangplan
