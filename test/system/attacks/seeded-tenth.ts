import { type Attack, groups } from "./attack.ts";

/** Chooses a tenth of the attacks by seed, with at least one of each group. */
export const seededTenth = (attacks: readonly Attack[], seed: number): readonly Attack[] => {
  const random = randomOf(seed);
  const shuffled = attacks
    .map((attack) => ({ attack, at: random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ attack }) => attack);
  const first = groups.flatMap((group) => shuffled.find((attack) => attack.group === group) ?? []);
  const rest = shuffled.filter((attack) => !first.includes(attack));
  const count = Math.max(first.length, Math.ceil(attacks.length / 10));
  const chosen = new Set([...first, ...rest.slice(0, count - first.length)]);
  return attacks.filter((attack) => chosen.has(attack));
};

/** Linear congruential generator between 0 and 1. */
const randomOf = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};
