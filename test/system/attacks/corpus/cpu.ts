import { attacks } from "../attack.ts";

const hang = (source: string) => ({ harm: "hang" as const, source });

/** An endless loop as WebAssembly: one exported function, `loop`. */
const loopModule = `new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 8, 1, 4, 108, 111, 111, 112, 0, 0, 10, 9, 1, 7, 0, 3, 64, 12, 0, 11, 11])`;

export const cpu = attacks(
  "CPU",
  { on: "vm" },
  {
    "an endless loop": hang(`for (;;);`),
    "an endless loop after an await": hang(`await null; for (;;);`),
    "microtasks without end": hang(`const next = () => Promise.resolve().then(next); return await next();`),
    "an async function that awaits itself": hang(
      `const next = async () => { await null; return next(); }; return await next();`,
    ),
    "a regular expression that backtracks": hang(`return /^(a+)+$/.test("a".repeat(60) + "b");`),
    "a regular expression with references back": hang(
      `return /^(?:(a|aa)+)+\\1$/.test("a".repeat(200) + "!");`,
    ),
    "a loop that restarts in finally": hang(`for (;;) { try { for (;;); } finally { continue; } }`),
    "a loop that catches what stops it": hang(`for (;;) { try { for (;;); } catch {} }`),
    "a generator without end": hang(
      `function* all() { for (;;) yield 1; } let n = 0; for (const each of all()) n += each; return n;`,
    ),
    "a comparison that never decides": hang(`
    const list = Array.from({ length: 100 }, (_, at) => at);
    list.sort(() => { for (;;); });
    return list;`),
    "a conversion that never ends": hang(`return "" + { toString() { for (;;); } };`),
    "a power of big integers": hang(`return String((3n ** 40000000n) ** 3n).length;`),
    "a product of big integers, again and again": hang(
      `let n = 3n ** 100000n; for (;;) n = (n * n) % (2n ** 400000n - 1n);`,
    ),
    "text that is searched for itself": hang(`
    const text = "a".repeat(5000000);
    for (;;) text.lastIndexOf("a".repeat(2000000) + "b");`),
    "a loop in WebAssembly": hang(`
    new WebAssembly.Instance(new WebAssembly.Module(${loopModule})).exports.loop();`),
    "a wait for shared memory": hang(
      `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); return 1;`,
    ),
    "timers that make timers": {
      on: "node",
      harm: "hang",
      source: `
      const spin = () => { setTimeout(spin, 0); const until = Date.now() + 50; while (Date.now() < until); };
      spin();
      return await new Promise(() => {});`,
    },
    "a promise that is never settled": {
      on: "node",
      harm: "hang",
      source: `setInterval(() => {}, 1000); return await new Promise(() => {});`,
    },
  },
);
