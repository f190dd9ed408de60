import { agent, Haft, type Model, tool } from "../../../src/exports/index.ts";

/** A process for a kill test: it starts a run and is killed during its second model request. */
const [place = ""] = process.argv.slice(2);

const usage = { inputTokens: 1, outputTokens: 1 };
const model: Model = {
  id: "scripted/model",
  generate: async ({ messages }) => {
    if (messages.some(({ role }) => role === "tool")) {
      process.stdout.write("asked again\n");
      return new Promise<never>(() => {});
    }
    const input = JSON.stringify({ id: "7" });
    return { text: "", calls: [{ id: "c1", tool: "find_order", input }], finish: "calls", usage };
  },
  stream: async function* (request) {
    yield { kind: "reply", reply: await model.generate(request) };
  },
};

const order = tool({
  name: "find_order",
  description: "Finds an order by its number",
  input: {
    type: "object",
    properties: { id: { type: "string" }, key: { type: "string" } },
    required: ["id"],
    additionalProperties: false,
  },
  annotations: { readOnly: true, openWorld: true },
  run: ({ id }) => ({ id, total: 12 }),
});
const haft = await Haft.open({
  ledger: place,
  tools: [order],
  principal: { agent: "clerk", session: "s-1", allow: ["*"] },
});
await haft.run(
  agent({ name: "desk", instructions: "Help.", model, tools: ["find_order"] }),
  "Where is order 7?",
);
