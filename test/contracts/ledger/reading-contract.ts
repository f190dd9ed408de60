import { describe, expect, it } from "vitest";
import type { DurableUnderTest } from "./durable-contract.ts";
import { asked, claim, closing, ledgerSecret, opening, refusal, run, wait } from "./rows.ts";

/** A ledger that is only read stays as it is. */
export const readingContract = (name: string, make: () => Promise<DurableUnderTest>): void => {
  const filled = async () => {
    const place = await make();
    const { ledger } = place;
    const principal = { agent: "greeter" };
    await run(ledger.runs.begin({ runId: "r", agent: "greeter", principal, messages: [], at: 1_000 }));
    await run(ledger.open(opening("over", { input: JSON.stringify({ note: ledgerSecret }) })));
    await run(ledger.reserve(claim("k", "over")));
    await run(ledger.close(closing("over", { ran: true })));
    await wait(ledger, asked("a", "waits"));
    await run(ledger.open(opening("under way")));
    return place;
  };

  describe(`${name} opened for reading only`, () => {
    it("says everything it knows", async () => {
      const { reading } = await filled();
      const reader = await reading();
      expect((await run(reader.entries())).map(({ entryId, ending }) => [entryId, ending])).toEqual([
        ["over", "executed"],
        ["waits", "pending"],
        ["under way", "open"],
      ]);
      expect((await run(reader.recall("over")))?.input).toContain(ledgerSecret);
      expect(await run(reader.approvals.find("a"))).toMatchObject({ status: "waiting" });
      expect(await run(reader.approvals.list())).toHaveLength(1);
      expect(await run(reader.runs.find("r"))).toMatchObject({ status: "running", isHeld: true });
      expect(await run(reader.runs.list())).toMatchObject([{ runId: "r", isHeld: true }]);
      expect((await run(reader.rows())).length).toBeGreaterThan(5);
      expect(await run(reader.verify())).toMatchObject({ ok: true });
    });

    it("sees what is written meanwhile", async () => {
      const { ledger, reading } = await filled();
      const reader = await reading();
      await run(ledger.close(closing("under way")));
      expect(await run(reader.entries({ entryId: "under way" }))).toMatchObject([{ ending: "executed" }]);
    });

    it("takes what the dead left for unknown, and writes nothing of it down", async () => {
      const { ledger, reading, afterDeath } = await filled();
      const { head } = await run(ledger.verify());
      await afterDeath();
      const reader = await reading();
      expect(await run(reader.entries({ entryId: "under way" }))).toMatchObject([{ ending: "unknown" }]);
      expect(await run(reader.entries({ ending: "unknown" }))).toHaveLength(1);
      expect(await run(reader.entries({ ending: "open" }))).toEqual([]);
      expect((await run(reader.recall("under way")))?.entry.ending).toBe("unknown");
      expect(await run(reader.runs.find("r"))).toMatchObject({ status: "running", isHeld: false });
      expect(await run(reader.verify())).toMatchObject({ ok: true, head });
    });

    it("refuses in words whatever would write", async () => {
      const { ledger, reading } = await filled();
      const reader = await reading();
      const { head } = await run(ledger.verify());
      const { approvals, runs } = reader;
      const usage = { inputTokens: 1, outputTokens: 1 };
      const principal = { agent: "greeter" };
      const writes = [
        reader.open(opening("9")),
        reader.close(closing("under way")),
        reader.intend({ entryId: "under way", tool: "work", at: 1, full: true, decision: "x" }),
        reader.reserve(claim("k", "under way")),
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
        runs.giveUp("r", "ada", 1),
      ];
      for (const write of writes) {
        const error = await refusal<unknown>(write);
        expect(error).toMatchObject({ code: "ledger_unavailable" });
        expect(error.message).toContain("opened for reading only");
      }
      await reader.end();
      expect((await run(ledger.verify())).head).toEqual(head);
    });
  });
};
