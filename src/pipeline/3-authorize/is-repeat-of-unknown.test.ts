import { Haft, tool } from "haft";
import { failed } from "haft/layers";
import { describe, expect, it } from "vitest";
import { hashText } from "../../base/json/hash.ts";
import { hashInput } from "../../base/json/hash-input.ts";
import type { BoundCall } from "../call-state.ts";
import { addUnknownCall, RunRecorder } from "../recorder.ts";
import { callFingerprint, callTextFingerprint, isRepeatOfUnknown } from "./is-repeat-of-unknown.ts";

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

describe("a call of which nobody knows whether it took effect", () => {
  it("is put before a person when the run makes it again, however its arguments are written", async () => {
    const { paid, asked, turn } = await world({});
    const [, again] = await turn('{"amount":1}', '{ "amount": 1.0 }');
    expect(again?.failure?.code).toBe("approval_denied");
    expect(asked).toEqual(["the same call was made in this run, and nobody knows whether it took effect"]);
    expect(paid).toEqual([1]);
  });

  it("is asked about each time, because a yes for all calls like it did not know of the next one", async () => {
    const { paid, asked, turn } = await world({}, "allow");
    await turn('{"amount":1}', '{"amount":1}', '{"amount":1}');
    expect([paid, asked.length]).toEqual([[1, 1, 1], 2]);
  });

  it("is nobody's question with other arguments, in another run, or where the tool is idempotent", async () => {
    const { paid, asked, turn } = await world({});
    await turn('{"amount":1}', '{"amount":2}');
    await turn('{"amount":1}');
    const idempotent = await world({ idempotent: true });
    await idempotent.turn('{"amount":1}', '{"amount":1}');
    expect([paid, asked, idempotent.paid, idempotent.asked]).toEqual([[1, 2, 1], [], [1, 1], []]);
  });
});

describe("a call that an earlier process left open", () => {
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
    addUnknownCall(tally, unknown);
    return tally;
  };
  const written = '{"amount":1}';
  const filled = { amount: 1, currency: "EUR" };

  it("is known by its arguments as they were written, before defaults were filled in", () => {
    const tally = left(callFingerprint("pay", hashInput({ amount: 1 })));
    expect(isRepeatOfUnknown(call('{ "amount": 1 }', filled, tally))).toBe(true);
    expect(isRepeatOfUnknown(call('{"amount":2}', { amount: 2, currency: "EUR" }, tally))).toBe(false);
  });

  it("is known by its exact text, also where that is no JSON", () => {
    for (const text of [written, "{amount: 1}"]) {
      const tally = left(callTextFingerprint("pay", hashText(text)));
      expect(isRepeatOfUnknown(call(text, filled, tally))).toBe(true);
      expect(isRepeatOfUnknown(call(`${text} `, filled, tally))).toBe(false);
    }
  });

  it("is known by the name that was asked for and by the key of the tool, and by no other", () => {
    const unknownAs = (name: string) =>
      isRepeatOfUnknown(call(written, filled, left(callFingerprint(name, hashInput(filled)))));
    expect([unknownAs("pay"), unknownAs("bank/pay"), unknownAs("shop/pay")]).toEqual([true, true, false]);
  });
});
