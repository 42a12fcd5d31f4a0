// Where every domain of the tree stands on a flat world of 1,000 units' width: a grid in a grid, a
// strip above for the name. All domains of a level are of one size, so that a glance compares them.

export const kWorldWidth = 1000;

const kGap = 0.03;       // around an inner domain, of its smaller side
const kLeafGap = 0.04;   // around a node
const kStrip = 0.12;     // for the name, of the height

export class Layout {
  constructor(tree, aspect) {
    this.tree = tree;
    this.width = kWorldWidth;
    this.height = kWorldWidth / aspect;
    this.levels = [];
    let area = {x: 0, y: 0, width: this.width, height: this.height};
    for (let level = 0; level <= tree.leafLevel; level += 1) {
      const one = gridOf(area, mostSiblings(tree, level), level === tree.leafLevel);
      this.place(level, one, area);
      this.levels.push(one);
      area = insideOf(one);
    }
  }

  // Positions of all domains of the level; `area` is relative to the domain above.
  place(level, one, area) {
    const {tree} = this;
    one.x = new Float32Array(tree.size(level));
    one.y = new Float32Array(tree.size(level));
    const above = level > 0 ? this.levels[level - 1] : null;
    for (let i = 0; i < tree.size(level); i += 1) {
      const parent = above === null ? 0 : tree.parent[level - 1][i];
      const place = above === null ? i : i - tree.begin[level - 1][parent];
      const column = place % one.columns;
      one.x[i] = (above?.x[parent] ?? 0) + area.x + column * one.stepX + one.gap;
      one.y[i] = (above?.y[parent] ?? 0) + area.y + Math.floor(place / one.columns) * one.stepY +
        one.gap;
    }
  }

  rectOf(level, index) {
    if (level < 0) return {x: 0, y: 0, width: this.width, height: this.height};
    const {x, y, width, height} = this.levels[level];
    return {x: x[index], y: y[index], width, height};
  }

  // The deepest domain at a point, down to `lowest`: {level, index}; null: none is there.
  at(x, y, lowest) {
    let found = null;
    for (let level = 0; level <= lowest; level += 1) {
      const index = this.childAt(found, level, x, y);
      if (index < 0) break;
      found = {level, index};
    }
    return found;
  }

  childAt(above, level, x, y) {
    const {tree} = this;
    const begin = above === null ? 0 : tree.begin[level - 1][above.index];
    const end = above === null ? tree.size(0) : tree.begin[level - 1][above.index + 1];
    if (begin === end) return -1;
    const one = this.levels[level];
    const column = Math.floor((x - one.x[begin] + one.gap) / one.stepX);
    const row = Math.floor((y - one.y[begin] + one.gap) / one.stepY);
    if (column < 0 || row < 0 || column >= one.columns) return -1;
    const index = begin + row * one.columns + column;
    return index < end ? index : -1;
  }
}

function mostSiblings(tree, level) {
  if (level === 0) return Math.max(1, tree.size(0));
  const begin = tree.begin[level - 1];
  let most = 1;
  for (let i = 0; i + 1 < begin.length; i += 1) most = Math.max(most, begin[i + 1] - begin[i]);
  return most;
}

// The number of columns whose cells are nearest to the wanted shape, with few left empty.
function gridOf(area, cells, leaf) {
  const wanted = leaf ? 1 : 1.3;
  let best = null;
  for (let columns = 1; columns <= cells; columns += 1) {
    const rows = Math.ceil(cells / columns);
    const shape = (area.width / columns) / (area.height / rows);
    const cost = Math.abs(Math.log(shape / wanted)) + 4 * ((columns * rows) / cells - 1);
    if (best === null || cost < best.cost) best = {cost, columns, rows};
  }
  const stepX = area.width / best.columns;
  const stepY = area.height / best.rows;
  const gap = (leaf ? kLeafGap : kGap) * Math.min(stepX, stepY);
  return {
    columns: best.columns, stepX, stepY, gap, width: stepX - 2 * gap, height: stepY - 2 * gap,
    strip: leaf ? 0 : kStrip * (stepY - 2 * gap),
  };
}

// Where the children of a domain stand, relative to it.
function insideOf(one) {
  const side = one.strip * 0.25;
  return {
    x: side, y: one.strip, width: one.width - 2 * side, height: one.height - one.strip - side,
  };
}
