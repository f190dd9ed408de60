import { Haft, tool } from "../dist/index.js";

export interface Scale {
  readonly tools: number;
  readonly defineMicroseconds: number;
  readonly registerMicroseconds: number;
  readonly registerOneMoreMicroseconds: number;
  readonly lookUpNanoseconds: number;
  readonly offerFirstMilliseconds: number;
  readonly offerFirstWarmMilliseconds: number;
  readonly offerAgainMicroseconds: number;
  readonly callMicroseconds: number;
  readonly heapKilobytes: number;
}

const size = Number(process.argv[2]);
const collect = globalThis.gc;
if (!Number.isInteger(size) || size < 1 || collect === undefined) {
  throw new Error("usage: node --expose-gc scale-measure.ts <tools>");
}

// All schemas differ, so that no compiled one is shared.
const numbered = (index: number) =>
  tool({
    name: `tool_${index}`,
    description: `Looks up record ${index} of the archive`,
    input: {
      type: "object",
      properties: {
        key: { type: "string", description: `Key in archive ${index}` },
        limit: { type: "integer" },
      },
      required: ["key"],
      additionalProperties: false,
    },
    annotations: { readOnly: true },
    run: async () => ({ found: index }),
  });

const elapsed = (work: () => void): number => {
  const begin = performance.now();
  work();
  return performance.now() - begin;
};

const open = () =>
  Haft.open({
    config: { registry: { maxTools: 200_000 } },
    principal: { agent: "bench", allow: ["*"] },
    policy: { rules: [{ effect: "allow", tools: ["*"] }] },
  });

const haft = await open();

collect();
const heapBefore = process.memoryUsage().heapUsed;

let tools: ReturnType<typeof numbered>[] = [];
const define = elapsed(() => {
  tools = Array.from({ length: size }, (_, index) => numbered(index));
});
const register = elapsed(() => {
  for (const one of tools) haft.register(one);
});

collect();
const heap = process.memoryUsage().heapUsed - heapBefore;

// A prepared sequence of distant names.
const lookUps = 200_000;
const names = Array.from({ length: lookUps }, (_, index) => `tool_${(index * 7919) % size}`);
const lookAll = (): number => {
  let found = 0;
  const took = elapsed(() => {
    for (const name of names) if (haft.get(name) !== undefined) found += 1;
  });
  if (found !== lookUps) throw new Error(`${lookUps - found} names were not found`);
  return took;
};
const lookUp = Math.min(...Array.from({ length: 5 }, lookAll));

const offerFirst = elapsed(() => {
  haft.offer({ format: "openai" });
});
/** The same for new tools: only the code is warm. */
const others = await open();
for (let index = 0; index < size; index++) others.register(numbered(index));
const offerFirstWarm = elapsed(() => {
  others.offer({ format: "openai" });
});
await others.close();

const offersAgain = 100;
const offerAgain = elapsed(() => {
  for (let count = 0; count < offersAgain; count += 1) haft.offer({ format: "openai" });
});

const calls = 500;
for (let count = 0; count < calls; count += 1) await haft.call(`tool_${count % size}`, { key: "a" });
const callsBegin = performance.now();
for (let count = 0; count < calls; count += 1) await haft.call(`tool_${count % size}`, { key: "b" });
const callsTook = performance.now() - callsBegin;

const oneMore = elapsed(() => {
  haft.register(numbered(size));
});

const result: Scale = {
  tools: size,
  defineMicroseconds: (define * 1000) / size,
  registerMicroseconds: (register * 1000) / size,
  registerOneMoreMicroseconds: oneMore * 1000,
  lookUpNanoseconds: (lookUp * 1e6) / lookUps,
  offerFirstMilliseconds: offerFirst,
  offerFirstWarmMilliseconds: offerFirstWarm,
  offerAgainMicroseconds: (offerAgain * 1000) / offersAgain,
  callMicroseconds: (callsTook * 1000) / calls,
  heapKilobytes: heap / 1024 / size,
};
console.log(JSON.stringify(result));
await haft.close();
