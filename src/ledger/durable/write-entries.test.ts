import { describe, expect, it } from "vitest";
import {
  createApprovalRecord,
  createClosing,
  createKeyClaim,
  createOpening,
  ledgerSecret,
  runLedgerEffect,
  runToLedgerError,
} from "../../../test/contracts/ledger/ledger-fixtures.ts";
import { useSqliteFolder } from "../../../test/kit/use-sqlite-folder.ts";
import type { EntryClosing, StartIntent } from "../../types/ledger.ts";

const { fresh, open, connect } = useSqliteFolder();

const far = Date.now() + 1_000_000;
const secret = JSON.stringify({ note: ledgerSecret });
const newer = JSON.stringify({ note: `${ledgerSecret} again` });
const begin = { runId: "r", agent: "a", principal: undefined, messages: [], at: 1_000 };
const inRun = { runId: "r", epoch: 1 };
const waits: Partial<EntryClosing> = { ending: "pending", result: undefined, flow: undefined };

const intent = (entryId: string, more: Partial<StartIntent> = {}): StartIntent => ({
  entryId,
  tool: "work",
  at: 1_500,
  full: false,
  decision: "rule-1",
  ...more,
});

describe("start of a call", () => {
  it("is refused for an entry that is not open", async () => {
    const ledger = await open(fresh());
    const why = /^The entry ".*" cannot be begun: it does not exist, or it was begun before.$/;
    expect((await runToLedgerError(ledger.intend(intent("none")))).message).toMatch(why);
    expect((await runToLedgerError(ledger.reserve(createKeyClaim("k", "none")))).message).toMatch(why);
    for (const ending of ["executed", "pending", "unknown"] as const) {
      await runLedgerEffect(ledger.open(createOpening(ending)));
      await runLedgerEffect(ledger.close(createClosing(ending, { ending })));
      expect((await runToLedgerError(ledger.intend(intent(ending)))).message).toMatch(why);
      expect((await runToLedgerError(ledger.reserve(createKeyClaim("k", ending)))).message).toMatch(why);
    }
    expect((await runLedgerEffect(ledger.rows())).map(({ kind }) => kind)).not.toContain("started");
  });

  it("is refused under any claim but the newest", async () => {
    const ledger = await open(fresh());
    await runLedgerEffect(ledger.runs.begin(begin));
    await runLedgerEffect(ledger.open(createOpening("1", inRun)));
    for (const epoch of [0, 2]) {
      expect(await runToLedgerError(ledger.intend(intent("1", { epoch })))).toMatchObject({
        code: "claim_lost",
      });
      expect(await runToLedgerError(ledger.reserve(createKeyClaim("k", "1", { epoch })))).toMatchObject({
        code: "claim_lost",
      });
      expect(await runToLedgerError(ledger.open(createOpening("2", { runId: "r", epoch })))).toMatchObject({
        code: "claim_lost",
      });
    }
    await runLedgerEffect(ledger.intend(intent("1", { epoch: 1 })));
    expect((await runLedgerEffect(ledger.rows({ entryId: "1" }))).map(({ kind }) => kind)).toEqual([
      "opened",
      "started",
    ]);
  });
});

