//#region tool
import { defineConfig, tool } from "haft";
import { z } from "zod";

const refund = tool({
  name: "refund",
  description: "Pays money back for an order",
  input: z.object({ order: z.string(), euros: z.number().positive() }),
  run: ({ order, euros }) => `${euros} euros paid back for order ${order}`,
});
//#endregion

//#region config
export default defineConfig({
  tools: [refund],
  principal: { agent: "clerk", user: "ada", allow: ["refund"] },
  policy: {
    rules: [
      { id: "refunds", effect: "allow", tools: ["refund"] },
      {
        id: "large-refunds",
        effect: "approve",
        tools: ["refund"],
        when: { properties: { euros: { minimum: 100 } }, required: ["euros"] },
        reason: "a colleague looks at large refunds first",
      },
    ],
  },
});
//#endregion
