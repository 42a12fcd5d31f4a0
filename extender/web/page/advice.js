// What would start a gang that waits, and who holds the room where it came nearest: the server has
// tried each of these, and says them as `gangplan explain` does.

import {make} from './dom.js';

// Sections of the panel, by a maker of such; none where nothing was asked for.
export function adviceOf({advice}, section) {
  if (advice === undefined) return [];
  if (advice.later) {
    return [section('What would start it', make('p', {class: 'faint'},
      'Not worked out: too many ask for that at once. Choose it again in a moment.'))];
  }
  const told = advice.actions.map(({kind, text}) => make('li', {},
    make('b', {}, kind === 'wait' ? 'later' : 'now'), `: ${text}`));
  for (const {text} of advice.possible ?? [])
    told.push(make('li', {}, make('b', {}, 'to make it possible'), `: ${text}`));
  const none = advice.undecided === undefined ? 'Nothing that was tried is enough by itself.'
    : `${advice.undecided[0].toUpperCase()}${advice.undecided.slice(1)}.`;
  const parts = [section('What would start it', told.length > 0
    ? make('ul', {class: 'evidence advice'}, ...told) : make('p', {}, none))];
  if (advice.held.text !== undefined)
    parts.push(section('Who holds the room', make('p', {class: 'held'}, advice.held.text)));
  return parts;
}
