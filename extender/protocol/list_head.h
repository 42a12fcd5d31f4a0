// The token of a list's next page, before the page is decoded, so that both can be under way at
// once. The API server writes a list's metadata in front of its items:
//   {"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":"abc"},...
// Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace gangplan {

// `page` stays as it is. Empty: there is no token, or the metadata does not end within the first
// kMaxListHeadBytes; only DecodeList knows then. What it says is what counts in any case.
std::string PeekContinue(std::string_view page);

}  // namespace gangplan
