import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Haft, tool } from "../../dist/index.js";
import { limit, retry, timeout } from "../../dist/layers.js";
import { fakeModel, input, output, run, toolDescription, toolName } from "../case.ts";
import { type Contender, verified } from "../contender.ts";

const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");

/** The complete pipeline: policy, three layers, both validations, the ledger and an event listener. */
const withLedger = (name: string, ledgerOf: () => string): Contender => ({
  name,
  version: JSON.parse(manifest).version,
  make: async (calls) => {
    const weather = tool({
      name: toolName,
      description: toolDescription,
      input,
      output,
      annotations: { readOnly: true },
      run: async (given) => run(given),
    }).layer(timeout("5 seconds"), retry({ attempts: 3 }), limit({ concurrency: 64 }));

    const runtime = await Haft.open({
      tools: [weather],
      principal: { agent: "bench", allow: ["*"] },
      policy: { rules: [{ effect: "allow", tools: ["*"] }] },
      ledger: ledgerOf(),
    });
    let events = 0;
    runtime.on("tools.executed", () => {
      events += 1;
    });

    const ask = fakeModel(calls);
    const turn = async () => {
      const before = events;
      const reply = await ask();
      if (reply.kind !== "calls") throw new Error("unexpected model request");
      const replies = await runtime.turn(reply.calls);
      return { replies, events: events - before, end: await ask() };
    };

    return verified(calls, turn, ({ replies, events, end }) => {
      if (events !== calls) throw new Error(`received ${events} events for ${calls} calls`);
      return {
        text: end.kind === "text" ? end.text : undefined,
        results: replies.map((reply) => JSON.parse(reply.text)),
      };
    });
  },
});

export const haft = withLedger("Haft turn", () => "memory");

/** Every call is written before its code starts, and its outcome before its reply. */
export const haftSqlite = withLedger("Haft turn, SQLite ledger", () => {
  const folder = mkdtempSync(join(tmpdir(), "haft-bench-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return `sqlite:${join(folder, "ledger.db")}`;
});
