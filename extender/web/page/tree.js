// The tree of domains as flat arrays: level by level from the top, children and leaves of a domain
// as ranges, in the order in which the server tells it.

export class Tree {
  constructor(told) {
    this.version = told.version;
    this.resource = told.resource;
    this.levels = told.levels;
    this.names = told.names;
    this.leafLevel = told.levels.length - 1;
    this.leafCount = this.leafLevel < 0 ? 0 : told.names[this.leafLevel].length;
    this.begin = told.children.map(starts);  // of the children, with one more at the end
    this.parent = this.begin.map((begin, level) => parents(begin, told.names[level + 1].length));
    this.leaves = told.names.map(() => null);
    this.countLeaves();
  }

  countLeaves() {
    if (this.leafLevel < 0) return;
    this.leaves[this.leafLevel] = Int32Array.from({length: this.leafCount + 1}, (_, i) => i);
    for (let level = this.leafLevel - 1; level >= 0; level -= 1) {
      const below = this.leaves[level + 1];
      this.leaves[level] = this.begin[level].map((child) => below[child]);
    }
  }

  size(level) { return this.names[level].length; }

  // [begin, end) of the leaves of a domain.
  leavesOf(level, index) { return [this.leaves[level][index], this.leaves[level][index + 1]]; }

  ancestor(level, index, above) {
    let at = index;
    for (let i = level; i > above; i -= 1) at = this.parent[i - 1][at];
    return at;
  }

  path(level, index) {
    const names = [];
    for (let i = 0; i <= level; i += 1) names.push(this.names[i][this.ancestor(level, index, i)]);
    return names.join('/');
  }

  // {level, index} of a path; null: there is none.
  find(path) {
    if (path === '') return null;
    let found = null;
    for (const name of path.split('/')) {
      const level = found === null ? 0 : found.level + 1;
      if (level > this.leafLevel) return null;
      const from = found === null ? 0 : this.begin[found.level][found.index];
      const to = found === null ? this.size(0) : this.begin[found.level][found.index + 1];
      const index = this.names[level].indexOf(name, from);
      if (index < from || index >= to) return null;
      found = {level, index};
    }
    return found;
  }

  // -1: there is none of that name.
  leafNamed(name) {
    if (this.leafOf === undefined) {
      const names = this.leafLevel < 0 ? [] : this.names[this.leafLevel];
      this.leafOf = new Map(names.map((one, leaf) => [one, leaf]));
    }
    return this.leafOf.get(name) ?? -1;
  }
}

function starts(counts) {
  const begin = new Int32Array(counts.length + 1);
  counts.forEach((one, i) => { begin[i + 1] = begin[i] + one; });
  return begin;
}

function parents(begin, size) {
  const parent = new Int32Array(size);
  for (let i = 0; i + 1 < begin.length; i += 1) parent.fill(i, begin[i], begin[i + 1]);
  return parent;
}
