// Where the aggregated API has its gangs from: the reports of a running service.
//
// Thread rule: any thread. Each call takes short turns of the planner, so whoever asks keeps what
// came for a while (GangBoard).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "extender/server/verb_handler.h"
#include "extender/web/view.h"

namespace gangplan {

class GangSource {
 public:
  virtual ~GangSource() = default;
  // Why nothing can be said yet, for people; empty: it can.
  virtual std::string WhyNotReady() = 0;
  virtual std::vector<ListedGroup> Listed() = 0;
  // One gang, by its own "namespace/name", with its evidence.
  virtual std::optional<GroupReport> Whole(std::string_view name) = 0;
  // What /v1/explain, or /v1/groups, has of a gang, an owner or a pod of this namespace, and of no
  // other one.
  struct Asked {
    std::string ns;
    std::string name;
    bool of_pod = false;  // the name is that of a pod
    bool json = false;    // for programs, else text for people; what is wrong is always text
    GroupId id = 0;       // which of several gangs of that name, as Listed tells it; 0: the newest
  };
  virtual InfoHandler::Answer Explain(const Asked& asked) = 0;
  // Of all namespaces: `path` as behind /v1/.
  virtual InfoHandler::Answer Info(const std::string& path) = 0;
};

}  // namespace gangplan
