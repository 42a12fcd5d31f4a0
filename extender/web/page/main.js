// Puts the parts of the page together.

import {Capacity} from './capacity.js';
import {Explanation} from './explain.js';
import {GangList} from './list.js';
import {Live} from './live.js';
import {Store} from './store.js';
import {TreeMap} from './map.js';
import {byId, fill, make} from './dom.js';
import {drawLegend, drawSummary} from './summary.js';
import {readLink, writeLink} from './link.js';
import {startKeys} from './keys.js';
import {startTheme} from './theme.js';

const store = new Store();
const map = new TreeMap(store);
const list = new GangList(store);
const why = new Explanation(store);
const capacity = new Capacity(store);
let wanted = '';      // the name of the gang that is chosen, also while there is none of it
let wantedLevel = ''; // the level that the address names, until the tree is known
let behind = 0;       // the timer of what is drawn later
let hovered = null;   // the id of the gang under the pointer

const chosen = () => (list.chosen === null ? null : store.gangs.get(list.chosen) ?? null);

// ---- what is lit

function light() {
  const id = hovered ?? list.chosen;
  if (id === null || !store.whole) return map.light(null);
  const leaves = store.leavesOf(id);
  const gang = store.gangs.get(id);
  if (gang === undefined || leaves.length === 0) return map.light(null);
  const lit = new Uint8Array(store.tree.leafCount);
  const mark = gang.bound === 0 ? 2 : 1;
  for (const leaf of leaves) lit[leaf] = mark;
  map.light(lit, id === list.chosen ? why.ranks() : undefined);
}

function hover(id) {
  hovered = id;
  light();
}

// ---- what is chosen

function choose(id) {
  list.choose(id);
  wanted = chosen()?.name ?? '';
  why.choose(chosen());
  hovered = null;
  light();
  remember();
}

const close = () => choose(null);

// Of a node on the map: its gangs in turn.
function chooseNext(ids) {
  const at = ids.indexOf(list.chosen);
  choose(ids[(at + 1) % ids.length]);
}

const openPlace = (path) => openDomain(store.tree?.find(path) ?? null);

// By its name: of several topologies the server tells paths within its own.
function openNode(name) {
  const leaf = store.tree?.leafNamed(name) ?? -1;
  openDomain(leaf < 0 ? null : {level: store.tree.leafLevel, index: leaf});
}

function openDomain(found) {
  if (found === null) return;
  const {leafLevel} = store.tree;
  if (found.level < leafLevel) return map.show(found);
  const above = leafLevel - 1;
  map.show(above < 0 ? null
    : {level: above, index: store.tree.ancestor(leafLevel, found.index, above)});
  map.setMark(found);
}

// ---- the address

function remember() {
  const {tree} = store;
  writeLink({
    gang: chosen()?.name ?? wanted,
    level: map.level < 0 || tree === null ? '' : tree.levels[map.level] ?? '',
    at: map.at === null || tree === null ? '' : tree.path(map.at.level, map.at.index),
    filter: list.filter.value,
    sort: list.sort.value === 'state' ? '' : list.sort.value,
    show: [...list.kinds].join(','),
  });
}

function follow() {
  const link = readLink();
  if (chosen()?.name !== link.gang) list.choose(null);
  wanted = link.gang;
  list.filter.value = link.filter;
  if ([...list.sort.options].some((option) => option.value === link.sort))
    list.sort.value = link.sort;
  list.kinds = new Set(link.show === '' ? [] : link.show.split(','));
  wantedLevel = link.level;
  map.level = link.level === '' || store.tree === null ? -1
    : store.tree.levels.indexOf(link.level);
  map.open(link.at);
  onChange();
}
// ---- levels and path

function drawLevels() {
  const {tree} = store;
  if (tree === null || tree.leafLevel < 0) return;
  if (wantedLevel !== '') map.level = tree.levels.indexOf(wantedLevel);
  wantedLevel = '';
  fill(byId('levels'), ...tree.levels.map((name, level) => make('button', {
    'aria-pressed': level === map.cells, onclick: () => setLevel(level),
  }, name)));
}

