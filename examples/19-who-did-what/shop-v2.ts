// The same shop after a change of prices: what would an old run come to today?
import { tool } from "haft";
import { lookUp as before, refund } from "./shop.ts";

export const lookUp = tool({
  name: "look_up",
  description: before.spec.description,
  input: before.spec.input,
  annotations: { readOnly: true },
  run: (given) => ({ order: (given as { readonly order: number }).order, cents: 2_490 }),
});

export { refund };
