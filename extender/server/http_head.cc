#include "extender/server/http_head.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kLineEnd = "\r\n";

// The next line without its end; nothing: there is none that ends so.
std::optional<std::string_view> TakeLine(std::string_view& text) {
  const size_t end = text.find(kLineEnd);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + kLineEnd.size());
  return line;
}

// A token of RFC 9110.
bool IsName(std::string_view name) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::all_of(name.begin(), name.end(), [&](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           kMarks.find(c) != std::string_view::npos;
  });
}

bool HasControls(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return c != '\t' && absl::ascii_iscntrl(static_cast<unsigned char>(c));
  });
}

std::string_view WithoutBlanks(std::string_view value) {
  constexpr std::string_view kBlanks = " \t";
  const size_t first = value.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return value.substr(first, value.find_last_not_of(kBlanks) - first + 1);
}

// Between the two blanks of the request line.
std::optional<std::string_view> TargetOf(std::string_view line) {
  const size_t first = line.find(' ');
  const size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return std::nullopt;
  const std::string_view target = line.substr(first + 1, last - first - 1);
  if (target.empty() || target.find(' ') != std::string_view::npos || HasControls(target))
    return std::nullopt;
  return target;
}

}  // namespace

std::optional<HttpHead> ReadHead(std::string_view text) {
  HttpHead head;
  const std::optional<std::string_view> first = TakeLine(text);
  const std::optional<std::string_view> target = first ? TargetOf(*first) : std::nullopt;
  if (!target) return std::nullopt;
  head.target = *target;
  for (;;) {
    const std::optional<std::string_view> line = TakeLine(text);
    if (!line) return std::nullopt;
    if (line->empty()) break;
    const size_t colon = std::min(line->find(':'), line->size());
    if (colon == line->size() || !IsName(line->substr(0, colon)) || HasControls(*line))
      return std::nullopt;
    head.headers.emplace_back(line->substr(0, colon), WithoutBlanks(line->substr(colon + 1)));
  }
  if (!text.empty()) return std::nullopt;
  return head;
}

std::vector<std::string_view> HeadersOf(const HttpHead& head, std::string_view name) {
  std::vector<std::string_view> values;
  for (const auto& [key, value] : head.headers) {
    if (absl::EqualsIgnoreCase(ToAbsl(key), ToAbsl(name))) values.push_back(value);
  }
  return values;
}

}  // namespace gangplan
