// Numbers and amounts for people.

const whole = new Intl.NumberFormat('en');

export const count = (number) => whole.format(number);

export const plural = (number, one, many = `${one}s`) =>
  `${count(number)} ${number === 1 ? one : many}`;

// "nvidia.com/gpu" is told as "gpu"; cpu comes in thousandths.
export const shortName = (resource) => resource.slice(resource.lastIndexOf('/') + 1);
export const unitOf = (resource) => (resource === 'cpu' ? 1000 : 1);
export function amount(value, resource) {
  const units = value / unitOf(resource);
  return count(Math.round(units * 10) / 10);
}

export const percent = (part, all) => (all > 0 ? `${Math.round((100 * part) / all)} %` : '–');

// Of seconds since 1970: the time of the day, where one is.
export const clock = (unix) => new Date(unix * 1000).toLocaleTimeString();

// "0-3, 7" of ascending numbers.
export function ranges(numbers) {
  const parts = [];
  for (let i = 0; i < numbers.length;) {
    let end = i;
    while (end + 1 < numbers.length && numbers[end + 1] === numbers[end] + 1) end += 1;
    parts.push(end === i ? `${numbers[i]}` : `${numbers[i]}–${numbers[end]}`);
    i = end + 1;
  }
  return parts.join(', ');
}
