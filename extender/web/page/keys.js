// The keys of the whole page, and the list of them.

import {byId, fill, make} from './dom.js';

const kTold = [
  ['↑ ↓  j k', 'up and down in the list'],
  ['Enter', 'explain that gang'],
  ['/', 'filter the gangs'],
  ['Esc', 'out of the filter; close the gang; one level up'],
  ['+  −  0', 'zoom in, out, the whole tree'],
  ['l', 'cells of the next level'],
  ['m', 'to the map: arrows move, Enter opens, Backspace goes up'],
  ['t', 'dark, light, or as the system has it'],
  ['?', 'this list'],
];

export function startKeys(actions) {
  const dialog = byId('keys');
  fill(dialog, make('h2', {}, 'Keys'), make('dl', {}, ...kTold.flatMap(([keys, does]) =>
    [make('dt', {}, keys), make('dd', {}, does)])),
  make('form', {method: 'dialog'}, make('button', {onclick: (event) => {
    event.preventDefault();
    dialog.close();
  }}, 'Close')));
  const help = () => (dialog.open ? dialog.close() : dialog.showModal());
  byId('help').addEventListener('click', help);
  const does = {...actions, '?': help};
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
    if (event.target.matches('input, select, textarea') && !inField(event)) return;
    const action = does[event.key];
    if (action === undefined || (event.key === 'Enter' && event.target.matches('button'))) return;
    event.preventDefault();
    action();
  });
}

// Keys that mean the same where one types into the filter.
function inField(event) {
  return event.key === 'Escape' ||
    (event.target.id === 'filter' && ['ArrowUp', 'ArrowDown', 'Enter'].includes(event.key));
}
