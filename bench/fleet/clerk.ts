import { agent, type Model, tool } from "../../dist/index.js";

type Reply = Awaited<ReturnType<Model["generate"]>>;

const usage = { inputTokens: 1, outputTokens: 1 };

/** Two model requests and one call: calls `work`, and then reports its result. */
const reply = ({ messages }: Parameters<Model["generate"]>[0]): Reply => {
  const answer = messages.findLast(({ role }) => role === "tool");
  if (answer?.role === "tool") return { text: `done: ${answer.content}`, calls: [], finish: "stop", usage };
  const asked = messages.find(({ role }) => role === "user");
  const input = JSON.stringify({ name: String(asked?.content) });
  return { text: "", calls: [{ id: "c1", tool: "work", input }], finish: "calls", usage };
};

const model: Model = {
  id: "scripted",
  generate: async (request) => reply(request),
  stream: async function* (request) {
    yield { kind: "reply", reply: reply(request) };
  },
};

export const work = tool({
  name: "work",
  description: "Works.",
  input: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const,
  run: ({ name }: { readonly name: string }) => name,
});

export const clerk = agent({ name: "clerk", instructions: "Work.", model, tools: ["work"] });
