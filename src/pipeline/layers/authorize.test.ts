import { Haft, tool } from "haft";
import { expect, test } from "vitest";
import { testLayerLaws } from "../../../test/contracts/test-layer-laws.ts";
import type { ApprovalAnswer } from "../../types/approval.ts";
import type { ApprovalQuestion, Handler } from "../../types/tool.ts";
import { authorize } from "./authorize.ts";

testLayerLaws("authorize", () => authorize(() => ({ kind: "allow" })));

const question: ApprovalQuestion = { tool: "pay", input: { amount: 10 }, agent: "tester", env: undefined };

test.each<ApprovalAnswer>([
  { kind: "allow" },
  { kind: "deny", reason: "never" },
  { kind: "edit", input: { amount: 1 } },
  { kind: "ask", reason: "look" },
])("passes on a decision of kind $kind", (answer) => {
  expect(authorize(() => answer).approve?.(question)).toBe(answer);
});

test.each([
  ["true", true],
  ["false", false],
  ["a promise", Promise.resolve({ kind: "allow" })],
  ["no decision", undefined],
  ["no decision", "allow"],
  ["no decision", null],
  ["no decision", { kind: "yes" }],
])("refuses %s and says what to return", (got, answer) => {
  expect(() => authorize(() => answer as never).approve?.(question)).toThrow(
    `The function of authorize() returned ${got}. Return { kind: "allow" }`,
  );
});

test.each([true, false])(
  "stops the call when the function returns %s, and reports it to the operator",
  async (answer) => {
    let runs = 0;
    const pay = tool({ name: "pay", description: "Pays", input: { type: "object" }, run: () => ++runs });
    const haft = await Haft.open({
      tools: [pay.layer(authorize(() => answer as never))],
      principal: { agent: "tester", allow: ["*"] },
    });
    const [reply] = await haft.turn([{ id: "1", tool: "pay", input: {} }]);
    expect(reply?.failure).toMatchObject({
      code: "layer_broke",
      detail: expect.stringContaining(`returned ${answer}`),
    });
    expect(reply?.text).not.toContain("kind");
    expect(runs).toBe(0);
    await haft.close();
  },
);

test("refuses anything but a function", () => {
  expect(() => authorize({ when: () => true } as never)).toThrow("authorize() requires a function");
});

test("returns the inner handler unchanged", () => {
  const next: Handler = () => {
    throw new Error("not called");
  };
  expect(authorize(() => ({ kind: "allow" }))(next)).toBe(next);
});
