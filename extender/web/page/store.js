// What the server has told: the tree, the use of every node, the gangs; and the sums of these.

import {Tree} from './tree.js';

export class Store extends EventTarget {
  constructor() {
    super();
    this.tree = null;
    this.generation = 0;
    this.treeOf = '';  // the version of the tree that the figures are of
    this.gangs = new Map();  // by id
    this.notReady = '';
    this.unplaced = 0;
    this.moreGangs = 0;
    this.setNodes(0);
    this.leavesOfGangs = null;
  }

  get whole() { return this.tree !== null && this.tree.version === this.treeOf; }

  setNodes(size) {
    this.usable = new Uint8Array(size);
    this.capacity = new Float64Array(size);
    this.used = new Float64Array(size);
    this.held = new Float64Array(size);
    this.gangsOf = new Array(size).fill(null);
  }

  setNode(leaf, [usable, capacity, used, held, ...gangs]) {
    this.usable[leaf] = usable;
    this.capacity[leaf] = capacity;
    this.used[leaf] = used;
    this.held[leaf] = held;
    this.gangsOf[leaf] = gangs.length > 0 ? gangs : null;
  }

  takeTree(told) {
    this.tree = new Tree(told);
    this.changed();
  }

  takeState(told) {
    this.takeHead(told);
    this.gangs = new Map(told.gangs.map((gang) => [gang.id, gang]));
    this.setNodes(told.nodes.length);
    told.nodes.forEach((kind, leaf) => this.setNode(leaf, told.kinds[kind]));
    this.changed();
  }

  // False: they are about another state than the one that is here.
  takeChanges(told) {
    if (told.from !== this.generation || told.tree !== this.treeOf) return false;
    this.takeHead(told);
    for (const id of told.gone) this.gangs.delete(id);
    for (const gang of told.gangs) this.gangs.set(gang.id, gang);
    for (const [leaf, ...node] of told.nodes) this.setNode(leaf, node);
    this.changed();
    return true;
  }

  takeHead(told) {
    this.treeOf = told.tree;
    this.generation = told.generation;
    this.notReady = told.notReady;
    this.unplaced = told.unplaced;
    this.moreGangs = told.moreGangs;
  }

  changed() {
    this.leavesOfGangs = null;
    this.sums = this.whole ? sumsOf(this) : null;
    this.dispatchEvent(new Event('change'));
  }

  // The newest, which is what the server tells of by a name.
  gangNamed(name) {
    let newest = null;
    for (const gang of this.gangs.values())
      if (gang.name === name && gang.id > (newest?.id ?? -Infinity)) newest = gang;
    return newest;
  }

  // The leaves where a gang stands or has room, ascending.
  leavesOf(id) {
    if (this.leavesOfGangs === null) {
      this.leavesOfGangs = new Map();
      this.gangsOf.forEach((gangs, leaf) => {
        for (const gang of gangs ?? []) {
          if (!this.leavesOfGangs.has(gang)) this.leavesOfGangs.set(gang, []);
          this.leavesOfGangs.get(gang).push(leaf);
        }
      });
    }
    return this.leavesOfGangs.get(id) ?? [];
  }

  freeOf(leaf) {
    if (!this.usable[leaf]) return 0;
    return Math.max(0, this.capacity[leaf] - this.used[leaf] - this.held[leaf]);
  }

  // {nodes, unusable, capacity, used, held, free} of a domain; level -1: of all.
  sumOf(level, index) {
    const sums = level < 0 ? this.sums.all : this.sums.levels[level];
    const at = level < 0 ? 0 : index;
    return {
      nodes: sums.nodes[at], unusable: sums.unusable[at], capacity: sums.capacity[at],
      used: sums.used[at], held: sums.held[at], free: sums.free[at],
    };
  }
}

const kFigures = ['nodes', 'unusable', 'capacity', 'used', 'held', 'free'];

const zeros = (size) =>
  Object.fromEntries(kFigures.map((figure) => [figure, new Float64Array(size)]));

// Free is what may be used; what nodes that may not be used have left is nobody's.
function sumsOf(store) {
  const {tree} = store;
  const levels = tree.names.map((names) => zeros(names.length));
  const all = zeros(1);
  if (tree.leafLevel < 0) return {levels, all};
  const leaves = levels[tree.leafLevel];
  for (let leaf = 0; leaf < tree.leafCount; leaf += 1) {
    leaves.nodes[leaf] = 1;
    leaves.unusable[leaf] = store.usable[leaf] ? 0 : 1;
    leaves.capacity[leaf] = store.capacity[leaf];
    leaves.used[leaf] = store.used[leaf];
    leaves.held[leaf] = store.held[leaf];
    leaves.free[leaf] = store.freeOf(leaf);
  }
  for (let level = tree.leafLevel; level > 0; level -= 1)
    addUp(levels[level], levels[level - 1], tree.parent[level - 1]);
  addUp(levels[0], all, new Int32Array(tree.size(0)));
  return {levels, all};
}

function addUp(from, into, parent) {
  for (const figure of kFigures) {
    const source = from[figure];
    const target = into[figure];
    for (let i = 0; i < source.length; i += 1) target[parent[i]] += source[i];
  }
}
