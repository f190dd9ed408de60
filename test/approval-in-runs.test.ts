import * as Effect from "effect/Effect";
import { agent, Haft, type LedgerStore, type Principal, tool } from "haft";
import { memoryLedger } from "haft/effect";
import { calls, says, scriptedModel } from "haft/testing";
import { describe, expect, it } from "vitest";
import { redactor } from "../src/base/json/redact.ts";
import type { RunRecord, RunStore } from "../src/types/run-store.ts";
import { runLedgerEffect } from "./contracts/ledger/ledger-fixtures.ts";

const principal: Principal = { agent: "clerk", allow: ["*"] };
const yes = { kind: "allow" } as const;

/** A run with a pending call, and runtimes over the same ledger. */
const world = async (change: (store: LedgerStore) => LedgerStore = (store) => store) => {
  const store: LedgerStore = memoryLedger({ redactor: redactor() });
  const sent: string[] = [];
  const send = tool({
    name: "send",
    description: "Sends",
    input: { type: "object", properties: { to: { type: "string" } }, required: ["to"] } as const,
    risk: "high",
    run: ({ to }) => void sent.push(to),
  });
  const model = scriptedModel([calls(["send", { to: "bob" }, "c1"]), says("done"), says("done again")]);
  const clerk = agent({ name: "clerk", instructions: "Send.", model, tools: ["send"] });
  const open = (options: object = {}) =>
    Haft.open({ tools: [send], principal, approver: () => undefined, ledger: change(store), ...options });
  const haft = await open();
  const { runId, pending } = await haft.run(clerk, "go");
  return { store, sent, clerk, open, haft, runId, pending: pending[0]! };
};

describe("an answer given in a runtime other than that of the run", () => {
  it("is stored, and the call is made once when the run resumes", async () => {
    const { sent, clerk, open, haft, runId, pending } = await world();
    const other = await open();
    const { askedAt: _, expiresAt: __, ...question } = pending;
    expect(await other.resume(pending.id, yes, { by: "grace" })).toEqual({
      id: "c1",
      tool: "send",
      ok: false,
      flow: { kind: "continue" },
      text: `The answer is recorded. The call runs when its run "${runId}" is resumed.`,
      pending: question,
    });
    expect(sent).toEqual([]);
    expect(await other.approvals()).toMatchObject([{ status: "answered", answeredBy: "grace" }]);
    expect(await other.resume(pending.id)).toMatchObject({
      text: expect.stringMatching(/^The answer is recorded\./),
    });
    await expect(other.resume(pending.id, yes)).rejects.toMatchObject({
      code: "unknown_approval",
      message: expect.stringMatching(/it was answered/),
    });
    expect(await haft.run(clerk, undefined, { resume: runId })).toMatchObject({ status: "done" });
    expect(sent).toEqual(["bob"]);
  });

  it("is required if none is stored", async () => {
    const { sent, open, pending } = await world();
    const other = await open();
    await expect(other.resume(pending.id)).rejects.toMatchObject({ code: "approval_required" });
    expect(sent).toEqual([]);
  });

  it("makes the call immediately when the run has ended", async () => {
    const { store, sent, open, runId, pending } = await world();
    const epoch = await runLedgerEffect(store.runs!.claim(runId, Date.now()));
    await runLedgerEffect(store.runs!.end({ runId, epoch: epoch!, status: "done", at: Date.now() } as never));
    const other = await open();
    expect(await other.resume(pending.id, yes)).toMatchObject({ id: "c1", ok: true });
    expect(sent).toEqual(["bob"]);
  });
});

describe("an answer given in the runtime of the pending call", () => {
  it("makes the call under a claim on its run and releases the claim", async () => {
    const { store, sent, clerk, open, haft, runId, pending } = await world();
    const before = await runLedgerEffect(store.runs!.find(runId));
    expect(await haft.resume(pending.id, yes)).toMatchObject({ id: "c1", ok: true });
    expect(sent).toEqual(["bob"]);
    expect(await runLedgerEffect(store.runs!.find(runId))).toMatchObject({
      status: "pending",
      reason: before?.reason,
    });
    const other = await open();
    expect(await other.run(clerk, undefined, { resume: runId })).toMatchObject({ status: "done" });
    expect(sent).toEqual(["bob"]);
  });

  const goneOn: readonly (readonly [string, RunRecord["status"] | undefined, boolean])[] = [
    ["done", "done", true],
    ["stopped", "stopped", true],
    ["cancelled", "cancelled", true],
    ["forgotten", undefined, true],
    ["running elsewhere", "running", false],
    ["pending again", "pending", false],
  ];
  it.each(goneOn)("makes the call only if the run has ended: %s", async (_, status, isMade) => {
    let isTaken = false;
    let looks = 0;
    const { sent, haft, pending } = await world((store) => {
      const { runs } = store;
      const find: RunStore["find"] = (runId) =>
        Effect.map(runs!.find(runId), (record) => {
          if (!isTaken || record === undefined) return record;
          looks += 1;
          // The run exists at the first lookup; its new status is visible when the claim fails.
          if (looks === 1) return record;
          return status === undefined ? undefined : { ...record, status };
        });
      const claim: RunStore["claim"] = (runId, at) =>
        isTaken ? Effect.succeed(undefined) : runs!.claim(runId, at);
      return { ...store, runs: { ...runs!, find, claim } };
    });
    isTaken = true;
    const reply = await haft.resume(pending.id, yes);
    expect([reply.ok, sent]).toEqual(isMade ? [true, ["bob"]] : [false, []]);
    if (!isMade) expect(reply.text).toMatch(/^The answer is recorded\./);
  });
});

it("hides an approval request from other callers and records their attempts", async () => {
  const tries: unknown[] = [];
  const { sent, open, pending } = await world((store) => ({
    ...store,
    approvals: {
      ...store.approvals!,
      refuse: (id, by, at) => {
        tries.push([id, by?.agent]);
        return store.approvals!.refuse(id, by, at);
      },
    },
  }));
  const stranger = await open({ principal: { agent: "eve", allow: ["*"] } });
  await expect(stranger.resume(pending.id, yes)).rejects.toMatchObject({
    code: "unknown_approval",
    message: `No approval request "${pending.id}" is open.`,
  });
  expect(tries).toEqual([[pending.id, "eve"]]);
  expect(sent).toEqual([]);
});
