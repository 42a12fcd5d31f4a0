#include "extender/protocol/discovery.h"

#include <string_view>

#include "extender/protocol/json_sax.h"
#include "extender/protocol/limits.h"
#include "extender/protocol/text_list.h"
#include "topology/base/status_macros.h"

namespace gangplan {
namespace {

using namespace gangplan::json;  // NOLINT: the makers are the language of this file

using Names = std::vector<std::string>;

constexpr JsonShape kName = ListedText(kMaxNameBytes);

constexpr JsonField kResourceFields[] = {{"kind", kName}};
constexpr JsonShape kResource = Object(kResourceFields);
constexpr JsonField kResourceListFields[] = {{"resources", Array(kResource, kMaxServedKinds)}};
constexpr JsonShape kResourceList = Object(kResourceListFields);

constexpr JsonField kVersionFields[] = {{"groupVersion", kName}};
constexpr JsonShape kVersion = Object(kVersionFields);
constexpr JsonField kGroupFields[] = {{"versions", Array(kVersion, kMaxServedVersions)}};
constexpr JsonShape kGroup = Object(kGroupFields);

absl::StatusOr<Names> Read(std::string& json, std::string_view kind, const JsonShape& shape) {
  Names names;
  GANGPLAN_RETURN_IF_ERROR(ParseJson(json, kMaxObjectBytes, kind, shape, &names));
  return names;
}

}  // namespace

absl::StatusOr<Names> DecodeServedKinds(std::string& json) {
  return Read(json, "APIResourceList", kResourceList);
}

absl::StatusOr<Names> DecodeServedVersions(std::string& json) {
  return Read(json, "APIGroup", kGroup);
}

}  // namespace gangplan
