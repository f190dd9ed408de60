import { hashText } from "../../../base/json/hash.ts";

export type RandomSource = () => number;

/** A deterministic stream per seed and purpose, so that purposes do not affect each other. */
export const randomStream = (seed: number, purpose: string): RandomSource => {
  const digest = hashText(`${seed}/${purpose}`);
  const word = (at: number): number => Number.parseInt(digest.slice(at * 8, at * 8 + 8), 16) | 0;
  // Chris Doty-Humphrey's small fast counting generator (sfc32).
  let [a, b, c, counter] = [word(0), word(1), word(2), 1];
  const next = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let i = 0; i < 12; i++) next();
  return next;
};

export const shuffle = <Item>(items: readonly Item[], random: RandomSource): readonly Item[] => {
  const copy = [...items];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [copy[i], copy[j]] = [copy[j]!, copy[i]!];
  }
  return copy;
};
