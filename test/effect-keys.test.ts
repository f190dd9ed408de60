import { type AnyTool, Haft, type HaftOptions, type Principal, tool } from "haft";
import { openLedger } from "haft/ledger";
import { afterEach, describe, expect, it } from "vitest";
import { useSqliteFolder } from "./kit/use-sqlite-folder.ts";
import { waitFor } from "./kit/wait-for.ts";

const { fresh } = useSqliteFolder();
const allowed: Principal = { agent: "clerk", tenant: "acme", allow: ["*"] };
const input = {
  type: "object",
  properties: { order: { type: "string" }, euros: { type: "number", default: 10 } },
  required: ["order"],
} as const;

let opened: Haft[] = [];
afterEach(async () => {
  for (const haft of opened) await haft.close();
  opened = [];
});

const open = async (options: HaftOptions): Promise<Haft> => {
  const haft = (await Haft.open({ principal: allowed, ...options } as never)) as Haft;
  opened.push(haft);
  return haft;
};

const refundWith = (
  more: object,
  run: (order: string) => unknown = (order) => ({ receipt: order }),
): AnyTool =>
  tool({
    name: "refund",
    description: "Refunds an order",
    input,
    key: ({ order }: { readonly order: string }) => order,
    run: ({ order }: { readonly order: string }) => run(order),
    ...more,
  } as never) as AnyTool;

/** A tool that counts its effects. */
const refunds = (more: object = {}) => {
  const paid: string[] = [];
  const refund = refundWith(more, (order) => {
    paid.push(order);
    return { receipt: `r-${paid.length}` };
  });
  return { refund, paid };
};

/** A ledger with a call of `refund` that paid, and whose process ended before the result was recorded. */
const afterCrash = async (order = "7") => {
  const place = `sqlite:${fresh()}`;
  const ledger = await openLedger(place);
  let isPaid = false;
  const refund = refundWith({}, () => {
    isPaid = true;
    return new Promise(() => {});
  });
  const dead = (await Haft.open({ tools: [refund], principal: allowed, ledger: ledger.store })) as Haft;
  dead.call("refund", { order }).catch(() => {});
  await waitFor(() => expect(isPaid).toBe(true));
  await ledger.end();
  return place;
};

