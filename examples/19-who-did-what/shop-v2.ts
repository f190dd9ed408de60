// The same shop after a change of prices, for a replay of an old run.
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
