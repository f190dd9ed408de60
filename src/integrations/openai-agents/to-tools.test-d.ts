import { Agent, RunContext } from "@openai/agents";
import type { Session } from "../../runtime/session.ts";
import { tool } from "../../tools/tool.ts";
import type { ToolOutputPart } from "./to-tools.ts";
import { toOpenAiAgentsTools } from "./to-tools.ts";

const add = tool({
  name: "add",
  description: "Adds two numbers.",
  input: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
    additionalProperties: false,
  },
  run: ({ a, b }) => a + b,
});
const shout = tool({
  name: "shout",
  description: "Says it louder.",
  input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  run: ({ text }) => text.toUpperCase(),
});

declare const session: Session<readonly [typeof add, typeof shout]>;
declare const unknown: Session;
const context = new RunContext();

// An agent accepts them, whatever its context is.
new Agent({ name: "desk", tools: toOpenAiAgentsTools(session) });
new Agent<{ readonly user: string }>({ name: "desk", tools: toOpenAiAgentsTools(session) });
new Agent({ name: "desk", tools: toOpenAiAgentsTools(unknown) });

for (const each of toOpenAiAgentsTools(session)) {
  if (each.name === "add") {
    each.needsApproval(context, { a: 1, b: 2 });
    // @ts-expect-error a number is not a string
    each.needsApproval(context, { a: "1", b: 2 });
    // @ts-expect-error one is missing
    each.needsApproval(context, { a: 1 });
  } else {
    each.needsApproval(context, { text: "hello" });
    // @ts-expect-error it takes the arguments of shout, not of add
    each.needsApproval(context, { a: 1, b: 2 });
  }
  // @ts-expect-error no tool of the session has this name
  each.name === "subtract";
  // `invoke` returns what the model reads.
  each.invoke(context, "{}") satisfies Promise<string | ToolOutputPart[]>;
}
