import { generateText, type InferToolInput, type InferToolOutput } from "ai";
import type { MockLanguageModelV4 } from "ai/test";
import { Haft } from "../../runtime/haft.ts";
import { tool } from "../../tool/tool.ts";
import { toAiSdkTools } from "./to-tools.ts";

const sendMail = tool({
  name: "send_mail",
  description: "Sends a mail.",
  input: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
  run: ({ to }) => ({ sentTo: to }),
});
const haft = await Haft.open({ tools: [sendMail], principal: { agent: "clerk", allow: ["*"] } });
const tools = toAiSdkTools(haft.session());

// What the tool takes and gives is what the AI SDK's own types say.
export const input: InferToolInput<typeof tools.send_mail> = { to: "bob" };
export const sent: string = ({} as InferToolOutput<typeof tools.send_mail>).sentTo;
// @ts-expect-error a number is no address
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
