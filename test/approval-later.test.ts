import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { type ApprovalDecision, Haft, type LedgerStore, type Principal, tool, workspace } from "haft";
import { memoryLedger } from "haft/effect";
import { describe, expect, it } from "vitest";
import { redactor } from "../src/base/json/redact.ts";
import { LedgerError } from "../src/types/errors.ts";

const principal: Principal = { agent: "clerk", allow: ["**"] };
const input = { type: "object", properties: { to: { type: "string" } }, required: ["to"] } as const;
const yes: ApprovalDecision = { kind: "allow" };

/** Two runtimes over one ledger: one requests approval, the other continues from the stored request. */
const world = () => {
  const store: LedgerStore = memoryLedger({ redactor: redactor() });
  const sent: unknown[] = [];
  const send = (more: object = {}) =>
    tool({
      name: "send",
      description: "Sends",
      input,
      risk: "high",
      run: ({ to }) => {
        sent.push(to);
        return `sent ${to}`;
      },
      ...more,
    });
  const open = (options: object = {}) =>
    Haft.open({ tools: [send()], ledger: store, principal, approver: () => undefined, ...options });
  const ask = async (more: object = {}, text = '{"to":"bob"}', options: object = {}) => {
    const haft = await open(options);
    const [reply] = await haft.turn([{ id: "c1", tool: "send", input: text }], more);
    return reply!.pending!;
  };
  return { store, sent, send, open, ask };
};

describe("an approval used by another runtime", () => {
  it("makes the call that was approved and keeps its correlation id", async () => {
    const { sent, open, ask } = world();
    const { id } = await ask({ correlationId: "order 7" });
    const haft = await open();
    expect(await haft.resume(id, yes)).toMatchObject({ id: "c1", ok: true, value: "sent bob" });
    expect(sent).toEqual(["bob"]);
    expect(await haft.log()).toMatchObject([
      {
        ending: "executed",
        correlationId: "order 7",
        decision: expect.stringContaining("approved ("),
      },
    ]);
  });

  it("repairs the arguments again if they were repaired before, and records the repair", async () => {
    const { sent, open, ask } = world();
    const { id } = await ask({ repair: "deterministic" }, "{'to': 'bob',}");
    const haft = await open();
    expect(await haft.resume(id, yes)).toMatchObject({ ok: true });
    expect(sent).toEqual(["bob"]);
    const [entry] = await haft.log();
    expect(entry?.provenance).toMatchObject({ repaired: true, validated: true });
    expect(entry?.provenance?.changes).not.toEqual([]);
  });

  it.each([
    ["nothing", undefined],
    ["another text", '{"to":"eve"}'],
  ])("makes the call with the approved arguments when the ledger kept %s", async (_, text) => {
    const { store, sent, open, ask } = world();
    const { id } = await ask();
    const recall: LedgerStore["recall"] = (entryId) =>
      Effect.map(store.recall!(entryId), (kept) => kept && { ...kept, input: text });
    const haft = await open({ ledger: { ...store, recall } });
    expect(await haft.resume(id, yes)).toMatchObject({ ok: true, value: "sent bob" });
    expect(sent).toEqual(["bob"]);
  });

  it.each([
    ["are unreadable", "{", { to: "bob" }],
    ["and the request differ from the approved ones", '{"to":"eve"}', { to: "mallory" }],
    ["and the request do not fit the tool", '{"to":"eve"}', { to: 5 }],
  ])("is void when the kept arguments %s", async (_, text, shown) => {
    const { store, sent, open, ask } = world();
    const { id } = await ask();
    const recall: LedgerStore["recall"] = (entryId) =>
      Effect.map(store.recall!(entryId), (kept) => kept && { ...kept, input: text });
    const approvals: LedgerStore["approvals"] = {
      ...store.approvals!,
      take: (...given) =>
        Effect.map(store.approvals!.take(...given), (taken) =>
          taken.kind === "taken" ? { ...taken, record: { ...taken.record, input: shown } } : taken,
        ),
    };
    const haft = await open({ ledger: { ...store, recall, approvals } });
    const { failure } = await haft.resume(id, yes);
    expect(failure).toMatchObject({ code: "approval_void", tool: "send" });
    expect(failure?.message).toContain("its exact arguments are no longer stored");
    expect(await haft.approvals()).toMatchObject([{ id, status: "void" }]);
    expect(sent).toEqual([]);
  });

  it("is void when another tool has the name now", async () => {
    const { sent, send, open, ask } = world();
    const inBox = (name: string) => workspace().toolbox(name).add(send()).build();
    const { id } = await ask({}, undefined, { tools: [], project: inBox("mail") });
    const haft = await open({ tools: [], project: inBox("post") });
    const { failure } = await haft.resume(id, yes);
    expect(failure).toMatchObject({ code: "approval_void", tool: "mail/send" });
    expect(failure?.message).toContain("another tool now has its name");
    expect(await haft.approvals()).toMatchObject([{ id, status: "void" }]);
    expect(sent).toEqual([]);
  });

  it("denies the call whether or not the tool changed", async () => {
    const { sent, send, open, ask } = world();
    for (const tools of [[], [send({ description: "Sends to all" })]]) {
      const { id } = await ask();
      const haft = await open({ tools });
      const { failure } = await haft.resume(id, { kind: "deny", reason: "not today" });
      expect(failure?.code).toBe("approval_denied");
      expect(failure?.message).toContain("not today");
      expect((await haft.approvals()).find((one) => one.id === id)).toMatchObject({ status: "used" });
    }
    expect(sent).toEqual([]);
  });
});

