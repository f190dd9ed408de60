import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Haft, tool } from "haft";
import { openLedger } from "haft/ledger";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import type { BackendCall } from "../../src/server/gateway/gateway-backend.ts";
import { openRuntimeBackend } from "../../src/server/gateway/runtime-backend.ts";
import { createWaitingCalls } from "../../src/server/gateway/waiting-calls.ts";
import type { Principal } from "../../src/types/principal.ts";
import { waitFor } from "../kit/wait-for.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-asked-again-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const open: Haft[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((haft) => haft.close()));
});

const client: Principal = { agent: "cursor", user: "ada", allow: ["*"] };
let files = 0;
const newLedger = (): string => `sqlite:${join(folder, `${files++}.db`)}`;

const scene = () => {
  const ledger = newLedger();
  const paid: unknown[] = [];
  let hold: Promise<void> | undefined;
  const pay = tool({
    name: "pay",
    description: "Pays an order",
    risk: "high",
    input: { type: "object", properties: { order: { type: "integer" } }, required: ["order"] },
    run: async ({ order }) => {
      paid.push(order);
      await hold;
      return { paid: order };
    },
  });
  const runtime = async (place = ledger): Promise<Haft> => {
    const haft = (await Haft.open({ tools: [pay], principal: client, ledger: place })) as Haft;
    open.push(haft);
    return haft;
  };
  const waiting = createWaitingCalls();
  let count = 0;
  /** A gateway with its own runtime. All gateways of a scene share their pending calls. */
  const gateway = async (place = ledger) => {
    const haft = await runtime(place);
    const served = await openRuntimeBackend(haft, {
      info: { name: "g", version: "1" },
      waitingCalls: waiting,
    });
    const toCall = (order: number, more: Partial<BackendCall>): BackendCall => ({
      id: `call-${count++}`,
      tool: "pay",
      input: { order },
      principal: client,
      caller: {},
      signal: new AbortController().signal,
      ...more,
    });
    const ask = (order: number, more: Partial<BackendCall> = {}) => served.call(toCall(order, more));
    return { haft, served, ask };
  };
  const holdOn = (until: Promise<void>): void => {
    hold = until;
  };
  /** Approves as an operator, and leaves the call to the runtime that resumes it. */
  const approve = async (id: string): Promise<void> => {
    const admin = await openLedger(ledger);
    await admin.answer(id, { kind: "allow" });
    await admin.end();
  };
  return { paid, runtime, gateway, holdOn, approve };
};

describe("a client that repeats a pending call", () => {
  it("receives the result if another runtime made the call, which ran once", async () => {
    const { paid, runtime, gateway } = scene();
    const { ask, haft } = await gateway();
    const { pending } = await ask(1);
    await (await runtime()).resume(pending!.id, { kind: "allow" });
    expect(await ask(1)).toMatchObject({ ok: true, value: { paid: 1 } });
    expect(paid).toEqual([1]);
    expect(await haft.approvals()).toHaveLength(1);
  });

  it("receives the result if its own runtime made the call for another caller", async () => {
    const { paid, gateway } = scene();
    const { ask, haft } = await gateway();
    const { pending } = await ask(1);
    await haft.resume(pending!.id, { kind: "allow" });
    expect(await ask(1)).toMatchObject({ ok: true, value: { paid: 1 } });
    expect(paid).toEqual([1]);
    // The result was returned, so the same call is a new call that requires approval.
    expect((await ask(1)).pending?.id).not.toBe(pending!.id);
    expect(paid).toEqual([1]);
  });

  it("receives the denial of another runtime with its reason", async () => {
    const { paid, runtime, gateway } = scene();
    const { ask, haft } = await gateway();
    const { pending } = await ask(1);
    await (await runtime()).resume(pending!.id, { kind: "deny", reason: "ask the customer first" });
    const reported = await ask(1);
    expect(reported.failure?.code).toBe("approval_denied");
    expect(reported.text).toContain("ask the customer first");
    expect(paid).toEqual([]);
    expect(await haft.approvals()).toHaveLength(1);
  });

  it("receives still_running while another runtime makes the call, and the result afterward", async () => {
    const { paid, runtime, gateway, holdOn } = scene();
    const { ask } = await gateway();
    const { pending } = await ask(1);
    const { promise, resolve } = Promise.withResolvers<void>();
    holdOn(promise);
    const making = (await runtime()).resume(pending!.id, { kind: "allow" });
    await waitFor(() => expect(paid).toEqual([1]));
    expect((await ask(1)).failure?.code).toBe("still_running");
    resolve();
    await making;
    expect(await ask(1)).toMatchObject({ ok: true, value: { paid: 1 } });
    expect(paid).toEqual([1]);
  });

  it("receives the result of the operator's approval if its own user approves later", async () => {
    const { paid, runtime, gateway } = scene();
    const { ask, served } = await gateway();
    const { pending } = await ask(1);
    await (await runtime()).resume(pending!.id, { kind: "allow" });
    const yes = { principal: client, caller: {}, signal: new AbortController().signal, by: "mcp:cursor" };
    expect(await served.resume(pending!.id, { kind: "allow" }, yes)).toMatchObject({ value: { paid: 1 } });
    expect(paid).toEqual([1]);
  });

  it("receives outcome_unknown if the request is no longer on record, and only then a new request", async () => {
    const { paid, gateway } = scene();
    const { pending } = await (await gateway()).ask(1);
    const { ask, haft } = await gateway(newLedger());
    const reported = await ask(1);
    expect(reported.failure?.code).toBe("outcome_unknown");
    expect(reported.text).not.toContain(pending!.id);
    expect(await haft.approvals()).toEqual([]);
    expect((await ask(1)).pending).toBeDefined();
    expect(paid).toEqual([]);
  });

  it("is recognized with other rights, but not as another user or in another session", async () => {
    const { gateway } = scene();
    const { ask } = await gateway();
    const { pending } = await ask(1);
    const stepped = await ask(1, { principal: { ...client, allow: ["pay"], roles: ["clerk"] } });
    expect(stepped.pending?.id).toBe(pending!.id);
    expect((await ask(1, { principal: { ...client, user: "bob" } })).pending?.id).not.toBe(pending!.id);
    expect((await ask(1, { principal: { ...client, session: "desk" } })).pending?.id).not.toBe(pending!.id);
  });
});

describe("when another runtime takes over from the requesting one", () => {
  it("an earlier request is not repeated", async () => {
    const { gateway } = scene();
    const before = await gateway();
    const { pending } = await before.ask(1);
    const after = await gateway();
    await before.haft.close();
    expect((await after.ask(1)).pending?.id).toBe(pending!.id);
    expect(await after.haft.approvals()).toHaveLength(1);
  });

  it.each(["before", "after"])("an approval that was given %s is used once", async (when) => {
    const { paid, gateway, approve } = scene();
    const before = await gateway();
    const { pending } = await before.ask(1);
    if (when === "before") await approve(pending!.id);
    const after = await gateway();
    await before.haft.close();
    if (when === "after") await approve(pending!.id);
    expect(await after.ask(1)).toMatchObject({ ok: true, value: { paid: 1 } });
    expect(paid).toEqual([1]);
  });
});
