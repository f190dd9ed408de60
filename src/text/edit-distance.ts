/**
 * How many characters must be added, taken away or changed to make one text of the other; two neighbors in the wrong order
 * count once. Beyond `limit` nobody counts: the answer is then `limit + 1`.
 */
export const editDistance = (from: string, to: string, limit = Number.POSITIVE_INFINITY): number => {
  if (Math.abs(from.length - to.length) > limit) return limit + 1;
  let twoAbove: readonly number[] = [];
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    let best = row;
    for (let column = 1; column <= to.length; column++) {
      const change = above[column - 1]! + (from[row - 1] === to[column - 1] ? 0 : 1);
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const swap = isSwapped ? (twoAbove[column - 2] ?? Infinity) + 1 : Infinity;
      const cost = Math.min(change, swap, above[column]! + 1, current[column - 1]! + 1);
      current.push(cost);
      if (cost < best) best = cost;
    }
    if (best > limit) return limit + 1;
    [twoAbove, above] = [above, current];
  }
  return Math.min(limit + 1, above[to.length]!);
};
