import { describe, expect, it } from "vitest";
import type { GrantQuery } from "../../../src/types/approval.ts";
import type { DurableLedger } from "../../../src/types/durable-ledger.ts";
import type { DurableUnderTest } from "./durable-contract.ts";
import {
  createApprovalRecord,
  createClosing,
  createKeyClaim,
  createOpening,
  openPendingEntry,
  runLedgerEffect,
} from "./ledger-fixtures.ts";

const allowDecision = { decision: { kind: "allow" }, by: "eve", at: 2_000 } as const;

/** Table content without a matching row of the chain is reported and never acted on. */
export const forgeryContract = (name: string, make: () => Promise<DurableUnderTest>): void => {
  const kinds = async (ledger: DurableLedger, entryId: string): Promise<readonly string[]> =>
    (await runLedgerEffect(ledger.rows({ entryId }))).map(({ kind }) => kind);

  const waiting = async () => {
    const place = await make();
    await openPendingEntry(place.ledger, createApprovalRecord("a", "1"));
    return place;
  };

  describe(`${name} trusts only the chain`, () => {
    const forged: readonly (readonly [what: string, sql: string])[] = [
      ["a forged answer", "UPDATE haft_approvals SET status = 'answered'"],
      ["a forged session grant", "UPDATE haft_approvals SET status = 'answered', always = 'session'"],
      ["another tool", "UPDATE haft_approvals SET tool = 'ns/other'"],
      ["another definition", "UPDATE haft_approvals SET definition = 'changed'"],
      ["another run", "UPDATE haft_approvals SET run_id = 'run-2'"],
      ["another row", "UPDATE haft_approvals SET asked_seq = 1"],
      ["a deleted request", "DELETE FROM haft_approvals"],
      [
        "a forged request",
        "INSERT INTO haft_approvals SELECT 'b', entry_id, run_id, tool, definition, 'answered', always, asked_seq, asked_at FROM haft_approvals",
      ],
    ];
    it.each(forged)("verify reports %s", async (_, sql) => {
      const { ledger, tamper } = await waiting();
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
      await tamper(sql);
      const { ok, broken } = await runLedgerEffect(ledger.verify());
      expect(ok).toBe(false);
      expect(broken?.why).toContain("haft_approvals");
    });

    it.each([
      ["another session", "'chat-2'"],
      ["no session", "NULL"],
    ])("verify reports a call with %s", async (_, session) => {
      const { ledger, tamper } = await make();
      await runLedgerEffect(ledger.open(createOpening("1", { session: "chat-1" })));
      await runLedgerEffect(ledger.close(createClosing("1")));
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
      await tamper(`UPDATE haft_entries SET session = ${session}`);
      const { ok, broken } = await runLedgerEffect(ledger.verify());
      expect([ok, broken?.seq]).toEqual([false, 1]);
      expect(broken?.why).toContain("haft_entries");
    });

    it("a forged answer is never used, and the chain records why", async () => {
      const { ledger, tamper } = await waiting();
      await tamper("UPDATE haft_approvals SET status = 'answered'");
      expect(await runLedgerEffect(ledger.approvals.find("a"))).toMatchObject({ status: "waiting" });
      expect(await runLedgerEffect(ledger.approvals.list({ status: "answered" }))).toEqual([]);
      expect(await runLedgerEffect(ledger.approvals.take("a", 3_000))).toEqual({ kind: "void" });
      const rows = await runLedgerEffect(ledger.rows({ entryId: "1" }));
      expect(rows.at(-1)).toMatchObject({ kind: "annulled", body: { id: "a" } });
      expect(String(rows.at(-1)?.body.why)).toContain("status");
      expect(await runLedgerEffect(ledger.approvals.answer("a", allowDecision))).toBe("already");
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
    });

    it("a forged request is void and not listed", async () => {
      const { ledger, tamper } = await waiting();
      await tamper(
        "INSERT INTO haft_approvals SELECT 'b', entry_id, run_id, tool, definition, 'answered', always, asked_seq, asked_at FROM haft_approvals",
      );
      expect(await runLedgerEffect(ledger.approvals.find("b"))).toBeUndefined();
      expect((await runLedgerEffect(ledger.approvals.list())).map(({ id }) => id)).toEqual(["a"]);
      for (const _ of [1, 2])
        expect(await runLedgerEffect(ledger.approvals.take("b", 3_000))).toEqual({ kind: "void" });
      expect(await kinds(ledger, "1")).toEqual(["opened", "asked", "closed", "annulled"]);
    });

    it("a used approval is not restored by changes of its tables", async () => {
      const { ledger, tamper } = await waiting();
      await runLedgerEffect(ledger.approvals.answer("a", allowDecision));
      await runLedgerEffect(ledger.approvals.take("a", 3_000));
      await runLedgerEffect(ledger.close(createClosing("1")));
      await tamper("UPDATE haft_approvals SET status = 'answered'");
      await tamper("UPDATE haft_entries SET ending = 'pending'");
      expect(await runLedgerEffect(ledger.approvals.take("a", 4_000))).toEqual({ kind: "void" });
    });

    it("the second of two approvals of a call stays void, whatever the tables say", async () => {
      const { ledger, tamper } = await waiting();
      await runLedgerEffect(
        ledger.close(createClosing("1", { ending: "pending", approval: createApprovalRecord("b", "1") })),
      );
      for (const id of ["a", "b"]) await runLedgerEffect(ledger.approvals.answer(id, allowDecision));
      await runLedgerEffect(ledger.approvals.take("b", 3_000));
      expect(await runLedgerEffect(ledger.approvals.find("a"))).toMatchObject({ status: "void" });
      await runLedgerEffect(ledger.close(createClosing("1")));
      await tamper("UPDATE haft_approvals SET status = 'answered'");
      await tamper("UPDATE haft_entries SET ending = 'pending'");
      for (const id of ["a", "b"]) {
        expect(await runLedgerEffect(ledger.approvals.take(id, 4_000))).toEqual({ kind: "void" });
      }
    });

    it("a changed row of the chain does not approve a call", async () => {
      const { ledger, tamper } = await waiting();
      await runLedgerEffect(ledger.approvals.answer("a", { decision: { kind: "deny" }, at: 2_000 }));
      await tamper("UPDATE haft_records SET body = replace(body, 'deny', 'allow') WHERE kind = 'answered'");
      expect(await runLedgerEffect(ledger.approvals.take("a", 3_000))).toEqual({ kind: "void" });
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: false, broken: { seq: 4 } });
    });

    it("a session grant holds only if the chain contains it", async () => {
      const { ledger, tamper } = await waiting();
      const { tool, definition, principal } = createApprovalRecord("a", "1");
      const call: GrantQuery = { tool, definition, principal, runId: "run-9", at: 5_000 };
      await runLedgerEffect(ledger.approvals.answer("a", allowDecision));
      await tamper("UPDATE haft_approvals SET always = 'session'");
      expect(await runLedgerEffect(ledger.approvals.standing(call))).toBeUndefined();
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: false, broken: { seq: 4 } });
    });

    const runs: readonly (readonly [what: string, sql: string])[] = [
      ["another agent", "UPDATE haft_runs SET agent = 'mallory'"],
      ["another caller", `UPDATE haft_runs SET principal = '{"agent":"mallory","allow":["*"]}'`],
      ["another status", "UPDATE haft_runs SET status = 'done'"],
      ["a reset status", "UPDATE haft_runs SET status = 'running', last_seq = began_seq"],
      ["another reason", "UPDATE haft_runs SET reason = 'luck'"],
      ["no row", "DELETE FROM haft_runs"],
      ["another name", "UPDATE haft_runs SET run_id = 'r2'"],
      ["an older claim", "UPDATE haft_runs SET epoch = 1"],
    ];
    it.each(runs)("verify reports a run whose table has %s", async (_, sql) => {
      const { ledger, tamper } = await make();
      const principal = { agent: "greeter", session: "s", allow: ["a"] };
      await runLedgerEffect(
        ledger.runs.begin({ runId: "r", agent: "greeter", principal, messages: [], at: 1_000 }),
      );
      const usage = { inputTokens: 1, outputTokens: 1 };
      await runLedgerEffect(
        ledger.runs.add({ runId: "r", epoch: 1, messages: [], turns: 1, usage, agent: "closer", at: 2_000 }),
      );
      await runLedgerEffect(ledger.runs.end({ runId: "r", epoch: 1, status: "pending", at: 3_000 }));
      await runLedgerEffect(ledger.runs.claim("r", 4_000));
      await runLedgerEffect(
        ledger.runs.end({ runId: "r", epoch: 2, status: "failed", reason: "no luck", at: 5_000 }),
      );
      expect((await runLedgerEffect(ledger.rows())).map(({ kind }) => kind)).toEqual([
        "run-began",
        "run-step",
        "run-handed",
        "run-ended",
        "run-resumed",
        "run-ended",
      ]);
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
      await tamper(sql);
      const { ok, broken } = await runLedgerEffect(ledger.verify());
      expect(ok).toBe(false);
      expect(broken?.why).toContain("haft_runs");
    });

    it.each([
      ["was opened", "UPDATE haft_entries SET at = 5"],
      ["ended", "UPDATE haft_entries SET closed_at = 5"],
    ])("verify reports an entry whose table says that it %s at another time", async (_, sql) => {
      const { ledger, tamper } = await make();
      await runLedgerEffect(ledger.open(createOpening("1")));
      await runLedgerEffect(ledger.close(createClosing("1")));
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
      await tamper(sql);
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({
        ok: false,
        broken: { why: expect.any(String) },
      });
    });

    const keys: readonly (readonly [what: string, sql: string])[] = [
      ["that was deleted", "DELETE FROM haft_keys"],
      ["for another call", "UPDATE haft_keys SET call_hash = 'other'"],
      ["of another name", "UPDATE haft_keys SET key_hash = 'other'"],
      ["of another entry", "UPDATE haft_keys SET entry_id = '2'"],
    ];
    it.each(keys)("verify reports a key %s", async (_, sql) => {
      const { ledger, tamper } = await make();
      for (const id of ["1", "2"]) await runLedgerEffect(ledger.open(createOpening(id)));
      await runLedgerEffect(ledger.reserve(createKeyClaim("k", "1")));
      await runLedgerEffect(ledger.close(createClosing("1", { ran: true })));
      await runLedgerEffect(ledger.reserve(createKeyClaim("l", "2")));
      // Released normally.
      await runLedgerEffect(
        ledger.close(createClosing("2", { ending: "failed", code: "denied", ran: false })),
      );
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
      await tamper(sql);
      const { ok, broken } = await runLedgerEffect(ledger.verify());
      expect(ok).toBe(false);
      expect(broken?.why).toContain("haft_keys");
    });

    it("verify reports an entry that points to the start of another call", async () => {
      const { ledger, tamper } = await make();
      for (const id of ["1", "2"]) {
        await runLedgerEffect(ledger.open(createOpening(id)));
        await runLedgerEffect(
          ledger.intend({ entryId: id, tool: "work", at: 1_500, full: false, decision: `rule ${id}` }),
        );
        await runLedgerEffect(ledger.close(createClosing(id)));
      }
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
      await tamper("UPDATE haft_entries SET start_seq = 2 WHERE entry_id = '2'");
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: false, broken: { seq: 4 } });
    });

    it("verify reports an entry that points outside of the chain", async () => {
      for (const seq of [0, 99]) {
        const { ledger, tamper } = await make();
        await runLedgerEffect(ledger.open(createOpening("1")));
        await tamper(`UPDATE haft_entries SET open_seq = ${seq}`);
        expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: false });
      }
    });

    it.each(["tool", "agent", "call_id"])("verify reports an entry with another %s", async (column) => {
      const { ledger, tamper } = await make();
      await runLedgerEffect(ledger.open(createOpening("1")));
      await runLedgerEffect(ledger.close(createClosing("1")));
      await tamper(`UPDATE haft_entries SET ${column} = 'mallory'`);
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: false, broken: { seq: 1 } });
    });

    it("tables of a pruned chain still verify", async () => {
      const { ledger } = await waiting();
      await runLedgerEffect(ledger.approvals.answer("a", allowDecision));
      await runLedgerEffect(ledger.approvals.take("a", 3_000));
      await runLedgerEffect(ledger.close(createClosing("1")));
      await openPendingEntry(ledger, createApprovalRecord("b", "2"));
      expect((await runLedgerEffect(ledger.prune(Date.now() + 1_000_000))).entries).toBe(1);
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
      await runLedgerEffect(ledger.approvals.answer("b", allowDecision));
      expect(await runLedgerEffect(ledger.approvals.take("b", 3_000))).toMatchObject({ kind: "taken" });
    });
  });
};
