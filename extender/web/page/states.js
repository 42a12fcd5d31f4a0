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

// {name, label, sign, order} of a gang.
export function kindOf(gang) {
  const never = gang.outcome === 'impossible' || gang.outcome === 'invalid';
  const name = kOf[gang.state] ?? 'waits';
  return kLooks[name === 'waits' && never ? 'never' : name];
}
