import { Haft, tool } from "haft";
import { failed } from "haft/layers";
import { describe, expect, it } from "vitest";
import { hashInput, hashText } from "../../base/json/canonical-json.ts";
import type { BoundCall } from "../call-state.ts";
import { addUnknownCall, callFingerprint, callTextFingerprint, RunRecorder } from "../recorder.ts";
import { findRepeatedEntries } from "./authorize.ts";

const principal = { agent: "tester", allow: ["*"] };
const input = { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] } as const;
const raw = (id: string, text = '{"amount":1}') => ({ id, tool: "pay", input: text });

const world = async (annotations: object, answer: "allow" | "deny" = "deny") => {
  const paid: number[] = [];
  const asked: string[] = [];
  const pay = tool({
    name: "pay",
    description: "Pays, and does not hear whether it went through",
    input,
    annotations,
    run: ({ amount }) => {
      paid.push(amount);
      return failed({ code: "outcome_unknown", message: "The line went dead." });
    },
  });
  const haft = await Haft.open({
    tools: [pay],
    principal: { ...principal, session: "s1" },
    approver: ({ reason }) => {
      asked.push(reason);
      return answer === "allow" ? { kind: "allow", always: "session" } : { kind: "deny" };
    },
  });
  const turn = (...texts: readonly string[]) =>
    haft.turn(
      texts.map((text, index) => raw(`${index}`, text)),
      { maxConcurrency: 1 },
    );
  return { paid, asked, turn };
};

describe("call with an unknown outcome", () => {
  it("requires approval when it is repeated in the same run, however its arguments are formatted", async () => {
    const { paid, asked, turn } = await world({});
    const [, again] = await turn('{"amount":1}', '{ "amount": 1.0 }');
    expect(again?.failure?.code).toBe("approval_denied");
    expect(asked).toEqual(["the same call was made in this run, and whether it took effect is unknown"]);
    expect(paid).toEqual([1]);
  });

  it("requires approval for every repeat, even with a session grant", async () => {
    const { paid, asked, turn } = await world({}, "allow");
    await turn('{"amount":1}', '{"amount":1}', '{"amount":1}');
    expect([paid, asked.length]).toEqual([[1, 1, 1], 2]);
  });

  it("needs no approval with other arguments, in another run, or for an idempotent tool", async () => {
    const { paid, asked, turn } = await world({});
    await turn('{"amount":1}', '{"amount":2}');
    await turn('{"amount":1}');
    const idempotent = await world({ idempotent: true });
    await idempotent.turn('{"amount":1}', '{"amount":1}');
    expect([paid, asked, idempotent.paid, idempotent.asked]).toEqual([[1, 2, 1], [], [1, 1], []]);
  });
});

describe("call that an earlier process left open", () => {
  const spec = { annotations: {} };
  const call = (text: string, value: unknown, tally: RunRecorder): BoundCall =>
    ({
      request: { raw: raw("1", text), scope: { tally } },
      registration: { key: "bank/pay" },
      spec,
      input: value,
    }) as unknown as BoundCall;
  const left = (unknown: string): RunRecorder => {
    const tally = new RunRecorder();
    addUnknownCall(tally, unknown, "entry");
    return tally;
  };
  const isRepeat = (bound: BoundCall): boolean => findRepeatedEntries(bound).includes("entry");
  const written = '{"amount":1}';
  const filled = { amount: 1, currency: "EUR" };

  it("is recognized by its arguments as written, before defaults were applied", () => {
    const tally = left(callFingerprint("pay", hashInput({ amount: 1 })));
    expect(isRepeat(call('{ "amount": 1 }', filled, tally))).toBe(true);
    expect(isRepeat(call('{"amount":2}', { amount: 2, currency: "EUR" }, tally))).toBe(false);
  });

  it("is recognized by its exact text, even when that is not JSON", () => {
    for (const text of [written, "{amount: 1}"]) {
      const tally = left(callTextFingerprint("pay", hashText(text)));
      expect(isRepeat(call(text, filled, tally))).toBe(true);
      expect(isRepeat(call(`${text} `, filled, tally))).toBe(false);
    }
  });

  it("is recognized only by its requested name and by the key of the tool", () => {
    const unknownAs = (name: string) =>
      isRepeat(call(written, filled, left(callFingerprint(name, hashInput(filled)))));
    expect([unknownAs("pay"), unknownAs("bank/pay"), unknownAs("shop/pay")]).toEqual([true, true, false]);
  });
});
