import { agent } from "../../../../src/agent/agent.ts";
import type { StudioAgent } from "../../../../src/server/studio-api/studio-options.ts";
import { tool } from "../../../../src/tools/tool.ts";
import type { Message } from "../../../../src/types/message.ts";
import type { Model, ModelEvent, ModelReply, ModelRequest } from "../../../../src/types/model.ts";
import type { Gates } from "./gates.ts";

type Call = readonly [tool: string, input: object | string];
type Said = { readonly calls: readonly Call[] } | { readonly text: readonly string[] };

/** The next reply of the model, by the last user message and the number of tool results after it. */
const decide = (messages: readonly Message[]): Said => {
  const at = messages.findLastIndex(({ role }) => role === "user");
  const asked = String(messages[at]?.content ?? "");
  const answers = messages.slice(at + 1).filter(({ role }) => role === "tool");
  const last = String(answers.at(-1)?.content ?? "");
  const of = (word: RegExp, otherwise: string): string => word.exec(asked)?.[1] ?? otherwise;
  if (/refund/i.test(asked)) {
    const input = { order: of(/order (\w+)/i, "7"), amount: 12.5, reason: "damaged" };
    return answers.length === 0 ? { calls: [["refund", input]] } : { text: [`The desk says: ${last}`] };
  }
  if (/compare/i.test(asked)) {
    if (answers.length > 0) return { text: ["Both cost ", "twelve; ", "the warehouse is silent."] };
    return {
      calls: [
        ["find_order", { id: "7" }],
        ["find_order", { id: "8" }],
        ["check_stock", { thing: "lamp" }],
      ],
    };
  }
  if (/price/i.test(asked)) {
    return answers.length === 0
      ? { calls: [["price_of", { thing: "lamp" }]] }
      : { text: [`The answer is ${last}`] };
  }
  if (/mail/i.test(asked)) {
    if (answers.length === 0) return { calls: [["read_mail", { customer: "bob" }]] };
    if (answers.length === 1) return { calls: [["send_mail", { to: "bob", body: "It is on its way." }]] };
    return { text: [`The mail: ${last}`] };
  }
  if (/money/i.test(asked) && answers.length === 0) {
    return { calls: [["handoff_to_billing", { reason: "wants money" }]] };
  }
  if (/money/i.test(asked)) return { text: ["Billing ", "looks into it."] };
  if (/what happened/i.test(asked)) {
    const results = messages.filter(({ role }) => role === "tool");
    return { text: [`The model read: ${String(results.at(-1)?.content ?? "nothing")}`] };
  }
  if (/story/i.test(asked)) return { text: ["Once upon ", "|story", "a time ", "|story", "it ended."] };
  return { text: ["You said: ", asked] };
};

/** A scripted model. A text that starts with `|` is a gate to wait at. */
export const shopModel = (gates: Gates, id = "scripted/shop"): Model => {
  let asked = 0;
  async function* stream(
    { messages }: ModelRequest,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<ModelEvent> {
    asked += 1;
    const said = decide(messages);
    const usage = { inputTokens: 100 + 20 * messages.length, outputTokens: 40, cachedTokens: 50 };
    if ("calls" in said) {
      const calls = said.calls.map(([tool, input], index) => ({
        id: `call-${asked}-${index}`,
        tool,
        input: typeof input === "string" ? input : JSON.stringify(input),
        index,
      }));
      for (const { id: callId, tool } of calls) yield { kind: "call", id: callId, tool };
      yield { kind: "reply", reply: { text: "", calls, usage, finish: "calls" } };
      return;
    }
    let text = "";
    for (const piece of said.text) {
      if (piece.startsWith("|")) {
        await gates.wait(piece.slice(1), signal);
        continue;
      }
      text += piece;
      yield { kind: "text", text: piece };
    }
    yield { kind: "reply", reply: { text, calls: [], usage, finish: "stop" } satisfies ModelReply };
  }
  return {
    id,
    stream: (request, options) => stream(request, options?.signal),
    generate: async (request, options) => {
      for await (const event of stream(request, options?.signal))
        if (event.kind === "reply") return event.reply;
      throw new Error("The stream ended without a reply.");
    },
  };
};

/** An agent with a handoff, and one agent with two libraries. */
export const shopAgents = (gates: Gates) => {
  const model = shopModel(gates);
  const billing = agent({
    name: "billing",
    description: "Knows about money",
    instructions: "Look into it.",
    model,
    tools: ["find_order"],
  });
  const desk = agent({
    name: "desk",
    description: "Helps customers of the shop",
    instructions: "Help.",
    model,
    tools: ["find_order", "refund", "check_stock", "read_mail", "send_mail", "ship_order", "price_of"],
    handoffs: [billing],
  });
  const pricer = agent({
    name: "pricer",
    description: "Says what things cost",
    instructions: "Say the price.",
    model,
    tools: [
      tool({
        name: "price_of",
        description: "Says what a thing costs",
        input: { type: "object", properties: { thing: { type: "string" } }, required: ["thing"] },
        annotations: { readOnly: true },
        run: () => ({ price: 0 }),
      }).spec,
    ],
  });
  const withPrice = (name: string, price: number): StudioAgent => ({
    name,
    agent: pricer,
    run: { library: { price_of: () => ({ price }) } },
  });
  return {
    desk,
    agents: [desk, billing, withPrice("pricer, old list", 12), withPrice("pricer, new list", 15)] as const,
  };
};
