#include "extender/protocol/discovery.h"

#include <string_view>

#include "extender/protocol/json_sax.h"
#include "extender/protocol/limits.h"
#include "extender/protocol/text_list.h"
#include "topology/base/status_macros.h"

namespace gangplan {
namespace {

using namespace gangplan::json;  // NOLINT: the makers are the language of this file

using NameList = std::vector<std::string>;

constexpr JsonShape kServedName = ListedText(kMaxNameBytes);

constexpr JsonField kResourceFields[] = {{"kind", kServedName}};
constexpr JsonShape kServedResource = Object(kResourceFields);
constexpr JsonField kResourceListFields[] = {
    {"resources", Array(kServedResource, kMaxServedKinds)}};
constexpr JsonShape kResourceList = Object(kResourceListFields);

constexpr JsonField kVersionFields[] = {{"groupVersion", kServedName}};
constexpr JsonShape kVersion = Object(kVersionFields);
constexpr JsonField kGroupFields[] = {{"versions", Array(kVersion, kMaxServedVersions)}};
constexpr JsonShape kServedGroup = Object(kGroupFields);

absl::StatusOr<NameList> Read(std::string& json, std::string_view kind, const JsonShape& shape) {
  NameList names;
  GANGPLAN_RETURN_IF_ERROR(ParseJson(json, kMaxObjectBytes, kind, shape, &names));
  return names;
}

}  // namespace

absl::StatusOr<NameList> DecodeServedKinds(std::string& json) {
  return Read(json, "APIResourceList", kResourceList);
}

absl::StatusOr<NameList> DecodeServedVersions(std::string& json) {
  return Read(json, "APIGroup", kServedGroup);
}

}  // namespace gangplan
