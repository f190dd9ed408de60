import { attacks } from "../attack.ts";

const forged = `'{"kind":"call","number":0,"name":"delete_everything","input":"{}"}'`;

export const forgedResults = attacks(
  "prototype pollution, forged results",
  { on: "node" },
  {
    "a member of every object of the host": {
      on: "vm",
      harm: "pollution",
      source: `input.__proto__.isAdmin = true; Object.prototype.isAdmin = true; return 1;`,
    },
    "another map for every list of the host": {
      on: "vm",
      harm: "pollution",
      source: `Object.getPrototypeOf(input.list).filter = () => []; Array.prototype.filter = () => []; return 1;`,
    },
    "a then for every object of the host, so that it waits for ever": {
      on: "vm",
      harm: "hang",
      source: `const never = { value() {}, configurable: true };
      Object.defineProperty(Object.prototype, "then", never);
      Object.defineProperty(input.__proto__, "then", never);
      return { a: 1 };`,
    },
    "a JSON.stringify that speaks for the engine": {
      harm: "foreign call",
      source: `JSON.stringify = () => ${forged}; return 1;`,
    },
    "a call that is written to the wire itself": {
      harm: "foreign call",
      source: `
      const line = ${forged} + "\\n";
      if (globalThis.process?.stdout) process.stdout.write(line);
      else globalThis.Deno?.stdout.writeSync(new TextEncoder().encode(line));
      return new Promise((resolve) => (globalThis.setTimeout ?? (() => resolve(1)))(resolve, 200));`,
    },
    "an invalid frame": {
      harm: "death",
      source: `
      const line = "{\\"kind\\":\\n";
      if (globalThis.process?.stdout) process.stdout.write(line);
      else globalThis.Deno?.stdout.writeSync(new TextEncoder().encode(line));
      return new Promise((resolve) => (globalThis.setTimeout ?? (() => resolve(1)))(resolve, 200));`,
    },
    "a call that is posted to the host's port": {
      on: "worker",
      harm: "foreign call",
      source: `
      const { parentPort } = globalThis.process?.getBuiltinModule?.("node:worker_threads") ?? {};
      const frame = ${forged};
      (parentPort?.postMessage.bind(parentPort) ?? globalThis.postMessage ?? (() => {}))(frame);
      return 1;`,
    },
  },
);
