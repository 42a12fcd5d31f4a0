#include "topology/tree.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "absl/container/flat_hash_map.h"
#include "topology/base/check.h"
#include "topology/base/text_map.h"

namespace gangplan {
namespace {

// The values of one upper level, each replaced by its place in byte order: rows sort by integers.
std::vector<int32_t> RankValues(const std::vector<std::string_view>& values) {
  absl::flat_hash_map<std::string_view, int32_t, TextHash, TextEqual> ranks;
  std::vector<std::string_view> distinct;
  for (std::string_view value : values) {
    if (ranks.emplace(value, 0).second) distinct.push_back(value);
  }
  std::sort(distinct.begin(), distinct.end());
  for (size_t i = 0; i < distinct.size(); ++i) ranks[distinct[i]] = static_cast<int32_t>(i);
  std::vector<int32_t> result(values.size());
  for (size_t i = 0; i < values.size(); ++i) result[i] = ranks[values[i]];
  return result;
}

}  // namespace

Tree::Tree(const Topology& topology, std::span<const NodeFacts* const> nodes)
    : topology_(topology) {
  GANGPLAN_CHECK(!topology_.levels.empty() && topology_.levels.back().label == kHostnameLabel);
  levels_.resize(topology_.levels.size());
  const std::vector<Row> rows = RowsOf(nodes, 0);
  std::vector<std::vector<int32_t>> ranks;
  for (size_t level = 0; level + 1 < levels_.size(); ++level) {
    std::vector<std::string_view> values;
    for (const Row& row : rows) values.push_back(row.names[level]);
    ranks.push_back(RankValues(values));
  }
  std::vector<int32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    for (const auto& rank : ranks) {
      if (rank[a] != rank[b]) return rank[a] < rank[b];
    }
    return rows[a].names.back() < rows[b].names.back();
  });
  const Names none;
  ReserveLeaves(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const Row& row = rows[order[i]];
    Append(row.names, i == 0 ? none : rows[order[i - 1]].names, row.source);
  }
  Close();
}

Tree::Tree(const Tree& before, const Moves& moves) : topology_(before.topology_) {
  levels_.resize(topology_.levels.size());
  std::copy_if(before.unplaced_.begin(), before.unplaced_.end(), std::back_inserter(unplaced_),
               [&](const UnplacedNode& node) {
                 return !std::binary_search(moves.names.begin(), moves.names.end(), node.name);
               });
  const int32_t leaves = before.leaf_count();
  std::vector<Row> rows = RowsOf(moves.coming, leaves);
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.names < b.names; });
  auto row = rows.begin();
  auto gone = moves.gone.begin();
  Names names, last;    // of `last` the leaf itself may be an older one of the same domain
  int32_t copied = -1;  // the leaf of `before` that was appended last, unless a row was
  // The first leaf of `before` that comes after the next row; -1: there is none left.
  const auto leaf_after_row = [&] { return row == rows.end() ? -1 : before.LeafAfter(row->names); };
  ReserveLeaves(static_cast<size_t>(leaves) + rows.size());
  int32_t next = leaf_after_row();
  for (int32_t leaf = 0; leaf <= leaves; ++leaf) {
    for (; next == leaf; next = leaf_after_row()) {
      Append(row->names, last, row->source);
      last = (row++)->names;
      copied = -1;
    }
    if (leaf == leaves) break;
    const Range all = before.LowestDomain(leaf);
    const bool stays = all.begin == leaf && (next < 0 || next >= all.end) &&
                       (gone == moves.gone.end() || *gone >= all.end);
    if (stays) before.ReadNames(leaf, names);
    if (stays && OpenAbove(names, last)) {
      AppendAll(before, all);
      leaf = copied = all.end - 1;
      before.ReadNames(leaf, last);
      continue;
    }
    if (gone != moves.gone.end() && *gone == leaf) {
      ++gone;
      continue;
    }
    if (copied >= 0 && before.parent(leaf_level(), leaf) == before.parent(leaf_level(), copied)) {
      Open(levels_.size() - 1, before.name(leaf_level(), leaf));
      leaf_source_.push_back(leaf);
    } else {
      before.ReadNames(leaf, names);
      Append(names, last, leaf);
      std::swap(names, last);
    }
    copied = leaf;
  }
  Close();
}

