import * as Effect from "effect/Effect";
import {
  type EntryClosing,
  type EntryOpening,
  final,
  Haft,
  type HaftOptions,
  handoff,
  rewrite,
  tool,
} from "haft";
import { succeeded, type ToolLayer } from "haft/layers";
import { describe, expect, it } from "vitest";
import { redactor } from "../../base/json/redact.ts";
import { memoryLedger } from "../../ledger/memory.ts";
import type { LedgerStore, StartIntent } from "../../types/ledger.ts";

const secret = "canary-51aa-do-not-print";
const principal = { agent: "tester", session: "s", user: "u", tenant: "t", allow: ["*"] };
const raw = (tool: string, input: unknown = "{}", id = "1") => ({ id, tool, input });

/** A ledger that keeps what it receives, before masking and truncation. */
const watched = () => {
  const opened: EntryOpening[] = [];
  const intended: StartIntent[] = [];
  const closed: EntryClosing[] = [];
  const memory = memoryLedger({ redactor: redactor() });
  const ledger: LedgerStore = {
    ...memory,
    open: (opening) => {
      opened.push(opening);
      return memory.open(opening);
    },
    intend: (intent) => Effect.sync(() => void intended.push(intent)),
    close: (closing) => {
      closed.push(closing);
      return memory.close(closing);
    },
  };
  return { ledger, opened, intended, closed };
};

const watch = async (options: Partial<HaftOptions>) => {
  const seen = watched();
  const haft = await Haft.open({
    principal,
    credentials: { values: { key: secret } },
    ...options,
    ledger: seen.ledger,
  });
  return { haft, ...seen };
};

const answer = (value: unknown, more: object = {}) =>
  tool({ name: "work", description: "Works", input: [], run: () => value, ...more });

/** Replaces the value of the code. */
const replacing =
  (value: unknown): ToolLayer =>
  (next) =>
  (call) =>
    Effect.map(next(call), () => succeeded(value));

/** The closing of the only call of a turn. */
const closingOf = async (...tools: readonly unknown[]): Promise<EntryClosing | undefined> => {
  const { haft, closed } = await watch({ tools } as never);
  await haft.turn([raw("work")]);
  expect(closed).toHaveLength(1);
  return closed[0];
};

describe("opening of an entry", () => {
  it("has the caller, the delegator and the request", async () => {
    const { haft, opened } = await watch({ tools: [answer(1)] } as never);
    await haft.call("work", {}, { idempotencyKey: "k", correlationId: "c" } as never);
    await haft.as({ agent: "borrower", allow: ["*"], within: principal }).turn([raw("work", { a: 1 })]);
    expect(opened).toMatchObject([
      { tool: "work", agent: "tester", session: "s", user: "u", tenant: "t", key: "k", correlationId: "c" },
      { tool: "work", input: '{"a":1}', agent: "borrower", session: "s", user: "u", tenant: "t" },
    ]);
  });

  it("has no caller for a call without a principal", async () => {
    const { haft, opened } = await watch({ tools: [answer(1)], principal: undefined } as never);
    const [reply] = await haft.turn([raw("work")]);
    expect(reply?.ok).toBe(false);
    expect(opened).toMatchObject([{ tool: "work", agent: undefined, user: undefined, tenant: undefined }]);
  });
});

