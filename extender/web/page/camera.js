// Which part of the world is seen, and the way from one part to another.

const kMoveMs = 220;
const kMargin = 0.02;
const kMostPixels = 160;  // a unit of the world becomes at most so many

const still = matchMedia('(prefers-reduced-motion: reduce)');

export class Camera {
  constructor() {
    this.x = 0;
    this.y = 0;
    this.scale = 1;
    this.move = null;
    this.resize(1, 1, {width: 1, height: 1});
  }

  resize(width, height, world) {
    this.width = width;
    this.height = height;
    this.world = world;
    this.least = Math.min(width / world.width, height / world.height) * (1 - 2 * kMargin);
  }

  // What shows `rect` whole, in the middle.
  viewOf(rect) {
    const fit = Math.min(this.width / rect.width, this.height / rect.height) * (1 - 2 * kMargin);
    const scale = Math.min(fit, kMostPixels);
    return {
      scale,
      x: rect.x + rect.width / 2 - this.width / scale / 2,
      y: rect.y + rect.height / 2 - this.height / scale / 2,
    };
  }

  set({x, y, scale}) {
    this.x = x;
    this.y = y;
    this.scale = scale;
  }

  jump(rect) {
    this.move = null;
    this.set(this.viewOf(rect));
  }

  fly(rect, now) {
    if (still.matches) return this.jump(rect);
    this.move = {from: {x: this.x, y: this.y, scale: this.scale}, to: this.viewOf(rect), at: now};
  }

  // True: there is more of the way.
  step(now) {
    if (this.move === null) return false;
    const {from, to, at} = this.move;
    const part = Math.min(1, Math.max(0, (now - at) / kMoveMs));
    const eased = 1 - (1 - part) ** 3;
    const scale = from.scale * (to.scale / from.scale) ** eased;
    // The middle goes straight, in the measure of what is seen.
    const done = to.scale === from.scale ? eased
      : (1 / scale - 1 / from.scale) / (1 / to.scale - 1 / from.scale);
    const middle = (view, size, way) => view[way] + size / view.scale / 2;
    const between = (size, way) => {
      const begin = middle(from, size, way);
      return begin + (middle(to, size, way) - begin) * done - size / scale / 2;
    };
    this.set({scale, x: between(this.width, 'x'), y: between(this.height, 'y')});
    if (part === 1) this.move = null;
    return this.move !== null;
  }

  // By a factor, so that the point of the screen stays where it is.
  zoom(factor, screenX, screenY) {
    this.move = null;
    const at = this.toWorld(screenX, screenY);
    this.scale = Math.min(kMostPixels, Math.max(this.least, this.scale * factor));
    this.x = at.x - screenX / this.scale;
    this.y = at.y - screenY / this.scale;
    this.keepInside();
  }

  pan(dx, dy) {
    this.move = null;
    this.x -= dx / this.scale;
    this.y -= dy / this.scale;
    this.keepInside();
  }

  // The middle of the screen stays on the world.
  keepInside() {
    const inside = (value, size, seen) =>
      Math.min(size - seen / 2, Math.max(-seen / 2, value));
    this.x = inside(this.x, this.world.width, this.width / this.scale);
    this.y = inside(this.y, this.world.height, this.height / this.scale);
  }

  toWorld(screenX, screenY) {
    return {x: this.x + screenX / this.scale, y: this.y + screenY / this.scale};
  }
}
