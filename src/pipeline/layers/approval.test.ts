import { expect, expectTypeOf, test } from "vitest";
import { layerLaws } from "../../test/contracts/layer-laws.ts";
import type { ApprovalAnswer } from "../words/approval.ts";
import type { ApprovalQuestion, Handler, ToolLayer } from "../words/layer.ts";
import { approval, approvalByEnv, type HasApproval } from "./approval.ts";

layerLaws("approval", () => approval());

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

test("a predicate that holds has no objection, and one that does not denies", () => {
  const layer = approval(amountOver(100));
  expect(layer.approve?.(question({ amount: 101 }))).toEqual({ kind: "allow" });
  expect(layer.approve?.(question({ amount: 100 }))).toEqual({ kind: "deny" });
});

test("a rule with a reason gives it to the person", () => {
  const layer = approval({ when: amountOver(100), reason: "a large payment" });
  expect(layer.approve?.(question({ amount: 101 }))).toEqual({ kind: "ask", reason: "a large payment" });
  expect(layer.approve?.(question({ amount: 1 }))).toBeUndefined();
});

test.each<ApprovalAnswer>([
  { kind: "allow" },
  { kind: "deny", reason: "never" },
  { kind: "edit", input: { amount: 1 } },
  { kind: "ask", reason: "look" },
])("an answer of kind $kind is passed on", (answer) => {
  expect(approval(() => answer).approve?.(question())).toBe(answer);
});

test.each([
  ["a promise", Promise.resolve(false)],
  ["nothing", undefined],
  ["a text", "yes"],
  ["null", null],
])("a rule that answers %s stops the call instead of letting it pass", (_title, said) => {
  expect(() => approval(() => said as never).approve?.(question())).toThrow(
    "An approval rule answers at once",
  );
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
