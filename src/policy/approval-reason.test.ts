import { Haft, tool } from "haft";
import { expect, it } from "vitest";
import type { Rule } from "./rule.ts";

const url = { type: "object", properties: { url: { type: "string" } } } as const;

const reasonUnder = async (rules: readonly Rule[]): Promise<string | undefined> => {
  const readPage = tool({
    name: "read_page",
    description: "Reads a page",
    input: url,
    annotations: { readOnly: true, openWorld: true },
    run: () => "text",
  });
  const post = tool({
    name: "post",
    description: "Posts",
    input: url,
    annotations: { openWorld: true },
    run: () => "",
  });
  const haft = await Haft.open({
    tools: [readPage, post],
    principal: { agent: "clerk", allow: ["*"] },
    policy: { rules },
  });
  const session = haft.session();
  await session.turn([{ id: "1", tool: "read_page", input: { url: "a.example" } }]);
  const request = await session.asks({ id: "2", tool: "post", input: { url: "b.example" } });
  await haft.close();
  return request?.reason;
};

it("approval reason contains the rule and the untrusted content when both require approval", async () => {
  const rule: Rule = { id: "posts", effect: "approve", tools: ["post"], reason: "Posts are public." };
  expect(await reasonUnder([{ id: "all", effect: "allow" }, rule])).toBe(
    "approval required by posts (Posts are public.); untrusted content of read_page is in the conversation, and the call carries data out",
  );
});

it("approval reason contains only the untrusted content when no rule requires approval", async () => {
  expect(await reasonUnder([])).toBe(
    "untrusted content of read_page is in the conversation, and the call carries data out",
  );
});
