#include "extender/frontends/gangplan/ladder.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "extender/frontends/gangplan/place.h"
#include "extender/frontends/gangplan/words.h"
#include "extender/frontends/limits.h"
#include "topology/base/duration.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kAfter = "after ";

// Takes "after 10m:" off the front of `text`.
absl::StatusOr<absl::Duration> TakeAfter(std::string_view& text) {
  const size_t colon = text.find(':');
  if (!text.starts_with(kAfter) || colon == std::string_view::npos) {
    return Invalid("{}: \"{}\": expected \"after TIME: RULES\", such as after 10m: block=pack!",
                   kPlaceWord, text);
  }
  const std::string_view time = Trim(text.substr(kAfter.size(), colon - kAfter.size()));
  const std::optional<absl::Duration> after = ReadGoDuration(time);
  if (!after || *after <= absl::ZeroDuration() || *after > kMaxRungAfter) {
    return Invalid("{}: \"{}\": \"{}\" is no time; expected one up to {} such as 90s, 10m or 1h30m",
                   kPlaceWord, text, time, absl::FormatDuration(kMaxRungAfter));
  }
  text = Trim(text.substr(colon + 1));
  return *after;
}

absl::StatusOr<Rung> ParseRung(std::string_view text, bool first, const Topology& topology) {
  Rung rung;
  if (!first) {
    GANGPLAN_ASSIGN_OR_RETURN(rung.after, TakeAfter(text));
    if (text.empty())
      return Invalid("{}: a rung is empty; expected rules, or any for none", kPlaceWord);
  }
  GANGPLAN_ASSIGN_OR_RETURN(rung.rules, ParsePlace(kPlaceWord, text, topology));
  rung.place = text;
  return rung;
}

}  // namespace

absl::StatusOr<std::vector<Rung>> ParseLadder(std::string_view text, const Topology& topology) {
  if (text.size() > kMaxWordBytes)
    return Invalid("{}: longer than {} bytes", kPlaceWord, kMaxWordBytes);
  std::vector<Rung> ladder;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('|', begin), text.size());
    if (ladder.size() == kMaxRungs) return Invalid("{}: more than {} rungs", kPlaceWord, kMaxRungs);
    const std::string_view part = Trim(text.substr(begin, end - begin));
    GANGPLAN_ASSIGN_OR_RETURN(Rung rung, ParseRung(part, ladder.empty(), topology));
    if (!ladder.empty() && rung.after <= ladder.back().after) {
      return Invalid("{}: \"{}\": expected a later time than that of the rung before", kPlaceWord,
                     part);
    }
    ladder.push_back(std::move(rung));
    begin = end + 1;
  }
  return ladder;
}

}  // namespace gangplan
