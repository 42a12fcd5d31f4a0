#include "tests/simulation/profile.h"

namespace gangplan::simulation {
namespace {

struct Flag {
  std::string_view name;
  bool Profile::*flag;
};

constexpr Flag kFlags[] = {
    {"faults", &Profile::faults},
    {"harm", &Profile::harm},
    {"node_faults", &Profile::node_faults},
    {"foreign", &Profile::foreign},
    {"second_scheduler", &Profile::second_scheduler},
    {"restarts", &Profile::restarts},
    {"preemption", &Profile::preemption},
    {"unfit", &Profile::unfit},
    {"node_changes", &Profile::node_changes},
    {"two_resources", &Profile::two_resources},
    {"streams", &Profile::streams},
    {"in_tree", &Profile::in_tree},
};

}  // namespace

bool Profile::Disturbs() const {
  return faults || harm || node_faults || second_scheduler || restarts || preemption ||
         node_changes || streams || in_tree;
}

bool Profile::*FlagNamed(std::string_view name) {
  for (const Flag& flag : kFlags) {
    if (flag.name == name) return flag.flag;
  }
  return nullptr;
}

}  // namespace gangplan::simulation
