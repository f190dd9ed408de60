// An agent with a scripted model, so that the example needs no key and is deterministic.
import { agent, type Message, type Model, type ModelReply, textOf } from "haft";

const usage = { inputTokens: 0, outputTokens: 0 };

const answer = (messages: readonly Message[]): ModelReply => {
  const results = messages.filter(({ role }) => role === "tool").length;
  const asked = messages.find(({ role }) => role === "user");
  const order = Number(/\d+/.exec(textOf(asked ?? { content: "" }))?.[0]);
  const call = (tool: string) => ({
    text: "",
    calls: [{ id: tool, tool, input: JSON.stringify({ order }) }],
    usage,
    finish: "calls" as const,
  });
  if (results === 0) return call("look_up");
  if (results === 1) return call("refund");
  return { text: `Order ${order} is settled.`, calls: [], usage, finish: "stop" };
};

const model: Model = {
  id: "clerk/scripted",
  generate: async ({ messages }) => answer(messages),
  stream: async function* ({ messages }) {
    yield { kind: "reply", reply: answer(messages) };
  },
};

export const clerk = agent({
  name: "clerk",
  instructions: "Look the order up, then pay it back.",
  model,
  tools: ["look_up", "refund"],
});
