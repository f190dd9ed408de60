import { describe, expect, it } from "vitest";
import type { DurableUnderTest } from "./durable-contract.ts";
import {
  createApprovalRecord,
  createClosing,
  createKeyClaim,
  createOpening,
  ledgerSecret,
  openPendingEntry,
  runLedgerEffect,
  runToLedgerError,
} from "./ledger-fixtures.ts";

/** A ledger that is opened for reading is not changed. */
export const readingContract = (name: string, make: () => Promise<DurableUnderTest>): void => {
  const filled = async () => {
    const place = await make();
    const { ledger } = place;
    const principal = { agent: "greeter" };
    await runLedgerEffect(
      ledger.runs.begin({ runId: "r", agent: "greeter", principal, messages: [], at: 1_000 }),
    );
    await runLedgerEffect(
      ledger.open(createOpening("over", { input: JSON.stringify({ note: ledgerSecret }) })),
    );
    await runLedgerEffect(ledger.reserve(createKeyClaim("k", "over")));
    await runLedgerEffect(ledger.close(createClosing("over", { ran: true })));
    await openPendingEntry(ledger, createApprovalRecord("a", "waits"));
    await runLedgerEffect(ledger.open(createOpening("under way")));
    return place;
  };

  describe(`${name} opened for reading only`, () => {
    it("returns all its content", async () => {
      const { reading } = await filled();
      const reader = await reading();
      expect(
        (await runLedgerEffect(reader.entries())).map(({ entryId, ending }) => [entryId, ending]),
      ).toEqual([
        ["over", "executed"],
        ["waits", "pending"],
        ["under way", "open"],
      ]);
      expect((await runLedgerEffect(reader.recall("over")))?.input).toContain(ledgerSecret);
      expect(await runLedgerEffect(reader.approvals.find("a"))).toMatchObject({ status: "waiting" });
      expect(await runLedgerEffect(reader.approvals.list())).toHaveLength(1);
      expect(await runLedgerEffect(reader.runs.find("r"))).toMatchObject({ status: "running", isHeld: true });
      expect(await runLedgerEffect(reader.runs.list())).toMatchObject([{ runId: "r", isHeld: true }]);
      expect((await runLedgerEffect(reader.rows())).length).toBeGreaterThan(5);
      expect(await runLedgerEffect(reader.verify())).toMatchObject({ ok: true });
    });

    it("sees later writes", async () => {
      const { ledger, reading } = await filled();
      const reader = await reading();
      await runLedgerEffect(ledger.close(createClosing("under way")));
      expect(await runLedgerEffect(reader.entries({ entryId: "under way" }))).toMatchObject([
        { ending: "executed" },
      ]);
    });

    it("reports open calls of dead processes as unknown without writing anything", async () => {
      const { ledger, reading, afterDeath } = await filled();
      const { head } = await runLedgerEffect(ledger.verify());
      await afterDeath();
      const reader = await reading();
      expect(await runLedgerEffect(reader.entries({ entryId: "under way" }))).toMatchObject([
        { ending: "unknown" },
      ]);
      expect(await runLedgerEffect(reader.entries({ ending: "unknown" }))).toHaveLength(1);
      expect(await runLedgerEffect(reader.entries({ ending: "open" }))).toEqual([]);
      expect((await runLedgerEffect(reader.recall("under way")))?.entry.ending).toBe("unknown");
      expect(await runLedgerEffect(reader.runs.find("r"))).toMatchObject({
        status: "running",
        isHeld: false,
      });
      expect(await runLedgerEffect(reader.verify())).toMatchObject({ ok: true, head });
    });

    it("refuses every write with a reason", async () => {
      const { ledger, reading } = await filled();
      const reader = await reading();
      const { head } = await runLedgerEffect(ledger.verify());
      const { approvals, runs } = reader;
      const usage = { inputTokens: 1, outputTokens: 1 };
      const principal = { agent: "greeter" };
      const writes = [
        reader.open(createOpening("9")),
        reader.close(createClosing("under way")),
        reader.intend({ entryId: "under way", tool: "work", at: 1, full: true, decision: "x" }),
        reader.reserve(createKeyClaim("k", "under way")),
        reader.prune(Date.now() + 1_000_000),
        approvals.answer("a", { decision: { kind: "allow" }, at: 2_000 }),
        approvals.take("a", 2_000),
        approvals.annul("a", "why", 2_000),
        approvals.refuse("a", undefined, 2_000),
        runs.begin({ runId: "q", agent: "a", principal, messages: [], at: 1 }),
        runs.add({ runId: "r", epoch: 1, messages: [], turns: 1, usage, agent: "a", at: 1 }),
        runs.amend({ runId: "r", epoch: 1, messages: [], at: 1 }),
        runs.end({ runId: "r", epoch: 1, status: "done", at: 1 }),
        runs.claim("r", 1),
        runs.cancel("r", "ada", 1),
      ];
      for (const write of writes) {
        const error = await runToLedgerError<unknown>(write);
        expect(error).toMatchObject({ code: "ledger_unavailable" });
        expect(error.message).toContain("was opened read-only");
      }
      await reader.end();
      expect((await runLedgerEffect(ledger.verify())).head).toEqual(head);
    });
  });
};
