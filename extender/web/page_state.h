// The cluster as the page draws it: the tree, which seldom changes; the use of every node, and the
// gangs; and what has changed of these since another state. As JSON that is short at tens of
// thousands of nodes. Pure functions of values; any thread.
//
// Text of the cluster's users stands in it as it is: who shows it escapes it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/tree.h"

namespace gangplan {

struct PageNode {
  bool usable = false;
  int64_t capacity = 0;  // of the resource that is shown
  int64_t used = 0;
  int64_t held = 0;
  std::vector<int64_t> gangs;  // that stand there or have room there: their ids, ascending
  friend bool operator==(const PageNode&, const PageNode&) = default;
};

struct PageGang {
  int64_t id = 0;
  std::string name;  // namespace/name
  std::string kind;
  std::string state;
  std::string road;
  std::string outcome;
  bool rungs_left = false;  // of its ladder
  std::string place;        // its rules
  std::string where;
  std::string why;
  int64_t size = 0;
  int64_t seen = 0;
  int64_t bound = 0;
  int64_t priority = 0;
  int64_t line = 0;  // its place there; 0: it does not stand in line
  friend bool operator==(const PageGang&, const PageGang&) = default;
};

struct PageState {
  std::string tree;             // the version of the tree whose leaves `nodes` are
  int64_t generation = 0;       // grows with each state
  std::string not_ready;        // why it is not whole yet; empty: it is
  int64_t unplaced = 0;         // nodes without a place in the tree
  int64_t more_gangs = 0;       // that are not told
  std::vector<PageNode> nodes;  // by leaf
  std::vector<PageGang> gangs;  // by id
};

// {"version","topology","resource","levels":[..],"names":[[..] of each level],"children":[[how many
// each domain of a level has] of each level but the last]}. In the order of the tree.
std::string PageTreeJson(const Tree& tree, const std::string& version, const std::string& resource);

// {"tree","generation","notReady","unplaced","moreGangs","gangs":[..],"kinds":[[usable, capacity,
// used, held, id...],...],"nodes":[the kind of each leaf]}.
std::string PageStateJson(const PageState& state);

// What `after` has other than `before`, which has the same tree: {"from","generation",...,"gangs":
// [those that differ],"gone":[ids],"nodes":[[leaf, usable, capacity, used, held, id...],...]}.
std::string PageChangesJson(const PageState& before, const PageState& after);

// They differ in more than their generation.
bool Differ(const PageState& a, const PageState& b);

}  // namespace gangplan
