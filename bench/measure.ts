import { setTimeout as sleep } from "node:timers/promises";
import { contenders, isContenderId } from "./contenders.ts";

/** Times one contender in a separate process: `measure.ts <contender> <calls> <milliseconds>`. */
const [id = "", calls = "1", milliseconds = "500"] = process.argv.slice(2);
if (!isContenderId(id)) throw new Error(`unknown contender ${id}`);
const contender = await contenders[id]();
const turn = await contender.make(Number(calls));

const runFor = async (budget: number): Promise<number> => {
  const begin = performance.now();
  let turns = 0;
  let elapsed = 0;
  while (elapsed < budget) {
    await turn();
    turns += 1;
    elapsed = performance.now() - begin;
  }
  return (elapsed / turns) * 1000;
};

// Long enough for the JIT compiler and for caches of a contender to fill up.
await runFor(Number(milliseconds) * 3);
await sleep(20);
const samples: number[] = [];
for (let batch = 0; batch < 5; batch += 1) samples.push(await runFor(Number(milliseconds) / 5));
samples.sort((left, right) => left - right);

process.stdout.write(
  `${JSON.stringify({ name: contender.name, version: contender.version, microseconds: samples[2] })}\n`,
  () => process.exit(0),
);
