// Draws the map. Cells go into a buffer of pixels, which takes a few milliseconds at tens of
// thousands of nodes and no longer with more; names and outlines are drawn on top where there is
// room for them.

import {Colours} from './colours.js';
import {write} from './captions.js';

const kBarFrom = 7;      // pixels of height from which on a cell is a bar instead of one colour
const kFillFrom = 24;    // ... of width from which on a row is filled at once, which has its price
const kStripedFrom = 6;  // ... from which on what may not be used is striped

export class Painter {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d', {alpha: false});
    this.colours = new Colours();
    this.resize();
  }

  resize() {
    const box = this.canvas.getBoundingClientRect();
    this.ratio = Math.min(2, window.devicePixelRatio || 1);
    this.width = Math.max(1, Math.round(box.width * this.ratio));
    this.height = Math.max(1, Math.round(box.height * this.ratio));
    this.canvas.width = this.width;
    this.canvas.height = this.height;
    this.image = this.context.createImageData(this.width, this.height);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  // scene: {store, layout, camera, level, lit (Uint8Array of leaves, or null), ranks, hover, mark}
  draw(scene) {
    this.scene = scene;
    this.scale = scene.camera.scale * this.ratio;
    this.boxes = 0;                      // what the frame cost: places worked out,
    this.painted = this.pixels.length;   // pixels written, the ground's among them
    this.pixels.fill(this.colours.ground);
    this.domains(0, 0, scene.store.tree.size(0));
    this.context.putImageData(this.image, 0, 0);
    write(this.context, this, scene);
  }

  // {left, top, right, bottom} in pixels, not cut at the edges.
  box(level, index) {
    const one = this.scene.layout.levels[level];
    const {camera} = this.scene;
    this.boxes += 1;
    const left = Math.round((one.x[index] - camera.x) * this.scale);
    const top = Math.round((one.y[index] - camera.y) * this.scale);
    return {
      left, top,
      right: Math.max(left + 1, Math.round((one.x[index] + one.width - camera.x) * this.scale)),
      bottom: Math.max(top + 1, Math.round((one.y[index] + one.height - camera.y) * this.scale)),
    };
  }

  seen({left, top, right, bottom}) {
    return right > 0 && bottom > 0 && left < this.width && top < this.height;
  }

  domains(level, begin, end) {
    const {store, level: cells} = this.scene;
    for (let i = begin; i < end; i += 1) {
      const box = this.box(level, i);
      if (!this.seen(box)) continue;
      if (level === cells) {
        if (level === store.tree.leafLevel) this.node(i, box);
        else this.domain(level, i, box);
        continue;
      }
      this.rect(box, level % 2 === 0 ? this.colours.outer : this.colours.inner);
      this.domains(level + 1, store.tree.begin[level][i], store.tree.begin[level][i + 1]);
    }
  }

  node(leaf, box) {
    const {store, lit} = this.scene;
    if (lit !== null && lit[leaf] !== 0) {
      this.rect(box, lit[leaf] === 2 ? this.colours.litHeld : this.colours.lit);
      return;
    }
    const palette = lit === null ? this.colours.plain : this.colours.dimmed;
    if (!store.usable[leaf]) {
      this.unusable(box, palette);
      return;
    }
    this.amounts(box, palette, store.capacity[leaf], store.used[leaf], store.held[leaf]);
  }

  // A domain as one cell: as nodes are, and the share of it that is lit at its left side.
  domain(level, index, box) {
    const {store, lit} = this.scene;
    const palette = lit === null ? this.colours.plain : this.colours.dimmed;
    const sum = store.sumOf(level, index);
    if (sum.unusable === sum.nodes) this.unusable(box, palette);
    else this.amounts(box, palette, sum.capacity, sum.used, sum.held);
    if (lit === null) return;
    const [begin, end] = store.tree.leavesOf(level, index);
    let count = 0;
    for (let leaf = begin; leaf < end; leaf += 1) count += lit[leaf] === 0 ? 0 : 1;
    if (count === 0) return;
    const width = Math.max(2, Math.round(((box.right - box.left) * count) / (end - begin)));
    this.rect({...box, right: box.left + width}, this.colours.lit);
  }

  amounts(box, palette, capacity, used, held) {
    const all = Math.max(capacity, used + held);
    if (all === 0) return this.rect(box, palette.none);
    const share = used / all;
    const height = box.bottom - box.top;
    if (height < kBarFrom) {
      this.rect(box, held > 0 ? palette.held : Colours.shade(palette, share));
      return;
    }
    const heldHeight = Math.ceil((height * held) / all);
    const usedHeight = Math.min(height - heldHeight, Math.round(height * share));
    const usedTop = box.bottom - usedHeight;
    const heldTop = usedTop - heldHeight;
    this.rect({...box, bottom: heldTop}, palette.free);
    this.rect({...box, top: heldTop, bottom: usedTop}, palette.held);
    this.rect({...box, top: usedTop}, palette.used);
  }

  unusable(box, palette) {
    this.rect(box, palette.unusable);
    if (box.bottom - box.top < kStripedFrom) return;
    const [left, right] = [Math.max(0, box.left), Math.min(this.width, box.right)];
    const bottom = Math.min(this.height, box.bottom);
    const step = Math.max(4, Math.round((box.bottom - box.top) / 4));
    for (let y = Math.max(0, box.top); y < bottom; y += 1) {
      for (let x = left; x < right; x += 1) {
        if ((x - box.left + y - box.top) % step === 0)
          this.pixels[y * this.width + x] = palette.stripe;
      }
    }
  }

  rect({left, top, right, bottom}, colour) {
    const begin = Math.max(0, left);
    const end = Math.min(this.width, right);
    const last = Math.min(this.height, bottom);
    const {pixels, width} = this;
    this.painted += Math.max(0, end - begin) * Math.max(0, last - Math.max(0, top));
    if (end - begin > kFillFrom) {
      for (let y = Math.max(0, top); y < last; y += 1)
        pixels.fill(colour, y * width + begin, y * width + end);
      return;
    }
    for (let y = Math.max(0, top); y < last; y += 1)
      for (let at = y * width + begin; at < y * width + end; at += 1) pixels[at] = colour;
  }
}
