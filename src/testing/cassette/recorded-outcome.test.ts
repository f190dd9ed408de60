import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactor } from "../../base/json/redact.ts";
import {
  failed,
  final,
  handoff,
  type Outcome,
  pending,
  rewrite,
  succeeded,
  withTaints,
} from "../../types/outcome.ts";
import { cassetteJsonLimits } from "./cassette-file.ts";
import { hashWithoutIgnored, parseIgnorePointers, withoutIgnored } from "./ignored-arguments.ts";
import { outcomeProblem, recordOutcome, replayOutcome, toCassetteJson } from "./recorded-outcome.ts";

const open = redactor({ limits: cassetteJsonLimits });
const taped = (outcome: Outcome) => JSON.parse(JSON.stringify(recordOutcome(outcome, "t", open)));

/** JSON without keys or texts that look like a secret. */
const value = fc
  .jsonValue({ maxDepth: 4 })
  .map((json) => JSON.parse(JSON.stringify(json).replaceAll(/[:=]{2,}/g, "")));

describe("recorded outcome", () => {
  it("is restored unchanged for every value and flow", () => {
    const outcome = value.chain((json) =>
      fc.constantFrom<Outcome>(
        succeeded(json),
        final(json),
        handoff("a", json),
        rewrite(json, { was: json }),
        withTaints(succeeded(json), ["web", "mail/read"]),
        withTaints(rewrite(json, { was: json }), ["web"]),
      ),
    );
    const isUntouched = (one: Outcome) =>
      JSON.stringify(open.value(one._tag === "value" ? one.value : 0)) ===
      JSON.stringify(one._tag === "value" ? one.value : 0);
    fc.assert(
      fc.property(outcome, (one) => {
        fc.pre(isUntouched(one));
        const kept = taped(one);
        expect(outcomeProblem(kept)).toBeUndefined();
        expect(replayOutcome(kept)).toEqual(one);
        expect(JSON.stringify(replayOutcome(kept))).toBe(JSON.stringify(one));
      }),
    );
  });

  it("has no cause and no approval, and is approval_required for a pending call", () => {
    const request = { id: "a", callId: "c", tool: "t", principal: { agent: "x" }, input: {}, reason: "r" };
    const cause = new Error("inner");
    expect(taped(failed({ code: "failed", message: "m", cause, approval: request, ran: true }))).toEqual({
      kind: "failure",
      failure: { code: "failed", message: "m", ran: true },
    });
    expect(taped(pending(request))).toMatchObject({ failure: { code: "approval_required" } });
  });
});

describe("cassette JSON", () => {
  it("has dates as text, and values that would be lost are refused", () => {
    expect(toCassetteJson({ at: new Date(0), gone: undefined })).toEqual({
      ok: true,
      value: { at: "1970-01-01T00:00:00.000Z" },
    });
    expect(toCassetteJson(undefined)).toEqual({ ok: true, value: undefined });
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    const lost = [
      new Map(),
      [new Set()],
      Number.NaN,
      { a: () => 1 },
      Symbol("s"),
      1n,
      Buffer.from("x"),
      new Error("e"),
      /x/,
      cyclic,
    ];
    for (const one of lost) expect(toCassetteJson(one).ok).toBe(false);
    const trap = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("no");
        },
      },
    );
    expect(toCassetteJson(trap).ok).toBe(false);
  });
});

describe("ignored arguments", () => {
  it("do not count, whether they exist or not", () => {
    const steps = parseIgnorePointers(["/id", "/items/*/at", "/list/1", "/a~1b/~0"]);
    const hash = (value: unknown) => hashWithoutIgnored(value, steps);
    const plain = { items: [{ n: 1 }], list: [1, null], "a/b": {} };
    expect(hash({ ...plain, id: 5, items: [{ at: 9, n: 1 }], list: [1, 7], "a/b": { "~": 1 } })).toBe(
      hash(plain),
    );
    expect(hash({ ...plain, list: [2, null] })).not.toBe(hash(plain));
    expect(hash({ ...plain, items: [{ n: 1 }, { n: 1 }] })).not.toBe(hash(plain));
    expect(hash("text")).toBe(hash("text"));
  });

  it("are removed from a copy, without inherited properties", () => {
    const value = { id: 1, deep: { id: 2 } };
    expect(
      withoutIgnored(value, parseIgnorePointers(["/id", "/toString", "/__proto__/x"]), "[ignored]"),
    ).toEqual({
      deep: { id: 2 },
      id: "[ignored]",
    });
    expect(value).toEqual({ id: 1, deep: { id: 2 } });
  });
});
