import { describe, expect, it } from "vitest";
import type { DurableLedger } from "../../../src/types/durable-ledger.ts";
import type { RunStart } from "../../../src/types/run-store.ts";
import { leasedWrites } from "./fencing-contract.ts";
import { forgeryContract } from "./forgery-contract.ts";
import {
  createApprovalRecord,
  createClosing,
  createKeyClaim,
  createOpening,
  openPendingEntry,
  runLedgerEffect,
  runToLedgerError,
} from "./ledger-fixtures.ts";
import { pruneContract } from "./prune-contract.ts";
import { readingContract } from "./reading-contract.ts";
import { settlementContract } from "./settlement-contract.ts";

/** A durable ledger, and ways to reopen and to modify its storage. */
export interface DurableUnderTest {
  readonly ledger: DurableLedger;
  /** Opens the same place in another store while the first is in use. */
  readonly another: () => Promise<DurableLedger>;
  /** Runs SQL that bypasses the protection of rows. */
  readonly tamper: (sql: string) => Promise<unknown>;
  /** Opens the same place for reading only. */
  readonly reading: () => Promise<DurableLedger>;
  /** Makes the owners of all open work look dead to other stores. */
  readonly afterDeath: () => Promise<void>;
}

/** What an implementation of the contract brings. */
export type DurablePlace = Omit<DurableUnderTest, "afterDeath">;

const farFuture = Date.now() + 1_000_000;

const createRunStart = (runId: string): RunStart => ({
  runId,
  agent: "greeter",
  principal: undefined,
  messages: [{ role: "user", content: "hello" }],
  at: 1_000,
});

/** Makes the owners of all open work look dead to other stores. The owners do not notice. */
const deathWrites = [
  "UPDATE haft_owners SET owner = 'dead-' || owner, pid = 99999999, lease_until = 0",
  "UPDATE haft_entries SET owner = 'dead-' || owner",
  "UPDATE haft_runs SET owner = 'dead-' || owner",
];

