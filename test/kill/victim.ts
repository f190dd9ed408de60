import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { agent, Haft, type Message, type Model, tool } from "../../src/index.ts";

/**
 * A process that is meant to be killed: it goes on with the runs that an earlier one left, then starts new ones until
 * it dies. Its tools count their own executions in a file that the ledger knows nothing of.
 */
const [place = "", folder = "", seed = "", last = ""] = process.argv.slice(2);
const turns = 4;

const write = (file: string, line: string): void => {
  appendFileSync(join(folder, file), `${line}\n`);
  process.stdout.write(".");
};

const pause = (text: string): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, text.charCodeAt(text.length - 1) % 4));

const input = { type: "object", properties: { mark: { type: "string" } }, required: ["mark"] } as const;

const pay = tool({
  name: "pay",
  description: "Takes effect once, and counts it",
  input,
  run: async ({ mark }) => {
    write("executed", mark);
    await pause(mark);
    if (mark.endsWith("7")) throw new Error("declined");
    return { paid: mark };
  },
});

const look = tool({
  name: "look",
  description: "May be done twice",
  input,
  annotations: { readOnly: true },
  run: async ({ mark }) => {
    await pause(mark);
    return { seen: mark };
  },
});

/** Says the same to the same conversation, so that a run that is resumed is the run that was left. */
const reply = (messages: readonly Message[]) => {
  const name = messages.find(({ role }) => role === "user")?.content ?? "";
  const turn = messages.filter(({ role }) => role === "assistant").length;
  const usage = { inputTokens: 1, outputTokens: 1 };
  if (turn === turns) return { text: "done", calls: [], usage, finish: "stop" as const };
  const calls = Array.from({ length: 3 }, (_, index) => {
    const mark = `${name}.${turn}.${index}${(turn * 3 + index + name.length) % 10}`;
    return { id: `c${turn}-${index}`, tool: index === 1 ? "look" : "pay", input: JSON.stringify({ mark }) };
  });
  return { text: "", calls, usage, finish: "calls" as const };
};

const model: Model = {
  id: "victim",
  generate: async ({ messages }) => reply(messages),
  stream: async function* ({ messages }) {
    yield { kind: "reply", reply: reply(messages) };
  },
};

const silent: Model = {
  ...model,
  generate: async () => ({ ...reply([]), text: "done", calls: [], finish: "stop" }),
};

const payer = agent({ name: "payer", instructions: "Pay.", model, tools: ["*"] });

await using haft = await Haft.open({
  tools: [pay, look],
  ledger: place,
  principal: { agent: "payer", allow: ["*"] },
  config: { ledger: { keepPayloads: false } },
});
haft.on("tools.executed", ({ entryId }) => write("acknowledged", entryId));
haft.on("tools.failed", ({ entryId }) => write("acknowledged", entryId));
// Whatever is loaded with the first run is loaded now, or most kills would hit a process that has not begun.
await haft.run(agent({ name: "warm", instructions: "Say done.", model: silent, tools: [] }), "x");
process.stdout.write(".");

for (const { runId } of await haft.runs({ status: "running" })) {
  const response = await haft.run(payer, undefined, { resume: runId });
  write("finished", response.runId);
}
if (last === "") {
  for (let number = 0; ; number++) {
    const both = [`${seed}-${number}a`, `${seed}-${number}b`].map((name) => haft.run(payer, name));
    for (const response of await Promise.all(both)) write("finished", response.runId);
  }
}
