import { describe, expect, it } from "vitest";
import type { DurableLedger, LedgerProgress } from "../../../src/types/durable-ledger.ts";
import type { DurableUnderTest } from "./durable-contract.ts";
import {
  createApprovalRecord,
  createClosing,
  createKeyClaim,
  createOpening,
  openPendingEntry,
  runLedgerEffect,
} from "./ledger-fixtures.ts";

const farFuture = Date.now() + 1_000_000;
/** More rows than fit in one transaction. */
const manyEntries = 400;

/** The number of event loop turns between each two progress reports. */
const countTurnsBetween = async (
  work: (onProgress: () => void) => Promise<unknown>,
): Promise<readonly number[]> => {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const seen: number[] = [];
  await work(() => seen.push(turns));
  isOver = true;
  return seen.slice(1).map((at, i) => at - seen[i]!);
};

/** Long pruning, also with concurrent work. */
export const pruneContract = (name: string, make: () => Promise<DurableUnderTest>): void => {
  const pair = async (ledger: DurableLedger, id: string): Promise<void> => {
    await runLedgerEffect(ledger.open(createOpening(id)));
    await runLedgerEffect(ledger.close(createClosing(id)));
  };
  const filled = async () => {
    const place = await make();
    await Promise.all(Array.from({ length: manyEntries }, (_, i) => pair(place.ledger, String(i))));
    return place;
  };

  describe(`${name} prunes in batches`, () => {
    it("uses several transactions, records each of them in the chain, and reports progress", async () => {
      const { ledger } = await filled();
      const reported: LedgerProgress[] = [];
      const pruned = await runLedgerEffect(
        ledger.prune(farFuture, { onProgress: (progress) => reported.push(progress) }),
      );
      expect(pruned).toMatchObject({ rows: 2 * manyEntries, entries: manyEntries, isComplete: true });
      expect(reported.length).toBeGreaterThan(1);
      expect(reported.at(-1)).toEqual({ done: 2 * manyEntries, total: 2 * manyEntries });
      expect(reported.map(({ done }) => done)).toEqual(
        reported.map(({ done }) => done).toSorted((a, b) => a - b),
      );
      const rows = await runLedgerEffect(ledger.rows());
      expect(rows.map(({ kind }) => kind)).toEqual(reported.map(() => "pruned"));
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true, rows: reported.length });
    });

    it("leaves a valid ledger when it is stopped, and continues later", async () => {
      const { ledger } = await filled();
      const stop = new AbortController();
      const { rows, isComplete } = await runLedgerEffect(
        ledger.prune(farFuture, { signal: stop.signal, onProgress: () => stop.abort() }),
      );
      expect(isComplete).toBe(false);
      expect(rows).toBeGreaterThan(0);
      expect(rows).toBeLessThan(2 * manyEntries);
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
      const rest = await runLedgerEffect(ledger.prune(farFuture));
      // The row about the first part is old by now and is pruned too.
      expect(rest).toMatchObject({ rows: 2 * manyEntries - rows + 1, isComplete: true });
      expect(await runLedgerEffect(ledger.entries())).toEqual([]);
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
    });

    it("keeps the entries that this store and another write meanwhile", async () => {
      const { ledger, another } = await filled();
      const other = await another();
      let isOver = false;
      let pruning: Promise<unknown> = Promise.resolve();
      // Only entries written after pruning began must stay: everything here is older than `far`.
      await new Promise<void>((begun) => {
        pruning = runLedgerEffect(ledger.prune(farFuture, { onProgress: () => begun() })).finally(() => {
          isOver = true;
        });
      });
      const written: string[] = [];
      for (let i = 0; !isOver; i++) {
        const id = `beside ${i}`;
        await pair(i % 2 === 0 ? ledger : other, id);
        written.push(id);
        expect(await runLedgerEffect(other.verify())).toMatchObject({ ok: true });
      }
      await pruning;
      expect(written).not.toEqual([]);
      const left = (await runLedgerEffect(ledger.entries())).map(({ entryId }) => entryId);
      // Two stores may open calls at the same time, so their order is undefined.
      expect(left.toSorted()).toEqual(written.toSorted());
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
    });

    it("yields to the event loop after every transaction", async () => {
      const { ledger } = await filled();
      const turns = await countTurnsBetween((onProgress) =>
        runLedgerEffect(ledger.prune(farFuture, { onProgress })),
      );
      expect(turns.length).toBeGreaterThan(0);
      for (const between of turns) expect(between).toBeGreaterThan(0);
    });

    it("removes keys of calls that ended before the time, and keeps newer keys", async () => {
      const { ledger } = await make();
      const keyed = async (id: string): Promise<void> => {
        await runLedgerEffect(ledger.open(createOpening(id)));
        await runLedgerEffect(ledger.reserve(createKeyClaim(`key ${id}`, id)));
        await runLedgerEffect(ledger.close(createClosing(id, { ran: true })));
      };
      await keyed("old");
      const cut = Date.now() + 1;
      while (Date.now() < cut) await new Promise((resolve) => setImmediate(resolve));
      await keyed("young");
      expect(await runLedgerEffect(ledger.prune(cut))).toMatchObject({ entries: 1 });
      await runLedgerEffect(ledger.open(createOpening("again")));
      expect(await runLedgerEffect(ledger.reserve(createKeyClaim("key young", "again")))).toMatchObject({
        kind: "known",
        entryId: "young",
      });
      expect(await runLedgerEffect(ledger.reserve(createKeyClaim("key old", "again")))).toEqual({
        kind: "fresh",
      });
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
    });

    it("stops at the first pending request and keeps everything after it", async () => {
      const { ledger } = await filled();
      await openPendingEntry(ledger, createApprovalRecord("a", "waits"));
      await pair(ledger, "behind");
      expect(await runLedgerEffect(ledger.prune(farFuture))).toMatchObject({
        entries: manyEntries,
        isComplete: true,
      });
      expect((await runLedgerEffect(ledger.entries())).map(({ entryId }) => entryId)).toEqual([
        "waits",
        "behind",
      ]);
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
    });
  });

  describe(`${name} verifies in batches`, () => {
    it("reports progress", async () => {
      const { ledger } = await filled();
      const reported: LedgerProgress[] = [];
      await runLedgerEffect(ledger.verify({ onProgress: (progress) => reported.push(progress) }));
      expect(reported.length).toBeGreaterThan(1);
      expect(reported.at(-1)).toEqual({ done: 2 * manyEntries, total: 2 * manyEntries });
    });

    it("yields to the event loop after every page", async () => {
      const { ledger } = await filled();
      const turns = await countTurnsBetween((onProgress) => runLedgerEffect(ledger.verify({ onProgress })));
      expect(turns.length).toBeGreaterThan(0);
      for (const between of turns) expect(between).toBeGreaterThan(0);
    });

    it("detects changed rows and entries on any page", async () => {
      const { ledger, tamper } = await filled();
      const last = 2 * manyEntries;
      await tamper(`UPDATE haft_entries SET tool = 'mallory' WHERE open_seq =
        (SELECT MAX(open_seq) FROM haft_entries)`);
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: false });
      await tamper(`UPDATE haft_entries SET tool = 'work'`);
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true, rows: last });
      await tamper(`UPDATE haft_records SET at = at + 1 WHERE seq = ${last - 1}`);
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: false, broken: { seq: last - 1 } });
    });
  });
};
