#include "extender/protocol/koordinator_words.h"

#include <algorithm>

#include "extender/protocol/json_sax.h"
#include "extender/protocol/limits.h"
#include "extender/protocol/text_list.h"

namespace gangplan {
namespace {

using GangNames = std::vector<std::string>;

constexpr JsonShape kGangName = json::ListedText(kMaxAnnotationBytes);
constexpr JsonShape kGangNames = json::Array(kGangName, kMaxAnnotationBytes);

}  // namespace

std::optional<std::vector<std::string>> GangsNamedIn(std::string_view json) {
  std::string body(json);
  GangNames names;
  if (!ParseJson(body, kMaxAnnotationBytes, "", kGangNames, &names).ok()) return std::nullopt;
  return names;
}

bool NamesOtherGangs(std::string_view json, std::string_view own) {
  const std::optional<GangNames> names = GangsNamedIn(json);
  return names && std::any_of(names->begin(), names->end(),
                              [&](const std::string& name) { return name != own; });
}

}  // namespace gangplan
