import { Haft, tool } from "../../dist/index.js";
import { codeMode } from "../../dist/sandbox.js";
import { spread } from "../numbers.ts";

/** Measures a call of a program through the pipeline minus the same direct call: microseconds as JSON. */
const calls = 1_000;
const next = tool({
  name: "next",
  description: "Adds one",
  input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const,
  annotations: { readOnly: true },
  run: ({ n }) => n + 1,
});
const haft = await Haft.open({
  tools: [next, codeMode({ limits: { calls, cpuMs: 60_000 } })],
  principal: { agent: "bench", allow: ["*"] },
});

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const begin = performance.now();
  if ((await work()) !== calls) throw new Error("the calls came to another number");
  return ((performance.now() - begin) / calls) * 1_000;
};
const source = `let n = 0; while (n < ${calls}) n = await tools.next({ n }); return n;`;
const direct = async (): Promise<number> => {
  let n = 0;
  while (n < calls) n = (await haft.call("next", { n })) as number;
  return n;
};
const inside = async (): Promise<unknown> =>
  ((await haft.call("run-code", { source })) as { readonly value: unknown }).value;

const over: number[] = [];
for (let round = 0; round < 8; round++) {
  const [one, other] = [await timed(direct), await timed(inside)];
  // The first rounds warm up.
  if (round >= 3) over.push(other - one);
}
await haft.close();
process.stdout.write(`${JSON.stringify(spread(over))}\n`);
