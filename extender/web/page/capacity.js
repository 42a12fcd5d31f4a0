// How large a gang may be at each level, now and when nothing runs, by the one resource that the
// map shows; `gangplan capacity` asks for cpu, memory and taints as well.

import {byId, copyButton, fill, make} from './dom.js';
import {amount, count, percent, shortName, unitOf} from './text.js';

const kSizes = [1, 2, 4, 8, 16, 32, 64];

export class Capacity extends EventTarget {
  constructor(store) {
    super();
    this.store = store;
    this.each = null;   // of the resource, for each pod; null: the most that a node has
    this.pods = 8;
    this.box = byId('capacity');
    this.body = make('tbody');
    this.lost = make('span', {class: 'faint'});
    this.sizes = make('select', {'aria-label': 'each pod asks for',
      onchange: () => { this.each = Number(this.sizes.value); this.draw(); }});
    this.input = make('input', {type: 'number', min: 1, max: 50000, value: this.pods,
      'aria-label': 'pods of a gang', oninput: () => this.onPods()});
    this.copy = make('span');
    this.unit = make('span');
    fill(this.box, this.form(), this.table());
  }

  form() {
    return make('div', {class: 'tools'}, make('h2', {}, 'Capacity'),
      make('label', {}, 'pods of ', this.sizes, ' ', this.unit),
      make('label', {}, 'gangs of ', this.input, ' pods'), this.lost, this.copy);
  }

  table() {
    const heads = ['level', 'domains', 'largest gang now', 'in', 'when empty', 'such gangs now'];
    return make('table', {}, make('thead', {}, make('tr', {},
      ...heads.map((head) => make('th', {scope: 'col'}, head)))), this.body);
  }

  onPods() {
    const pods = Math.floor(Number(this.input.value));
    if (pods >= 1) this.pods = pods;
    this.draw();
  }

  draw() {
    const {store} = this;
    if (!store.whole || store.tree.leafLevel < 0) return;
    const {resource} = store.tree;
    const unit = unitOf(resource);
    const most = store.capacity.reduce((a, b) => Math.max(a, b), 0) / unit;
    const choices = kSizes.filter((size) => size <= most);
    if (choices.length === 0) choices.push(1);
    if (this.each === null || !choices.includes(this.each)) this.each = choices.at(-1);
    if (this.told !== `${choices} ${this.each}`) {
      this.told = `${choices} ${this.each}`;
      fill(this.sizes, ...choices.map((size) =>
        make('option', {value: size, selected: size === this.each}, String(size))));
    }
    this.unit.textContent = shortName(resource);
    const fits = fitsOf(store, this.each * unit);
    fill(this.body, ...levelsOf(store, fits, this.pods).map((row) => this.row(row)));
    this.drawLost(fits, unit);
    const words = 'gangplan snapshot -o cluster.json && gangplan capacity --snapshot ' +
      `cluster.json --shape ${resource}=${this.each} --size ${this.pods}`;
    if (this.words !== words) fill(this.copy, copyButton(words, 'Copy as a command'));
    this.words = words;
  }

  drawLost(fits, unit) {
    const {store} = this;
    const {free} = store.sumOf(-1, 0);
    const whole = fits.now.reduce((a, b) => a + b, 0) * this.each * unit;
    this.lost.textContent = free === 0 ? 'nothing is free'
      : `${amount(free, store.tree.resource)} free, of which ` +
        `${percent(free - whole, free)} in pieces too small`;
  }

  row({level, domains, now, empty, gangs}) {
    const path = now.index < 0 || level < 0 ? '' : this.store.tree.path(level, now.index);
    const where = path === '' ? make('td', {}, '') : make('td', {}, make('button', {
      class: 'link', title: 'show it on the map',
      onclick: () => this.dispatchEvent(new CustomEvent('place', {detail: path})),
    }, path));
    return make('tr', {},
      make('th', {scope: 'row'}, level < 0 ? 'cluster' : this.store.tree.levels[level]),
      make('td', {}, count(domains)),
      make('td', {class: now.most < this.pods ? 'short' : ''}, make('b', {}, count(now.most))),
      where, make('td', {}, count(empty.most)), make('td', {}, count(gangs)));
  }
}

// Pods that fit on each leaf, now and when nothing runs.
function fitsOf(store, each) {
  const now = new Int32Array(store.tree.leafCount);
  const empty = new Int32Array(store.tree.leafCount);
  for (let leaf = 0; leaf < now.length; leaf += 1) {
    now[leaf] = Math.floor(store.freeOf(leaf) / each);
    empty[leaf] = Math.floor(store.capacity[leaf] / each);
  }
  return {now, empty};
}

function levelsOf(store, fits, pods) {
  const {tree} = store;
  const rows = [];
  let {now, empty} = fits;
  for (let level = tree.leafLevel; level >= -1; level -= 1) {
    if (level < tree.leafLevel) {
      const parent = level < 0 ? new Int32Array(now.length) : tree.parent[level];
      now = addUp(now, parent, level < 0 ? 1 : tree.size(level));
      empty = addUp(empty, parent, level < 0 ? 1 : tree.size(level));
    }
    rows.unshift({
      level, domains: now.length, now: mostOf(now), empty: mostOf(empty),
      gangs: now.reduce((sum, one) => sum + Math.floor(one / pods), 0),
    });
  }
  return rows;
}

function addUp(from, parent, size) {
  const sums = new Int32Array(size);
  for (let i = 0; i < from.length; i += 1) sums[parent[i]] += from[i];
  return sums;
}

function mostOf(counts) {
  let index = -1;
  let most = 0;
  counts.forEach((one, i) => {
    if (one <= most) return;
    most = one;
    index = i;
  });
  return {most, index};
}
