// What stands on the map in words and lines: names of domains and nodes, ranks of the gang that is
// lit, the outline of what is under the pointer and of what the keys have come to.

import {amount} from './text.js';

const kNameFrom = 9;    // pixels of the strip, at a ratio of 1, from which on a name is drawn
const kMostName = 15;
const kRankFrom = 15;   // pixels of a node's width from which on its ranks are
const kNodeFrom = 54;   // ... its name and amounts are
const kHaloFrom = 14;   // ... of a domain's width
const kFont = 'system-ui, sans-serif';

export function write(context, painter, scene) {
  context.textBaseline = 'middle';
  const {tree} = scene.store;
  for (let level = 0; level <= scene.level; level += 1) names(context, painter, scene, level);
  if (scene.level === tree.leafLevel) nodes(context, painter, scene);
  if (scene.lit !== null) halos(context, painter, scene);
  if (scene.mark !== null) outline(context, painter, scene.mark, 2);
  if (scene.hover !== null) outline(context, painter, scene.hover, 1);
}

// Around the smallest domains that can be seen in which something is lit: single nodes of tens of
// thousands cannot.
function halos(context, painter, scene) {
  const {tree} = scene.store;
  let level = tree.leafLevel - 1;
  const widthOf = (one) => scene.layout.levels[one].width * painter.scale;
  while (level > 0 && widthOf(level) < kHaloFrom * painter.ratio) level -= 1;
  if (level < 0) return;
  const domains = new Set();
  scene.lit.forEach((mark, leaf) => {
    if (mark !== 0) domains.add(tree.ancestor(tree.leafLevel, leaf, level));
  });
  for (const index of domains)
    outline(context, painter, {level, index}, 1.5, painter.colours.text('lit'));
}

function outline(context, painter, {level, index}, width, colour = painter.colours.text('mark')) {
  const box = painter.box(level, index);
  if (!painter.seen(box)) return;
  context.strokeStyle = colour;
  context.lineWidth = width * painter.ratio;
  context.strokeRect(box.left - 1, box.top - 1, box.right - box.left + 2, box.bottom - box.top + 2);
}

// Calls one(index, box) of all domains of a level that are seen.
function eachSeen(painter, scene, level, one) {
  const {tree} = scene.store;
  const walk = (above, begin, end) => {
    for (let i = begin; i < end; i += 1) {
      const box = painter.box(above, i);
      if (!painter.seen(box)) continue;
      if (above === level) one(i, box);
      else walk(above + 1, tree.begin[above][i], tree.begin[above][i + 1]);
    }
  };
  walk(0, 0, tree.size(0));
}

function names(context, painter, scene, level) {
  const {tree} = scene.store;
  const one = scene.layout.levels[level];
  const strip = one.strip * painter.scale;
  const asCell = level === scene.level;
  if (level === tree.leafLevel) return;
  const room = asCell ? one.height * painter.scale * 0.5 : strip;
  if (room < kNameFrom * painter.ratio) return;
  const size = Math.min(kMostName * painter.ratio, room * 0.82);
  context.font = `600 ${size}px ${kFont}`;
  eachSeen(painter, scene, level, (index, box) => {
    const x = Math.max(box.left, 0) + size * 0.35;
    const name = fitted(context, tree.names[level][index], box.right - x - size * 0.35);
    const y = box.top + (asCell ? size : strip / 2);
    if (asCell) plate(context, painter, name, x, y, size);
    context.fillStyle = painter.colours.text('text');
    context.fillText(name, x, y);
    if (asCell) return;
    share(context, painter, scene, {level, index, box, name, x, y, size});
  });
}

// At the right end of a domain's strip: what is free in it.
function share(context, painter, scene, {level, index, box, name, x, y, size}) {
  const {tree} = scene.store;
  const sum = scene.store.sumOf(level, index);
  const text = `${amount(sum.free, tree.resource)} free`;
  context.font = `${size * 0.85}px ${kFont}`;
  const width = context.measureText(text).width;
  context.font = `600 ${size}px ${kFont}`;
  const right = box.right - size * 0.35;
  if (right - width < x + context.measureText(name).width + size) return;
  context.font = `${size * 0.85}px ${kFont}`;
  context.fillStyle = painter.colours.text('faint');
  context.fillText(text, right - width, y);
  context.font = `600 ${size}px ${kFont}`;
}

// Behind a name that stands on a cell.
function plate(context, painter, name, x, y, size) {
  context.globalAlpha = 0.82;
  context.fillStyle = painter.colours.text('map-ground');
  context.fillRect(x - size * 0.25, y - size * 0.65, context.measureText(name).width + size * 0.5,
    size * 1.3);
  context.globalAlpha = 1;
}

function nodes(context, painter, scene) {
  const {tree} = scene.store;
  const width = scene.layout.levels[tree.leafLevel].width * painter.scale;
  if (width < kRankFrom * painter.ratio) return;
  eachSeen(painter, scene, tree.leafLevel, (leaf, box) => {
    const ranks = scene.ranks.get(leaf);
    if (width >= kNodeFrom * painter.ratio) described(context, painter, scene, {leaf, box, ranks});
    else if (ranks !== undefined) centred(context, ranks, box);
  });
}

function centred(context, text, box) {
  const width = box.right - box.left;
  context.font = `700 ${Math.min(width * 0.5, (width / text.length) * 1.35)}px ${kFont}`;
  context.fillStyle = '#ffffff';
  context.textAlign = 'center';
  context.fillText(text, box.left + width / 2, (box.top + box.bottom) / 2);
  context.textAlign = 'start';
}

function described(context, painter, scene, {leaf, box, ranks}) {
  const {store} = scene;
  const size = Math.min(13 * painter.ratio, (box.right - box.left) * 0.17);
  const {resource} = store.tree;
  const room = box.right - box.left - size;
  context.font = `600 ${size}px ${kFont}`;
  const lines = [
    store.tree.names[store.tree.leafLevel][leaf],
    store.usable[leaf]
      ? `${amount(store.freeOf(leaf), resource)}/${amount(store.capacity[leaf], resource)} free`
      : 'unusable',
    ...(ranks === undefined ? [] : [fits(context, `rank ${ranks}`, room) ?? ranks]),
  ];
  lines.forEach((line, i) => {
    const text = fitted(context, line, room);
    const y = box.top + size * (1.1 + i * 1.4);
    plate(context, painter, text, box.left + size * 0.5, y, size);
    context.fillStyle = painter.colours.text('text');
    context.fillText(text, box.left + size * 0.5, y);
  });
}

const fits = (context, text, width) =>
  (context.measureText(text).width <= width ? text : undefined);

// Cut in front, where it does not fit: the end of a name tells it from its neighbours.
function fitted(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  for (let cut = 1; cut < text.length; cut += 1) {
    const shorter = `…${text.slice(cut)}`;
    if (context.measureText(shorter).width <= width) return shorter;
  }
  return '';
}
