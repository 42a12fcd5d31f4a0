// What to type for the same, and for what the page does not do.

// A word as a shell reads it, whatever is in it.
const quoted = (word) =>
  (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

const kKubectl = {
  Job: 'job', JobSet: 'jobset', LeaderWorkerSet: 'leaderworkerset', StatefulSet: 'statefulset',
  MPIJob: 'mpijob', RayCluster: 'raycluster', PyTorchJob: 'pytorchjob', Pod: 'pod',
};

// A shell may take these for keys that are pressed while the words are pasted.
const kNotTyped = /[\p{Cc}\p{Cf}]/u;

export function commandsFor(gang) {
  if (kNotTyped.test(gang.name)) return [];
  const [ns, name] = [gang.name.slice(0, gang.name.indexOf('/')),
    gang.name.slice(gang.name.indexOf('/') + 1)];
  const commands = [
    {does: 'the same as text', words: `gangplan explain ${quoted(gang.name)}`},
    {does: 'what has become of it', words: `gangplan history ${quoted(gang.name)}`},
    {does: 'where it is, among all nodes', words: `gangplan map --gang ${quoted(gang.name)}`},
  ];
  const kind = Object.hasOwn(kKubectl, gang.kind) ? kKubectl[gang.kind] : undefined;
  if (kind !== undefined && name !== '') {
    commands.push({does: 'its Events',
      words: `kubectl -n ${quoted(ns)} describe ${kind} ${quoted(name)}`});
  }
  return commands;
}
