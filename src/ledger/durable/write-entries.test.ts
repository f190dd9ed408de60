import { describe, expect, it } from "vitest";
import {
  asked,
  claim,
  closing,
  ledgerSecret,
  opening,
  refusal,
  run,
} from "../../../test/contracts/ledger/rows.ts";
import { sqliteFolder } from "../../../test/kit/sqlite-folder.ts";
import type { Closing, Intent } from "../../words/ledger.ts";

const { fresh, open, connect } = sqliteFolder();

const far = Date.now() + 1_000_000;
const secret = JSON.stringify({ note: ledgerSecret });
const newer = JSON.stringify({ note: `${ledgerSecret} again` });
const begin = { runId: "r", agent: "a", principal: undefined, messages: [], at: 1_000 };
const inRun = { runId: "r", epoch: 1 };
const waits: Partial<Closing> = { ending: "pending", result: undefined, flow: undefined };

const intent = (entryId: string, more: Partial<Intent> = {}): Intent => ({
  entryId,
  tool: "work",
  at: 1_500,
  full: false,
  decision: "rule-1",
  ...more,
});

describe("the code of a call is not begun", () => {
  it("for a call that was never opened, or that is over", async () => {
    const ledger = await open(fresh());
    const why = /^The entry ".*" cannot be begun: it is not there, or it was before.$/;
    expect((await refusal(ledger.intend(intent("none")))).message).toMatch(why);
    expect((await refusal(ledger.reserve(claim("k", "none")))).message).toMatch(why);
    for (const ending of ["executed", "pending", "unknown"] as const) {
      await run(ledger.open(opening(ending)));
      await run(ledger.close(closing(ending, { ending })));
      expect((await refusal(ledger.intend(intent(ending)))).message).toMatch(why);
      expect((await refusal(ledger.reserve(claim("k", ending)))).message).toMatch(why);
    }
    expect((await run(ledger.rows())).map(({ kind }) => kind)).not.toContain("started");
  });

  it("under a claim that is not the newest", async () => {
    const ledger = await open(fresh());
    await run(ledger.runs.begin(begin));
    await run(ledger.open(opening("1", inRun)));
    for (const epoch of [0, 2]) {
      expect(await refusal(ledger.intend(intent("1", { epoch })))).toMatchObject({ code: "claim_lost" });
      expect(await refusal(ledger.reserve(claim("k", "1", { epoch })))).toMatchObject({ code: "claim_lost" });
      expect(await refusal(ledger.open(opening("2", { runId: "r", epoch })))).toMatchObject({
        code: "claim_lost",
      });
    }
    await run(ledger.intend(intent("1", { epoch: 1 })));
    expect((await run(ledger.rows({ entryId: "1" }))).map(({ kind }) => kind)).toEqual(["opened", "started"]);
  });
});

describe("an exact result", () => {
  it("is kept where nothing but the result could not be shown", async () => {
    const ledger = await open(fresh());
    await run(ledger.runs.begin(begin));
    await run(ledger.open(opening("1", inRun)));
    await run(ledger.close(closing("1", { result: secret, epoch: 1 })));
    expect(await run(ledger.recall("1"))).toMatchObject({ input: '{"city":"Oslo"}', result: secret });
    expect(JSON.stringify(await run(ledger.entries()))).not.toContain(ledgerSecret);
  });

  it("is kept by whoever goes on with the run, of a call that somebody else opened in it", async () => {
    const path = fresh();
    const first = await open(path);
    await run(first.runs.begin(begin));
    await run(first.open(opening("1", { ...inRun, input: secret })));
    await run(first.close(closing("1", { ...waits, approval: asked("a", "1", { runId: "r" }), epoch: 1 })));
    await run(first.runs.end({ ...inRun, status: "pending", at: 2_000 }));
    const next = await open(path);
    expect(await run(next.runs.claim("r", 3_000))).toBe(2);
    await run(next.approvals.answer("a", { decision: { kind: "allow" }, at: 3_000 }));
    await run(next.approvals.take("a", 3_000));
    await run(next.close(closing("1", { result: newer, epoch: 2 })));
    expect(await run(next.recall("1"))).toMatchObject({ input: secret, result: newer });
  });

  it("takes the place of the one before when its call goes on", async () => {
    const ledger = await open(fresh());
    await run(ledger.runs.begin(begin));
    await run(ledger.open(opening("1", inRun)));
    await run(ledger.close(closing("1", { ending: "hydrated", result: secret, epoch: 1 })));
    expect((await run(ledger.recall("1")))?.result).toBe(secret);
    await run(ledger.open(opening("1", inRun)));
    await run(ledger.close(closing("1", { result: newer, epoch: 1 })));
    expect((await run(ledger.recall("1")))?.result).toBe(newer);
  });

  it("goes with the end of a call that nobody goes on from", async () => {
    const ledger = await open(fresh());
    await run(ledger.open(opening("1")));
    await run(ledger.close(closing("1", { ending: "hydrated", result: secret })));
    await run(ledger.open(opening("1")));
    await run(ledger.close(closing("1", { result: secret })));
    expect((await run(ledger.recall("1")))?.result).toBeUndefined();
    expect(await run(ledger.prune(far))).toMatchObject({ entries: 1, payloads: 0 });
  });

  it("stays in a run that was to be recorded, even if its call ends late and elsewhere", async () => {
    const path = fresh();
    const recording = await open(path, { keepPayloads: true });
    await run(recording.runs.begin(begin));
    await run(recording.open(opening("1", inRun)));
    await run(recording.runs.end({ ...inRun, status: "done", at: 2_000 }));
    const other = await open(path);
    await run(other.close(closing("1", { result: secret })));
    expect((await run(other.recall("1")))?.result).toBe(secret);
  });

  it("does not stay in a run that was not, once it is over", async () => {
    const path = fresh();
    const first = await open(path);
    await run(first.runs.begin(begin));
    await run(first.open(opening("1", inRun)));
    await run(first.open(opening("2", inRun)));
    const other = await open(path);
    await run(other.close(closing("1", { result: secret })));
    expect((await run(other.recall("1")))?.result).toBe(secret);
    await run(first.runs.end({ ...inRun, status: "done", at: 2_000 }));
    await run(other.close(closing("2", { result: secret })));
    expect((await run(other.recall("2")))?.result).toBeUndefined();
  });

  it("stays with the key of its call, and without one if the key was given back", async () => {
    const ledger = await open(fresh());
    for (const [id, ran] of [
      ["ran", true],
      ["did not", false],
    ] as const) {
      await run(ledger.open(opening(id, { input: secret })));
      await run(ledger.reserve(claim(id, id)));
      await run(ledger.close(closing(id, { ending: "failed", ran, result: secret })));
    }
    expect(await run(ledger.recall("ran"))).toMatchObject({ input: secret, result: secret });
    expect(await run(ledger.recall("did not"))).toMatchObject({ input: undefined, result: undefined });
    await run(ledger.open(opening("next")));
    expect(await run(ledger.reserve(claim("ran", "next")))).toMatchObject({
      kind: "known",
      ending: "failed",
    });
    expect(await run(ledger.reserve(claim("did not", "next")))).toEqual({ kind: "fresh" });
    expect(await run(ledger.reserve(claim("did not", "next")))).toEqual({ kind: "fresh" });
  });
});

