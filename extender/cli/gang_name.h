// The name of a gang as people give it. Pure, but AskGang; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace gangplan {

// Of whom is asked.
struct AskedGang {
  bool pod = false;  // and of nothing else of that name
  std::string ns;
  std::string name;

  std::string Path() const;  // below /v1/groups/ and the like, percent-encoded
};

// NAME, NAMESPACE/NAME, KIND/NAME or KIND/NAMESPACE/NAME: who may be meant, in the order in which
// they are asked for, one at least. Without `ns`, which is that of NAMESPACE, a word that is a kind
// may be a namespace as well, and that one comes first. NAME alone is of `ns`, which is empty
// (default).
absl::StatusOr<std::vector<AskedGang>> ReadGang(std::string_view text, std::string_view ns);

// What /v1/`what`/... says of the first of them that there is; else as AskServer of the last one.
absl::StatusOr<std::string> AskGang(const std::string& server, std::string_view what,
                                    const std::vector<AskedGang>& asked);

}  // namespace gangplan
