// What the address says after '#': the gang, the level, the place, filter and order. Read when the
// page opens and when somebody changes it; written as one goes, so that it can be sent at any time.

const kKeys = ['gang', 'level', 'at', 'filter', 'sort', 'show'];

export function readLink() {
  const words = new URLSearchParams(location.hash.slice(1));
  return Object.fromEntries(kKeys.map((key) => [key, words.get(key) ?? '']));
}

// Empty values are left out. Slashes and commas stay as they are, for people.
export function writeLink(values) {
  const hash = kKeys.filter((key) => values[key] !== '' && values[key] !== undefined)
    .map((key) => `${key}=${encodeURIComponent(values[key]).replaceAll('%2F', '/')
      .replaceAll('%2C', ',')}`).join('&');
  if (location.hash.slice(1) === hash) return;
  history.replaceState(null, '', hash === '' ? location.pathname + location.search : `#${hash}`);
}
