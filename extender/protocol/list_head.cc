#include "extender/protocol/list_head.h"

#include "absl/status/status.h"
#include "extender/protocol/json_sax.h"
#include "extender/protocol/limits.h"

namespace gangplan {
namespace {

struct Head {
  std::string token;
  bool whole = false;
};

// Nothing behind it is wanted: the walk ends as at an error.
absl::Status EndHead(Head& head) {
  head.whole = true;
  return absl::CancelledError();
}

constexpr JsonField kHeadMetadataFields[] = {
    {"continue", json::Text<&Head::token>(kMaxMessageBytes)}};
constexpr JsonField kHeadFields[] = {
    {"metadata", json::Then<&EndHead>(json::Object(kHeadMetadataFields))}};
constexpr JsonShape kHead = json::Object(kHeadFields);

}  // namespace

std::string PeekContinue(std::string_view page) {
  std::string start(page.substr(0, kMaxListHeadBytes));
  Head head;
  ParseJson(start, kMaxListHeadBytes, "", kHead, &head).IgnoreError();
  return head.whole ? head.token : std::string();
}

}  // namespace gangplan
