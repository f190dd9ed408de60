// One case in a fresh process: node bench/targets/measure.ts NAME REPEATS. Prints the wall times in milliseconds, the first run first.
import { cases } from "./cases.ts";

const [name, repeats] = process.argv.slice(2);
const found = cases.find((each) => each.name === name);
if (found === undefined) throw new Error(`There is no case ${JSON.stringify(name)}`);
const { run, close } = await found.open();
const times: number[] = [];
for (let round = 0; round <= Number(repeats); round++) {
  const begin = performance.now();
  const result = run();
  if (result instanceof Promise) await result;
  times.push(performance.now() - begin);
}
console.log(JSON.stringify(times));
await close?.();
