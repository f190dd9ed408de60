import * as Effect from "effect/Effect";
import { tool } from "haft";
import { describe, expect, it, vi } from "vitest";
import type { ApprovalRecord } from "../src/types/approval.ts";
import type { CallRequest } from "../src/types/call.ts";
import { LedgerError } from "../src/types/errors.ts";
import {
  createApprovalRecord,
  createClosing,
  createOpening,
  runLedgerEffect,
} from "./contracts/ledger/ledger-fixtures.ts";
import { createRecoveryScene, earlierEntry, principal, recoveryRequest } from "./kit/recovery-scene.ts";

describe("a call that ended before a crash", () => {
  it("is replayed with its value and its taints, and is not made again", async () => {
    const { ran, recover, left } = createRecoveryScene();
    await left("before", { tool: "put", result: '{"celsius":21}', taints: ["page"] });
    expect(await recover("put")).toMatchObject({
      id: "c1",
      tool: "put",
      ok: true,
      text: '{"celsius":21}',
      value: { celsius: 21 },
      flow: { kind: "continue" },
      taints: ["page"],
    });
    expect(ran).toEqual([]);
  });

  it("is replayed with its exact value, of which the row shows a masked copy", async () => {
    const { store, ran, recover, left } = createRecoveryScene();
    await left("before", { result: '{"password":"sesame"}' });
    expect((await runLedgerEffect(store.entries()))[0]?.result).not.toContain("sesame");
    expect(await recover("pay")).toMatchObject({ ok: true, value: { password: "sesame" } });
    expect(ran).toEqual([]);
  });

  it("is replayed from its row if the store keeps no exact texts", async () => {
    const { ran, recover, left } = createRecoveryScene(({ recall: _, ...store }) => store);
    await left("before", { result: '"paid"' });
    expect(await recover("pay")).toMatchObject({ ok: true, value: "paid", text: "paid" });
    expect(ran).toEqual([]);
  });

  it("is replayed from its row if its exact texts were removed", async () => {
    const { ran, recover, left } = createRecoveryScene((store) => ({
      ...store,
      recall: () => Effect.succeed(undefined),
    }));
    await left("before", { result: '"paid"' });
    expect(await recover("pay")).toMatchObject({ ok: true, value: "paid", text: "paid" });
    expect(ran).toEqual([]);
  });

  it("is not replayed for another run or another call id", async () => {
    const { store, ran, recover } = createRecoveryScene();
    await runLedgerEffect(
      store.open(createOpening("other", { ...earlierEntry, runId: "run-2", tool: "pay" })),
    );
    await runLedgerEffect(store.close(createClosing("other", { tool: "pay", result: '"of another run"' })));
    await runLedgerEffect(
      store.open(createOpening("beside", { ...earlierEntry, callId: "c2", tool: "pay" })),
    );
    await runLedgerEffect(store.close(createClosing("beside", { tool: "pay", result: '"of another call"' })));
    expect(await recover("pay")).toMatchObject({ ok: true, value: "did pay" });
    expect(ran).toEqual(["pay"]);
  });

  it("is replayed instead of a later entry that rejected its duplicate id", async () => {
    const { ran, recover, left } = createRecoveryScene();
    await left("first", { result: '"earlier"' });
    await left("before", { result: '"paid"' });
    await left("twice", { ending: "failed", code: "unreadable_call", message: "came twice", ran: false });
    expect(await recover("pay")).toMatchObject({ ok: true, value: "paid" });
    expect(ran).toEqual([]);
  });

  it("is reported as unreadable if there is no other entry of it", async () => {
    const { ran, recover, left } = createRecoveryScene();
    await left("before", { ending: "failed", code: "unreadable_call", message: "no call", ran: false });
    expect((await recover("pay")).failure).toMatchObject({ code: "unreadable_call", message: "no call" });
    expect(ran).toEqual([]);
  });
});

