const first = 250;
const longest = 30_000;

/** After so many waits the step has reached its longest. */
export const lastStep = Math.ceil(Math.log2(longest / first));

/** How long to wait before try number `step`, counted from 0. Anything up to the step's length, so that many clients of one server do not come back together. */
export const backoffMs = (step: number, random: () => number): number =>
  Math.round(Math.min(longest, first * 2 ** step) * random());

/** For a server that is not expected back soon. */
export const slowMs = (random: () => number): number => Math.round(longest * (1 + random()));
