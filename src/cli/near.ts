/** The one word of a list that is at most two edits from another. */
export const nearestOf = (word: string, words: readonly string[]): string | undefined => {
  const scored = words.map((each) => ({ each, distance: edits(word.toLowerCase(), each.toLowerCase()) }));
  scored.sort((one, other) => one.distance - other.distance);
  const [best] = scored;
  return best !== undefined && best.distance <= 2 ? best.each : undefined;
};

const edits = (from: string, to: string): number => {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const change = above[column - 1]! + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min(change, above[column]! + 1, current[column - 1]! + 1));
    }
    above = current;
  }
  return above[to.length]!;
};
