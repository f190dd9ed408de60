// Tools and agents of the ledger fixtures. The hashes of their definitions are part of the fixtures, so only
// function bodies may be changed here.
import {
  type Agent,
  agent,
  type Message,
  type Model,
  type ModelReply,
  type Principal,
  textOf,
  tool,
} from "haft";

/** One start of a tool's code. */
export interface EffectRecord {
  readonly tool: string;
  readonly input: unknown;
  readonly idempotencyKey: string;
}

/** Called when the code of a tool starts; may wait, for example until the process is killed. */
export type OnEffect = (effect: EffectRecord) => void | Promise<void>;

/** The caller of every fixture. */
export const clerkPrincipal: Principal = {
  agent: "clerk",
  user: "ada",
  tenant: "acme",
  allow: ["*"],
  deny: ["forbidden"],
};

const order = { type: "object", properties: { order: { type: "integer" } }, required: ["order"] } as const;
const text = { type: "string" } as const;

export const renderDefinition = {
  name: "render",
  description: "Draws a picture of what is described",
  input: { type: "object", properties: { what: text }, required: ["what"] },
  annotations: { idempotent: true },
} as const;

/** All tools except `render`, whose code 0.2.0 ran in a pool. */
export const fixtureTools = (onEffect: OnEffect) => [
  tool({
    name: "lookup",
    description: "Says what an order cost",
    input: order,
    annotations: { readOnly: true },
    run: async (input, { idempotencyKey }) => {
      await onEffect({ tool: "lookup", input, idempotencyKey });
      return { order: input.order, cents: 1_990 };
    },
  }),
  tool({
    name: "refund",
    description: "Pays the price of an order back",
    input: order,
    risk: "high",
    run: async (input, { idempotencyKey }) => {
      await onEffect({ tool: "refund", input, idempotencyKey });
      return { order: input.order, refunded: true };
    },
  }),
  tool({
    name: "charge",
    description: "Charges an order; order 13 is always declined",
    input: order,
    run: async (input, { idempotencyKey }) => {
      await onEffect({ tool: "charge", input, idempotencyKey });
      if (input.order === 13) throw new Error("The card was declined.");
      return { order: input.order, charged: true };
    },
  }),
  tool({
    name: "set_status",
    description: "Sets the status of an order; twice is the same as once",
    input: order,
    annotations: { idempotent: true },
    run: async (input, { idempotencyKey }) => {
      await onEffect({ tool: "set_status", input, idempotencyKey });
      return { order: input.order, status: "shipped" };
    },
  }),
  tool({
    name: "delete_file",
    description: "Deletes a file",
    input: { type: "object", properties: { path: text }, required: ["path"] },
    risk: "critical",
    annotations: { destructive: true },
    run: async (input, { idempotencyKey }) => {
      await onEffect({ tool: "delete_file", input, idempotencyKey });
      return { deleted: input.path };
    },
  }),
  tool({
    name: "store_token",
    description: "Stores an access token",
    input: { type: "object", properties: { owner: text, token: text }, required: ["owner", "token"] },
    requiresApproval: true,
    run: async (input, { idempotencyKey }) => {
      await onEffect({ tool: "store_token", input, idempotencyKey });
      return { stored: input.owner };
    },
  }),
  tool({
    name: "read_page",
    description: "Reads a page of the web",
    input: { type: "object", properties: { url: text }, required: ["url"] },
    annotations: { readOnly: true, openWorld: true },
    run: async (input, { idempotencyKey }) => {
      await onEffect({ tool: "read_page", input, idempotencyKey });
      return `The text of ${input.url}.`;
    },
  }),
  tool({
    name: "send_mail",
    description: "Sends a mail",
    input: { type: "object", properties: { to: text }, required: ["to"] },
    tags: ["sink", "trusted"],
    run: async (input, { idempotencyKey }) => {
      await onEffect({ tool: "send_mail", input, idempotencyKey });
      return { sent: input.to };
    },
  }),
  tool({
    name: "forbidden",
    description: "May be called by no caller of the fixtures",
    input: order,
    run: async (input, { idempotencyKey }) => {
      await onEffect({ tool: "forbidden", input, idempotencyKey });
      return {};
    },
  }),
];

const usage = { inputTokens: 3, outputTokens: 2 };

/**
 * The scripted model. "Refund order 7": `lookup`, then `refund`. "Refund orders 1 and 2": two calls of
 * `refund` in one turn. "Charge order 7": `lookup`, then `charge`. "Set order 7": `set_status`. "Fail": the
 * model fails. Any other input is answered at once.
 */
export const fixtureReply = (messages: readonly Message[]): ModelReply => {
  const last = messages.findLastIndex(({ role }) => role === "user");
  const asked = textOf(messages[last] ?? { content: "" });
  const since = messages.slice(last + 1);
  const results = since.filter(({ role }) => role === "tool").map((message) => textOf(message));
  const orders = [...asked.matchAll(/\d+/g)].map(([number]) => Number(number));
  const verb = asked.split(" ")[0] ?? "";
  const call = (...tools: readonly (readonly [string, number])[]): ModelReply => ({
    text: "",
    calls: tools.map(([name, number]) => ({
      id: `${name}-${number}`,
      tool: name,
      input: JSON.stringify({ order: number }),
    })),
    usage,
    finish: "calls",
  });
  const say = (words: string): ModelReply => ({ text: words, calls: [], usage, finish: "stop" });
  if (verb === "Fail") throw new Error("The model is broken.");
  const [first] = orders;
  if (first === undefined) return say("Hello.");
  const several = verb === "Refund" && orders.length > 1;
  const acts: Readonly<Record<string, string>> = { Refund: "refund", Charge: "charge", Set: "set_status" };
  const act = acts[verb];
  if (act === undefined) return say("Hello.");
  if (several) {
    if (results.length === 0) return call(...orders.map((number) => ["refund", number] as const));
  } else if (act === "set_status") {
    if (results.length === 0) return call([act, first]);
  } else {
    if (results.length === 0) return call(["lookup", first]);
    if (results.length === 1) return call([act, first]);
  }
  const done = { refund: "refunded", charge: "charged", set_status: "shipped" }[act] ?? "";
  const outcomes = (several ? results.slice(-orders.length) : results.slice(-1)).map((result, index) => {
    const number = several ? orders[index] : first;
    return result.includes(`"${done}"`) ? `Order ${number}: done.` : `Order ${number}: not done.`;
  });
  return say(outcomes.join(" "));
};

/** `before` may wait before the model answers, for example until the process is killed. */
export const fixtureModel = (
  before: (messages: readonly Message[]) => void | Promise<void> = () => {},
): Model => ({
  id: "fixture/model",
  generate: async ({ messages }) => {
    await before(messages);
    return fixtureReply(messages);
  },
  stream: async function* ({ messages }) {
    await before(messages);
    const reply = fixtureReply(messages);
    if (reply.text !== "") yield { kind: "text", text: reply.text };
    yield { kind: "reply", reply };
  },
});

/** The agent of every run and chat. */
export const fixtureAgent = (model: Model = fixtureModel()): Agent =>
  agent({
    name: "clerk",
    instructions: "Look an order up before it is changed.",
    model,
    tools: ["lookup", "refund", "charge", "set_status"],
  });
