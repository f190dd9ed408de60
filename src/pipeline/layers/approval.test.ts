import { expect, expectTypeOf, test } from "vitest";
import { testLayerLaws } from "../../../test/contracts/test-layer-laws.ts";
import type { ApprovalQuestion, Handler, ToolLayer } from "../../types/layer.ts";
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

test("a layer without a rule asks a person about every call", () => {
  expect(approval().approve?.(question())).toEqual({ kind: "ask" });
});

test.each([
  ["a function that returns true", () => true],
  ["a function that returns false", () => false],
])("refuses %s, and names the replacement", (_title, old) => {
  expect(() => approval(old as never)).toThrow("approval({ when: fn })");
  expect(() => approval(old as never)).toThrow("authorize(fn)");
});

test("refuses a misspelled field and a condition that is no function", () => {
  expect(() => approval({ wen: () => true } as never)).toThrow("`wen`");
  expect(() => approval({ when: true as never })).toThrow("must be a function");
});

test("requests approval when the condition holds, and leaves other calls alone", () => {
  const layer = approval({ when: amountOver(100) });
  expect(layer.approve?.(question({ amount: 101 }))).toEqual({ kind: "ask" });
  expect(layer.approve?.(question({ amount: 100 }))).toBeUndefined();
});

test("a rule with a reason gives it to the person", () => {
  const layer = approval({ when: amountOver(100), reason: "a large payment" });
  expect(layer.approve?.(question({ amount: 101 }))).toEqual({ kind: "ask", reason: "a large payment" });
  expect(layer.approve?.(question({ amount: 1 }))).toBeUndefined();
});

test.each([true, false, undefined])("refuses %s as the answer of an Env", (said) => {
  const env = { approve: () => said as never };
  expect(() => approvalByEnv().approve?.({ ...question(), env })).toThrow("env.approve() got");
});

test("around the call itself the layer is nothing", () => {
  const next: Handler = () => {
    throw new Error("not called");
  };
  expect(approval()(next)).toBe(next);
});

test("an Env with an approval capability answers for itself", () => {
  const env: HasApproval = { approve: ({ tool }) => ({ kind: "deny", reason: `no ${tool}` }) };
  expect(approvalByEnv().approve?.({ ...question(), env })).toEqual({ kind: "deny", reason: "no pay" });
});

test("the Env that a layer needs is part of its type", () => {
  expectTypeOf(approvalByEnv()).toEqualTypeOf<ToolLayer<HasApproval>>();
  expectTypeOf<ToolLayer>().toExtend<ToolLayer<HasApproval>>();
  expectTypeOf<ToolLayer<HasApproval>>().not.toExtend<ToolLayer>();
});
