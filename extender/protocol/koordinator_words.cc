#include "extender/protocol/koordinator_words.h"

#include <algorithm>

#include "extender/protocol/json_sax.h"
#include "extender/protocol/limits.h"
#include "extender/protocol/text_list.h"

namespace gangplan {
namespace {

using Names = std::vector<std::string>;

constexpr JsonShape kName = json::ListedText(kMaxAnnotationBytes);
constexpr JsonShape kNames = json::Array(kName, kMaxAnnotationBytes);

}  // namespace

std::optional<std::vector<std::string>> GangsNamedIn(std::string_view json) {
  std::string body(json);
  Names names;
  if (!ParseJson(body, kMaxAnnotationBytes, "", kNames, &names).ok()) return std::nullopt;
  return names;
}

bool NamesOtherGangs(std::string_view json, std::string_view own) {
  const std::optional<Names> names = GangsNamedIn(json);
  return names && std::any_of(names->begin(), names->end(),
                              [&](const std::string& name) { return name != own; });
}

}  // namespace gangplan
