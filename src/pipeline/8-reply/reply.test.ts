import { describe, expect, it } from "vitest";
import { failed, final, handoff, type Outcome, pending, rewrite, succeeded } from "../../types/outcome.ts";
import { toModelText, toReply } from "./reply.ts";

const secret = "canary";
const text = (given: string) => given.replaceAll(secret, "***");
const redactor = { text, value: (value: unknown) => JSON.parse(text(JSON.stringify(value))) };
const call = { id: "1", tool: "work" };
const reply = (outcome: Outcome, encoded = "", taints?: readonly string[]) =>
  toReply(call, outcome, encoded, redactor, taints);

describe("reply to a value", () => {
  it("has the value itself when its text contains no secret", () => {
    const value = { a: 1 };
    const given = reply(succeeded(value), '{"a":1}');
    expect(given).toEqual({ ...call, ok: true, text: '{"a":1}', flow: { kind: "continue" }, value });
    expect(given.value).toBe(value);
    expect("taints" in given).toBe(false);
  });

  it("has a string as its text, without quotes and escapes", () => {
    const said = 'He said "hello"\nand left';
    expect(reply(succeeded(said), JSON.stringify(said))).toMatchObject({ text: said, value: said });
    expect(reply(succeeded(""), '""').text).toBe("");
    expect(reply(succeeded(`key ${secret}`), `"key ${secret}"`)).toMatchObject({
      text: "key ***",
      value: "key ***",
    });
  });

  it("masks secrets in its text, its value and its flow", () => {
    expect(reply(rewrite([secret], { old: secret }), '["canary"]')).toEqual({
      ...call,
      ok: true,
      text: '["***"]',
      flow: { kind: "rewrite", original: { old: "***" } },
      value: ["***"],
    });
    expect(reply(handoff(`clerk ${secret}`, 1), "1").flow).toEqual({ kind: "handoff", agent: "clerk ***" });
    expect(reply(final(1), "1").flow).toEqual({ kind: "final" });
  });

  it("has the taints of the value", () => {
    expect(reply(succeeded(1), "1", ["web"]).taints).toEqual(["web"]);
  });
});

describe("reply to a failure", () => {
  const failure = { code: "failed", message: `It broke on ${secret}.` } as const;

  it("has the masked message for the model", () => {
    expect(reply(failed(failure))).toEqual({
      ...call,
      ok: false,
      text: "Error: It broke on ***.",
      flow: { kind: "continue" },
      failure,
    });
    expect("taints" in reply(failed(failure))).toBe(false);
    expect(reply(failed(failure), "", ["web"]).taints).toEqual(["web"]);
  });

  it("has a generic message when the reason is for operators only", () => {
    expect(toModelText({ code: "crashed", message: "of an operator" }, "work")).toBe(
      'Error: The tool "work" is not available right now. Continue without it.',
    );
    expect(toModelText({ code: "invalid_output", message: "of an operator" }, "work")).toBe(
      'Error: The result of "work" was withheld because it does not match the tool\'s output schema.',
    );
    expect(toModelText({ code: "ledger_unavailable", message: "Cannot be recorded." }, "work")).toBe(
      "Error: Cannot be recorded.",
    );
  });
});

describe("reply to a pending call", () => {
  it("has a message for the model and the approval request", () => {
    const approval = { id: "a", callId: "1", tool: "work", input: {}, reason: "money" } as never;
    expect(reply(pending(approval), "", ["web"])).toEqual({
      ...call,
      ok: false,
      text: 'The call of "work" is pending approval.',
      flow: { kind: "continue" },
      pending: approval,
    });
  });
});
