#include "extender/frontends/gangplan/pod_set_words.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "extender/frontends/gangplan/words.h"
#include "extender/frontends/limits.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

bool IsNameByte(char byte) {
  return absl::ascii_isalnum(static_cast<unsigned char>(byte)) || byte == '-' || byte == '_' ||
         byte == '.';
}

absl::StatusOr<PodSetCount> ParseEntry(std::string_view entry) {
  const size_t equals = entry.find('=');
  if (equals == std::string_view::npos)
    return Invalid("{}: \"{}\": expected NAME=COUNT", kPodSetsWord, Shown(entry));
  PodSetCount set;
  set.name = Trim(entry.substr(0, equals));
  GANGPLAN_RETURN_IF_ERROR(CheckPodSetName(kPodSetsWord, set.name));
  const std::string word = fmt::format("{}: {}", kPodSetsWord, set.name);
  GANGPLAN_ASSIGN_OR_RETURN(set.count,
                            ParseCount(word, Trim(entry.substr(equals + 1)), 1, kMaxGroupSize));
  return set;
}

}  // namespace

absl::Status CheckPodSetName(std::string_view word, std::string_view name) {
  if (!name.empty() && name.size() <= kMaxPodSetNameBytes &&
      std::all_of(name.begin(), name.end(), IsNameByte))
    return absl::OkStatus();
  return Invalid("{}: \"{}\": expected a name of 1 to {} letters, digits, '-', '_' or '.'", word,
                 Shown(name), kMaxPodSetNameBytes);
}

absl::StatusOr<std::vector<PodSetCount>> ParsePodSets(std::string_view text) {
  if (text.size() > kMaxWordBytes)
    return Invalid("{}: longer than {} bytes", kPodSetsWord, kMaxWordBytes);
  std::vector<PodSetCount> sets;
  int64_t members = 0;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    GANGPLAN_ASSIGN_OR_RETURN(PodSetCount set, ParseEntry(Trim(text.substr(begin, end - begin))));
    if (sets.size() == kMaxPodSets)
      return Invalid("{}: expected at most {} pod sets", kPodSetsWord, kMaxPodSets);
    for (const PodSetCount& known : sets) {
      if (known.name == set.name)
        return Invalid("{}: pod set \"{}\" is listed twice", kPodSetsWord, set.name);
    }
    members += set.count;
    sets.push_back(std::move(set));
    begin = end + 1;
  }
  if (members > kMaxGroupSize) {
    return Invalid("{}: {} members in all, expected at most {}", kPodSetsWord, members,
                   kMaxGroupSize);
  }
  return sets;
}

}  // namespace gangplan
