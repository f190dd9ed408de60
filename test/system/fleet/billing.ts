// allow-sleep: a slow tool of a process that is killed at a random moment
import { setTimeout as pause } from "node:timers/promises";
import { agent, type Message, type Model, type ModelReply, tool } from "../../../src/exports/index.ts";
import type { LeaseTimings } from "../../../src/ledger/durable/leases/ledger-owners.ts";

export interface WorkerProgramOptions {
  readonly place: string;
  readonly folder: string;
  readonly times: Partial<Omit<LeaseTimings, "monotonic">>;
  readonly concurrency: number;
  readonly patienceMs: number;
}

const input = { type: "object", properties: { mark: { type: "string" } }, required: ["mark"] } as const;

/** Two tools with an effect per call, and one idempotent tool between them. */
export const billingTools = (takeEffect: (mark: string) => void) => [
  tool({
    name: "charge",
    description: "Charges once more each time it is called.",
    input,
    run: async ({ mark }) => {
      takeEffect(mark);
      // Long enough that a worker is often killed between an effect and its record.
      await pause(100);
      return { charged: mark };
    },
  }),
  tool({
    name: "look_up",
    description: "Only looks.",
    input,
    annotations: { readOnly: true },
    run: async ({ mark }) => ({ found: mark }),
  }),
];

const usage = { inputTokens: 1, outputTokens: 1 };

/** Charges, looks up, charges again and finishes, whatever the results are. */
const reply = (messages: readonly Message[]): ModelReply => {
  const name = String(messages.find(({ role }) => role === "user")?.content);
  const asked = messages.filter(({ role }) => role === "assistant").length;
  if (asked >= 3) return { text: `billed ${name}`, calls: [], finish: "stop", usage };
  const call = {
    id: `c${asked}`,
    tool: asked === 1 ? "look_up" : "charge",
    input: JSON.stringify({ mark: `${name}/${asked}` }),
  };
  return { text: "", calls: [call], finish: "calls", usage };
};

const model: Model = {
  id: "billing",
  generate: async ({ messages }) => reply(messages),
  stream: async function* ({ messages }) {
    yield { kind: "reply", reply: reply(messages) };
  },
};

export const biller = agent({
  name: "biller",
  instructions: "Bill.",
  model,
  tools: ["charge", "look_up"],
});

/** Marks of one run whose effect may happen at most once. */
export const marksOf = (name: string): readonly string[] => [`${name}/0`, `${name}/2`];