describe.each(["memory", "sqlite"] as const)("the key of a tool with a ledger in %s", (kind) => {
  const place = () => (kind === "memory" ? "memory" : `sqlite:${fresh()}`);

  it("a second call from another conversation gets the recorded result and does not run", async () => {
    const { refund, paid } = refunds();
    const haft = await open({ tools: [refund], ledger: place() });
    const first = await haft.call("refund", { order: "7" });
    const other = haft.as({ ...allowed, agent: "another", user: "ada", session: "s-2" });
    expect(await other.call("refund", { order: "7", euros: 10 })).toEqual(first);
    expect(await haft.call("refund", { order: "8" })).toEqual({ receipt: "r-2" });
    expect(paid).toEqual(["7", "8"]);
  });

  it("callers of another tenant have keys of their own, unless the scope is global", async () => {
    for (const [scope, effects] of [
      ["tenant", 2],
      ["global", 1],
    ] as const) {
      const { refund, paid } = refunds({ key: { of: ({ order }: { order: string }) => order, scope } });
      const haft = await open({ tools: [refund], ledger: place() });
      await haft.call("refund", { order: "7" });
      await haft.as({ ...allowed, tenant: "other" }).call("refund", { order: "7" });
      expect(paid).toHaveLength(effects);
    }
  });

  it("other arguments under the same key fail with key_reused", async () => {
    const { refund, paid } = refunds();
    const haft = await open({ tools: [refund], ledger: place() });
    await haft.call("refund", { order: "7" });
    const [reply] = await haft.turn([{ id: "c", tool: "refund", input: { order: "7", euros: 99 } }]);
    expect(reply?.failure).toMatchObject({ code: "key_reused", ran: false });
    expect(reply?.text).toMatch(/made before with other arguments/);
    expect(reply?.text).not.toMatch(/entry-|haft /);
    expect(paid).toEqual(["7"]);
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("no order");
      },
    ],
    ["returns an empty string", () => " "],
    ["returns no string", () => 7],
    ["is asynchronous and fails", async () => Promise.reject(new Error("no order"))],
  ])("a key function that %s refuses the call", async (_, of) => {
    const { refund, paid } = refunds({ key: of });
    const haft = await open({ tools: [refund], ledger: place() });
    const [reply] = await haft.turn([{ id: "c", tool: "refund", input: { order: "7" } }]);
    expect(reply?.failure).toMatchObject({
      code: "key_failed",
      ran: false,
      message: expect.stringContaining('"refund"'),
    });
    expect(reply?.text).not.toContain("key");
    expect(paid).toEqual([]);
  });

  it("calls of one turn at the same time run once", async () => {
    const { refund, paid } = refunds();
    const haft = await open({ tools: [refund], ledger: place() });
    const calls = ["a", "b", "c"].map((id) => ({ id, tool: "refund", input: { order: "7" } }));
    const replies = await haft.turn(calls);
    expect(paid).toEqual(["7"]);
    for (const { ok, failure } of replies) if (!ok) expect(failure?.code).toBe("still_running");
  });

  it("a denied call uses no key, and deny rules come before replay", async () => {
    const { refund, paid } = refunds();
    const when = { type: "object", properties: { order: { const: "7" } } } as const;
    const rule = { id: "not-seven", effect: "deny", tools: ["refund"], agents: ["denied"], when } as const;
    const policy = { rules: [rule, { effect: "allow", tools: ["*"] } as const] };
    const haft = await open({ tools: [refund], ledger: place(), policy });
    const denied = haft.as({ ...allowed, agent: "denied" });
    await expect(denied.call("refund", { order: "7" })).rejects.toMatchObject({ code: "denied" });
    await haft.call("refund", { order: "7" });
    await expect(denied.call("refund", { order: "7" })).rejects.toMatchObject({ code: "denied" });
    const blind = haft.as({ ...allowed, agent: "blind", allow: ["other"] });
    await expect(blind.call("refund", { order: "7" })).rejects.toMatchObject({ code: "not_visible" });
    expect(paid).toEqual(["7"]);
  });

  it("a replay requires no approval, and a denied call frees its key", async () => {
    const { refund, paid } = refunds({ requiresApproval: true });
    const answers = ["deny", "allow"] as const;
    let asked = 0;
    const approver = () => ({ kind: answers[asked++] ?? "deny" });
    const haft = await open({ tools: [refund], ledger: place(), approver: approver as never });
    await expect(haft.call("refund", { order: "7" })).rejects.toMatchObject({ code: "approval_denied" });
    await haft.call("refund", { order: "7" });
    await haft.call("refund", { order: "7" });
    expect([asked, paid]).toEqual([2, ["7"]]);
  });

  it("an edit by an approver claims the key of the edited arguments", async () => {
    const { refund, paid } = refunds({ requiresApproval: true });
    const approver = () => ({ kind: "edit", input: { order: "8" } }) as const;
    const haft = await open({ tools: [refund], ledger: place(), approver });
    const first = await haft.call("refund", { order: "7" });
    expect(await haft.call("refund", { order: "8" })).toEqual(first);
    expect(paid).toEqual(["8"]);
    await haft.call("refund", { order: "7" }).catch(() => {});
    expect(paid).toEqual(["8"]);
  });

  it("an edit to arguments that were used before replays their result, and frees the first key", async () => {
    const { refund, paid } = refunds({ requiresApproval: true });
    const answers = [{ kind: "allow" }, { kind: "edit", input: { order: "8" } }, { kind: "allow" }] as const;
    let asked = 0;
    const approver = () => answers[asked++] as never;
    const haft = await open({ tools: [refund], ledger: place(), approver });
    const first = await haft.call("refund", { order: "8" });
    expect(await haft.call("refund", { order: "7" })).toEqual(first);
    expect(paid).toEqual(["8"]);
    expect(await haft.call("refund", { order: "7" })).toEqual({ receipt: "r-2" });
    expect([asked, paid]).toEqual([3, ["8", "7"]]);
  });

  it("arguments that a layer changes have the key of the changed arguments", async () => {
    const paid: string[] = [];
    const toEight = Object.assign(
      (next: (call: object) => unknown) => (call: object) =>
        next({ ...call, input: { order: "8", euros: 10 } }),
      { label: "to eight" },
    );
    const refund = refundWith({ layers: [toEight] }, (order) => paid.push(order));
    const haft = await open({ tools: [refund], ledger: place() });
    await haft.call("refund", { order: "7" });
    await haft.call("refund", { order: "9" });
    expect(paid).toEqual(["8"]);
  });

  it("a failure after the code started keeps the key until reconcile says that nothing happened", async () => {
    let fails = true;
    const paid: string[] = [];
    const run = (order: string) => {
      if (fails) throw new Error("the bank does not answer");
      return paid.push(order);
    };
    let answer: unknown;
    const haft = await open({ tools: [refundWith({ reconcile: () => answer }, run)], ledger: place() });
    await expect(haft.call("refund", { order: "7" })).rejects.toMatchObject({ code: "failed" });
    fails = false;
    await expect(haft.call("refund", { order: "7" })).rejects.toMatchObject({ code: "failed" });
    expect(paid).toEqual([]);
    answer = { tookEffect: false };
    await haft.call("refund", { order: "7" });
    expect(paid).toEqual(["7"]);
  });
});

