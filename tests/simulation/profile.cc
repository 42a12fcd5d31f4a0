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
    {"evictions", &Profile::evictions},
    {"anew", &Profile::anew},
    {"unready", &Profile::unready},
    {"held", &Profile::held},
    {"unfit", &Profile::unfit},
    {"node_changes", &Profile::node_changes},
    {"node_moves", &Profile::node_moves},
    {"two_resources", &Profile::two_resources},
    {"streams", &Profile::streams},
    {"in_tree", &Profile::in_tree},
    {"reuse", &Profile::reuse},
    {"remade", &Profile::remade},
    {"scaling", &Profile::scaling},
    {"mended", &Profile::mended},
    {"resized", &Profile::resized},
    {"refused_member", &Profile::refused_member},
    {"refused_binding", &Profile::refused_binding},
    {"slow_reads", &Profile::slow_reads},
    {"owners_away", &Profile::owners_away},
    {"first_member", &Profile::first_member},
    {"standby", &Profile::standby},
    {"order", &Profile::order},
    {"liveness", &Profile::liveness},
    {"succeeded_go", &Profile::succeeded_go},
    {"large", &Profile::large},
    {"suspended", &Profile::suspended},
    {"job_sets", &Profile::job_sets},
    {"gated", &Profile::gated},
    {"ladders", &Profile::ladders},
    {"strict", &Profile::strict},
    {"backfill", &Profile::backfill},
    {"promises", &Profile::promises},
    {"spares", &Profile::spares},
    {"reserved", &Profile::reserved},
    {"shared", &Profile::shared},
    {"elastic", &Profile::elastic},
    {"topologies", &Profile::topologies},
    {"unasked", &Profile::unasked},
};

}  // namespace

bool Profile::Disturbs() const {
  return faults || harm || node_faults || unfit || second_scheduler || restarts || preemption ||
         evictions || anew || unready || held || node_changes || node_moves || streams || in_tree ||
         reuse || remade || scaling || mended || resized || refused_member || refused_binding ||
         slow_reads || owners_away || first_member || liveness || succeeded_go || suspended ||
         ladders || reserved || unasked || elastic;
}

bool Profile::*FlagNamed(std::string_view name) {
  for (const Flag& flag : kFlags) {
    if (flag.name == name) return flag.flag;
  }
  return nullptr;
}

std::vector<std::string_view> FlagNames() {
  std::vector<std::string_view> names;
  for (const Flag& flag : kFlags) names.push_back(flag.name);
  return names;
}

}  // namespace gangplan::simulation
