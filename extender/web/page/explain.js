// The gang that was chosen, at the right: how it stands, why it waits, what can be done, rank by
// rank where it is. Asked of the server when it is chosen and when the list tells of a change.

import {byId, copyButton, fill, make} from './dom.js';
import {read} from './live.js';
import {isNever, kindOf} from './states.js';
import {placementOf, ranksOf} from './ranks.js';
import {clock, count, plural} from './text.js';
import {adviceOf} from './advice.js';
import {commandsFor} from './commands.js';

const kMostPlaces = 400;
const kAskAgain = 1000;   // at most so often of one gang, whatever changes

export class Explanation extends EventTarget {
  constructor(store) {
    super();
    this.store = store;
    this.panel = byId('why');
    this.gang = null;     // of the list
    this.answer = null;   // of the server
    this.history = null;
    this.askedAt = 0;
  }

  // null: none is chosen.
  choose(gang) {
    const other = gang?.id !== this.gang?.id;
    const changed = JSON.stringify(gang) !== JSON.stringify(this.gang);
    this.gang = gang;
    if (other) {
      this.answer = null;
      this.history = null;
      this.fault = '';
      this.panel.scrollTop = 0;
    }
    if (gang !== null && (other || changed)) this.ask();
    if (other || changed) this.draw();
  }

  ask() {
    clearTimeout(this.timer);
    const wait = Math.max(0, this.askedAt + kAskAgain - Date.now());
    if (wait > 0 && this.answer !== null) {
      this.timer = setTimeout(() => this.ask(), wait);
      return;
    }
    this.askedAt = Date.now();
    this.load(this.gang);
  }

  async load(gang) {
    const parts = gang.name.split('/');
    const name = parts.map(encodeURIComponent).join('/');
    try {
      // These would lead to another path, and no browser can be told not to follow them.
      if (parts.some((part) => ['', '.', '..'].includes(part)))
        throw new Error('it cannot be asked for here by such a name; gangplan explain can');
      const answer = await this.answerOf(gang, `v1/groups/${name}`, parts[0]);
      const history = await read(`v1/history/${name}`).catch(() => null);
      if (gang.id !== this.gang?.id) return;
      this.answer = answer;
      this.history = history;
      this.fault = '';
    } catch (error) {
      if (gang.id !== this.gang?.id) return;
      this.fault = error.message;
    }
    this.draw();
    this.dispatchEvent(new Event('loaded'));
  }

  // By its name the newest is told; of an older one, whose pods have not all gone, its number is
  // asked for. An owner that waits beside such a gang has none.
  async answerOf(gang, path, space) {
    const answer = await read(path);
    if ((answer.id ?? 0) === Math.max(gang.id, 0)) return answer;
    if (gang.id > 0) return read(`v1/groups/id/${encodeURIComponent(space)}/${gang.id}`);
    throw new Error('by its name another gang is told now, of which pods are still there');
  }

  // Leaf to the ranks there; empty until the answer is here.
  ranks() {
    return this.answer === null || !this.store.whole ? new Map()
      : ranksOf(this.answer, this.store.tree);
  }

  draw() {
    if (this.gang === null) {
      fill(this.panel, ...nothingChosen(this.store));
      return;
    }
    const {gang, answer} = this;
    fill(this.panel,
      this.head(gang),
      this.fault ? make('p', {class: 'fault'}, this.fault) : null,
      ...(answer !== null ? this.parts(gang, answer)
        : [make('p', {class: 'faint'}, 'Asking …')]));
  }

  head(gang) {
    const kind = kindOf(gang);
    const close = make('button', {
      class: 'close', 'aria-label': 'close', title: 'close (Esc)',
      onclick: () => this.dispatchEvent(new Event('close')),
    }, '✕');
    return make('header', {},
      make('h2', {}, gang.name),
      close,
      make('p', {}, make('span', {class: `badge ${kind.name}`}, `${kind.sign} ${gang.state}`),
        ` ${gang.kind}, ${plural(gang.size, 'pod')}: ${count(gang.bound)} bound, ` +
        `${count(gang.seen)} seen`));
  }

  parts(gang, answer) {
    return [
      verdict(answer),
      ...adviceOf(answer, section),
      line(answer),
      section('What it asks', facts(gang, answer)),
      problems(answer),
      podSets(answer),
      this.places(answer),
      commands(gang),
      past(this.history),
    ];
  }

  places(answer) {
    const places = placementOf(answer);
    if (places.length === 0) return null;
    const rows = places.slice(0, kMostPlaces).map((place) => make('button', {
      class: 'place', title: 'show it on the map',
      onclick: () => this.dispatchEvent(new CustomEvent('node', {detail: place.node})),
    },
    make('span', {class: 'rank'}, place.ranks),
    make('span', {class: 'domain'}, place.domain === '' ? '(no node)' : place.domain),
    make('span', {class: 'slot'}, place.state)));
    const more = places.length > kMostPlaces
      ? make('p', {class: 'faint'}, `and ${count(places.length - kMostPlaces)} places more`) : null;
    return section(`Where, by rank`, make('div', {class: 'places'}, ...rows, more));
  }
}