describe("exact result", () => {
  it("is kept when only the result holds a secret", async () => {
    const ledger = await open(fresh());
    await runLedgerEffect(ledger.runs.begin(begin));
    await runLedgerEffect(ledger.open(createOpening("1", inRun)));
    await runLedgerEffect(ledger.close(createClosing("1", { result: secret, epoch: 1 })));
    expect(await runLedgerEffect(ledger.recall("1"))).toMatchObject({
      input: '{"city":"Oslo"}',
      result: secret,
    });
    expect(JSON.stringify(await runLedgerEffect(ledger.entries()))).not.toContain(ledgerSecret);
  });

  it("is kept by the process that resumes the run", async () => {
    const path = fresh();
    const first = await open(path);
    await runLedgerEffect(first.runs.begin(begin));
    await runLedgerEffect(first.open(createOpening("1", { ...inRun, input: secret })));
    await runLedgerEffect(
      first.close(
        createClosing("1", { ...waits, approval: createApprovalRecord("a", "1", { runId: "r" }), epoch: 1 }),
      ),
    );
    await runLedgerEffect(first.runs.end({ ...inRun, status: "pending", at: 2_000 }));
    const next = await open(path);
    expect(await runLedgerEffect(next.runs.claim("r", 3_000))).toBe(2);
    await runLedgerEffect(next.approvals.answer("a", { decision: { kind: "allow" }, at: 3_000 }));
    await runLedgerEffect(next.approvals.take("a", 3_000));
    await runLedgerEffect(next.close(createClosing("1", { result: newer, epoch: 2 })));
    expect(await runLedgerEffect(next.recall("1"))).toMatchObject({ input: secret, result: newer });
  });

  it("replaces the earlier result when its call is resumed", async () => {
    const ledger = await open(fresh());
    await runLedgerEffect(ledger.runs.begin(begin));
    await runLedgerEffect(ledger.open(createOpening("1", inRun)));
    await runLedgerEffect(ledger.close(createClosing("1", { ending: "hydrated", result: secret, epoch: 1 })));
    expect((await runLedgerEffect(ledger.recall("1")))?.result).toBe(secret);
    await runLedgerEffect(ledger.open(createOpening("1", inRun)));
    await runLedgerEffect(ledger.close(createClosing("1", { result: newer, epoch: 1 })));
    expect((await runLedgerEffect(ledger.recall("1")))?.result).toBe(newer);
  });

  it("is deleted when its call is closed", async () => {
    const ledger = await open(fresh());
    await runLedgerEffect(ledger.open(createOpening("1")));
    await runLedgerEffect(ledger.close(createClosing("1", { ending: "hydrated", result: secret })));
    await runLedgerEffect(ledger.open(createOpening("1")));
    await runLedgerEffect(ledger.close(createClosing("1", { result: secret })));
    expect((await runLedgerEffect(ledger.recall("1")))?.result).toBeUndefined();
    expect(await runLedgerEffect(ledger.prune(far))).toMatchObject({ entries: 1, payloads: 0 });
  });

  it("is kept in a recorded run, even when its call ends later in another store", async () => {
    const path = fresh();
    const recording = await open(path, { keepPayloads: true });
    await runLedgerEffect(recording.runs.begin(begin));
    await runLedgerEffect(recording.open(createOpening("1", inRun)));
    await runLedgerEffect(recording.runs.end({ ...inRun, status: "done", at: 2_000 }));
    const other = await open(path);
    await runLedgerEffect(other.close(createClosing("1", { result: secret })));
    expect((await runLedgerEffect(other.recall("1")))?.result).toBe(secret);
  });

  it("is deleted after the end of a run that is not recorded", async () => {
    const path = fresh();
    const first = await open(path);
    await runLedgerEffect(first.runs.begin(begin));
    await runLedgerEffect(first.open(createOpening("1", inRun)));
    await runLedgerEffect(first.open(createOpening("2", inRun)));
    const other = await open(path);
    await runLedgerEffect(other.close(createClosing("1", { result: secret })));
    expect((await runLedgerEffect(other.recall("1")))?.result).toBe(secret);
    await runLedgerEffect(first.runs.end({ ...inRun, status: "done", at: 2_000 }));
    await runLedgerEffect(other.close(createClosing("2", { result: secret })));
    expect((await runLedgerEffect(other.recall("2")))?.result).toBeUndefined();
  });

  it("is kept with the key of its call and deleted when the key is released", async () => {
    const ledger = await open(fresh());
    for (const [id, ran] of [
      ["ran", true],
      ["did not", false],
    ] as const) {
      await runLedgerEffect(ledger.open(createOpening(id, { input: secret })));
      await runLedgerEffect(ledger.reserve(createKeyClaim(id, id)));
      await runLedgerEffect(ledger.close(createClosing(id, { ending: "failed", ran, result: secret })));
    }
    expect(await runLedgerEffect(ledger.recall("ran"))).toMatchObject({ input: secret, result: secret });
    expect(await runLedgerEffect(ledger.recall("did not"))).toMatchObject({
      input: undefined,
      result: undefined,
    });
    await runLedgerEffect(ledger.open(createOpening("next")));
    expect(await runLedgerEffect(ledger.reserve(createKeyClaim("ran", "next")))).toMatchObject({
      kind: "known",
      ending: "failed",
    });
    expect(await runLedgerEffect(ledger.reserve(createKeyClaim("did not", "next")))).toEqual({
      kind: "fresh",
    });
    expect(await runLedgerEffect(ledger.reserve(createKeyClaim("did not", "next")))).toEqual({
      kind: "fresh",
    });
  });
});

