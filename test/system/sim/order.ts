import { randomStream } from "../../../src/agent/experiments/statistics/random-stream.ts";
import type { Point } from "./scheduler.ts";

/** Chooses the next of the ready points. */
export type Order = (ready: readonly Point[], last: string | undefined) => Point;

/** Random order. Some seeds favor one runtime for a while, so that others fall far behind. */
export const randomOrder = (seed: number): Order => {
  const random = randomStream(seed, "order");
  const loyalty = [0, 0.5, 0.9, 0.97][Math.floor(random() * 4)]!;
  return (ready, last) => {
    const own = ready.filter(({ actor }) => actor === last);
    const among = own.length > 0 && random() < loyalty ? own : ready;
    return among[Math.floor(random() * among.length)]!;
  };
};
