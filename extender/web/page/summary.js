// Above all: how much of the cluster is used, held and free; what the colours mean.

import {byId, fill, make} from './dom.js';
import {amount, count, percent, plural, shortName} from './text.js';

const kParts = ['used', 'held', 'free'];

export function drawSummary(store) {
  const box = byId('summary');
  if (!store.whole || store.tree.leafLevel < 0) {
    fill(box);
    return;
  }
  const sum = store.sumOf(-1, 0);
  const {resource} = store.tree;
  const bar = make('span', {class: 'meter', role: 'img', 'aria-label': kParts.map((part) =>
    `${percent(sum[part], sum.capacity)} ${part}`).join(', ')});
  for (const part of kParts) {
    const piece = make('i', {class: part});
    piece.style.width = `${(100 * sum[part]) / Math.max(1, sum.capacity)}%`;
    bar.append(piece);
  }
  const told = (part) => make('span', {}, make('b', {}, amount(sum[part], resource)), ` ${part}`);
  fill(box, make('span', {}, make('b', {}, count(sum.nodes)), ' nodes'),
    make('span', {}, make('b', {}, amount(sum.capacity, resource)), ` ${shortName(resource)}`),
    bar, ...kParts.map(told),
    sum.unusable > 0 ? make('span', {}, make('b', {}, count(sum.unusable)), ' not to be used')
      : null,
    store.unplaced > 0 ? make('span', {class: 'warn',
      title: 'they lack the label of a level, or are in no topology, and take no members: ' +
        'gangplan doctor tells which'},
    `${plural(store.unplaced, 'node')} without a place`) : null);
}

export function drawLegend(store) {
  const resource = store.tree === null ? '' : ` (${store.tree.resource})`;
  const entry = (name, text) =>
    make('span', {class: 'entry'}, make('i', {class: `swatch ${name}`}), text);
  fill(byId('legend'), entry('free', 'free'), entry('part', `partly used${resource}`),
    entry('used', 'used'), entry('held', 'held for a gang'),
    entry('unusable', 'not ready, or cordoned'), entry('none', 'has none'),
    entry('lit', 'the gang that is lit'));
}
