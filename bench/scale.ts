import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { round, table } from "./numbers.ts";
import type { Scale } from "./scale-measure.ts";

const run = promisify(execFile);
const measure = fileURLToPath(new URL("./scale-measure.ts", import.meta.url));

const { values } = parseArgs({
  options: {
    sizes: { type: "string", default: "10,1000,10000,100000" },
    json: { type: "boolean", default: false },
  },
});

const results: Scale[] = [];
for (const size of values.sizes.split(",")) {
  // A process per size, so that heaps do not add up.
  const { stdout } = await run(process.execPath, ["--expose-gc", measure, size], { timeout: 300_000 });
  results.push(JSON.parse(stdout));
}

if (values.json) console.log(JSON.stringify(results, null, 2));
else {
  const row = (title: string, cell: (result: Scale) => number) => [
    title,
    ...results.map((result) => round(cell(result))),
  ];
  console.log(
    table([
      ["tools", ...results.map((result) => result.tools.toLocaleString("en-US"))],
      row("define, µs a tool", (result) => result.defineMicroseconds),
      row("register, µs a tool", (result) => result.registerMicroseconds),
      row("register one more, µs", (result) => result.registerOneMoreMicroseconds),
      row("look-up, ns", (result) => result.lookUpNanoseconds),
      row("offer, first in a process, ms", (result) => result.offerFirstMilliseconds),
      row("offer, first of new tools, ms", (result) => result.offerFirstWarmMilliseconds),
      row("offer, again, µs", (result) => result.offerAgainMicroseconds),
      row("one call, µs", (result) => result.callMicroseconds),
      row("heap, KB a tool", (result) => result.heapKilobytes),
    ]),
  );
}
