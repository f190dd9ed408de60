// Shared by the producer and all workers: tools, agent, and the effects of the tools.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { agent, type Message, type Model, type ModelReply, tool } from "haft";

/** The bank does not answer for this order, and the worker that called it is killed. */
export const unluckyOrder = 7;

/** One effect that happened, recorded outside of the ledger. */
export interface Effect {
  readonly what: "charge" | "refund";
  readonly order: number;
  readonly pid: number;
}

const world = (): string => process.env.SHOP_WORLD!;

export const effects = (): readonly Effect[] =>
  existsSync(world())
    ? readFileSync(world(), "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Effect)
    : [];

const happens = (what: Effect["what"], order: number): void =>
  appendFileSync(world(), `${JSON.stringify({ what, order, pid: process.pid } satisfies Effect)}\n`);

const input = { type: "object", properties: { order: { type: "integer" } }, required: ["order"] } as const;

export const tools = [
  tool({
    name: "charge",
    description: "Charges the card of an order, once more each time it is called.",
    input,
    run: async ({ order }) => {
      happens("charge", order);
      await pause(order === unluckyOrder ? 60_000 : 100);
      return { charged: order };
    },
  }),
  tool({
    name: "refund",
    description: "Gives the money of an order back.",
    input,
    risk: "high", // so it needs approval
    run: ({ order }) => {
      happens("refund", order);
      return { refunded: order };
    },
  }),
  tool({
    name: "find_charges",
    description: "Says how often an order was charged.",
    input,
    annotations: { readOnly: true },
    run: ({ order }) => effects().filter((each) => each.what === "charge" && each.order === order).length,
  }),
];

const usage = { inputTokens: 1, outputTokens: 1 };

/** A scripted model: calls the requested tool and reports its result. */
const reply = (messages: readonly Message[]): ModelReply => {
  const task = String(messages.find(({ role }) => role === "user")?.content);
  const [what, order] = task.split(" ") as ["charge" | "refund", string];
  const said = messages.filter(({ role }) => role === "tool");
  const names = what === "charge" ? ["charge", "find_charges"] : ["refund"];
  const name = names[said.length];
  if (name === undefined) {
    return { text: `${task}: ${String(said.at(-1)?.content)}`, calls: [], finish: "stop", usage };
  }
  const call = { id: `c${said.length}`, tool: name, input: JSON.stringify({ order: Number(order) }) };
  return { text: "", calls: [call], finish: "calls", usage };
};

const model: Model = {
  id: "shop-clerk",
  generate: async ({ messages }) => reply(messages),
  stream: async function* ({ messages }) {
    yield { kind: "reply", reply: reply(messages) };
  },
};

export const clerk = agent({
  name: "clerk",
  instructions: "Charge and refund orders.",
  model,
  tools: ["charge", "refund", "find_charges"],
});
