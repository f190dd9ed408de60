import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";
import { Haft } from "../../runtime/haft.ts";
import type { Session } from "../../runtime/session.ts";
import { tool } from "../../tools/tool.ts";
import type { PausedCallAnswer } from "../session-tools.ts";
import { fromMastraTools } from "./from-tools.ts";
import { toMastraTools } from "./to-tools.ts";

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
declare const context: never;

// An agent accepts them.
new Agent({
  id: "desk",
  name: "desk",
  instructions: "",
  model: "openai/gpt-5",
  tools: toMastraTools(session),
});
new Agent({
  id: "desk",
  name: "desk",
  instructions: "",
  model: "openai/gpt-5",
  tools: toMastraTools(unknown),
});

const tools = toMastraTools(session, { answeredBy: "ada" });
tools.add.execute?.({ a: 1, b: 2 }, context);
// @ts-expect-error a string is not a number
tools.add.execute?.({ a: "1", b: 2 }, context);
// @ts-expect-error one is missing
tools.add.execute?.({ a: 1 }, context);
// @ts-expect-error it takes the arguments of shout, not of add
tools.shout.execute?.({ a: 1, b: 2 }, context);
// @ts-expect-error no tool of the session has this name
tools.subtract;
tools.add.id satisfies "add";

// An answer names its request.
({ approvalId: "a-1", kind: "deny", reason: "No." }) satisfies PausedCallAnswer;
// @ts-expect-error without it, a model could have sent it
({ kind: "allow" }) satisfies PausedCallAnswer;

// Imported tools keep their names and types.
const lookup = createTool({
  id: "lookup",
  description: "Looks up an order.",
  inputSchema: z.object({ id: z.number() }),
  outputSchema: z.object({ total: z.number() }),
  execute: async () => ({ total: 12 }),
});
const { tools: imported } = fromMastraTools(
  { lookup },
  { about: { lookup: { key: ({ id }) => id.toFixed() } } },
);
// @ts-expect-error the input has no `order`
fromMastraTools({ lookup }, { about: { lookup: { key: ({ order }) => order } } });
const shop = await Haft.open({ tools: imported, principal: { agent: "clerk", allow: ["*"] } });
(await shop.call("lookup", { id: 7 })).total satisfies number;
// @ts-expect-error an id is a number
await shop.call("lookup", { id: "7" });
