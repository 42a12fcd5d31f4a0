// Pods that are born with their place: the required node affinity that a Job's template gets when
// it is started, so that kube-scheduler looks at the nodes of the plan's domain alone. What the
// user asks for stands in each of the terms, so that it can be told apart again.
// Pure functions; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "extender/frontends/group_spec.h"
#include "topology/model.h"
#include "topology/node_filter.h"
#include "topology/node_scope.h"

namespace gangplan {

struct Pin {
  std::vector<NodeSelectorTerm> terms;  // empty: there is no use in a pin
  std::string words;                    // of kPinnedAnnotation
  std::string told;                     // to what, for people
};

// What pins of gangs of one topology go by.
struct PinBy {
  bool levels_on_nodes = true;  // each level is a label that nodes really have
  NodeScope ours = {};          // by which labels nodes are ours, and the topology's
};

struct PinRequest {
  NodeFilter own;                      // what the pods' user asks for
  LevelRules rules;                    // what their gang does
  std::span<const NodeIndex> planned;  // in the tree, ascending, usable, one at least
  int32_t members = 0;                 // that are started
  bool levels_on_nodes = true;         // each level is a label that nodes really have
  NodeScope ours = {};                 // which nodes are: a domain may hold those of others, too
  TopologyIndex topology = 0;          // whose tree it is
};

// To the nodes of the lowest domain that has all of `planned`, or of the lowest one that `rules`
// ask them to share where that is larger: the nodes by name, as far as they are usable by `own` and
// kMaxPinnedNodes at most, those of `planned` among them. Where `planned` are more than that, to
// the labels of the domain, and those by which nodes are ours.
Pin PinTo(const Model& model, const PinRequest& request);

// The labels of that domain, coarsest level first, and its path for people; none where it is the
// whole cluster, or its levels are no labels.
struct DomainLabels {
  LabelSet labels;
  std::string told;
};
DomainLabels DomainOf(const Model& model, const PinRequest& request);

// More than may be read of a pod with these terms in place of its own, beside its node selector.
bool TooManyForPod(const std::vector<NodeSelectorTerm>& terms, const NodeFilter& own);

// What the user asks for, of a template that was pinned with these words: the filter itself when
// its terms are not those that the words are about, because somebody has changed them since.
NodeFilter WithoutPin(NodeFilter filter, const std::string* words);

// How many members were started with these words; 0: they do not tell.
int32_t MembersOfPin(std::string_view words);

}  // namespace gangplan