const section = (title, ...children) =>
  make('section', {}, make('h3', {}, title), ...children);

function verdict(answer) {
  const deadline = answer.deadlineUnix === undefined ? null : make('p', {},
    'Its room is given back at ', make('b', {}, clock(answer.deadlineUnix)),
    ' unless it has started.');
  if (answer.reason === '')
    return deadline === null ? null : section('How it stands', deadline);
  const evidence = answer.evidence === '' ? null
    : make('ul', {class: 'evidence'}, ...answer.evidence.split('\n').map(evidenceLine));
  const titles = {
    impossible: 'Why it can never start', invalid: 'Why it cannot start', placed: 'What is told',
  };
  const waits = !isNever(answer) && answer.outcome !== 'placed';
  return section(waits ? 'Why it waits' : titles[answer.outcome],
    make('p', {class: 'reason'}, bare(answer)), evidence, deadline);
}

// "rack (required): most room now in ..." has its level first.
function evidenceLine(text) {
  const colon = text.indexOf(': ');
  const told = text.trim();
  if (colon < 0) return make('li', {}, told);
  return make('li', {}, make('b', {}, text.slice(0, colon).trim()), text.slice(colon));
}

// The reason without what the panel says already.
function bare({reason, name, outcome, inTopology}) {
  let text = reason;
  for (const known of [`gang ${name}: `, `gang ${name} in topology ${inTopology}: `,
    `${outcome}: `])
    if (text.startsWith(known)) text = text.slice(known.length);
  return text;
}

function line({line: place}) {
  if (place === undefined) return null;
  const expected = place.expectedByUnix === undefined ? null
    : make('p', {}, `Its room is expected by ${clock(place.expectedByUnix)}.`);
  return section('Its place in line',
    make('p', {}, make('b', {}, `${count(place.place)} of ${count(place.of)}`),
      place.first === undefined ? '' : `; the first is ${place.first}`),
    place.reservation === undefined ? null : make('p', {}, place.reservation), expected);
}

function facts(gang, answer) {
  const rows = [
    ['rule', answer.place === '' ? 'none: as close as there is room' : answer.place],
    ['priority', count(answer.priority)],
    ['size by', answer.sizeFrom],
    ['ranks by', answer.ranksFrom],
    ['engine', answer.engine === '' ? '' : `${answer.engine}: ${answer.engineWhy}`],
    ['road', answer.road === 'none' ? '' : answer.road],
    ['in topology', answer.inTopology ?? ''],
    ['topology', answer.topology ?? ''],
  ];
  return make('dl', {}, ...rows.filter(([, told]) => told).flatMap(([name, told]) =>
    [make('dt', {}, name), make('dd', {}, told)]));
}

function problems(answer) {
  if (answer.problems.length === 0) return null;
  return section('Pods that cannot be members',
    make('ul', {class: 'evidence'}, ...answer.problems.map((one) => make('li', {}, one))));
}

function podSets(answer) {
  if (answer.podSets === undefined) return null;
  return section('Pod sets', make('dl', {}, ...answer.podSets.flatMap((set) => [
    make('dt', {}, set.name),
    make('dd', {}, `${count(set.bound)} of ${count(set.size)} bound; ${set.place}`),
  ])));
}

function commands(gang) {
  return section('On a command line', ...commandsFor(gang).map(({does, words}) =>
    make('div', {class: 'command'}, make('span', {class: 'faint'}, does),
      make('code', {}, words), copyButton(words))));
}

function past(history) {
  if (history === null || history.lines.length === 0) return null;
  const rows = history.lines.slice(-40).reverse().map((one) => make('li', {},
    make('time', {datetime: one.at, title: one.at}, clock(Date.parse(one.at) / 1000)),
    make('b', {}, one.state), ` ${count(one.bound)}/${count(one.size)}`,
    one.why === '' ? '' : make('span', {class: 'faint'}, ` ${one.why}`)));
  return section('What has become of it', make('ol', {class: 'past'}, ...rows));
}

function nothingChosen(store) {
  const words = [make('h2', {}, 'No gang is chosen')];
  if (store.gangs.size === 0) {
    words.push(make('p', {class: 'faint'}, 'There are no gangs yet. A gang comes with its first ' +
      'pod, or with a Job that waits suspended.'));
  } else {
    words.push(make('p', {class: 'faint'}, 'Choose one at the left, or a node on the map, to see ' +
      'where its ranks are, or why it waits and what can be done.'));
  }
  const told = [...store.gangs.values()].filter((gang) => kindOf(gang).name === 'waits').length;
  if (told === 1) words.push(make('p', {}, '1 gang waits.'));
  else if (told > 1) words.push(make('p', {}, `${count(told)} gangs wait.`));
  return words;
}
