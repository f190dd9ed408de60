// One agent hands the conversation over to another, and a later run continues with the last agent.
//#region agents
import assert from "node:assert/strict";
import { type Agent, agent, Haft, tool } from "haft";
import { validateConversation } from "haft/agent";
import { calls, says, scriptedModel } from "haft/testing";
import { z } from "zod";

const order = tool({
  name: "look_up_order",
  description: "What is known of an order",
  input: z.object({ order: z.string() }),
  annotations: { readOnly: true },
  run: ({ order }) => ({ order, paid: 40 }),
});

const refund = tool({
  name: "refund",
  description: "Pays an order back",
  input: z.object({ order: z.string(), amount: z.number() }),
  run: ({ amount }) => `${amount} paid back`,
});

// The scripted decisions of a model, one reply per line.
const deskModel = scriptedModel([
  calls(
    ["look_up_order", { order: "A-17" }, "call_1"],
    ["handoff_to_billing", { reason: "wants money back" }],
    ["look_up_order", { order: "A-18" }],
  ),
]);
const billingModel = scriptedModel([
  says("You paid 40. Do you want a refund?"),
  calls(["refund", { order: "A-17", amount: 40 }, "call_1"]),
  says("Done: 40 paid back."),
]);

const billing = agent({
  name: "billing",
  description: "Knows payments and refunds.",
  instructions: "You settle payments.",
  model: billingModel,
  tools: [refund],
});

const desk = agent({
  name: "desk",
  instructions: "You greet customers and pass them on.",
  model: deskModel,
  tools: [order],
  handoffs: [billing], // shown to the model as a tool, handoff_to_billing
});
//#endregion

//#region run
const haft = await Haft.open({ principal: { agent: "shop", allow: ["*"] } });
const first = await haft.run(desk, "I want my money back for order A-17.");
//#endregion
assert.equal(first.agent, "billing");
assert.equal(first.content, "You paid 40. Do you want a refund?");
assert.deepEqual(
  first.context.map((message) => (message.role === "tool" ? message.content : message.role)),
  [
    "user",
    "assistant",
    '{"order":"A-17","paid":40}',
    '{"handoff":"billing"}',
    "Error: Another call of this turn handed off to another agent before this one was started.",
    "assistant",
  ],
  "the other calls of the turn are answered too, also the one that was not started",
);

//#region again
const byName: Record<string, Agent> = { desk, billing };
const next = byName[first.agent] ?? desk;
const second = await haft.run(next, "Yes, please.", { context: first.context });
//#endregion
assert.equal(second.content, "Done: 40 paid back.");
assert.deepEqual(
  second.toolsUsed.map(({ agent, name, result }) => [agent, name, result]),
  [["billing", "refund", "40 paid back"]],
);

//#region valid
assert.deepEqual(validateConversation(second.context), []);
const ids = second.context.flatMap((message) => (message.role === "tool" ? [message.callId] : []));
assert.equal(new Set(ids).size, ids.length, "an id that a model uses again is replaced by one of its own");
//#endregion
assert.equal(second.context.length, 10);
await haft.close();
console.log(second.content);
