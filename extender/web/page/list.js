// The gangs at the left: filtered, sorted, and only those rows made that are seen.

import {byId, fill, make} from './dom.js';
import {kKinds, kindOf} from './states.js';
import {count, plural} from './text.js';

const kRow = 46;     // pixels, as parts.css has it
const kBeyond = 8;   // rows above and below what is seen

const byName = (a, b) => (a.name < b.name ? -1 : 1);
const kOrders = {
  state: (a, b) => kindOf(a).order - kindOf(b).order || b.priority - a.priority ||
    a.line - b.line || a.id - b.id,
  new: (a, b) => b.id - a.id,
  name: byName,
  size: (a, b) => b.size - a.size || byName(a, b),
  priority: (a, b) => b.priority - a.priority || byName(a, b),
};

export class GangList extends EventTarget {
  constructor(store) {
    super();
    this.store = store;
    this.list = byId('list');
    this.rows = byId('rows');
    this.filter = byId('filter');
    this.sort = byId('sort');
    this.kinds = new Set();  // that are shown; none: all
    this.shown = [];
    this.cursor = null;      // the id of the row that the keys are on
    this.chosen = null;      // the id of the gang that is explained
    this.filter.addEventListener('input', () => this.update());
    this.sort.addEventListener('change', () => this.update());
    this.list.addEventListener('scroll', () => this.draw());
    this.list.addEventListener('click', (event) => this.onClick(event));
    this.list.addEventListener('pointerover', (event) => this.onOver(event));
    this.list.addEventListener('pointerleave', () => this.tell('hover', null));
    new ResizeObserver(() => this.draw()).observe(this.list);
  }

  tell(name, id) { this.dispatchEvent(new CustomEvent(name, {detail: id})); }

  idAt(event) {
    const row = event.target.closest('[data-id]');
    return row === null ? null : Number(row.dataset.id);
  }

  onClick(event) {
    const id = this.idAt(event);
    if (id === null) return;
    this.cursor = id;
    this.tell('choose', id);
  }

  onOver(event) { this.tell('hover', this.idAt(event)); }

  matches(gang, words) {
    if (this.kinds.size > 0 && !this.kinds.has(kindOf(gang).name)) return false;
    const text = `${gang.name} ${gang.kind} ${gang.state} ${gang.where} ${gang.why} ${gang.place}`
      .toLowerCase();
    return words.every((word) => text.includes(word));
  }

  update() {
    const words = this.filter.value.toLowerCase().split(/\s+/).filter((word) => word !== '');
    const all = [...this.store.gangs.values()];
    this.shown = all.filter((gang) => this.matches(gang, words));
    this.shown.sort(kOrders[this.sort.value] ?? kOrders.state);
    this.drawKinds(all);
    this.draw();
    const more = this.store.moreGangs > 0 ? `; ${count(this.store.moreGangs)} more not told` : '';
    byId('count').textContent = this.shown.length === all.length
      ? `${plural(all.length, 'gang')}${more}`
      : `${count(this.shown.length)} of ${plural(all.length, 'gang')}${more}`;
  }

  drawKinds(all) {
    const counts = new Map();
    for (const gang of all)
      counts.set(kindOf(gang).name, (counts.get(kindOf(gang).name) ?? 0) + 1);
    const buttons = kKinds.filter((kind) => counts.has(kind.name) || this.kinds.has(kind.name));
    fill(byId('states'), ...buttons.map((kind) => make('button', {
      class: `state ${kind.name}`, 'aria-pressed': this.kinds.has(kind.name),
      onclick: () => this.toggle(kind.name),
    }, `${kind.sign} ${kind.label} `, make('b', {}, count(counts.get(kind.name) ?? 0)))));
  }

  toggle(kind) {
    if (!this.kinds.delete(kind)) this.kinds.add(kind);
    this.update();
    this.tell('filter', null);
  }

  draw() {
    const {scrollTop, clientHeight} = this.list;
    const begin = Math.max(0, Math.floor(scrollTop / kRow) - kBeyond);
    const end = Math.min(this.shown.length,
      Math.ceil((scrollTop + clientHeight) / kRow) + kBeyond);
    this.rows.style.height = `${this.shown.length * kRow}px`;
    const rows = [];
    for (let i = begin; i < end; i += 1) rows.push(this.row(this.shown[i], i));
    fill(this.rows, ...rows);
    const seen = rows.some((row) => Number(row.dataset.id) === this.cursor);
    if (seen) this.list.setAttribute('aria-activedescendant', `gang-${this.cursor}`);
    else this.list.removeAttribute('aria-activedescendant');
  }

  row(gang, place) {
    const kind = kindOf(gang);
    const classes = ['row', kind.name];
    if (gang.id === this.cursor) classes.push('cursor');
    const below = gang.where !== '' ? gang.where : gang.why;
    const row = make('div', {
      id: `gang-${gang.id}`, class: classes.join(' '), role: 'option', 'data-id': gang.id,
      'aria-selected': String(gang.id === this.chosen), 'aria-setsize': this.shown.length,
      'aria-posinset': place + 1,
      title: `${gang.name}: ${gang.state}${below === '' ? '' : `; ${below}`}`,
    },
    make('span', {class: 'sign', 'aria-label': kind.label}, kind.sign),
    make('span', {class: 'name'}, ...nameParts(gang.name)),
    make('span', {class: 'pods'}, `${count(gang.bound)}/${count(gang.size)}`),
    make('span', {class: 'below'}, below === '' ? gang.state : below),
    gang.priority === 0 ? null : make('span', {class: 'priority', title: 'priority'},
      `▲ ${count(gang.priority)}`));
    row.style.top = `${place * kRow}px`;
    return row;
  }

  choose(id) {
    this.chosen = id;
    this.cursor = id ?? this.cursor;
    this.reveal();
    this.draw();
  }

  // Up or down by so many rows.
  move(by) {
    if (this.shown.length === 0) return;
    const at = this.shown.findIndex((gang) => gang.id === this.cursor);
    const next = at < 0 ? 0 : Math.min(this.shown.length - 1, Math.max(0, at + by));
    this.cursor = this.shown[next].id;
    this.reveal();
    this.draw();
    this.tell('hover', this.cursor);
  }

  reveal() {
    const at = this.shown.findIndex((gang) => gang.id === this.cursor);
    if (at < 0) return;
    const top = at * kRow;
    const {scrollTop, clientHeight} = this.list;
    if (top < scrollTop) this.list.scrollTop = top;
    else if (top + kRow > scrollTop + clientHeight)
      this.list.scrollTop = top + kRow - clientHeight;
  }
}

// The namespace is told fainter than the name.
function nameParts(name) {
  const slash = name.indexOf('/');
  return slash < 0 ? [name]
    : [make('span', {class: 'ns'}, name.slice(0, slash + 1)), name.slice(slash + 1)];
}