describe("a call that did not end before a crash", () => {
  it("is made if it is not on record, and onReply receives the reply", async () => {
    const { store, ran, elsewhere } = createRecoveryScene();
    const onReply = vi.fn();
    const reply = await elsewhere((pipeline) => pipeline.recover(recoveryRequest("pay"), { onReply }));
    expect(reply).toMatchObject({ ok: true, value: "did pay" });
    expect(onReply).toHaveBeenCalledExactlyOnceWith(reply);
    expect(ran).toEqual(["pay"]);
    expect(await runLedgerEffect(store.entries())).toMatchObject([
      { entryId: "now", ending: "executed", notes: [] },
    ]);
  });

  it("is made if it had only been hydrated", async () => {
    const { ran, recover, left } = createRecoveryScene();
    await left("before", { ending: "hydrated", result: undefined });
    expect(await recover("pay")).toMatchObject({ ok: true, value: "did pay" });
    expect(ran).toEqual(["pay"]);
  });

  it("is made again in its own entry if the tool is idempotent, and the row notes it", async () => {
    const { store, ran, elsewhere, left } = createRecoveryScene();
    await left("before", { tool: "put", ending: "unknown", result: undefined });
    const onReply = vi.fn();
    const reply = await elsewhere((pipeline) => pipeline.recover(recoveryRequest("put"), { onReply }));
    expect(reply).toMatchObject({ ok: true, value: "did put" });
    expect(onReply).toHaveBeenCalledExactlyOnceWith(reply);
    expect(ran).toEqual(["put"]);
    expect(await runLedgerEffect(store.entries())).toMatchObject([
      { entryId: "before", ending: "executed", notes: [expect.stringMatching(/^repeated: /)] },
    ]);
  });

  const unrepeatable: readonly (readonly [string, string, Partial<CallRequest>])[] = [
    ["if the tool is not idempotent", "pay", {}],
    ["without a principal", "put", { principal: undefined }],
    ["if its caller may no longer see the tool", "put", { principal: { agent: "tester", allow: [] } }],
    ["if the tool is gone", "gone", {}],
    [
      "if its model is no longer shown the tool",
      "put",
      { shown: { tools: [], byWireName: new Map() } as never },
    ],
  ];
  it.each(unrepeatable)("is not made again %s, and fails with outcome_unknown", async (_, name, more) => {
    const { ran, recover, left } = createRecoveryScene();
    await left("before", { tool: name, ending: "unknown", result: undefined });
    const { ok, failure } = await recover(name, more);
    expect([ok, failure]).toEqual([
      false,
      {
        code: "outcome_unknown",
        tool: name,
        ran: true,
        message: expect.stringContaining("was running when its process ended"),
        detail: expect.stringContaining("haft settle before --took-effect"),
      },
    ]);
    expect(ran).toEqual([]);
  });

  it("is not made again while another process runs it", async () => {
    const { store, ran, recover } = createRecoveryScene();
    await runLedgerEffect(store.open(createOpening("before", { ...earlierEntry, tool: "put" })));
    expect(await recover("put")).toMatchObject({
      ok: false,
      text: 'Error: The call of "put" is running.',
      failure: { code: "still_running", tool: "put" },
    });
    expect(ran).toEqual([]);
  });

  it("is neither made nor replayed while the ledger cannot be read", async () => {
    const down = Effect.fail(new LedgerError("ledger_unavailable", "no disk"));
    const { ran, recover } = createRecoveryScene((store) => ({ ...store, entries: () => down }));
    expect(await recover("put")).toMatchObject({
      id: "c1",
      ok: false,
      failure: { code: "ledger_unavailable", message: "no disk" },
    });
    expect(ran).toEqual([]);
  });
});

describe.each(["recover", "again"] as const)("an unknown call of a tool with reconcile (%s)", (how) => {
  const createScene = async (reconcile: NonNullable<Parameters<typeof tool>[0]["reconcile"]>) => {
    const { store, elsewhere, left } = createRecoveryScene();
    await left("before", { ending: "unknown", result: undefined });
    const ran: string[] = [];
    const pay = tool({
      name: "pay",
      description: "Pays",
      input: [],
      key: () => "one",
      reconcile,
      run: () => {
        ran.push("pay");
        return "paid now";
      },
    });
    const repeat = () => elsewhere((pipeline) => pipeline[how](recoveryRequest("pay")), [pay]);
    const settlement = async () => (await runLedgerEffect(store.entries()))[0]?.settlement;
    return { ran, repeat, settlement };
  };

  it("is replayed with the outcome that reconcile finds", async () => {
    const { ran, repeat, settlement } = await createScene(() => ({
      tookEffect: true,
      output: "paid before",
    }));
    expect(await repeat()).toMatchObject({ ok: true, value: "paid before" });
    expect(await settlement()).toMatchObject({ tookEffect: true, by: "reconcile" });
    expect(ran).toEqual([]);
  });

  it("runs once if reconcile finds that it did not take effect", async () => {
    const { ran, repeat, settlement } = await createScene(() => ({ tookEffect: false }));
    expect(await repeat()).toMatchObject({ ok: true, value: "paid now" });
    expect(await repeat()).toMatchObject({ ok: true, value: "paid now" });
    expect(await settlement()).toMatchObject({ tookEffect: false, by: "reconcile" });
    expect(ran).toEqual(["pay"]);
  });

  it("stays unknown if reconcile throws or has no answer", async () => {
    const answers = [() => Promise.reject(new Error("offline")), () => undefined];
    for (const answer of answers) {
      const { ran, repeat, settlement } = await createScene(answer as never);
      expect((await repeat()).failure?.code).toBe("outcome_unknown");
      expect(await settlement()).toBeUndefined();
      expect(ran).toEqual([]);
    }
  });
});

