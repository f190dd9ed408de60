// allow-sleep in this file: a program that is slow enough to be killed at any moment of a chat
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { agent } from "../../../src/agent/agent.ts";
import { Haft, tool } from "../../../src/exports/index.ts";
import { agentHandler } from "../../../src/server/chat/agent-handler.ts";
import type { Model, ModelEvent, ModelRequest } from "../../../src/types/model.ts";

/** A chat server for kill tests. Its tool counts its executions outside the ledger. */
const [folder = ""] = process.argv.slice(2);

const pay = tool({
  name: "pay",
  description: "Takes effect once, and counts it",
  input: { type: "object", properties: { mark: { type: "string" } }, required: ["mark"] },
  run: async ({ mark }) => {
    appendFileSync(join(folder, "paid"), `${mark}\n`);
    await new Promise((resolve) => setTimeout(resolve, 4));
    return { paid: mark };
  },
});

const turns = 3;

/** Deterministic: the same conversation gets the same reply from every process. */
async function* stream({ messages }: ModelRequest): AsyncGenerator<ModelEvent> {
  const at = messages.findLastIndex(({ role }) => role === "user");
  const name = String(messages[at]?.content);
  const turn = messages.slice(at).filter(({ role }) => role === "assistant").length;
  const words = turn < turns ? ["paying ", `${turn} `] : ["all ", "is ", "paid."];
  for (const text of words) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    yield { kind: "text", text };
  }
  const calls =
    turn < turns
      ? [0, 1].map((index) => {
          const mark = `${name}.${turn}.${index}`;
          return { id: `call-${mark}`, tool: "pay", input: JSON.stringify({ mark }), index };
        })
      : [];
  const usage = { inputTokens: 1, outputTokens: 1 };
  const finish = turn < turns ? ("calls" as const) : ("stop" as const);
  yield { kind: "reply", reply: { text: words.join(""), calls, usage, finish } };
}

const model: Model = {
  id: "victim/model",
  stream,
  generate: async () => {
    throw new Error("Unexpected model request.");
  },
};

const haft = await Haft.open({ tools: [pay], ledger: `sqlite:${join(folder, "chats.db")}` });
const desk = agent({ name: "desk", instructions: "Pay.", model, tools: ["pay"] });
const handle = agentHandler(haft, desk, {
  principal: () => ({ agent: "desk", user: "ada", allow: ["*"] }),
  base: "/chat",
});
serve({ fetch: handle, hostname: "127.0.0.1", port: 0 }, ({ port }) => process.stdout.write(`${port}\n`));
