// The ranks of a gang, as /v1/groups tells its slots, put together for people.

import {ranges} from './text.js';

const where = (slot) => slot.domain || slot.node;

// Leaf to "0–7"; with several pod sets "worker 0–7".
export function ranksOf(answer, tree) {
  const leaves = new Map();
  for (const slot of answer.slots) {
    const leaf = tree.leafNamed(slot.node);
    if (leaf < 0) continue;
    if (!leaves.has(leaf)) leaves.set(leaf, new Map());
    const sets = leaves.get(leaf);
    const set = slot.podSet ?? '';
    if (!sets.has(set)) sets.set(set, []);
    sets.get(set).push(slot.rank);
  }
  const text = ([set, ranks]) => `${set === '' ? '' : `${set} `}${ranges(ranks)}`;
  return new Map([...leaves].map(([leaf, sets]) => [leaf, [...sets].map(text).join(', ')]));
}

// Ranks of one pod set that follow each other and are at one place in one state, as rows.
export function placementOf(answer) {
  const rows = [];
  for (const slot of answer.slots) {
    const last = rows.at(-1);
    const goes = last !== undefined && last.set === (slot.podSet ?? '') &&
      last.domain === where(slot) && last.state === slot.state;
    if (goes) last.all.push(slot.rank);
    else rows.push({set: slot.podSet ?? '', domain: where(slot), node: slot.node,
      state: slot.state, all: [slot.rank]});
  }
  return rows.map(({set, domain, node, state, all}) =>
    ({domain, node, state, ranks: `${set === '' ? '' : `${set} `}${ranges(all)}`}));
}