describe("a call that was pending before a crash", () => {
  const waits = async () => {
    const scene = createRecoveryScene();
    const { pending } = await scene.elsewhere((pipeline) =>
      pipeline.call(recoveryRequest("wipe", { entryId: "before" })),
    );
    const also = (id: string, more: Partial<ApprovalRecord>, entryId = "before") =>
      runLedgerEffect(
        scene.store.close(
          createClosing(entryId, {
            ending: "pending",
            approval: createApprovalRecord(id, entryId, { ...more, ...earlierEntry }),
          }),
        ),
      );
    const answer = (kind: "allow" | "deny", id = pending!.id) =>
      runLedgerEffect(scene.store.approvals.answer(id, { decision: { kind }, at: Date.now() }));
    return { ...scene, pending: pending!, also, answer };
  };

  it("continues with a later approval, once", async () => {
    const { store, ran, recover, answer } = await waits();
    await answer("allow");
    expect(await recover("wipe")).toMatchObject({ id: "c1", ok: true, value: "did wipe" });
    expect(await recover("wipe")).toMatchObject({ id: "c1", ok: true, value: "did wipe" });
    expect(ran).toEqual(["wipe"]);
    expect(await runLedgerEffect(store.entries())).toMatchObject([{ entryId: "before", ending: "executed" }]);
  });

  it("is refused after a later denial", async () => {
    const { ran, recover, answer } = await waits();
    await answer("deny");
    expect((await recover("wipe")).failure?.code).toBe("approval_denied");
    expect(ran).toEqual([]);
  });

  it("stays pending under its request without an answer", async () => {
    const { ran, recover, pending } = await waits();
    const reply = await recover("wipe");
    expect(reply).toMatchObject({ id: "c1", ok: false, text: expect.stringContaining("pending approval") });
    expect(reply.pending).toStrictEqual(pending);
    expect(ran).toEqual([]);
  });

  /** Like `waits`, with a request that is recorded with these fields. */
  const waitsWith = async (more: Partial<ApprovalRecord>) => {
    const scene = createRecoveryScene();
    const approval = createApprovalRecord("q", "before", {
      ...earlierEntry,
      principal,
      tool: "wipe",
      rawTool: "wipe",
      ...more,
    });
    await scene.left("before", { ending: "pending", tool: "wipe", approval });
    return scene;
  };

  it("stays pending without an expiry if its request has none", async () => {
    const { recover } = await waitsWith({});
    const { pending } = await recover("wipe");
    expect(pending).toMatchObject({ id: "q", reason: "it writes", askedAt: 1_000 });
    expect(Object.keys(pending!)).not.toContain("expiresAt");
  });

  it("stays pending in a process without the tool, even if it was answered", async () => {
    const { ran, recover, elsewhere, answer, pending } = await waits();
    await answer("allow");
    const reply = await elsewhere((pipeline) => pipeline.recover(recoveryRequest("wipe")), []);
    expect(reply.pending?.id).toBe(pending.id);
    expect(await recover("wipe")).toMatchObject({ ok: true });
    expect(ran).toEqual(["wipe"]);
  });

  it("continues with the open request instead of a later void request", async () => {
    const { ran, recover, also, answer, pending } = await waits();
    await also("later", { status: "void" });
    expect((await recover("wipe")).pending?.id).toBe(pending.id);
    await answer("allow");
    expect(await recover("wipe")).toMatchObject({ ok: true, value: "did wipe" });
    expect(ran).toEqual(["wipe"]);
  });

  it("does not continue with the answer to another call of its run", async () => {
    const { store, ran, recover, also, answer, pending } = await waits();
    await runLedgerEffect(
      store.open(createOpening("beside", { ...earlierEntry, callId: "c2", tool: "wipe" })),
    );
    await also("another", { tool: "wipe", rawTool: "wipe" }, "beside");
    await answer("allow", "another");
    expect((await recover("wipe")).pending?.id).toBe(pending.id);
    expect(ran).toEqual([]);
  });

  it("fails with the state of its request if that is no longer open", async () => {
    const { ran, recover } = await waitsWith({ status: "void", answeredBy: "grace" });
    expect((await recover("wipe")).failure).toMatchObject({
      code: "unknown_approval",
      message: 'The approval request "q" is no longer open: it was answered by grace.',
    });
    expect(ran).toEqual([]);
  });

  it("fails with approval_required if its request is not on record", async () => {
    const { ran, recover, left } = createRecoveryScene();
    await left("before", { tool: "wipe", ending: "pending", result: undefined });
    expect((await recover("wipe")).failure).toEqual({
      code: "approval_required",
      tool: "wipe",
      message: 'The call of "wipe" is pending an approval that is no longer stored. The call did not run.',
    });
    expect(ran).toEqual([]);
  });
});
