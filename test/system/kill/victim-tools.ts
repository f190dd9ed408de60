import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { Haft, type Message, textOf, tool } from "../../../src/exports/index.ts";

/** Tools for kill tests that count their executions outside the ledger. */
export const victimWorld = (place: string, folder: string) => {
  const write = (file: string, line: string): void => {
    appendFileSync(join(folder, file), `${line}\n`);
    process.stdout.write(".");
  };

  const pause = (text: string): Promise<void> =>
    // allow-sleep: tools of a process that is killed at a random moment
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

  const open = async (): Promise<Haft> => {
    const haft = await Haft.open({
      tools: [pay, look],
      ledger: place,
      principal: { agent: "payer", allow: ["*"] },
      config: { ledger: { keepPayloads: false } },
    });
    haft.on("tools.executed", ({ entryId }) => write("acknowledged", entryId));
    haft.on("tools.failed", ({ entryId }) => write("acknowledged", entryId));
    return haft;
  };
  return { write, open };
};

const turns = 4;

/** Deterministic: a resumed conversation makes the same calls. */
export const callsOf = (name: string, turn: number) =>
  turn === turns
    ? []
    : Array.from({ length: 3 }, (_, index) => {
        const mark = `${name}.${turn}.${index}${(turn * 3 + index + name.length) % 10}`;
        return {
          id: `c${turn}-${index}`,
          tool: index === 1 ? "look" : "pay",
          input: JSON.stringify({ mark }),
        };
      });

export const reply = (messages: readonly Message[]) => {
  const name = textOf(messages.find(({ role }) => role === "user") ?? { content: "" });
  const calls = callsOf(name, messages.filter(({ role }) => role === "assistant").length);
  const usage = { inputTokens: 1, outputTokens: 1 };
  if (calls.length === 0) return { text: "done", calls, usage, finish: "stop" as const };
  return { text: "", calls, usage, finish: "calls" as const };
};
