const folded = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "");

/** Optimal string alignment distance, or `limit + 1` if it exceeds the limit. */
export const editDistance = (from: string, to: string, limit = Number.POSITIVE_INFINITY): number => {
  if (Math.abs(from.length - to.length) > limit) return limit + 1;
  let start = 0;
  let fromEnd = from.length;
  let toEnd = to.length;
  while (start < fromEnd && start < toEnd && from.charCodeAt(start) === to.charCodeAt(start)) start++;
  while (fromEnd > start && toEnd > start && from.charCodeAt(fromEnd - 1) === to.charCodeAt(toEnd - 1)) {
    fromEnd--;
    toEnd--;
  }
  if (start === fromEnd || start === toEnd) return Math.min(limit + 1, fromEnd + toEnd - 2 * start);
  return distanceBetween(from.slice(start, fromEnd), to.slice(start, toEnd), limit);
};

const distanceBetween = (from: string, to: string, limit: number): number => {
  let twoAbove: number[] = [];
  let above: number[] = [];
  let current: number[] = [];
  for (let column = 0; column <= to.length; column++) above.push(column);
  for (let row = 1; row <= from.length; row++) {
    const code = from.charCodeAt(row - 1);
    const before = row > 1 ? from.charCodeAt(row - 2) : -1;
    current[0] = row;
    let best = row;
    for (let column = 1; column <= to.length; column++) {
      const other = to.charCodeAt(column - 1);
      let cost = above[column - 1]! + (code === other ? 0 : 1);
      if (above[column]! + 1 < cost) cost = above[column]! + 1;
      if (current[column - 1]! + 1 < cost) cost = current[column - 1]! + 1;
      if (column > 1 && before === other && code === to.charCodeAt(column - 2)) {
        if (twoAbove[column - 2]! + 1 < cost) cost = twoAbove[column - 2]! + 1;
      }
      current[column] = cost;
      if (cost < best) best = cost;
    }
    if (best > limit) return limit + 1;
    const free = twoAbove;
    twoAbove = above;
    above = current;
    current = free;
  }
  return Math.min(limit + 1, above[to.length]!);
};

export const nearest = (name: string, names: readonly string[]): string | undefined => {
  if (name.length > 64) return undefined;
  let best: string | undefined;
  let least = Math.min(3, Math.ceil(name.length / 3) + 1);
  for (const each of names.slice(0, 200)) {
    if (Math.abs(each.length - name.length) > 8) continue;
    const apart = folded(each) === folded(name) ? 0 : editDistance(each, name);
    if (apart < least) [best, least] = [each, apart];
  }
  return best;
};

/** With a leading space, or empty. */
export const suggestName = (name: string, names: readonly string[]): string => {
  const meant = nearest(name, names);
  return meant === undefined ? "" : ` Did you mean "${meant}"?`;
};