describe("a pending call in the requesting runtime", () => {
  it("fails with unknown_tool after its tool is removed or replaced", async () => {
    const { sent, send, open } = world();
    const haft = await open();
    const ask = async () =>
      (await haft.turn([{ id: "c1", tool: "send", input: '{"to":"bob"}' }]))[0]!.pending!;
    const [first, second] = [await ask(), await ask()];
    haft.unregister("send");
    expect((await haft.resume(first.id, yes)).failure?.code).toBe("unknown_tool");
    haft.register(send({ description: "Another" }));
    expect((await haft.resume(second.id, yes)).failure?.code).toBe("unknown_tool");
    expect(sent).toEqual([]);
  });

  it("accepts one answer and explains why others are refused", async () => {
    const { sent, open } = world();
    const haft = await open();
    const [reply] = await haft.turn([{ id: "c1", tool: "send", input: '{"to":"bob"}' }]);
    const { id } = reply!.pending!;
    await expect(haft.resume(id)).rejects.toMatchObject({
      failure: {
        code: "approval_required",
        message: 'The call of "send" is still pending approval.',
        tool: "send",
      },
    });
    await expect(haft.resume(id, { kind: "perhaps" } as never)).rejects.toMatchObject({
      code: "unreadable_decision",
      message: expect.stringMatching(/Answer an approval with/),
    });
    await expect(haft.resume(id, { kind: "allow", always: "session" })).rejects.toMatchObject({
      code: "unreadable_decision",
      message: expect.stringMatching(/no session/),
    });
    await haft.resume(id, yes, { by: "grace" });
    await expect(haft.resume(id, yes)).rejects.toMatchObject({
      code: "unknown_approval",
      message: `The approval request "${id}" is no longer open: it was answered by grace.`,
    });
    await expect(haft.resume("nobody", yes)).rejects.toMatchObject({
      message: 'No approval request "nobody" is open.',
    });
    expect(sent).toEqual(["bob"]);
  });
});

describe("the approver of a call", () => {
  it("is asked when the ledger cannot read earlier grants", async () => {
    const { store, sent, open } = world();
    const down = Effect.fail(new LedgerError("ledger_unavailable", "no disk"));
    const approvals = { ...store.approvals!, standing: () => down };
    const asked: string[] = [];
    const approver = ({ tool }: { readonly tool: string }) => {
      asked.push(tool);
      return yes;
    };
    const haft = await open({ ledger: { ...store, approvals }, approver });
    expect(await haft.call("send", { to: "bob" })).toBe("sent bob");
    expect([asked, sent]).toEqual([["send"], ["bob"]]);
  });

  it("is not asked when the row cannot be opened", async () => {
    const { store, sent, open } = world();
    const down = Effect.fail(new LedgerError("ledger_unavailable", "no disk"));
    const asked: string[] = [];
    const approver = ({ tool }: { readonly tool: string }) => void asked.push(tool);
    const haft = await open({ ledger: { ...store, open: () => down }, approver });
    await expect(haft.call("send", { to: "bob" })).rejects.toThrow();
    expect([asked, sent]).toEqual([[], []]);
  });

  it.each([
    ["at the deadline counts", 1_000, yes, "sent bob"],
    ["after the deadline has no effect", 1_001, yes, "approval_expired"],
    ["that is still missing leaves the call pending", 1_001, undefined, "approval_required"],
  ])("an answer %s", async (_, ms, decision, expected) => {
    const { open } = world();
    let now = Date.UTC(2026, 0, 1);
    const nanos = () => BigInt(now) * 1_000_000n;
    const clock: Clock.Clock = {
      currentTimeMillisUnsafe: () => now,
      currentTimeMillis: Effect.sync(() => now),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: nanos,
      monotonicTimeNanos: Effect.sync(nanos),
      sleep: () => Effect.never,
    };
    const haft = await open({
      services: Layer.succeed(Clock.Clock, clock),
      approvals: { expireAfterMs: 1_000 },
      approver: () => {
        now += ms;
        return decision;
      },
    });
    const came = await haft.call("send", { to: "bob" }).catch((error: { code: string }) => error.code);
    expect(came).toBe(expected);
  });

  it("is not awaited after the request has expired", async () => {
    const { sent, open } = world();
    const haft = await open({
      approvals: { expireAfterMs: 5 },
      approver: () => new Promise<undefined>(() => {}),
    });
    await expect(haft.call("send", { to: "bob" })).rejects.toMatchObject({
      code: "approval_expired",
      message: 'The call of "send" was not approved in time. It did not run.',
    });
    expect(sent).toEqual([]);
  });
});
