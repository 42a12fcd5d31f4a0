// What would start a gang that waits, and who holds the room that it waits for. Each action was
// tried on a copy of the cluster and is enough by itself; nothing smaller of its kind is. Pure
// data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gangplan {

inline constexpr char kSinglePod[] = "Pod";  // the kind of one of no gang

struct Advice {
  struct Gang {
    std::string kind;  // "Job"; empty: pods of no gang; "Pod": one of these
    std::string name;  // "namespace/name"; empty: the reader may not see it
    int32_t priority = 0;
    int64_t amount = 0;  // of `resource`, in the domain
    int32_t nodes = 0;   // likewise, on which it has some of it
    int64_t ends = 0;    // Unix seconds: it has gone by then; 0: nobody knows
    friend bool operator==(const Gang&, const Gang&) = default;
  };
  // Who has what in the domain that came nearest, the largest first.
  std::string domain;           // a path; empty: the whole cluster
  std::string resource;         // that the gang asks for
  std::vector<Gang> holders;    // so many at most
  int64_t untold_holders = 0;   // beyond these
  int64_t ending_alone = 0;     // of what pods of no gang have: so much is gone by ...
  int64_t ending_alone_by = 0;  // ... then, in Unix seconds

  struct Fewer {
    std::string pod_set;  // empty: there is one without a name
    int32_t members = 0;
    int32_t asked = 0;
  };
  struct Rule {
    std::string rule;
    std::string instead_of;
    std::string pod_set;  // empty: of all
  };
  struct Nodes {
    int32_t nodes = 0;
    std::string like;    // a node's name; as that one is when it is empty
    std::string domain;  // a path; empty: anywhere
  };
  std::optional<Fewer> fewer;
  std::optional<Rule> rule;
  std::optional<Nodes> nodes;
  std::vector<Gang> gangs;  // that would have to go, all of them, and pods of none
  bool lower = false;       // they are all of lower priority
  // It fits by then, in Unix seconds, as others end: 0: once those have gone who stop already.
  std::optional<int64_t> fits_by;
  // Nothing of this was worked out: too many ask now, who asks again may be told.
  bool later = false;
  // Nothing but who holds the room: the question is not decided within its steps, or it fits by
  // now. Who asks again is told the same.
  bool undecided = false;

  // Of a gang that does not fit into the empty cluster either: what would make it possible there.
  // Nothing of the above then.
  bool impossible = false;
  std::optional<Fewer> fewer_when_empty;
  std::optional<Rule> rule_when_empty;
};

}  // namespace gangplan