describe("what a store remembers of its calls", () => {
  it("is not believed where somebody took the call out of the table meanwhile", async () => {
    const path = fresh();
    const ledger = await open(path);
    for (const id of ["1", "2"]) await run(ledger.open(opening(id)));
    connect(path).exec("DELETE FROM haft_entries WHERE entry_id = '1'");
    expect((await refusal(ledger.close(closing("1")))).message).toContain("cannot be closed");
    await run(ledger.close(closing("2")));
    expect(await run(ledger.entries())).toMatchObject([{ entryId: "2", ending: "executed" }]);
  });

  it("is not believed where another store gave the call up meanwhile", async () => {
    const path = fresh();
    const ledger = await open(path);
    await run(ledger.runs.begin(begin));
    for (const id of ["1", "2"]) await run(ledger.open(opening(id, { runId: "r" })));
    const other = await open(path);
    await run(other.runs.giveUp("r", "ada", 2_000));
    expect((await refusal(ledger.close(closing("1")))).message).toContain("cannot be closed");
    await run(ledger.open(opening("3")));
    await run(ledger.close(closing("3")));
    expect((await run(other.entries())).map(({ ending }) => ending)).toEqual([
      "unknown",
      "unknown",
      "executed",
    ]);
    expect(await run(other.verify())).toMatchObject({ ok: true });
  });

  it("is not needed: what another store opened and asked is closed and reserved here as well", async () => {
    const path = fresh();
    const first = await open(path);
    const other = await open(path);
    await run(other.open(opening("warm")));
    await run(first.open(opening("1")));
    await run(first.reserve(claim("k", "1")));
    await run(other.close(closing("1", { ran: true })));
    await run(first.open(opening("1b")));
    expect(await run(first.reserve(claim("k", "1b")))).toEqual({
      kind: "known",
      entryId: "1",
      ending: "executed",
    });
    expect((await refusal(first.close(closing("1")))).message).toContain("cannot be closed");
    expect((await refusal(first.open(opening("warm")))).message).toContain("cannot be opened");
    expect(await run(first.verify())).toMatchObject({ ok: true });
  });

  it("does not outlive a transaction that came to nothing", async () => {
    const path = fresh();
    const ledger = await open(path, { busyMs: 1 });
    await run(ledger.open(opening("1")));
    const other = connect(path);
    other.exec("BEGIN IMMEDIATE");
    expect(await refusal(ledger.intend(intent("1")))).toMatchObject({ code: "ledger_unavailable" });
    expect(await refusal(ledger.open(opening("2")))).toMatchObject({ code: "ledger_unavailable" });
    other.exec("ROLLBACK");
    await run(ledger.open(opening("2")));
    await run(ledger.close(closing("1")));
    expect((await run(ledger.rows())).map(({ kind }) => kind)).toEqual(["opened", "opened", "closed"]);
    expect(await run(ledger.verify())).toMatchObject({ ok: true });
  });
});
