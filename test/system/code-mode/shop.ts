import { appendFileSync } from "node:fs";
import { Haft } from "../../../src/runtime/haft.ts";
import { codeMode } from "../../../src/sandbox/code-mode.ts";
import { tool } from "../../../src/tools/tool.ts";

const anyNumber = {
  type: "object",
  properties: { n: { type: "integer" } },
  required: ["n"],
  additionalProperties: false,
} as const;

/** A runtime whose tools append a line per execution. */
export const openShop = async (ledger: string, witness: string): Promise<Haft> => {
  const make = (name: string, run: (n: number) => unknown, more: object = {}) =>
    tool({
      name,
      description: `${name} of an item`,
      input: anyNumber,
      ...more,
      run: ({ n }: { readonly n: number }) => {
        appendFileSync(witness, `${name} ${n}\n`);
        return run(n);
      },
    });
  return Haft.open({
    tools: [
      make("price", (n) => 10 * n, { annotations: { readOnly: true } }),
      make("reserve", (n) => ({ reserved: n })),
      make("pay", (n) => ({ paid: n }), { requiresApproval: true }),
      codeMode(),
    ],
    ledger,
    principal: { agent: "buyer", allow: ["*"] },
  } as never);
};

/**
 * Twenty calls: eight parallel prices, five sequential ones, five reservations, one payment that needs
 * approval, one more price.
 */
export const purchase = `
const prices: number[] = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((n) => tools.price({ n })));
for (let n = 9; n <= 13; n++) prices.push(await tools.price({ n }));
const total = prices.reduce((sum, price) => sum + price, 0);
for (let n = 1; n <= 5; n++) await tools.reserve({ n });
const { paid } = await tools.pay({ n: total });
console.log("paid", paid);
return { total, paid, last: await tools.price({ n: 14 }) };
`;
