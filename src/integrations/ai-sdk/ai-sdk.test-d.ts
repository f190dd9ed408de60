import {
  tool as aiTool,
  generateText,
  type InferToolInput,
  type InferToolOutput,
  jsonSchema,
  type ToolSet,
} from "ai";
import type { MockLanguageModelV4 } from "ai/test";
import { z } from "zod";
import { Haft } from "../../runtime/haft.ts";
import { tool } from "../../tools/tool.ts";
import type { AnyTool } from "../../types/tool.ts";
import { fromAiSdkTools, type HaftExecutionOptions } from "./from-tools.ts";
import { toAiSdkTools, toolApproval } from "./to-tools.ts";

const sendMail = tool({
  name: "send_mail",
  description: "Sends a mail.",
  input: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
  run: ({ to }) => ({ sentTo: to }),
});
const haft = await Haft.open({ tools: [sendMail], principal: { agent: "clerk", allow: ["*"] } });
const tools = toAiSdkTools(haft.session());

// The AI SDK infers the input and output types of the tool.
export const input: InferToolInput<typeof tools.send_mail> = { to: "bob" };
export const sent: string = ({} as InferToolOutput<typeof tools.send_mail>).sentTo;
// @ts-expect-error a number is not an address
export const wrong: InferToolInput<typeof tools.send_mail> = { to: 7 };
// @ts-expect-error it gives no `id`
export const none = ({} as InferToolOutput<typeof tools.send_mail>).id;
// @ts-expect-error no tool has this name
export const unknown = tools.send_male;

declare const model: MockLanguageModelV4;
const { steps } = await generateText({ model, tools, prompt: "Hi" });
for (const { staticToolCalls, staticToolResults } of steps) {
  for (const { input: given } of staticToolCalls) given.to satisfies string;
  for (const { output } of staticToolResults) output.sentTo satisfies string;
  // @ts-expect-error nor do the results of a step
  for (const { output } of staticToolResults) output.id;
}

await generateText({
  model,
  tools,
  prompt: "Hi",
  toolApproval: { send_mail: ({ to }) => (to.length > 3 ? "approved" : "denied") },
});
await generateText({
  model,
  tools,
  prompt: "Hi",
  // @ts-expect-error a call of it has no `from`
  toolApproval: { send_mail: ({ from }) => (from ? "approved" : "denied") },
});

// Imported tools keep their names and types.
const theirs = {
  lookup: aiTool({
    description: "Looks up an order.",
    inputSchema: jsonSchema<{ id: number }>({ type: "object", properties: { id: { type: "integer" } } }),
    execute: async ({ id }, { idempotencyKey }: HaftExecutionOptions) => ({ id, key: idempotencyKey }),
  }),
  count: aiTool({
    description: "Counts.",
    inputSchema: z.object({ to: z.number().default(3) }),
    async *execute({ to }) {
      for (let at = 0; at < to; at += 1) yield at;
    },
  }),
};
const { tools: imported } = fromAiSdkTools(theirs, {
  about: {
    lookup: {
      key: ({ id }) => id.toFixed(),
      reconcile: async ({ id }) => ({ tookEffect: true, output: id }),
    },
    count: { key: { of: ({ to }) => String(to), retention: "1 day" } },
  },
});
// @ts-expect-error the input has no `order`
fromAiSdkTools(theirs, { about: { lookup: { key: ({ order }) => order } } });
// @ts-expect-error no tool has this name
fromAiSdkTools(theirs, { about: { lokup: { risk: "high" } } });
fromAiSdkTools({} as ToolSet, { about: { any: { key: ({ order }) => String(order) } } });
const shop = await Haft.open({ tools: imported, principal: { agent: "clerk", allow: ["*"] } });
const found = await shop.call("lookup", { id: 7 });
found.id satisfies number;
found.key satisfies string | undefined;
(await shop.call("count", { to: 2 })) satisfies number;
// @ts-expect-error an id is a number
await shop.call("lookup", { id: "7" });
// @ts-expect-error the result has no `total`
found.total;
// Without names at compile time the types are unknown.
fromAiSdkTools({} as ToolSet).tools satisfies readonly AnyTool[];

// The approval setting of a session has one function for each tool.
await generateText({ model, tools, prompt: "Hi", toolApproval: toolApproval(haft.session()) });
await generateText({
  model,
  tools: { ...tools, lookup: aiTool({ inputSchema: z.object({}), execute: () => 1 }) },
  prompt: "Hi",
  toolApproval: { ...toolApproval(haft.session()), lookup: "user-approval" },
});
// @ts-expect-error no tool has this name
toolApproval(haft.session()).send_male;