function setLevel(level) {
  map.setLevel(level === store.tree.leafLevel ? -1 : level);
  drawLevels();
  remember();
}

function nextLevel() {
  if (store.tree === null || store.tree.leafLevel < 0) return;
  setLevel((map.cells + 1) % store.tree.levels.length);
}

function drawPath() {
  const {tree} = store;
  const step = (name, domain) => make('button', {
    class: 'link', onclick: () => map.show(domain),
  }, name);
  const steps = [step('cluster', null)];
  if (map.at !== null && tree !== null) {
    for (let level = 0; level <= map.at.level; level += 1) {
      const index = tree.ancestor(map.at.level, map.at.index, level);
      steps.push('›', step(tree.names[level][index], {level, index}));
    }
  }
  fill(byId('path'), ...steps);
  remember();
}

// ---- changes

function onChange() {
  if (wanted !== '' && list.chosen === null) {
    const gang = store.gangNamed(wanted);
    if (gang !== null) list.choose(gang.id);
  }
  if (list.chosen !== null && chosen() === null && store.generation > 0) list.choose(null);
  list.update();
  why.choose(chosen());
  if (why.gang === null) why.draw();
  drawSummary(store);
  clearTimeout(behind);
  behind = setTimeout(() => capacity.draw());  // behind the map, which people wait for
  if (store.whole) {
    drawLevels();
    drawLegend(store);
    map.update();
  }
  light();
  notice();
}

function notice() {
  const empty = store.whole && store.tree.leafLevel < 0;
  const none = store.whole && !empty && store.tree.leafCount === 0;
  const text = store.notReady !== '' ? `Not ready yet: ${store.notReady}`
    : empty ? 'The levels of the tree are not known yet.'
      : none ? 'There are no nodes with the labels of all levels.' : '';
  byId('notice').textContent = text;
  byId('notice').hidden = text === '';
}

function escape() {
  if (document.activeElement === list.filter) {
    list.filter.value = '';
    list.filter.blur();
    list.update();
    remember();
  } else if (list.chosen !== null) {
    close();
  } else {
    map.up();
  }
}

function open() {
  if (list.cursor === null) return;
  choose(list.cursor);
  byId('why').focus();
}

const nextTheme = startTheme(() => {
  map.painter.colours.read();
  map.draw();
});

startKeys({
  ArrowDown: () => list.move(1), ArrowUp: () => list.move(-1), j: () => list.move(1),
  k: () => list.move(-1), Enter: open, '/': () => list.filter.select(), Escape: escape,
  '+': () => map.zoom(1.5), '=': () => map.zoom(1.5), '-': () => map.zoom(1 / 1.5),
  0: () => map.show(null), l: nextLevel, m: () => map.canvas.focus(), t: nextTheme,
});

list.addEventListener('choose', ({detail}) => choose(detail));
list.addEventListener('hover', ({detail}) => hover(detail));
list.addEventListener('filter', remember);
list.filter.addEventListener('input', remember);
list.sort.addEventListener('change', remember);
why.addEventListener('loaded', light);
why.addEventListener('close', close);
why.addEventListener('node', ({detail}) => openNode(detail));
capacity.addEventListener('place', ({detail}) => openPlace(detail));
map.addEventListener('move', drawPath);
map.addEventListener('gangs', ({detail}) => chooseNext(detail));
store.addEventListener('change', onChange);
byId('in').addEventListener('click', () => map.zoom(1.5));
byId('out').addEventListener('click', () => map.zoom(1 / 1.5));
byId('whole').addEventListener('click', () => map.show(null));
window.addEventListener('hashchange', follow);

const live = new Live(store, (words, kind) => {
  const sign = byId('live');
  sign.textContent = words;
  sign.className = kind;
});

follow();
drawLegend(store);
live.start();
// For those who measure: when the first map was drawn, and the last frames.
window.gangplan = {map, store};