describe("closing of an entry", () => {
  it("has the value, the definition, the implementation and the decision of an executed call", async () => {
    expect(await closingOf(answer("done", { annotations: { readOnly: true } }))).toMatchObject({
      ending: "executed",
      tool: "work",
      code: undefined,
      definition: expect.stringMatching(/^[0-9a-f]{64}$/),
      implementation: "function",
      layers: [],
      decision: expect.any(String),
      ruleIds: [],
      flow: "continue",
      result: '"done"',
      original: undefined,
      ranWith: undefined,
      handoff: undefined,
      taints: undefined,
      approval: undefined,
      ran: true,
      attempts: [{ number: 1 }],
      readOnly: true,
      full: false,
    });
  });

  it("marks a tool that writes, and a high-risk entry as fully durable", async () => {
    expect(await closingOf(answer(1, { risk: "low" }))).toMatchObject({ readOnly: false, full: false });
    const { haft, closed } = await watch({ tools: [answer(1, { risk: "critical" })] } as never);
    await haft.turn([raw("work")]);
    expect(closed).toMatchObject([{ full: true }]);
  });

  it("has no fields of a tool for an unknown tool", async () => {
    const { haft, closed } = await watch({});
    await haft.turn([raw("nobody")]);
    expect(closed).toMatchObject([
      {
        ending: "failed",
        code: "unknown_tool",
        message: expect.stringContaining("nobody"),
        tool: undefined,
        definition: undefined,
        implementation: undefined,
        layers: undefined,
        flow: undefined,
        result: undefined,
        original: undefined,
        ran: false,
        attempts: [],
        readOnly: false,
        full: false,
      },
    ]);
  });

  it("has the reason and the rules of a denial", async () => {
    const rules = [
      { id: "r0", effect: "allow", tools: ["*"] },
      { id: "r1", effect: "deny", tools: ["work"], when: { type: "object" }, reason: "not on Sundays" },
    ];
    const { haft, closed } = await watch({ tools: [answer(1)], policy: { rules } } as never);
    await haft.turn([raw("work")]);
    expect(closed).toMatchObject([
      { code: "denied", decision: expect.stringContaining("not on Sundays"), ruleIds: ["r1"] },
    ]);
  });

  it("keeps the original value when a layer or a rewrite replaced it", async () => {
    const replaced = answer("first").layer(replacing("second"));
    expect(await closingOf(replaced)).toMatchObject({ result: '"second"', original: '"first"' });
    const rewritten = answer(rewrite("new", { old: 1 }));
    expect(await closingOf(rewritten)).toMatchObject({
      flow: "rewrite",
      result: '"new"',
      original: '{"old":1}',
    });
    const broken = answer("first").layer(replacing(() => "no JSON"));
    expect(await closingOf(broken)).toMatchObject({ code: "invalid_output", original: undefined });
  });

  it("has the masked agent name for a handoff only", async () => {
    expect(await closingOf(answer(handoff(`clerk ${secret}`)))).toMatchObject({
      flow: "handoff",
      handoff: expect.stringMatching(/^clerk (?!canary)/),
    });
    expect(await closingOf(answer(final(1)))).toMatchObject({ flow: "final", handoff: undefined });
  });

  it("has the input that the code received when a layer changed it", async () => {
    const changing: ToolLayer = (next) => (call) => next({ ...call, input: { n: 2 } } as never);
    const work = tool({
      name: "work",
      description: "Works",
      input: { type: "object", properties: { n: { type: "number" } } },
      run: () => 1,
    });
    expect(await closingOf(work.layer(changing))).toMatchObject({ ranWith: '{"n":2}' });
  });
});

describe("approval record", () => {
  const asking = answer(1, { requiresApproval: true });
  const asked = {
    callId: "1",
    tool: "work",
    rawTool: "work",
    principal: { agent: "tester" },
    input: {},
    inputHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    definition: expect.stringMatching(/^[0-9a-f]{64}$/),
    reason: expect.any(String),
  };

  it("is stored with the pending entry", async () => {
    const { haft, closed } = await watch({ tools: [asking], approver: () => undefined } as never);
    await haft.turn([raw("work")]);
    const [{ entryId, approval } = {}] = closed as readonly EntryClosing[];
    expect(closed).toMatchObject([
      { ending: "pending", code: undefined, result: undefined, approval: { ...asked, status: "waiting" } },
    ]);
    expect(approval).toMatchObject({ entryId });
    expect(approval?.askedAt).toBeGreaterThan(0);
    expect(approval?.decision).toBeUndefined();
  });

  it("is stored with its decision when the approver answers at once", async () => {
    const decision = { kind: "allow" } as const;
    const { haft, closed } = await watch({ tools: [asking], approver: () => decision } as never);
    await haft.turn([raw("work")]);
    expect(closed).toMatchObject([
      { ending: "executed", approval: { ...asked, status: "used", decision: { kind: "allow" } } },
    ]);
  });
});

describe("start of a call", () => {
  it("is recorded separately for a high-risk tool, with its decision and definition", async () => {
    const risky = answer(1, { risk: "high" }).layer(Object.assign(replacing(2), { label: "replacing" }));
    const approver = () => ({ kind: "allow" as const });
    const { haft, intended, opened } = await watch({ tools: [risky], approver } as never);
    const [reply] = await haft.turn([raw("work")]);
    expect(reply?.ok).toBe(true);
    expect(intended).toMatchObject([
      {
        entryId: opened[0]?.entryId,
        tool: "work",
        full: true,
        decision: expect.any(String),
        ruleIds: [],
        definition: expect.stringMatching(/^[0-9a-f]{64}$/),
        implementation: "function",
        layers: ["replacing"],
      },
    ]);
  });

  it("is not recorded separately for a low-risk tool", async () => {
    const { haft, intended } = await watch({ tools: [answer(1, { risk: "low" })] } as never);
    await haft.turn([raw("work")]);
    expect(intended).toEqual([]);
  });

  it("is not required of a ledger without an intend method", async () => {
    const { intend: _, ...ledger } = watched().ledger;
    const risky = answer(1, { risk: "high" });
    const approver = () => ({ kind: "allow" as const });
    const haft = await Haft.open({ tools: [risky], principal, approver, ledger });
    expect((await haft.turn([raw("work")]))[0]?.ok).toBe(true);
  });
});
