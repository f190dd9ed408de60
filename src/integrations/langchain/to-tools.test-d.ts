import { Haft, tool } from "haft";
import { createAgent, type fakeModel, tool as langchainTool } from "langchain";
import { z } from "zod";
import type { PausedCallAnswer } from "../session-tools.ts";
import { fromLangChainTools } from "./from-tools.ts";
import { haftMiddleware } from "./middleware.ts";
import { toLangChainTools } from "./to-tools.ts";

const sendMail = tool({
  name: "send_mail",
  description: "Sends a mail",
  input: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
  run: ({ to }) => ({ sent: to.length }),
});
const count = tool({
  name: "count",
  description: "Counts",
  input: { type: "object", properties: { by: { type: "integer" } }, required: ["by"] },
  run: ({ by }) => by,
});
declare const model: ReturnType<typeof fakeModel>;
const haft = await Haft.open({ tools: [sendMail, count] });
const session = haft.session();
const tools = toLangChainTools(session, { answeredBy: "ada" });

// LangChain accepts them wherever it accepts tools.
createAgent({ model, tools });
createAgent({ model, middleware: [haftMiddleware(session)] });
model.bindTools(tools);

// A tool found by name has its own input and output types.
const mail = tools.find((each) => each.name === "send_mail")!;
const { sent } = await mail.invoke({ to: "bob" });
sent satisfies number;
const message = await mail.invoke({ type: "tool_call", id: "c1", name: "send_mail", args: { to: "bob" } });
message.tool_call_id satisfies string;
// @ts-expect-error no such argument
mail.invoke({ too: "bob" });
// @ts-expect-error not of this type
mail.invoke({ to: 7 });
// @ts-expect-error nor is its result
sent satisfies string;
// @ts-expect-error no tool has this name
tools.find((each) => each.name === "send_male");

// An answer names its request and decides.
({ approvalId: "a1", kind: "allow" }) satisfies PausedCallAnswer;
// @ts-expect-error a boolean is not a decision
({ kind: "allow" }) satisfies PausedCallAnswer;
// @ts-expect-error nor is this a decision
({ approvalId: "a1", kind: "yes" }) satisfies PausedCallAnswer;
// @ts-expect-error no such option
toLangChainTools(session, { approvedBy: "ada" });

// Imported tools keep their names and types.
const lookup = langchainTool(async ({ id }) => ({ id, total: 12 }), {
  name: "lookup",
  description: "Looks up an order",
  schema: z.object({ id: z.number() }),
});
const { tools: imported } = fromLangChainTools([lookup], {
  about: { lookup: { key: ({ id }) => id.toFixed() } },
});
// @ts-expect-error the input has no `order`
fromLangChainTools([lookup], { about: { lookup: { key: ({ order }) => order } } });
const shop = await Haft.open({ tools: imported, principal: { agent: "clerk", allow: ["*"] } });
(await shop.call("lookup", { id: 7 })).total satisfies number;
// @ts-expect-error an id is a number
await shop.call("lookup", { id: "7" });
