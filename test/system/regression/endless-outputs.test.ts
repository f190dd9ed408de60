import { spawn } from "node:child_process";
import { describe, expect, it } from "vitest";

describe("an output array with a false length", () => {
  const entryPoint = new URL("../../../src/exports/index.ts", import.meta.url).href;
  const say = (answer: string): string => `
    const { Haft, tool } = await import(${JSON.stringify(entryPoint)});
    const long = () => { const items = []; items.length = 2 ** 32 - 1; return items; };
    const endless = () => new Proxy([], { get: (items, key) => key === "length" ? 2 ** 31 : key in Array.prototype || typeof key === "symbol" ? items[key] : 1 });
    const say = tool({ name: "say", description: "Says", input: [], run: () => (${answer}) });
    const haft = await Haft.open({ tools: [say], principal: { agent: "tester", allow: ["*"] } });
    const [reply] = await haft.turn([{ id: "1", tool: "say", input: "{}" }]);
    console.log(JSON.stringify([reply.ok, reply.failure?.code]));
    process.exit(0);`;

  /** Runs in another process, because a frozen process cannot end itself. */
  const runApart = (program: string): Promise<string> => {
    const ended = Promise.withResolvers<string>();
    const child = spawn(process.execPath, ["--no-warnings", "--input-type=module", "-e", program]);
    let said = "";
    // allow-sleep: ends a process that is frozen
    const limit = setTimeout(() => child.kill("SIGKILL"), 90_000);
    child.stdout.on("data", (chunk) => {
      said += chunk;
    });
    child.stderr.on("data", (chunk) => {
      said += chunk;
    });
    child.on("close", (_, signal) => {
      clearTimeout(limit);
      ended.resolve(signal === null ? said.trim() : `frozen until it was killed: ${signal}`);
    });
    return ended.promise;
  };

  for (const [kind, answer] of [
    ["with empty slots", "long()"],
    ["with empty slots inside an object", "({ items: [long()] })"],
    ["from a proxy", "endless()"],
  ] as const) {
    it(`is rejected as invalid_output without blocking the process, ${kind}`, async () => {
      expect(await runApart(say(answer))).toBe('[false,"invalid_output"]');
    });
  }
});
