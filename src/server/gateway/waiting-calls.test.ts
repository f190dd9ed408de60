import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openLedger } from "../../ledger/ledger-admin.ts";
import { Haft } from "../../runtime/haft.ts";
import { tool } from "../../tools/tool.ts";
import type { ApprovalDecision } from "../../types/approval.ts";
import type { Principal } from "../../types/principal.ts";
import type { BackendCall } from "./gateway-backend.ts";
import { openRuntimeBackend } from "./runtime-backend.ts";

let folder = "";
let ledger = "";
let paid: string[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "haft-waiting-"));
  ledger = `sqlite:${join(folder, "ledger.db")}`;
  paid = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const pay = tool({
  name: "pay",
  description: "Pays an order",
  input: { type: "object", properties: { order: { type: "string" } }, required: ["order"] } as const,
  requiresApproval: true,
  run: ({ order }) => {
    paid.push(order);
    return `paid ${order}`;
  },
});
const ada: Principal = { agent: "editor", user: "ada", allow: ["*"] };

/** Makes the call in a new gateway, which has nothing of an earlier one in memory. */
const callInNewGateway = async (order: string, principal = ada) => {
  await using haft = await Haft.open({ tools: [pay], ledger, principal });
  const served = await openRuntimeBackend(haft, { info: { name: "t", version: "1" } });
  const call = { id: crypto.randomUUID(), tool: "pay", input: { order }, principal, caller: {} };
  return await served.call({ ...call, signal: AbortSignal.timeout(60_000) } as BackendCall);
};

const answer = async (id: string, decision: ApprovalDecision) => {
  const admin = await openLedger(ledger);
  try {
    return await admin.answer(id, decision, { by: "grace" });
  } finally {
    await admin.end();
  }
};

it("repeats no approval request after a restart, and makes the call once it is approved", async () => {
  const first = await callInNewGateway("A-17");
  expect((await callInNewGateway("A-17")).pending?.id).toBe(first.pending!.id);
  expect(await answer(first.pending!.id, { kind: "allow" })).toBe("answered");
  expect(await callInNewGateway("A-17")).toMatchObject({ ok: true, text: "paid A-17" });
  expect(paid).toEqual(["A-17"]);
  expect((await callInNewGateway("A-17")).pending?.id).not.toBe(first.pending!.id);
});

it("reports a denial once after a restart", async () => {
  const first = await callInNewGateway("A-17");
  await answer(first.pending!.id, { kind: "deny", reason: "not this one" });
  expect((await callInNewGateway("A-17")).text).toContain("not this one");
  expect((await callInNewGateway("A-17")).pending).toBeDefined();
  expect(paid).toEqual([]);
});

it("applies an approval only to the same caller with the same arguments", async () => {
  const first = await callInNewGateway("A-17");
  await answer(first.pending!.id, { kind: "allow" });
  expect((await callInNewGateway("A-18")).pending).toBeDefined();
  expect((await callInNewGateway("A-17", { ...ada, user: "eve" })).pending).toBeDefined();
  expect(paid).toEqual([]);
});

it("does not use the pending call of a session", async () => {
  await using haft = await Haft.open({ tools: [pay], ledger, principal: ada });
  const session = haft.session({ id: "chat-7" });
  await session.turn([{ id: "c1", tool: "pay", input: { order: "A-17" } }]);
  const [waiting] = await session.pending();
  const inSession = { ...ada, session: "chat-7" };
  expect((await callInNewGateway("A-17", inSession)).pending?.id).not.toBe(waiting!.id);
});
