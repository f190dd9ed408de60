import { Haft } from "haft";
import { expect, it } from "vitest";
import type { AnyTool } from "../types/tool.ts";
import { importTool, type ToolOverrides } from "./import-tool.ts";

const importRefund = (refund: ToolOverrides) => {
  const paid: unknown[] = [];
  const external = {
    name: "refund",
    description: "Refunds an order",
    input: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
    run: (input: unknown) => {
      paid.push(input);
      return `refund ${paid.length}`;
    },
  } as const;
  return { paid, refund: importTool(external, { about: { refund } }) as AnyTool };
};

it("importTool applies the key of an override, so a second call with the key has no second effect", async () => {
  const keys: readonly ToolOverrides["key"][] = [
    ({ order }: { readonly order: string }) => order,
    { of: ({ order }) => String(order), scope: "agent", retention: "1 day" },
  ];
  for (const key of keys) {
    const { paid, refund } = importRefund({ key, reconcile: () => undefined });
    const haft = await Haft.open({ tools: [refund], principal: { agent: "clerk", allow: ["*"] } });
    for (const id of ["1", "2"]) {
      const [reply] = await haft.turn([{ id, tool: "refund", input: { order: "A-17" } }]);
      expect(reply?.value).toBe("refund 1");
    }
    expect(paid).toEqual([{ order: "A-17" }]);
  }
});
