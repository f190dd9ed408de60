/** Sorted, disjoint, inclusive ranges. */
export type CharSet = readonly (readonly [first: number, last: number])[];

export const lastCodePoint = 0x10ffff;

export const normalized = (ranges: CharSet): CharSet => {
  const result: [number, number][] = [];
  for (const [first, last] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const previous = result.at(-1);
    if (previous !== undefined && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last);
    else result.push([first, last]);
  }
  return result;
};

export const complement = (ranges: CharSet): CharSet => {
  const result: [number, number][] = [];
  let next = 0;
  for (const [first, last] of normalized(ranges)) {
    if (first > next) result.push([next, first - 1]);
    next = last + 1;
  }
  if (next <= lastCodePoint) result.push([next, lastCodePoint]);
  return result;
};

export const hasOverlap = (a: CharSet, b: CharSet): boolean =>
  a.some(([first, last]) => b.some(([from, to]) => first <= to && from <= last));

const code = (character: string): number => character.codePointAt(0)!;

export const digits: CharSet = [[code("0"), code("9")]];

export const wordCharacters: CharSet = normalized([
  ...digits,
  [code("A"), code("Z")],
  [code("_"), code("_")],
  [code("a"), code("z")],
]);

/** ECMA-262 defines more white space than other engines. */
export const spaces: CharSet = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];

export const anyButLineEnds: CharSet = complement([
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
]);

/** Code points within a range do not form surrogate pairs. */
const planes: CharSet = [
  [0, 0xd7ff],
  [0xd800, 0xdbff],
  [0xdc00, 0xdfff],
  [0xe000, 0xffff],
  ...Array.from({ length: 16 }, (_, plane): [number, number] => [
    (plane + 1) << 16,
    ((plane + 1) << 16) | 0xffff,
  ]),
];

const scannedProperties = new Map<string, CharSet>();

const scanProperty = (property: string): CharSet => {
  const found: [number, number][] = [];
  const runs = new RegExp(`${property}+`, "gu");
  for (const [first, last] of planes) {
    let text = "";
    for (let at = first; at <= last; at++) text += String.fromCodePoint(at);
    const width = first > 0xffff ? 2 : 1;
    for (const { index, 0: run } of text.matchAll(runs)) {
      const start = first + index / width;
      found.push([start, start + run.length / width - 1]);
    }
  }
  return normalized(found);
};

/** Read from the JavaScript engine, so that both engines use the same Unicode tables. */
export const propertySet = (property: string): CharSet => {
  const known = scannedProperties.get(property);
  if (known !== undefined) return known;
  const set = scanProperty(property);
  scannedProperties.set(property, set);
  return set;
};
