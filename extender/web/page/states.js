// The states of gangs as people need them: who waits, who has room, who runs, who never will. Each
// has a sign of its own, so that colours are not needed to tell them apart.

export const kKinds = [
  {name: 'never', label: 'Cannot start', sign: '✕'},
  {name: 'waits', label: 'Waiting', sign: '○'},
  {name: 'held', label: 'Has room', sign: '◐'},
  {name: 'runs', label: 'Running', sign: '●'},
  {name: 'done', label: 'Done', sign: '✓'},
];

const kOf = {
  New: 'waits', Blocked: 'waits', Released: 'waits', Gathering: 'held', Planned: 'held',
  Binding: 'held', Running: 'runs', Repairing: 'held', Done: 'done',
};

const kLooks = Object.fromEntries(kKinds.map((kind, order) => [kind.name, {...kind, order}]));

// By its outcome, of a gang or of the answer about one. A ladder that goes on will ask for less.
export const isNever = ({outcome, rungsLeft}) =>
  outcome === 'invalid' || (outcome === 'impossible' && !rungsLeft);

// {name, label, sign, order} of a gang.
export function kindOf(gang) {
  const name = kOf[gang.state] ?? 'waits';
  return kLooks[name === 'waits' && isNever(gang) ? 'never' : name];
}
