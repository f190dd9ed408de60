import { attacks } from "../attack.ts";

const bomb = (source: string) => ({ harm: "memory" as const, source });

/**
 * Maximum growth of an open engine in megabytes: more than a host may grow, and far less than the machine
 * has.
 */
const most = 480;

export const memory = attacks(
  "memory",
  { on: "node" },
  {
    "lists of numbers": bomb(`
    const kept = [];
    for (let at = 0; at < ${most}; at++) kept.push(new Array(131072).fill(at + 0.5));
    return kept.length;`),
    "one list that grows": bomb(
      `const list = []; for (let at = 0; at < 50000000; at++) list.push(at); return list.length;`,
    ),
    objects: bomb(`
    const kept = [];
    for (let at = 0; at < 5000000; at++) kept.push({ at, name: "n" + at });
    return kept.length;`),
    "a map": bomb(
      `const map = new Map(); for (let at = 0; at < 4000000; at++) map.set("k" + at, at); return map.size;`,
    ),
    "a text that doubles": bomb(`
    const kept = [];
    for (const first of ["xy", "yx"]) {
      let text = first;
      while (text.length < 200000000) text += text;
      kept.push(/z/.test(text), text);
    }
    return kept.length;`),
    "many texts": bomb(`
    const kept = [];
    for (let at = 0; at < ${most}; at++) kept.push(JSON.stringify("x".repeat(1048576) + at));
    return kept.length;`),
    "typed arrays": bomb(`
    const kept = [];
    for (let at = 0; at < ${most}; at++) kept.push(new Uint8Array(1048576).fill(1));
    return kept.length;`),
    "one typed array": bomb(`return new Uint8Array(${most} * 1048576).fill(1).length;`),
    "memory of WebAssembly": bomb(`
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 16384 });
    memory.grow(${most} * 16);
    new Uint8Array(memory.buffer).fill(1);
    return memory.buffer.byteLength;`),
    "shared memory": bomb(`return new Uint8Array(new SharedArrayBuffer(${most} * 1048576)).fill(1).length;`),
    "a buffer that is resized": bomb(`
    const buffer = new ArrayBuffer(1, { maxByteLength: ${most} * 1048576 });
    buffer.resize(${most} * 1048576);
    return new Uint8Array(buffer).fill(1).length;`),
    "promises that are never settled": bomb(`
    const kept = [];
    for (let at = 0; at < 5000000; at++) kept.push(new Promise(() => {}).then(() => at));
    return kept.length;`),
    "generators that wait": bomb(`
    function* wait() { const own = new Array(10).fill(0); yield own; }
    const kept = [];
    for (let at = 0; at < 2500000; at++) { const one = wait(); one.next(); kept.push(one); }
    return kept.length;`),
    "functions that keep what is around them": bomb(`
    const kept = [];
    for (let at = 0; at < 2500000; at++) { const own = [at, at, at, at, at, at, at, at]; kept.push(() => own); }
    return kept.length;`),
    "a value that is deep": bomb(`
    let value = null;
    for (let at = 0; at < 8000000; at++) value = [value];
    return value;`),
    "a flood of lines": bomb(
      `for (let at = 0; at < ${most}; at++) console.log("x".repeat(1048576)); return 1;`,
    ),
    "a flood past the console": bomb(`
    const part = new Uint8Array(1048576).fill(120);
    const out = globalThis.process?.stdout;
    if (globalThis.Deno === undefined) {
      for (let at = 0; at < ${most}; at++) await new Promise((resolve) => out.write(part, resolve));
    } else for (let at = 0; at < ${most}; at++) Deno.stdout.writeSync(part);
    return 1;`),
    "lines without end": {
      on: "vm",
      harm: "output",
      source: `for (let at = 0; at < 300000; at++) console.log("line " + at); return 1;`,
    },
    "a value of many megabytes": bomb(`return Array.from({ length: 60 }, () => "x".repeat(1048576));`),
    "an error of many megabytes": bomb(`throw new Error("x".repeat(60 * 1048576));`),
    "files that fill the disk": {
      harm: "files",
      source: `
      const fs = globalThis.process?.getBuiltinModule?.("node:fs") ?? (await import("node:fs"));
      const part = new Uint8Array(4 * 1048576).fill(1);
      for (let at = 0; at < 100; at++) fs.writeFileSync("file-" + at, part);
      return 1;`,
    },
    "100,000 calls": {
      on: "vm",
      harm: "calls",
      source: `for (let at = 0; at < 100000; at++) await tools.echo({ at }); return 1;`,
    },
    "100,000 calls at once": {
      on: "vm",
      harm: "calls",
      source: `await Promise.all(Array.from({ length: 100000 }, (_, at) => tools.echo({ at }))); return 1;`,
    },
    "an argument of 60 megabytes": {
      on: "vm",
      harm: "long call",
      source: `await tools.echo({ text: "x".repeat(60000000) }); return 1;`,
    },
  },
);
