/** Removes case and separators: `maxResults`, `max_results` and `MAX-RESULTS` become equal. */
export const foldName = (name: string): string => name.toLowerCase().replace(/[_\-. ]/g, "");

export const squeezeName = (name: string): string => foldName(name).replace(/(\p{L})\1+/gu, "$1");

const splitWords = (name: string): readonly string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[_\-. ]+/)
    .filter((word) => word !== "");

/** Words that differ from another word by one doubled letter. */
const distinctWords: ReadonlySet<string> = new Set(
  (
    "baring bated below biding biter caning canon canons canvas caper cares chose comas coping coral " +
    "cuter desert dimer diner dining discus doted fated filed filer filing gaping griped griping " +
    "hater hoped hoping later liter loped loser loses mater mating moped moping needles pater pined " +
    "pining planed planer planing poled poling posses princes puling raged rated rater rating riper " +
    "robed scared scraped scraper shots siting slated sloped sloping sniped sniping spared sparing " +
    "spiting stared staring steps striped striping super taped taper taping tiled tiler tiling toted " +
    "wading waged wager wiling "
  )
    .trim()
    .split(" "),
);

const differsByDoubledLetter = (left: string, right: string): boolean => {
  const [short, long] = left.length < right.length ? [left, right] : [right, left];
  if (short.length < 5 || long.length !== short.length + 1 || distinctWords.has(short)) return false;
  let at = 0;
  while (at < short.length && short[at] === long[at]) at++;
  return (
    at > 0 && long[at] === long[at - 1] && /\p{L}/u.test(long[at]!) && long.slice(at + 1) === short.slice(at)
  );
};

/** Other differences than spelling and one doubled letter are too often different words. */
export const compareKeyNames = (written: string, name: string): "same" | "doubled" | undefined => {
  if (written.length > 64 || name.length > 64) return undefined;
  if (foldName(written) === foldName(name)) return foldName(name) === "" ? undefined : "same";
  const [left, right] = [splitWords(written), splitWords(name)];
  if (left.length !== right.length) return undefined;
  const apart = left.flatMap((word, index) => (word === right[index] ? [] : [index]));
  return apart.length === 1 && differsByDoubledLetter(left[apart[0]!]!, right[apart[0]!]!)
    ? "doubled"
    : undefined;
};
