import { describe, expect, it } from "vitest";
import type { KeyClaim, SettlementRequest } from "../../../src/types/ledger.ts";
import {
  type CreateLedgerStore,
  createClosing,
  createKeyClaim,
  createOpening,
  ledgerSecret,
  runLedgerEffect,
} from "./ledger-fixtures.ts";

const dayMs = 86_400_000;
const effectScope = { scope: "tenant", retentionMs: 30 * dayMs } as const;

/** Idempotency keys of tools, and settlements of calls whose effect is unknown. */
export const effectKeysContract = (name: string, make: CreateLedgerStore): void => {
  const begin = async () => {
    const store = await make();
    const begun = new Set<string>();
    return {
      store,
      open: (...ids: readonly string[]) =>
        Promise.all(ids.map((id) => runLedgerEffect(store.open(createOpening(id))))),
      reserve: (key: string, id: string, more?: Partial<KeyClaim>) =>
        runLedgerEffect(
          store.reserve(createKeyClaim(key, id, { effect: effectScope, at: Date.now(), ...more })),
        ),
      settle: (entryId: string, more: Partial<SettlementRequest> = {}) =>
        runLedgerEffect(store.settle({ entryId, tookEffect: true, by: "grace", ...more })),
      /** Opens an entry and gives up its run while the code runs. */
      lose: async (id: string, key?: string) => {
        const runId = `run-of-${id}`;
        begun.add(runId);
        const start = { runId, agent: "tester", principal: undefined, messages: [], at: 1_000 };
        const epoch = await runLedgerEffect(store.runs.begin(start));
        await runLedgerEffect(store.open(createOpening(id, { runId, epoch })));
        if (key !== undefined)
          await runLedgerEffect(
            store.reserve(createKeyClaim(key, id, { effect: effectScope, epoch, at: Date.now() })),
          );
        expect(await runLedgerEffect(store.runs.cancel(runId, "tester", 2_000))).toBe("given-up");
      },
    };
  };

  describe(`${name} idempotency keys of tools`, () => {
    it("callers of one tenant share a key of a tool, callers of two tenants do not", async () => {
      const { open, reserve } = await begin();
      await open("1", "2", "3");
      expect(await reserve("k", "1", { tenant: "acme", agent: "one", user: "ada" })).toEqual({
        kind: "fresh",
      });
      expect(await reserve("k", "2", { tenant: "acme", agent: "two" })).toMatchObject({
        kind: "known",
        entryId: "1",
      });
      expect(await reserve("k", "3", { tenant: "other" })).toEqual({ kind: "fresh" });
    });

    it.each([
      ["user", { user: "ada" }, { user: "ada", agent: "two" }, { user: "bob" }],
      ["agent", { agent: "one" }, { agent: "one", user: "ada" }, { agent: "two" }],
    ] as const)("the scope %s separates callers of one tenant", async (scope, first, same, other) => {
      const { open, reserve } = await begin();
      await open("1", "2", "3");
      const scoped = { effect: { ...effectScope, scope }, tenant: "acme" };
      await reserve("k", "1", { ...scoped, ...first });
      expect(await reserve("k", "2", { ...scoped, ...same })).toMatchObject({ kind: "known" });
      expect(await reserve("k", "3", { ...scoped, ...other })).toEqual({ kind: "fresh" });
    });

    it("the scope global is shared by all tenants", async () => {
      const { open, reserve } = await begin();
      await open("1", "2");
      const global = { effect: { ...effectScope, scope: "global" } } as const;
      await reserve("k", "1", { ...global, tenant: "acme" });
      expect(await reserve("k", "2", { ...global, tenant: "other" })).toMatchObject({ kind: "known" });
    });

    it("a tool's key is separate from a caller's own key and from another tool's key", async () => {
      const { open, reserve } = await begin();
      await open("1", "2", "3");
      await reserve("k", "1");
      expect(await reserve("k", "2", { effect: undefined })).toEqual({ kind: "fresh" });
      expect(await reserve("k", "3", { tool: "ns/other" })).toEqual({ kind: "fresh" });
    });

    it("other arguments under a key are refused, with the call that has it", async () => {
      const { open, reserve } = await begin();
      await open("1", "2");
      await reserve("k", "1");
      expect(await reserve("k", "2", { inputHash: "other" })).toEqual({ kind: "other", entryId: "1" });
    });

    it("a call that claims another key for edited arguments frees its first key", async () => {
      const { open, reserve } = await begin();
      await open("1", "2", "3");
      await reserve("k", "1");
      expect(await reserve("edited", "1", { inputHash: "other" })).toEqual({ kind: "fresh" });
      expect(await reserve("k", "2")).toEqual({ kind: "fresh" });
      expect(await reserve("edited", "3", { inputHash: "other" })).toMatchObject({
        kind: "known",
        entryId: "1",
      });
    });

    it("a call whose edited arguments have the key of another call frees its first key", async () => {
      const { open, reserve } = await begin();
      await open("1", "2", "3", "4");
      await reserve("taken", "1");
      await reserve("k", "2");
      expect(await reserve("taken", "2")).toMatchObject({ kind: "known", entryId: "1" });
      expect(await reserve("k", "3")).toEqual({ kind: "fresh" });
      expect(await reserve("taken", "3", { inputHash: "other" })).toEqual({ kind: "other", entryId: "1" });
      expect(await reserve("k", "4")).toEqual({ kind: "fresh" });
    });

    it("a call may edit its arguments under the same key", async () => {
      const { open, reserve } = await begin();
      await open("1", "2");
      await reserve("k", "1");
      expect(await reserve("k", "1", { inputHash: "edited" })).toEqual({ kind: "fresh" });
      expect(await reserve("k", "2", { inputHash: "edited" })).toMatchObject({ kind: "known" });
    });

    it("a key is free after its retention, and not while its call runs", async () => {
      const { store, open, reserve } = await begin();
      await open("1", "2", "3");
      await reserve("k", "1");
      const later = Date.now() + 31 * dayMs;
      expect(await reserve("k", "2", { at: later })).toMatchObject({ kind: "known", ending: "open" });
      await runLedgerEffect(store.close(createClosing("1", { ran: true })));
      expect(await reserve("k", "2", { at: Date.now() + 29 * dayMs })).toMatchObject({ kind: "known" });
      expect(await reserve("k", "2", { at: later })).toEqual({ kind: "fresh" });
      expect(await reserve("k", "3", { at: later })).toMatchObject({ kind: "known", entryId: "2" });
    });

    it("the key of an unknown call does not expire before the call is settled", async () => {
      const { open, lose, reserve, settle } = await begin();
      await lose("1", "k");
      await open("2");
      const later = Date.now() + 31 * dayMs;
      expect(await reserve("k", "2", { at: later })).toEqual({
        kind: "known",
        entryId: "1",
        ending: "unknown",
      });
      await settle("1");
      expect(await reserve("k", "2", { at: Date.now() + 29 * dayMs })).toMatchObject({ kind: "known" });
      expect(await reserve("k", "2", { at: Date.now() + 31 * dayMs })).toEqual({ kind: "fresh" });
    });
  });

  describe(`${name} settles calls`, () => {
    it("a call that took effect keeps its key and gets its result", async () => {
      const { store, open, lose, reserve, settle } = await begin();
      await lose("1", "k");
      const settled = await settle("1", { result: '{"receipt":"r-1"}', reason: "in the bank's list" });
      const settlement = { tookEffect: true, by: "grace", reason: "in the bank's list" };
      expect(settled).toMatchObject({ kind: "done", entry: { ending: "executed", ran: true, settlement } });
      await open("2");
      expect(await reserve("k", "2")).toEqual({ kind: "known", entryId: "1", ending: "executed" });
      expect(await runLedgerEffect(store.recall("1"))).toMatchObject({
        result: '{"receipt":"r-1"}',
        entry: { settlement },
      });
    });

    it("a call that did not take effect frees its key", async () => {
      const { open, lose, reserve, settle } = await begin();
      await lose("1", "k");
      const settled = await settle("1", { tookEffect: false });
      expect(settled).toMatchObject({
        kind: "done",
        entry: { ending: "failed", code: "did_not_run", ran: false, settlement: { tookEffect: false } },
      });
      await open("2");
      expect(await reserve("k", "2")).toEqual({ kind: "fresh" });
    });

    it("a call that failed after its code started can be settled too", async () => {
      const { store, open, reserve, settle } = await begin();
      await open("1", "2");
      await reserve("k", "1");
      const attempts = [{ number: 1, startedAt: 1, inputHash: "h", ending: "unknown", ran: true } as const];
      await runLedgerEffect(
        store.close(createClosing("1", { ending: "failed", code: "timed_out", ran: true, attempts })),
      );
      expect(await settle("1", { tookEffect: false })).toMatchObject({ kind: "done", entry: { attempts } });
      expect(await reserve("k", "2")).toEqual({ kind: "fresh" });
    });

    it("a call is settled once", async () => {
      const { store, lose, settle } = await begin();
      await lose("1");
      const all = await Promise.all([settle("1"), settle("1", { tookEffect: false }), settle("1")]);
      expect(all.map(({ kind }) => kind).sort()).toEqual(["done", "settled", "settled"]);
      const settled = all.find((each) => each.kind === "done");
      expect(await runLedgerEffect(store.entries({ entryId: "1" }))).toMatchObject([settled?.entry]);
    });

    it("running, pending, known and missing calls are not settled", async () => {
      const { store, open, settle } = await begin();
      await open("1", "2", "3", "4");
      await runLedgerEffect(store.close(createClosing("2", { ending: "pending", result: undefined })));
      await runLedgerEffect(store.close(createClosing("3", { ran: true })));
      await runLedgerEffect(
        store.close(createClosing("4", { ending: "failed", code: "denied", ran: false })),
      );
      const kinds = ["1", "2", "3", "4", "5"].map(async (id) => (await settle(id)).kind);
      expect(await Promise.all(kinds)).toEqual(["running", "pending", "known", "known", "missing"]);
      expect(await runLedgerEffect(store.entries({ entryId: "1" }))).toMatchObject([{ ending: "open" }]);
    });

    it("secrets of a settlement are masked in the row, and the exact result is kept", async () => {
      const { store, lose, settle } = await begin();
      await lose("1", "k");
      const result = JSON.stringify({ note: ledgerSecret });
      await settle("1", { result, reason: `seen with ${ledgerSecret}` });
      const [entry] = await runLedgerEffect(store.entries({ entryId: "1" }));
      expect(JSON.stringify(entry)).not.toContain(ledgerSecret);
      expect((await runLedgerEffect(store.recall("1")))?.result).toBe(result);
    });
  });
};
