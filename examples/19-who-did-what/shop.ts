// The tools of a shop: one that reads, and a refund that needs approval.
import { tool } from "haft";

const order = { type: "object", properties: { order: { type: "integer" } }, required: ["order"] } as const;

export const lookUp = tool({
  name: "look_up",
  description: "What an order cost",
  input: order,
  annotations: { readOnly: true },
  run: ({ order }) => ({ order, cents: 1_990 }),
});

export const refund = tool({
  name: "refund",
  description: "Pays the price of an order back",
  input: order,
  risk: "high",
  run: ({ order }, { cost, idempotencyKey }) => {
    cost(19.9);
    return { order, refunded: 1_990, receipt: idempotencyKey.slice(0, 5) };
  },
});
