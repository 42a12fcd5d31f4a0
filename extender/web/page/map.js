// The map: what it shows, and what pointer and keys do with it.

import {Camera} from './camera.js';
import {Layout} from './layout.js';
import {Painter} from './paint.js';
import {Tip} from './tip.js';
import {byId, say} from './dom.js';

const kWheel = 0.0016;
const kDragFrom = 4;   // pixels that a pointer moves before a press is a drag
const kNothing = new Map();

export class TreeMap extends EventTarget {
  constructor(store) {
    super();
    this.store = store;
    this.canvas = byId('canvas');
    this.painter = new Painter(this.canvas);
    this.camera = new Camera();
    this.tip = new Tip(store);
    this.at = null;       // the domain that was opened last; null: the whole tree
    this.level = -1;      // of the cells; -1: nodes
    this.lit = null;
    this.ranks = kNothing;
    this.hover = null;
    this.mark = null;     // where the keys have come to
    this.frames = [];     // when the last ones were drawn, and what each took and cost
    this.wanted = false;
    this.listen();
  }

  listen() {
    const {canvas} = this;
    new ResizeObserver(() => this.resize()).observe(canvas);
    canvas.addEventListener('wheel', (event) => this.onWheel(event), {passive: false});
    canvas.addEventListener('pointerdown', (event) => this.onDown(event));
    canvas.addEventListener('pointermove', (event) => this.onMove(event));
    canvas.addEventListener('pointerup', (event) => this.onUp(event));
    canvas.addEventListener('pointerleave', () => this.setHover(null));
    canvas.addEventListener('keydown', (event) => this.onKey(event));
    canvas.addEventListener('blur', () => this.setMark(null));
  }

  get cells() {
    const {leafLevel} = this.store.tree;
    return this.level < 0 || this.level > leafLevel ? leafLevel : this.level;
  }

  // After the store has changed.
  update() {
    if (!this.store.whole) return;
    if (this.tree !== this.store.tree) {
      const path = this.at === null ? '' : this.tree.path(this.at.level, this.at.index);
      this.tree = this.store.tree;
      this.hover = null;
      this.mark = null;
      this.resize();
      this.open(this.wantedPath ?? path, false);
      this.wantedPath = undefined;
    }
    this.draw();
  }

  resize() {
    this.painter.resize();
    if (this.tree === undefined || this.tree.leafLevel < 0) return;
    const {width, height} = this.canvas.getBoundingClientRect();
    this.layout = new Layout(this.tree, width / Math.max(1, height));
    this.camera.resize(width, height, this.layout);
    this.camera.jump(this.rectOf(this.at));
    this.draw();
  }

  rectOf(domain) {
    return domain === null ? this.layout.rectOf(-1, 0)
      : this.layout.rectOf(domain.level, domain.index);
  }

  draw() {
    if (this.wanted || this.layout === undefined || !this.store.whole) return;
    this.wanted = true;
    requestAnimationFrame((now) => this.frame(now));
  }

  frame(now) {
    this.wanted = false;
    if (!this.store.whole || this.tree !== this.store.tree || this.tree.leafLevel < 0) return;
    const begin = performance.now();
    const more = this.camera.step(now);
    this.painter.draw({
      store: this.store, layout: this.layout, camera: this.camera, level: this.cells,
      lit: this.lit, ranks: this.ranks, hover: this.hover, mark: this.mark,
    });
    const {boxes, painted} = this.painter;
    this.frames.push({at: now, took: performance.now() - begin, boxes, painted});
    if (this.frames.length > 600) this.frames.shift();
    if (this.firstPaint === undefined) this.firstPaint = performance.now();
    if (more) this.draw();
  }

  // ---- where it is

  // A path of names; '' is the whole tree. Before the tree is known: as soon as it is.
  open(path, fly = true) {
    if (this.tree === undefined) {
      this.wantedPath = path;
      return;
    }
    this.show(this.tree.find(path), fly);
  }

  show(domain, fly = true) {
    this.at = domain;
    if (this.layout !== undefined) {
      if (fly) this.camera.fly(this.rectOf(domain), performance.now());
      else this.camera.jump(this.rectOf(domain));
    }
    this.draw();
    this.dispatchEvent(new Event('move'));
  }

  up() {
    if (this.at === null) return this.show(null);
    const {level, index} = this.at;
    this.show(level === 0 ? null : {level: level - 1, index: this.tree.parent[level - 1][index]});
  }

  zoom(factor, x = this.camera.width / 2, y = this.camera.height / 2) {
    this.camera.zoom(factor, x, y);
    this.noteSeen();
    this.draw();
  }