/** Contract of ledgers that outlive their process. */
export const durableLedgerContract = (name: string, makePlace: () => Promise<DurablePlace>): void => {
  const make = async (): Promise<DurableUnderTest> => {
    const place = await makePlace();
    const afterDeath = async (): Promise<void> => {
      for (const sql of deathWrites) await place.tamper(sql);
    };
    return { ...place, afterDeath };
  };
  forgeryContract(name, make);
  pruneContract(name, make);
  readingContract(name, make);
  settlementContract(name, make);

  const pair = async (ledger: DurableLedger, id: string): Promise<void> => {
    await runLedgerEffect(ledger.open(createOpening(id)));
    await runLedgerEffect(ledger.close(createClosing(id)));
  };
  const begin = async () => {
    const place = await make();
    const afterDeath = async (): Promise<DurableLedger> => {
      await place.afterDeath();
      return place.another();
    };
    return { ...place, afterDeath };
  };
  const filled = async (count: number) => {
    const place = await begin();
    for (let id = 1; id <= count; id++) await pair(place.ledger, String(id));
    return place;
  };

  describe(`${name} outlives its process`, () => {
    it("marks open calls as unknown after a crash, and keeps ended and pending calls", async () => {
      const { ledger, afterDeath } = await begin();
      await pair(ledger, "over");
      await runLedgerEffect(ledger.open(createOpening("under way")));
      await runLedgerEffect(
        ledger.intend({ entryId: "under way", tool: "work", at: 1_500, full: true, decision: "rule-1" }),
      );
      await openPendingEntry(ledger, createApprovalRecord("a", "waits"));
      const next = await afterDeath();
      const rows = await runLedgerEffect(next.entries());
      expect(rows.map(({ entryId, ending }) => [entryId, ending])).toEqual([
        ["over", "executed"],
        ["under way", "unknown"],
        ["waits", "pending"],
      ]);
      expect(rows[1]?.decision).toBe("rule-1");
      expect((await runLedgerEffect(next.rows({ entryId: "under way" }))).map(({ kind }) => kind)).toEqual([
        "opened",
        "started",
        "lost",
      ]);
      // Nor by the process itself, if it was only suspended.
      for (const store of [next, ledger]) {
        expect(await runToLedgerError(store.reserve(createKeyClaim("k", "under way")))).toMatchObject({
          code: "ledger_unavailable",
        });
        expect(await runToLedgerError(store.close(createClosing("under way")))).toMatchObject({
          code: "ledger_unavailable",
        });
      }
      expect(await runLedgerEffect(next.verify())).toMatchObject({ ok: true });
    });

    it("another live store does not touch open calls", async () => {
      const { ledger, another } = await begin();
      await runLedgerEffect(ledger.open(createOpening("1")));
      const other = await another();
      expect(await runLedgerEffect(other.entries())).toMatchObject([{ ending: "open" }]);
      await runLedgerEffect(ledger.close(createClosing("1")));
      expect(await runLedgerEffect(other.entries())).toMatchObject([{ ending: "executed" }]);
    });

    it("an approval that was taken before a crash is not taken again, and its call is unknown", async () => {
      const { ledger, afterDeath } = await begin();
      await openPendingEntry(ledger, createApprovalRecord("a", "1"));
      await openPendingEntry(ledger, createApprovalRecord("b", "2"));
      for (const id of ["a", "b"]) {
        await runLedgerEffect(ledger.approvals.answer(id, { decision: { kind: "allow" }, at: 2_000 }));
      }
      await runLedgerEffect(ledger.approvals.take("a", 3_000));
      const next = await afterDeath();
      expect(await runLedgerEffect(next.approvals.take("a", 4_000))).toEqual({ kind: "used" });
      expect(await runLedgerEffect(next.entries({ entryId: "1" }))).toMatchObject([{ ending: "unknown" }]);
      expect(await runLedgerEffect(next.approvals.take("b", 4_000))).toMatchObject({ kind: "taken" });
      expect(await runLedgerEffect(next.verify())).toMatchObject({ ok: true });
    });

    it("a run of a dead process can be claimed once, with its messages", async () => {
      const { ledger, another, afterDeath } = await begin();
      await runLedgerEffect(ledger.runs.begin(createRunStart("r")));
      const other = await another();
      expect(await runLedgerEffect(other.runs.claim("r", 2_000))).toBeUndefined();
      await other.end();
      const next = await afterDeath();
      expect(await runLedgerEffect(next.runs.find("r"))).toMatchObject({
        status: "running",
        messages: [{ role: "user", content: "hello" }],
      });
      const epoch = (await runLedgerEffect(next.runs.claim("r", 2_000)))!;
      expect(epoch).toBeGreaterThan(1);
      expect(await runLedgerEffect(next.runs.claim("r", 2_000))).toBeUndefined();
      const step = { runId: "r", messages: [], turns: 1, usage: { inputTokens: 1, outputTokens: 1 } };
      expect(
        await runToLedgerError(ledger.runs.add({ ...step, epoch: 1, agent: "greeter", at: 3_000 })),
      ).toMatchObject({
        code: "claim_lost",
      });
      await runLedgerEffect(next.runs.add({ ...step, epoch, agent: "greeter", at: 3_000 }));
    });

    it.each(Object.entries(leasedWrites))(
      "%s is refused to a process that only seemed dead after another process claimed its run",
      async (_, write) => {
        const { ledger, afterDeath } = await begin();
        await runLedgerEffect(ledger.runs.begin(createRunStart("r")));
        await runLedgerEffect(ledger.open(createOpening("mine", { runId: "r", epoch: 1 })));
        let lost = 0;
        ledger.runs.watch("r", () => {
          lost += 1;
        });
        const next = await afterDeath();
        const epoch = (await runLedgerEffect(next.runs.claim("r", 2_000)))!;
        expect(await runToLedgerError(write(ledger, 1))).toMatchObject({ code: "claim_lost" });
        expect(await runToLedgerError(ledger.close(createClosing("mine", { epoch: 1 })))).toMatchObject({
          code: "claim_lost",
        });
        expect(lost).toBe(1);
        expect(await runLedgerEffect(next.entries())).toMatchObject([{ entryId: "mine", ending: "unknown" }]);
        await runLedgerEffect(next.runs.end({ runId: "r", epoch, status: "done", at: 3_000 }));
        expect(await runLedgerEffect(next.runs.find("r"))).toMatchObject({ status: "done", turns: 0 });
        expect(await runLedgerEffect(next.verify())).toMatchObject({ ok: true });
      },
    );

    it("a run that another process cancelled is not held and can be pruned", async () => {
      const { ledger, another } = await begin();
      await runLedgerEffect(ledger.runs.begin(createRunStart("r")));
      await runLedgerEffect(ledger.open(createOpening("1", { runId: "r", epoch: 1 })));
      await openPendingEntry(ledger, createApprovalRecord("a", "2", { runId: "r" }));
      const other = await another();
      expect(await runLedgerEffect(other.runs.cancel("r", "ada", 2_000))).toBe("given-up");
      expect(await runToLedgerError(ledger.close(createClosing("1", { epoch: 1 })))).toMatchObject({
        code: "claim_lost",
      });
      expect(await runLedgerEffect(other.entries())).toMatchObject([
        { ending: "unknown" },
        { ending: "failed" },
      ]);
      expect(await runLedgerEffect(other.verify())).toMatchObject({ ok: true });
      await runLedgerEffect(other.prune(farFuture));
      expect(await runLedgerEffect(other.entries())).toEqual([]);
      expect(await runLedgerEffect(other.runs.list())).toEqual([]);
    });

    it("an approval in a run can be taken only by the process that claimed the run", async () => {
      const { ledger, another } = await begin();
      await runLedgerEffect(ledger.runs.begin(createRunStart("r")));
      await openPendingEntry(ledger, createApprovalRecord("a", "1", { runId: "r" }));
      await runLedgerEffect(ledger.approvals.answer("a", { decision: { kind: "allow" }, at: 1_500 }));
      await runLedgerEffect(ledger.runs.end({ runId: "r", epoch: 1, status: "pending", at: 1_600 }));
      const other = await another();
      await runLedgerEffect(other.runs.claim("r", 2_000));
      expect(await runToLedgerError(ledger.approvals.take("a", 3_000))).toMatchObject({ code: "claim_lost" });
      expect(await runLedgerEffect(other.approvals.take("a", 3_000))).toMatchObject({ kind: "taken" });
    });

    it("a key of a dead process refers to a call with unknown outcome", async () => {
      const { ledger, another, afterDeath } = await begin();
      await runLedgerEffect(ledger.open(createOpening("1")));
      await runLedgerEffect(ledger.reserve(createKeyClaim("k", "1")));
      const other = await another();
      await runLedgerEffect(other.open(createOpening("2")));
      expect(await runLedgerEffect(other.reserve(createKeyClaim("k", "2")))).toMatchObject({
        kind: "known",
        ending: "open",
      });
      const next = await afterDeath();
      await runLedgerEffect(next.open(createOpening("3")));
      expect(await runLedgerEffect(next.reserve(createKeyClaim("k", "3")))).toEqual({
        kind: "known",
        entryId: "1",
        ending: "unknown",
      });
    });

    it("a store that closes normally leaves no entry open", async () => {
      const { ledger, another } = await begin();
      const other = await another();
      await runLedgerEffect(other.open(createOpening("1")));
      await other.end();
      expect(await runLedgerEffect(ledger.entries())).toMatchObject([{ ending: "unknown" }]);
      expect(await runToLedgerError(other.open(createOpening("2")))).toMatchObject({
        code: "ledger_unavailable",
      });
    });

    it("two concurrent stores write one chain", async () => {
      const { ledger, another } = await begin();
      const stores = [ledger, await another()];
      const ids = Array.from({ length: 100 }, (_, i) => i);
      await Promise.all(ids.map((id) => pair(stores[id % 2]!, String(id))));
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true, rows: 200 });
      expect(await runLedgerEffect(ledger.entries({ ending: "executed" }))).toHaveLength(100);
    });
  });

  describe(`${name} survey`, () => {
    const filled = async () => {
      const place = await make();
      for (let i = 0; i < 40; i += 1) {
        const tool = `tool-${i % 3}`;
        await runLedgerEffect(place.ledger.open(createOpening(`e-${i}`, { at: 1_000 + i * 10, tool })));
        const failed = i % 4 === 0 ? ({ ending: "failed", code: "failed" } as const) : {};
        await runLedgerEffect(place.ledger.close(createClosing(`e-${i}`, { tool, ...failed })));
      }
      return place.ledger;
    };

    it("counts calls and failures per interval, and returns all entries if there are few", async () => {
      const ledger = await filled();
      const { counts, entries, isAll } = await runLedgerEffect(
        ledger.survey({ since: 1_100, until: 1_300, parts: 4, most: 100 }),
      );
      expect(counts).toEqual([
        { at: 1_100, calls: 5, failed: 1 },
        { at: 1_150, calls: 5, failed: 1 },
        { at: 1_200, calls: 5, failed: 2 },
        { at: 1_250, calls: 5, failed: 1 },
      ]);
      expect(entries.map(({ entryId }) => entryId)).toEqual(
        Array.from({ length: 20 }, (_, i) => `e-${i + 10}`),
      );
      expect(isAll).toBe(true);
    });

    it("samples entries of every interval above the limit, with complete counts", async () => {
      const ledger = await filled();
      const { counts, entries, isAll } = await runLedgerEffect(
        ledger.survey({ since: 1_000, until: 1_400, parts: 2, most: 20 }),
      );
      expect(isAll).toBe(false);
      expect(counts.map(({ calls }) => calls)).toEqual([20, 20]);
      expect(entries.length).toBeLessThan(40);
      const isLate = entries.map(({ at }) => at >= 1_200);
      expect(isLate).toContain(true);
      expect(isLate).toContain(false);
      const nothing = await runLedgerEffect(
        ledger.survey({ since: 5_000, until: 6_000, parts: 2, most: 20 }),
      );
      expect(nothing).toMatchObject({ entries: [], isAll: true, counts: [{ calls: 0 }, { calls: 0 }] });
    });
  });

  describe(`${name} chain`, () => {
    it("has a row for every step of a call, in order", async () => {
      const { ledger } = await begin();
      await openPendingEntry(ledger, createApprovalRecord("a", "1"));
      await runLedgerEffect(ledger.approvals.refuse("a", { agent: "mallory" }, 1_500));
      await runLedgerEffect(ledger.approvals.answer("a", { decision: { kind: "allow" }, at: 2_000 }));
      await runLedgerEffect(ledger.approvals.take("a", 3_000));
      await runLedgerEffect(ledger.close(createClosing("1")));
      const rows = await runLedgerEffect(ledger.rows({ entryId: "1" }));
      expect(rows.map(({ kind }) => kind)).toEqual([
        "opened",
        "asked",
        "closed",
        "refused",
        "answered",
        "used",
        "closed",
      ]);
      expect((await runLedgerEffect(ledger.rows({ after: 2, limit: 2 }))).map(({ seq }) => seq)).toEqual([
        3, 4,
      ]);
    });

    it("verifies when untouched, and against a noted head", async () => {
      const { ledger } = await filled(3);
      const { head, heads, keys, ...rest } = await runLedgerEffect(ledger.verify());
      expect(rest).toMatchObject({ ok: true, rows: 6 });
      expect(rest).not.toHaveProperty("unkeyed");
      expect(heads).toEqual([head]);
      expect(keys).toMatchObject([{ isHere: true, rows: 6, from: 1, to: 6 }]);
      await pair(ledger, "4");
      expect(await runLedgerEffect(ledger.verify({ expect: head.hash }))).toMatchObject({ ok: true });
      expect(await runLedgerEffect(ledger.verify({ expect: "f".repeat(64) }))).toMatchObject({ ok: false });
    });

    const attacks: readonly (readonly [what: string, sql: string, seq: number])[] = [
      ["a changed text", "UPDATE haft_records SET body = replace(body, 'Oslo', 'Rome') WHERE seq = 3", 3],
      ["a changed time", "UPDATE haft_records SET at = at + 1 WHERE seq = 4", 4],
      ["a changed hash", "UPDATE haft_records SET hash = 'f' WHERE seq = 4", 4],
      ["a deleted row", "DELETE FROM haft_records WHERE seq = 4", 4],
      ["deleted first rows", "DELETE FROM haft_records WHERE seq <= 2", 1],
      ["a changed ending", "UPDATE haft_entries SET ending = 'failed' WHERE open_seq = 3", 4],
      ["a reset ending", "UPDATE haft_entries SET ending = 'open', last_seq = 3 WHERE open_seq = 3", 4],
      ["a deleted entry", "DELETE FROM haft_entries WHERE open_seq = 3", 3],
    ];
    it.each(attacks)("reports %s with its row", async (_, sql, seq) => {
      const { ledger, tamper } = await filled(4);
      await tamper(sql);
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: false, broken: { seq } });
    });

    it("detects rows deleted from the end by a noted head", async () => {
      const { ledger, tamper } = await filled(3);
      const { head } = await runLedgerEffect(ledger.verify());
      await tamper("DELETE FROM haft_records WHERE seq > 4");
      await tamper("DELETE FROM haft_entries WHERE open_seq > 4");
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
      expect(await runLedgerEffect(ledger.verify({ expect: head.hash }))).toMatchObject({ ok: false });
    });
  });

  describe(`${name} pruning`, () => {
    it("removes entries that ended before a time, and the rest verifies", async () => {
      const { ledger } = await filled(3);
      await runLedgerEffect(ledger.open(createOpening("4")));
      await pair(ledger, "5");
      expect(await runLedgerEffect(ledger.prune(farFuture))).toMatchObject({
        rows: 6,
        entries: 3,
        payloads: 0,
        isComplete: true,
      });
      expect((await runLedgerEffect(ledger.entries())).map(({ entryId }) => entryId)).toEqual(["4", "5"]);
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true, rows: 4 });
      await runLedgerEffect(ledger.close(createClosing("4")));
      expect(await runLedgerEffect(ledger.prune(farFuture))).toMatchObject({ entries: 2 });
      expect(await runLedgerEffect(ledger.entries())).toEqual([]);
      await pair(ledger, "6");
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true, rows: 3 });
    });

    it("keeps newer entries, pending entries, and entries of runs that can resume", async () => {
      const { ledger } = await filled(2);
      for (const before of [500, 1_500]) {
        expect(await runLedgerEffect(ledger.prune(before))).toMatchObject({
          rows: 0,
          entries: 0,
          payloads: 0,
        });
      }
      const { ledger: waiting } = await begin();
      await openPendingEntry(waiting, createApprovalRecord("a", "1"));
      await pair(waiting, "2");
      expect(await runLedgerEffect(waiting.prune(farFuture))).toMatchObject({ entries: 0 });
      const { ledger: running } = await begin();
      await runLedgerEffect(running.runs.begin(createRunStart("r")));
      await pair(running, "1");
      expect(await runLedgerEffect(running.prune(farFuture))).toMatchObject({ entries: 0 });
    });

    it("reports an anchor that no row confirms", async () => {
      const { ledger, tamper } = await filled(3);
      await tamper("UPDATE haft_anchor SET seq = 2, hash = (SELECT hash FROM haft_records WHERE seq = 2)");
      await tamper("DELETE FROM haft_entries WHERE open_seq <= 2");
      await tamper("DELETE FROM haft_records WHERE seq <= 2");
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: false, broken: { seq: 3 } });
    });
  });
};
