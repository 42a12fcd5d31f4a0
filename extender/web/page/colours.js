// The colours of colours.css as the map's pixels: 32 bits each, bytes in the order of ImageData.

const kNames = ['free', 'used', 'held', 'unusable', 'stripe', 'lit', 'mark', 'text', 'faint',
  'map-ground', 'map-outer', 'map-inner'];
const kSteps = 64;
const kDimmed = 0.62;  // towards the ground, what is not lit

export class Colours {
  constructor() { this.read(); }

  read() {
    const style = getComputedStyle(document.documentElement);
    const read = (name) => style.getPropertyValue(`--${name}`).trim();
    const texts = new Map(kNames.map((name) => [name, read(name)]));
    this.text = (name) => texts.get(name);  // as the canvas takes it
    const ground = bytesOf(this.text('map-inner'));
    const make = (dim) => {
      const pixel = (colour) => pack(mix(colour, ground, dim));
      const [free, used] = [bytesOf(this.text('free')), bytesOf(this.text('used'))];
      return {
        none: pack(bytesOf(this.text('map-ground'))),
        free: pixel(free),
        used: pixel(used),
        held: pixel(bytesOf(this.text('held'))),
        unusable: pixel(bytesOf(this.text('unusable'))),
        stripe: pixel(bytesOf(this.text('stripe'))),
        ramp: Array.from({length: kSteps + 1}, (_, i) => pixel(mix(free, used, i / kSteps))),
      };
    };
    this.plain = make(0);
    this.dimmed = make(kDimmed);
    this.lit = pack(bytesOf(this.text('lit')));
    this.litHeld = pack(mix(bytesOf(this.text('lit')), ground, 0.35));
    this.ground = pack(bytesOf(this.text('map-ground')));
    this.outer = pack(bytesOf(this.text('map-outer')));
    this.inner = pack(ground);
  }

  // Of a share from 0 to 1.
  static shade(palette, share) {
    return palette.ramp[Math.round(Math.min(1, Math.max(0, share)) * kSteps)];
  }
}

function bytesOf(hex) {
  const number = Number.parseInt(hex.slice(1), 16);
  return [(number >> 16) & 255, (number >> 8) & 255, number & 255];
}

const mix = (from, to, part) => from.map((one, i) => Math.round(one + (to[i] - one) * part));
const pack = ([red, green, blue]) => ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
