import { Haft, tool } from "haft";
import { toAiSdkTools } from "haft/integrations/ai-sdk";
import { toMastraTools } from "haft/integrations/mastra";

const add = tool({
  name: "add",
  description: "Adds.",
  input: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
  run: ({ a }) => a + 1,
});
const haft = await Haft.open({ tools: [add], principal: { agent: "clerk", allow: ["*"] } });
const session = haft.session({ id: "typed" });

export const theirs = [toAiSdkTools(session).add, toMastraTools(session).add];
// @ts-expect-error There is no such tool.
toAiSdkTools(session).subtract;
// @ts-expect-error A budget counts calls and cost.
haft.session({ budget: { tokens: 3 } });
