// One case in a fresh process: node bench/targets/measure.ts NAME REPEATS. Prints the wall times in milliseconds, the first run first.
import { readFileSync } from "node:fs";
import { cases } from "./cases.ts";

export interface Measured {
  readonly times: readonly number[];
  /** The first time without what it waited while other processes had the processor, where the system says how long that was. */
  readonly coldMs: number;
}

/** How long this thread has waited for a processor until now. */
const queuedMs = (): number => {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[1]) / 1e6;
  } catch {
    return 0;
  }
};

const [name, repeats] = process.argv.slice(2);
const found = cases.find((each) => each.name === name);
if (found === undefined) throw new Error(`There is no case ${JSON.stringify(name)}`);
const { run, close } = await found.open();
const times: number[] = [];
const measure = async (): Promise<void> => {
  const begin = performance.now();
  const result = run();
  if (result instanceof Promise) await result;
  times.push(performance.now() - begin);
};

const begin = performance.now();
const queued = queuedMs();
await measure();
const waited = queuedMs() - queued;
// Around the reads, so that a wait outside of the run is not taken off it.
const coldMs = Math.min(times[0]!, performance.now() - begin - waited);
for (let round = 0; round < Number(repeats); round++) await measure();
console.log(JSON.stringify({ times, coldMs } satisfies Measured));
await close?.();
