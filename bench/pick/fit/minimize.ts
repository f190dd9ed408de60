/** A function to minimize, with lower bounds of its arguments. */
export interface Sum {
  readonly start: readonly number[];
  readonly least: readonly number[];
  /** Value and gradient at a position. */
  readonly at: (place: readonly number[]) => { readonly value: number; readonly slope: readonly number[] };
}

const mostSteps = 1_000;
const nearEnough = 1e-7;
/** Nonmonotone line search: a step may rise above the last few values. */
const remembered = 8;

/** Projected gradient descent with Barzilai-Borwein steps. Deterministic. */
export const minimize = ({ start, least, at }: Sum): readonly number[] => {
  const bounded = (place: readonly number[]) => place.map((one, each) => Math.max(one, least[each]!));
  let place = bounded(start);
  let { value, slope } = at(place);
  let length = 1;
  const last = [value];
  for (let step = 0; step < mostSteps; step++) {
    const straight = bounded(place.map((one, each) => one - slope[each]!));
    if (straight.every((one, each) => Math.abs(one - place[each]!) < nearEnough)) break;
    const target = bounded(place.map((one, each) => one - length * slope[each]!));
    const way = target.map((one, each) => one - place[each]!);
    const fall = dot(way, slope);
    const highest = Math.max(...last);
    let part = 1;
    let next = place;
    let there = { value, slope };
    for (; part > 1e-10; part /= 2) {
      next = place.map((one, each) => one + part * way[each]!);
      there = at(next);
      if (there.value <= highest + 1e-4 * part * fall) break;
    }
    const moved = next.map((one, each) => one - place[each]!);
    const bent = there.slope.map((one, each) => one - slope[each]!);
    const curve = dot(moved, bent);
    length = curve > 0 ? Math.min(1e6, Math.max(1e-6, dot(moved, moved) / curve)) : 1e3;
    place = next;
    ({ value, slope } = there);
    last.push(value);
    if (last.length > remembered) last.shift();
  }
  return place;
};

const dot = (one: readonly number[], other: readonly number[]): number =>
  one.reduce((sum, each, at) => sum + each * other[at]!, 0);