std::vector<Tree::Row> Tree::RowsOf(std::span<const NodeFacts* const> nodes, int32_t first_source) {
  std::vector<Row> rows;
  for (size_t i = 0; i < nodes.size(); ++i) {
    Row row{{}, first_source + static_cast<int32_t>(i)};
    for (size_t level = 0; level + 1 < levels_.size(); ++level) {
      const std::string* value = FindLabel(nodes[i]->labels, topology_.levels[level].label);
      if (value == nullptr || value->empty()) {
        unplaced_.push_back({nodes[i]->name, topology_.levels[level].label});
        break;
      }
      row.names.push_back(*value);
    }
    if (row.names.size() + 1 < levels_.size()) continue;
    row.names.push_back(nodes[i]->name);
    rows.push_back(std::move(row));
  }
  std::sort(unplaced_.begin(), unplaced_.end(),
            [](const UnplacedNode& a, const UnplacedNode& b) { return a.name < b.name; });
  return rows;
}

void Tree::ReadNames(int32_t leaf, Names& names) const {
  names.resize(levels_.size());
  int32_t domain = leaf;
  for (int level = leaf_level(); level >= 0; --level) {
    names[static_cast<size_t>(level)] = name(level, domain);
    domain = parent(level, domain);
  }
}

int32_t Tree::LeafAfter(const Names& path) const {
  Names names;
  int32_t begin = 0, end = leaf_count();
  while (begin < end) {
    const int32_t middle = begin + (end - begin) / 2;
    ReadNames(middle, names);
    if (names <= path) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

void Tree::Append(const Names& names, const Names& last, int32_t source) {
  OpenAbove(names, last);
  Open(levels_.size() - 1, names.back());
  leaf_source_.push_back(source);
}

bool Tree::OpenAbove(const Names& names, const Names& last) {
  const size_t leaf = levels_.size() - 1;
  size_t level = 0;  // the first at which it opens a new domain
  while (!last.empty() && level < leaf && names[level] == last[level]) ++level;
  const bool opens = level < leaf;
  for (; level < leaf; ++level) Open(level, names[level]);
  return opens;
}

void Tree::AppendAll(const Tree& before, Range leaves) {
  LevelArrays& arrays = levels_.back();
  const int32_t first = leaf_count();
  const int32_t above = size(leaf_level() - 1) - 1;
  for (int32_t leaf = leaves.begin; leaf < leaves.end; ++leaf) {
    arrays.parent.push_back(above);
    arrays.child_begin.push_back(0);
    arrays.leaf_begin.push_back(first + leaf - leaves.begin);
    leaf_source_.push_back(leaf);
  }
  leaf_names_.push_back(before.leaf_names_[before.parent(leaf_level(), leaves.begin)]);
  last_shared_ = true;
}

void Tree::ReserveLeaves(size_t count) {
  LevelArrays& leaves = levels_.back();
  leaves.parent.reserve(count);
  leaves.child_begin.reserve(count + 1);
  leaves.leaf_begin.reserve(count + 1);
  leaf_source_.reserve(count);
}

// Appends a domain to a level, as the last child of the last domain above.
void Tree::Open(size_t level, std::string_view name) {
  LevelArrays& arrays = levels_[level];
  arrays.parent.push_back(level == 0 ? -1 : size(static_cast<int>(level) - 1) - 1);
  bool is_leaf = level + 1 == levels_.size();
  if (is_leaf) {
    AddLeafName(name);
  } else {
    arrays.name.emplace_back(name);
  }
  arrays.child_begin.push_back(is_leaf ? 0 : size(static_cast<int>(level) + 1));
  arrays.leaf_begin.push_back(is_leaf ? size(leaf_level()) - 1 : size(leaf_level()));
}

void Tree::AddLeafName(std::string_view name) {
  const auto block = static_cast<size_t>(std::max(levels_.back().parent.back(), 0));
  if (block == leaf_names_.size()) {
    leaf_names_.push_back(std::make_shared<std::vector<std::string>>());
    last_shared_ = false;
  } else if (last_shared_) {
    leaf_names_.back() = std::make_shared<std::vector<std::string>>(*leaf_names_.back());
    last_shared_ = false;
  }
  leaf_names_.back()->emplace_back(name);
}

void Tree::Close() {
  for (size_t level = 0; level < levels_.size(); ++level) {
    bool is_leaf = level + 1 == levels_.size();
    levels_[level].child_begin.push_back(is_leaf ? 0 : size(static_cast<int>(level) + 1));
    levels_[level].leaf_begin.push_back(leaf_count());
  }
}

int Tree::FindLevel(std::string_view name_or_label) const {
  for (int level = 0; level < level_count(); ++level) {
    const Level& known = topology_.levels[level];
    if (known.name == name_or_label || known.label == name_or_label) return level;
  }
  return -1;
}

int32_t Tree::Ancestor(int from, int32_t index, int level) const {
  for (int at = from; at > level; --at) index = parent(at, index);
  return index;
}

std::string Tree::Path(int level, int32_t index) const {
  std::string path = name(level, index);
  for (int at = level; at > 0; --at) {
    index = parent(at, index);
    path.insert(0, name(at - 1, index) + "/");
  }
  return path;
}

}  // namespace gangplan
