import { expect, expectTypeOf, test } from "vitest";
import { testLayerLaws } from "../../../test/contracts/test-layer-laws.ts";
import type { ApprovalQuestion, Handler, ToolLayer } from "../../types/tool.ts";
import { approval, approvalByEnv, type HasApproval } from "./approval.ts";

testLayerLaws("approval", () => approval());

const question = (input: unknown = { amount: 10 }): ApprovalQuestion => ({
  tool: "pay",
  input,
  agent: "tester",
  env: undefined,
});

const amountOver =
  (most: number) =>
  ({ input }: ApprovalQuestion): boolean =>
    (input as { amount: number }).amount > most;

test("requests approval for every call without a condition", () => {
  expect(approval().approve?.(question())).toEqual({ kind: "ask" });
});

test.each([
  ["a function that returns true", () => true],
  ["a function that returns false", () => false],
])("refuses %s, and names the replacement", (_title, old) => {
  expect(() => approval(old as never)).toThrow("approval({ when: fn })");
  expect(() => approval(old as never)).toThrow("authorize(fn)");
});

test("refuses a misspelled field and a condition that is not a function", () => {
  expect(() => approval({ wen: () => true } as never)).toThrow("`wen`");
  expect(() => approval({ when: true as never })).toThrow("must be a function");
});

test("requests approval when the condition holds, and leaves other calls alone", () => {
  const layer = approval({ when: amountOver(100) });
  expect(layer.approve?.(question({ amount: 101 }))).toEqual({ kind: "ask" });
  expect(layer.approve?.(question({ amount: 100 }))).toBeUndefined();
});

test("adds its reason to the approval request", () => {
  const layer = approval({ when: amountOver(100), reason: "a large payment" });
  expect(layer.approve?.(question({ amount: 101 }))).toEqual({ kind: "ask", reason: "a large payment" });
  expect(layer.approve?.(question({ amount: 1 }))).toBeUndefined();
});

test.each([true, false, undefined])("refuses %s as the answer of env.approve", (said) => {
  const env = { approve: () => said as never };
  expect(() => approvalByEnv().approve?.({ ...question(), env })).toThrow(
    "The function of env.approve() returned",
  );
});

test("returns the inner handler unchanged", () => {
  const next: Handler = () => {
    throw new Error("not called");
  };
  expect(approval()(next)).toBe(next);
});

test("uses the approve method of the Env", () => {
  const env: HasApproval = { approve: ({ tool }) => ({ kind: "deny", reason: `no ${tool}` }) };
  expect(approvalByEnv().approve?.({ ...question(), env })).toEqual({ kind: "deny", reason: "no pay" });
});

test("declares the Env that it needs in its type", () => {
  expectTypeOf(approvalByEnv()).toEqualTypeOf<ToolLayer<HasApproval>>();
  expectTypeOf<ToolLayer>().toExtend<ToolLayer<HasApproval>>();
  expectTypeOf<ToolLayer<HasApproval>>().not.toExtend<ToolLayer>();
});
