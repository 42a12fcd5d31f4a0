// What is said of the domain or node under the pointer.

import {byId, fill, make} from './dom.js';
import {amount, count, percent, shortName} from './text.js';

const kMostGangs = 4;

export class Tip {
  constructor(store) {
    this.store = store;
    this.box = byId('tip');
  }

  hide() { this.box.hidden = true; }

  show(domain, x, y, ranks) {
    if (domain === null) return this.hide();
    const [head, ...lines] = this.words(domain, ranks);
    fill(this.box, make('strong', {}, head), ...lines.map((line) => make('span', {}, line)));
    this.box.hidden = false;
    const around = this.box.parentElement.getBoundingClientRect();
    const {width, height} = this.box.getBoundingClientRect();
    const left = x + 16 + width > around.width ? x - 12 - width : x + 16;
    const top = y + 16 + height > around.height ? y - 12 - height : y + 16;
    this.box.style.left = `${Math.max(4, left)}px`;
    this.box.style.top = `${Math.max(4, top)}px`;
  }

  showBeside(domain, box, ratio, ranks) {
    this.show(domain, box.right / ratio - 8, box.top / ratio - 8, ranks);
  }

  words({level, index}, ranks) {
    const {store} = this;
    const {tree} = store;
    const sum = store.sumOf(level, index);
    const resource = shortName(tree.resource);
    const told = (figure) => amount(sum[figure], tree.resource);
    const lines = [tree.path(level, index)];
    lines.push(`${told('capacity')} ${resource}: ${told('used')} used, ${told('held')} held, ` +
      `${told('free')} free`);
    if (level < tree.leafLevel) {
      lines.push(`${count(sum.nodes)} nodes, ${percent(sum.used, sum.capacity)} used`);
      if (sum.unusable > 0) lines.push(`${count(sum.unusable)} of them not to be used`);
      return lines;
    }
    if (!store.usable[index]) lines.push('not to be used: not ready, or cordoned');
    if (ranks.has(index)) lines.push(`rank ${ranks.get(index)} of the gang that is lit`);
    return [...lines, ...this.gangs(store.gangsOf[index] ?? [])];
  }

  gangs(ids) {
    const names = ids.slice(0, kMostGangs).map((id) => this.store.gangs.get(id)?.name ?? '');
    if (ids.length > kMostGangs) names.push(`and ${ids.length - kMostGangs} gangs more`);
    return names.filter((name) => name !== '');
  }
}
