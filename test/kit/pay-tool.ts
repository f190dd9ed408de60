import { tool } from "haft";
import type { ToolLayer } from "haft/layers";

/** A call of the tool below. */
export const payCall = { id: "1", tool: "pay", input: '{"amount":1}' };

/** A tool with these layers, and its payments. */
export const createPayTool = (...layers: readonly ToolLayer[]) => {
  const paid: number[] = [];
  const pay = tool({
    name: "pay",
    description: "Pays",
    input: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] } as const,
    run: ({ amount }) => paid.push(amount),
  }).layer(...layers);
  return { pay, paid };
};
