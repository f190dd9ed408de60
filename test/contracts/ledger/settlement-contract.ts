import { describe, expect, it } from "vitest";
import type { DurableUnderTest } from "./durable-contract.ts";
import { createClosing, createKeyClaim, createOpening, runLedgerEffect } from "./ledger-fixtures.ts";

const dayMs = 86_400_000;
const farFuture = Date.now() + 1_000_000;
const createEffectClaim = (key: string, entryId: string, retentionMs = 30 * dayMs) =>
  createKeyClaim(key, entryId, { effect: { scope: "tenant", retentionMs }, at: Date.now() });

/** Idempotency keys and settlements of a durable ledger. */
export const settlementContract = (name: string, make: () => Promise<DurableUnderTest>): void => {
  describe(`${name} settles calls of processes that died`, () => {
    it("refuses a call that a live process runs, and settles it once the process is dead", async () => {
      const { ledger, another, afterDeath } = await make();
      await runLedgerEffect(ledger.open(createOpening("1")));
      await runLedgerEffect(ledger.reserve(createEffectClaim("k", "1")));
      const other = await another();
      const request = { entryId: "1", tookEffect: true, by: "grace", result: '"paid"' };
      expect(await runLedgerEffect(other.settle(request))).toEqual({ kind: "running" });
      await afterDeath();
      const next = await another();
      expect(await runLedgerEffect(next.settle(request))).toMatchObject({
        kind: "done",
        entry: { ending: "executed" },
      });
      await runLedgerEffect(next.open(createOpening("2")));
      expect(await runLedgerEffect(next.reserve(createEffectClaim("k", "2")))).toMatchObject({
        kind: "known",
        ending: "executed",
      });
      expect(await runLedgerEffect(next.verify())).toMatchObject({ ok: true });
    });

    it("finds calls that may have taken effect: unknown, of dead processes, and settled as such", async () => {
      const { ledger, another, afterDeath } = await make();
      const close = (id: string, more: Parameters<typeof createClosing>[1]) =>
        runLedgerEffect(ledger.close(createClosing(id, { result: undefined, ...more })));
      for (const id of ["done", "unknown", "took effect", "did not", "lost"])
        await runLedgerEffect(ledger.open(createOpening(id)));
      await close("done", {});
      for (const id of ["unknown", "took effect", "did not"]) await close(id, { ending: "unknown" });
      await runLedgerEffect(ledger.settle({ entryId: "took effect", tookEffect: true, by: "grace" }));
      await runLedgerEffect(ledger.settle({ entryId: "did not", tookEffect: false, by: "grace" }));
      const find = async (store: typeof ledger, more = {}) =>
        (await runLedgerEffect(store.entries({ mayHaveTakenEffect: true, ...more }))).map(
          ({ entryId, ending }) => [entryId, ending],
        );
      const alive = [
        ["unknown", "unknown"],
        ["took effect", "executed"],
      ];
      expect(await find(ledger)).toEqual(alive);
      expect(await find(ledger, { tool: "work", agent: "tester", since: 0 })).toEqual(alive);
      expect(await find(ledger, { agent: "another" })).toEqual([]);
      expect(
        (await runLedgerEffect(ledger.entries({ ending: "executed" }))).map(({ entryId }) => entryId),
      ).toEqual(["done", "took effect"]);
      await afterDeath();
      expect(await find(await another())).toEqual([...alive, ["lost", "unknown"]]);
    });

    it("a settlement is part of the chain, and a changed one is detected", async () => {
      const { ledger, tamper } = await make();
      await runLedgerEffect(ledger.open(createOpening("1")));
      await runLedgerEffect(
        ledger.close(createClosing("1", { ending: "failed", code: "failed", ran: true })),
      );
      await runLedgerEffect(
        ledger.settle({ entryId: "1", tookEffect: false, by: "grace", reason: "asked the bank" }),
      );
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
      const rows = await runLedgerEffect(ledger.rows({ entryId: "1" }));
      expect(rows.at(-1)).toMatchObject({
        kind: "closed",
        body: { settlement: { tookEffect: false, by: "grace", reason: "asked the bank" } },
      });
      await tamper(
        `UPDATE haft_records SET body = replace(body, 'grace', 'mallory') WHERE seq = ${rows.at(-1)?.seq}`,
      );
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({
        ok: false,
        broken: { seq: rows.at(-1)?.seq },
      });
    });
  });

  describe(`${name} keeps keys of tools until their retention ends`, () => {
    it("pruning keeps a call as long as its key is in its retention", async () => {
      const { ledger } = await make();
      for (const id of ["1", "2", "3"]) {
        await runLedgerEffect(ledger.open(createOpening(id)));
        if (id === "2") await runLedgerEffect(ledger.reserve(createEffectClaim("k", id)));
        await runLedgerEffect(ledger.close(createClosing(id, { ran: true })));
      }
      expect(await runLedgerEffect(ledger.prune(farFuture))).toMatchObject({ entries: 1, isComplete: true });
      expect((await runLedgerEffect(ledger.entries())).map(({ entryId }) => entryId)).toEqual(["2", "3"]);
      await runLedgerEffect(ledger.open(createOpening("4")));
      expect(await runLedgerEffect(ledger.reserve(createEffectClaim("k", "4")))).toMatchObject({
        kind: "known",
        entryId: "2",
      });
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
    });

    it.each(["tool", "caller"])(
      "pruning keeps an unknown call with a key of the %s until it is settled",
      async (owner) => {
        const { ledger } = await make();
        const claim = (id: string) =>
          owner === "tool" ? createEffectClaim("k", id, 1) : createKeyClaim("k", id);
        await runLedgerEffect(ledger.open(createOpening("1")));
        await runLedgerEffect(ledger.reserve(claim("1")));
        await runLedgerEffect(ledger.close(createClosing("1", { ending: "unknown", result: undefined })));
        const at = Date.now() + dayMs;
        expect(await runLedgerEffect(ledger.prune(farFuture))).toMatchObject({ entries: 0 });
        await runLedgerEffect(ledger.open(createOpening("2")));
        expect(await runLedgerEffect(ledger.reserve({ ...claim("2"), at }))).toMatchObject({
          kind: "known",
          entryId: "1",
        });
        await runLedgerEffect(ledger.close(createClosing("2")));
        await runLedgerEffect(ledger.settle({ entryId: "1", tookEffect: false, by: "grace" }));
        expect(await runLedgerEffect(ledger.prune(farFuture))).toMatchObject({ entries: 2 });
        expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
      },
    );

    it("pruning drops a call whose key is past its retention", async () => {
      const { ledger } = await make();
      await runLedgerEffect(ledger.open(createOpening("1")));
      await runLedgerEffect(ledger.reserve(createEffectClaim("k", "1", 1)));
      await runLedgerEffect(ledger.close(createClosing("1", { ran: true })));
      const later = createKeyClaim("k", "2", {
        effect: { scope: "tenant", retentionMs: 1 },
        at: Date.now() + dayMs,
      });
      await runLedgerEffect(ledger.open(createOpening("2")));
      expect(await runLedgerEffect(ledger.reserve(later))).toEqual({ kind: "fresh" });
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
    });

    it("a key that was released or replaced leaves a ledger that verifies, a deleted one does not", async () => {
      const { ledger, tamper } = await make();
      await runLedgerEffect(ledger.open(createOpening("1")));
      await runLedgerEffect(ledger.reserve(createEffectClaim("first", "1")));
      await runLedgerEffect(ledger.reserve({ ...createEffectClaim("second", "1"), inputHash: "edited" }));
      await runLedgerEffect(
        ledger.reserve({ ...createEffectClaim("second", "1"), inputHash: "edited again" }),
      );
      expect((await runLedgerEffect(ledger.rows({ entryId: "1" }))).map(({ kind }) => kind)).toEqual([
        "opened",
        "keyed",
        "key-released",
        "keyed",
        "key-released",
        "keyed",
      ]);
      await runLedgerEffect(ledger.close(createClosing("1", { ran: true })));
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
      await tamper("UPDATE haft_keys SET retention_ms = 1");
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: false });
      await tamper(`UPDATE haft_keys SET retention_ms = ${30 * dayMs}`);
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
      await tamper("DELETE FROM haft_keys");
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: false });
    });
  });
};
