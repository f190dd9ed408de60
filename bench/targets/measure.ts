// One case in a fresh process: node bench/targets/measure.ts NAME REPEATS. Prints the wall times in
// milliseconds, the first run first.
import { readFileSync } from "node:fs";
import { cases } from "./cases.ts";

export interface Measured {
  readonly times: readonly number[];
  /** The first time without its waiting time for a processor, where the system reports it. */
  readonly coldMs: number;
}

/** The total waiting time of this thread for a processor. */
const queuedMs = (): number => {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[1]) / 1e6;
  } catch {
    return 0;
  }
};

const [name, repeats] = process.argv.slice(2);
const found = cases.find((each) => each.name === name);
if (found === undefined) throw new Error(`Unknown case ${JSON.stringify(name)}`);
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
// Clamped, so that a wait outside of the run is not subtracted from it.
const coldMs = Math.min(times[0]!, performance.now() - begin - waited);
for (let round = 0; round < Number(repeats); round++) await measure();
console.log(JSON.stringify({ times, coldMs } satisfies Measured));
await close?.();
