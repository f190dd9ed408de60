import * as Effect from "effect/Effect";
import { Haft, type LedgerStore, type Principal } from "haft";
import { memoryLedger } from "haft/effect";
import { approval } from "haft/layers";
import { describe, expect, it } from "vitest";
import {
  createClosing,
  createOpening,
  runLedgerEffect,
} from "../../../test/contracts/ledger/ledger-fixtures.ts";
import { createPayTool } from "../../../test/kit/pay-tool.ts";
import { redactor } from "../../base/json/redact.ts";
import { LedgerError } from "../../types/errors.ts";

const ada: Principal = { agent: "tester", user: "ada", allow: ["*"] };

const createScene = () => {
  const store = memoryLedger({ redactor: redactor() });
  const { pay, paid } = createPayTool(approval({ reason: "money" }));
  /** Opens another runtime over the same ledger, like a restarted process. */
  const open = (ledger: LedgerStore = store, principal: Principal = ada) =>
    Haft.open({ tools: [pay], principal, ledger, approver: () => undefined });
  const request = async (input: string, ledger?: LedgerStore, principal?: Principal) => {
    const haft = await open(ledger, principal);
    const [reply] = await haft.turn([{ id: "1", tool: "pay", input }]);
    return reply!.pending!;
  };
  const recordUnknown = async (entryId: string): Promise<void> => {
    const row = { tool: "pay", input: '{"amount":1}', agent: "tester", user: "ada" } as const;
    await runLedgerEffect(store.open(createOpening(entryId, row)));
    await runLedgerEffect(store.close(createClosing(entryId, { tool: "pay", ending: "unknown", ran: true })));
  };
  return { store, paid, open, request, recordUnknown };
};

describe("the reason of an approval request", () => {
  it("names an earlier call with the same arguments whose effect is unknown", async () => {
    const { request, recordUnknown } = createScene();
    await recordUnknown("before");
    const note =
      "money. An earlier call with the same arguments may have taken effect: before. Settle it first: haft settle before";
    expect((await request('{"amount":1}')).reason).toContain(note);
    expect((await request('{ "amount": 1 }')).reason).toContain(note);
  });

  it("does not name a call that was settled, has other arguments or is of another caller", async () => {
    const { store, request, recordUnknown } = createScene();
    await recordUnknown("before");
    expect((await request('{"amount":2}')).reason).toBe("money");
    expect((await request('{"amount":1}', store, { ...ada, user: "eve" })).reason).toBe("money");
    await runLedgerEffect(store.settle({ entryId: "before", tookEffect: false, by: "grace" }));
    expect((await request('{"amount":1}')).reason).toBe("money");
  });

  it("names a call that was settled as having taken effect, with who settled it", async () => {
    const { store, request, recordUnknown } = createScene();
    await recordUnknown("before");
    await runLedgerEffect(store.settle({ entryId: "before", tookEffect: true, by: "grace" }));
    expect((await request('{"amount":1}')).reason).toMatch(
      /^money\. An earlier call with the same arguments took effect: before, settled by grace at \d{4}-/,
    );
  });

  it("is updated when the earlier call is settled while the request is open", async () => {
    const { store, request, recordUnknown, open } = createScene();
    await recordUnknown("before");
    await recordUnknown("other");
    const { id } = await request('{"amount":1}');
    const reasonNow = async () =>
      (await (await open()).approvals({ status: "waiting" })).find((one) => one.id === id)?.reason;
    expect(await reasonNow()).toContain("Settle it first");
    await runLedgerEffect(store.settle({ entryId: "other", tookEffect: true, by: "grace" }));
    expect(await reasonNow()).toMatch(/took effect: other, settled by grace at \S+$/);
  });

  it("names the same call while it is pending, and while it is approved but not yet run", async () => {
    const { store, paid, request, open } = createScene();
    const first = await request('{"amount":1}');
    const [entry] = await runLedgerEffect(store.entries());
    const second = await request('{"amount":1}');
    expect(second.reason).toBe(`money. The same call is already pending: ${entry?.entryId}`);
    await runLedgerEffect(store.approvals.answer(first.id, { decision: { kind: "allow" }, at: Date.now() }));
    const third = await request('{"amount":1}');
    expect(third.reason).toBe(`money. The same call is already approved but not yet run: ${entry?.entryId}`);
    expect(await (await open()).resume(first.id)).toMatchObject({ ok: true });
    expect(paid).toEqual([1]);
  });

  it("does not name a call that was denied", async () => {
    const { store, request } = createScene();
    const { id } = await request('{"amount":1}');
    await runLedgerEffect(store.approvals.answer(id, { decision: { kind: "deny" }, at: Date.now() }));
    expect((await request('{"amount":1}')).reason).toBe("money");
  });

  it("has no note when the ledger cannot be read", async () => {
    const { store, request, recordUnknown } = createScene();
    await recordUnknown("before");
    const unreadable: LedgerStore = {
      ...store,
      entries: () => Effect.fail(new LedgerError("ledger_unavailable", "no disk")),
    };
    expect((await request('{"amount":1}', unreadable)).reason).toBe("money");
  });
});