  // Where one went without opening a domain: the deepest one that fills the map is where we are.
  noteSeen() {
    const {camera} = this;
    const middle = camera.toWorld(camera.width / 2, camera.height / 2);
    let found = this.layout.at(middle.x, middle.y, this.tree.leafLevel - 1);
    while (found !== null) {
      const rect = this.rectOf(found);
      const fills = rect.width * camera.scale > 0.7 * camera.width ||
        rect.height * camera.scale > 0.7 * camera.height;
      if (fills) break;
      found = found.level === 0 ? null
        : {level: found.level - 1, index: this.tree.parent[found.level - 1][found.index]};
    }
    if (same(found, this.at)) return;
    this.at = found;
    this.dispatchEvent(new Event('move'));
  }

  // ---- what is lit

  // lit: of each leaf 0, 1, or 2 where room is held; ranks: leaf to text.
  light(lit, ranks = kNothing) {
    this.lit = lit;
    this.ranks = ranks;
    this.draw();
  }

  setLevel(level) {
    this.level = level;
    this.hover = null;
    this.draw();
  }

  setHover(domain, x = 0, y = 0) {
    if (!this.store.whole || this.tree !== this.store.tree) return;
    const moved = !same(domain, this.hover);
    this.hover = domain;
    this.tip.show(domain, x, y, this.ranks);
    if (moved) this.draw();
  }

  setMark(domain) {
    this.mark = domain;
    if (domain !== null) {
      this.tip.showBeside(domain, this.painter.box(domain.level, domain.index),
        this.painter.ratio, this.ranks);
      say(this.tip.words(domain, this.ranks).join('; '));
    } else {
      this.tip.hide();
    }
    this.draw();
  }

  // ---- pointer

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return {x: event.clientX - box.left, y: event.clientY - box.top};
  }

  under({x, y}) {
    if (this.layout === undefined) return null;
    const world = this.camera.toWorld(x, y);
    return this.layout.at(world.x, world.y, this.cells);
  }

  onWheel(event) {
    event.preventDefault();
    if (this.layout === undefined) return;
    const {x, y} = this.place(event);
    this.zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 16 : 1) * kWheel), x, y);
  }

  onDown(event) {
    if (event.button !== 0 || this.layout === undefined) return;
    this.press = {...this.place(event), moved: false};
    this.canvas.setPointerCapture(event.pointerId);
  }

  onMove(event) {
    const {x, y} = this.place(event);
    const {press} = this;
    if (press === undefined) {
      this.setHover(this.under({x, y}), x, y);
      return;
    }
    if (!press.moved && Math.hypot(x - press.x, y - press.y) < kDragFrom) return;
    this.camera.pan(x - press.x, y - press.y);
    this.press = {x, y, moved: true};
    this.setHover(null);
    this.noteSeen();
    this.draw();
  }

  onUp(event) {
    const {press} = this;
    this.press = undefined;
    if (press === undefined || press.moved) return;
    this.choose(this.under(this.place(event)));
  }

  // One level further down on the way to `domain`; of a node its gangs.
  choose(domain) {
    if (domain === null) return;
    const depth = this.at === null ? -1 : this.at.level;
    const inside = this.at === null || (domain.level >= depth &&
      this.tree.ancestor(domain.level, domain.index, depth) === this.at.index);
    const deepest = Math.min(domain.level, this.tree.leafLevel - 1);
    const level = inside ? Math.min(deepest, depth + 1) : deepest;
    const to = {level, index: this.tree.ancestor(domain.level, domain.index, Math.max(0, level))};
    if (level >= 0 && !same(to, this.at)) this.show(to);
    else if (domain.level === this.tree.leafLevel) this.chooseNode(domain.index);
  }

  chooseNode(leaf) {
    const gangs = this.store.gangsOf[leaf];
    if (gangs !== null)
      this.dispatchEvent(new CustomEvent('gangs', {detail: gangs}));
  }

  // ---- keys, while the map has the focus

  onKey(event) {
    const step = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
    if (event.ctrlKey || event.metaKey || event.altKey || this.layout === undefined) return;
    if (step[event.key] !== undefined) this.moveMark(...step[event.key]);
    else if (event.key === 'Enter' && this.mark !== null) this.enter();
    else if (event.key === 'Backspace') this.up();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  enter() {
    const {mark} = this;
    if (mark.level === this.tree.leafLevel) return this.chooseNode(mark.index);
    this.show(mark);
    const first = this.tree.begin[mark.level][mark.index];
    this.setMark({level: mark.level + 1, index: first});
  }

  // Among the domains below where the map is.
  moveMark(dx, dy) {
    const level = this.at === null ? 0 : this.at.level + 1;
    const begin = this.at === null ? 0 : this.tree.begin[this.at.level][this.at.index];
    const end = this.at === null ? this.tree.size(0)
      : this.tree.begin[this.at.level][this.at.index + 1];
    const inside = this.mark !== null && this.mark.level === level &&
      this.mark.index >= begin && this.mark.index < end;
    const next = inside ? this.mark.index + dx + dy * this.layout.levels[level].columns : begin;
    if (next >= begin && next < end) this.setMark({level, index: next});
  }
}

const same = (a, b) =>
  a === b || (a !== null && b !== null && a.level === b.level && a.index === b.index);