describe("a key whose first call is running, pending or unknown", () => {
  it("reports that the first call is running", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const paid: string[] = [];
    const refund = refundWith({}, async (order) => {
      paid.push(order);
      await promise;
      return "done";
    });
    const haft = await open({ tools: [refund], ledger: `sqlite:${fresh()}` });
    const first = haft.call("refund", { order: "7" });
    await waitFor(() => expect(paid).toHaveLength(1));
    await expect(haft.call("refund", { order: "7" })).rejects.toMatchObject({ code: "still_running" });
    resolve();
    expect(await first).toBe("done");
  });

  it("reports that the first call is pending", async () => {
    const { refund, paid } = refunds({ requiresApproval: true });
    const haft = await open({ tools: [refund], ledger: `sqlite:${fresh()}` });
    const turn = async (id: string) => (await haft.turn([{ id, tool: "refund", input: { order: "7" } }]))[0];
    const first = await turn("1");
    const second = await turn("2");
    expect(second).toMatchObject({ ok: false, failure: { code: "key_pending", ran: false } });
    const { entryId = "", runId = "" } = (await haft.log())[0] ?? {};
    expect(second?.failure?.detail).toMatch(new RegExp(`${entryId} .*haft resume ${runId} --ledger `));
    expect(second?.text).not.toContain("haft ");
    expect(second?.pending).toBeUndefined();
    await haft.resume(first!.pending!.id, { kind: "allow" });
    expect((await turn("3"))?.value).toEqual({ receipt: "r-1" });
    expect(paid).toEqual(["7"]);
  });

  it("is free again when the approval request of its call expired", async () => {
    const { refund, paid } = refunds({ requiresApproval: true });
    const approvals = { expireAfterMs: 50 };
    const haft = await open({ tools: [refund], ledger: `sqlite:${fresh()}`, approvals });
    const turn = async () => (await haft.turn([{ id: "c", tool: "refund", input: { order: "7" } }]))[0];
    const first = await turn();
    const second = await waitFor(async () => {
      const reply = await turn();
      expect(reply?.pending).toBeDefined();
      return reply;
    });
    expect(second?.pending?.id).not.toBe(first?.pending?.id);
    const late = await haft.resume(first!.pending!.id, { kind: "allow" }).catch((error: unknown) => error);
    expect(late).not.toMatchObject({ ok: true });
    expect(paid).toEqual([]);
  });

  it("does not pay again after a crash, and gives ids and the settle command only to the operator", async () => {
    const { refund, paid } = refunds();
    const ledger = await afterCrash();
    const haft = await open({ tools: [refund], ledger });
    const [reply] = await haft.turn([{ id: "c", tool: "refund", input: { order: "7" } }]);
    expect(reply?.failure).toMatchObject({
      code: "outcome_unknown",
      detail: expect.stringMatching(/haft settle \S+ --ledger sqlite:\S+ --took-effect/),
    });
    expect(reply?.text).not.toMatch(/entry-|haft settle/);
    expect(paid).toEqual([]);
  });

  it("replays the result of a settlement, or a plain text if it has none", async () => {
    for (const [result, expected] of [
      [{ receipt: "r-7" }, { receipt: "r-7" }],
      [undefined, "Already done: this call was made before and took effect."],
    ]) {
      const { refund, paid } = refunds();
      const haft = await open({ tools: [refund], ledger: await afterCrash() });
      const [unknown] = await haft.log({ ending: "unknown" });
      const settled = await haft.settle(unknown!.entryId, {
        tookEffect: true,
        result,
        by: "grace",
        reason: "asked the bank",
      });
      expect(settled.settlement).toMatchObject({ tookEffect: true, by: "grace", reason: "asked the bank" });
      expect(await haft.call("refund", { order: "7" })).toEqual(expected);
      expect(paid).toEqual([]);
    }
  });

  it("a tool with an output schema fails with already_done if the settlement has no result", async () => {
    const { refund, paid } = refunds({
      output: { type: "object", properties: { receipt: { type: "string" } }, required: ["receipt"] },
    });
    const haft = await open({ tools: [refund], ledger: await afterCrash() });
    const [unknown] = await haft.log({ ending: "unknown" });
    await expect(haft.settle(unknown!.entryId, { tookEffect: true, result: "paid" })).rejects.toMatchObject({
      code: "invalid_config",
    });
    await haft.settle(unknown!.callId, { tookEffect: true });
    await expect(haft.call("refund", { order: "7" })).rejects.toMatchObject({ code: "already_done" });
    expect(paid).toEqual([]);
  });

  it("a call that did not take effect is made again, and is settled only once", async () => {
    const { refund, paid } = refunds();
    const haft = await open({ tools: [refund], ledger: await afterCrash() });
    const [unknown] = await haft.log({ ending: "unknown" });
    await haft.settle(unknown!.entryId, { tookEffect: false, reason: "not in the bank's list" });
    await expect(haft.settle(unknown!.entryId, { tookEffect: true })).rejects.toMatchObject({
      code: "not_settled",
    });
    expect(await haft.call("refund", { order: "7" })).toEqual({ receipt: "r-1" });
    expect(paid).toEqual(["7"]);
  });

  it("calls reconcile before the next call, and stays unknown if reconcile throws or returns nothing", async () => {
    const ledger = await afterCrash();
    const asked: unknown[] = [];
    let answer: () => unknown = () => undefined;
    const reconcile = (given: unknown, context: object) => {
      asked.push([given, Object.keys(context).includes("idempotencyKey")]);
      return answer();
    };
    const { refund, paid } = refunds({ reconcile });
    const haft = await open({ tools: [refund], ledger });
    const call = () => haft.call("refund", { order: "7" });
    await expect(call()).rejects.toMatchObject({ code: "outcome_unknown" });
    answer = () => {
      throw new Error("the bank does not answer");
    };
    await expect(call()).rejects.toMatchObject({ code: "outcome_unknown" });
    await expect(haft.settle((await haft.log({ ending: "unknown" }))[0]!.entryId)).rejects.toMatchObject({
      code: "not_settled",
    });
    answer = () => Promise.resolve({ tookEffect: true, output: { receipt: "from the bank" } });
    expect(await call()).toEqual({ receipt: "from the bank" });
    expect([asked[0], asked.length, paid]).toEqual([[{ order: "7", euros: 10 }, true], 4, []]);
    const [settled] = await haft.log({ tool: "refund", limit: 4 });
    expect((await haft.log()).find(({ settlement }) => settlement !== undefined)).toMatchObject({
      settlement: { by: "reconcile" },
    });
    expect(settled).toBeDefined();
  });

  it("haft.settle without a finding calls reconcile", async () => {
    const { refund } = refunds({ reconcile: () => ({ tookEffect: false }) });
    const haft = await open({ tools: [refund], ledger: await afterCrash() });
    const [unknown] = await haft.log({ ending: "unknown" });
    expect(await haft.settle(unknown!.entryId)).toMatchObject({
      ending: "failed",
      settlement: { tookEffect: false, by: "reconcile" },
    });
  });
});

describe("the definition of a key", () => {
  const constant = (): string => "k";

  it.each([
    [{ key: "order" }, /`key` that is "order"; it must be a function/],
    [{ key: { scope: "tenant" } }, /`key` without `of/],
    [{ key: { of: constant, scope: "world" } }, /`key\.scope`.*one of "tenant", "user", "agent", "global"/],
    [{ key: { of: constant, retention: "soon" } }, /`key\.retention` that is not a duration/],
    [{ key: { of: constant, ttl: 1 } }, /`key\.ttl`/],
    [{ reconcile: true }, /`reconcile`.*a function/],
  ])("refuses %j", (more, why) => {
    expect(() => refundWith(more)).toThrow(why);
  });

  it("survives layers and another name", () => {
    const renamed = refundWith({}).withName("pay_back").layer();
    expect(renamed.key).toMatchObject({ scope: "tenant", retentionMs: 30 * 86_400_000 });
  });
});