describe("cached calls of a store", () => {
  it("are not used when the entry was deleted", async () => {
    const path = fresh();
    const ledger = await open(path);
    for (const id of ["1", "2"]) await runLedgerEffect(ledger.open(createOpening(id)));
    connect(path).exec("DELETE FROM haft_entries WHERE entry_id = '1'");
    expect((await runToLedgerError(ledger.close(createClosing("1")))).message).toContain("cannot be closed");
    await runLedgerEffect(ledger.close(createClosing("2")));
    expect(await runLedgerEffect(ledger.entries())).toMatchObject([{ entryId: "2", ending: "executed" }]);
  });

  it("are not used when another store cancelled the run", async () => {
    const path = fresh();
    const ledger = await open(path);
    await runLedgerEffect(ledger.runs.begin(begin));
    for (const id of ["1", "2"]) await runLedgerEffect(ledger.open(createOpening(id, { runId: "r" })));
    const other = await open(path);
    await runLedgerEffect(other.runs.cancel("r", "ada", 2_000));
    expect((await runToLedgerError(ledger.close(createClosing("1")))).message).toContain("cannot be closed");
    await runLedgerEffect(ledger.open(createOpening("3")));
    await runLedgerEffect(ledger.close(createClosing("3")));
    expect((await runLedgerEffect(other.entries())).map(({ ending }) => ending)).toEqual([
      "unknown",
      "unknown",
      "executed",
    ]);
    expect(await runLedgerEffect(other.verify())).toMatchObject({ ok: true });
  });

  it("are not needed for calls of another store", async () => {
    const path = fresh();
    const first = await open(path);
    const other = await open(path);
    await runLedgerEffect(other.open(createOpening("warm")));
    await runLedgerEffect(first.open(createOpening("1")));
    await runLedgerEffect(first.reserve(createKeyClaim("k", "1")));
    await runLedgerEffect(other.close(createClosing("1", { ran: true })));
    await runLedgerEffect(first.open(createOpening("1b")));
    expect(await runLedgerEffect(first.reserve(createKeyClaim("k", "1b")))).toEqual({
      kind: "known",
      entryId: "1",
      ending: "executed",
    });
    expect((await runToLedgerError(first.close(createClosing("1")))).message).toContain("cannot be closed");
    expect((await runToLedgerError(first.open(createOpening("warm")))).message).toContain("cannot be opened");
    expect(await runLedgerEffect(first.verify())).toMatchObject({ ok: true });
  });

  it("are discarded with a failed transaction", async () => {
    const path = fresh();
    const ledger = await open(path, { busyMs: 1 });
    await runLedgerEffect(ledger.open(createOpening("1")));
    const other = connect(path);
    other.exec("BEGIN IMMEDIATE");
    expect(await runToLedgerError(ledger.intend(intent("1")))).toMatchObject({ code: "ledger_unavailable" });
    expect(await runToLedgerError(ledger.open(createOpening("2")))).toMatchObject({
      code: "ledger_unavailable",
    });
    other.exec("ROLLBACK");
    await runLedgerEffect(ledger.open(createOpening("2")));
    await runLedgerEffect(ledger.close(createClosing("1")));
    expect((await runLedgerEffect(ledger.rows())).map(({ kind }) => kind)).toEqual([
      "opened",
      "opened",
      "closed",
    ]);
    expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
  });
});
