// Gangs as objects of Kubernetes: one, a list, and the table that `kubectl get` prints. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "extender/api/gang_board.h"
#include "extender/api/question.h"

namespace gangplan {

// A part of a list, as it was asked for.
struct GangPage {
  std::vector<const ListedGang*> gangs;
  int64_t version = 0;
  std::string next = {};  // `continue`; empty: those were all
  int64_t remaining = 0;  // beyond it
};
// Those of the list that the question asks for.
GangPage PageOf(const GangList& list, const Question& question);

// `whole`: with pod sets, place in line and why it waits.
std::string GangJson(const ListedGang& gang, int64_t version, bool whole);
std::string GangListJson(const GangPage& page);
// `include`: None, Metadata or Object, what stands beside the cells of a row.
std::string GangTableJson(const GangPage& page, std::string_view include, absl::Time now);

}  // namespace gangplan
