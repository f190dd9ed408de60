import { describe, expect, it } from "vitest";
import { asked, claim, closing, opening, run, wait } from "../../../../test/contracts/ledger/rows.ts";
import { sqliteFolder } from "../../../../test/kit/sqlite-folder.ts";
import type { DurableLedger, Verification } from "../../../words/durable-ledger.ts";
import type { Message } from "../../../words/message.ts";

const { fresh, open, connect } = sqliteFolder();

/** A ledger, and somebody who can write to its file but not to its chain. */
const place = async () => {
  const path = fresh();
  const ledger = await open(path);
  const tamper = (sql: string): void => connect(path).exec(sql);
  return { ledger, tamper };
};

const pair = async (ledger: DurableLedger, id: string): Promise<void> => {
  await run(ledger.open(opening(id)));
  await run(ledger.close(closing(id)));
};

/** More calls than one page of verification has rows for. */
const many = async (ledger: DurableLedger): Promise<void> => {
  await Promise.all(Array.from({ length: 260 }, (_, i) => pair(ledger, `among many ${i}`)));
};

const brokenOf = async (ledger: DurableLedger): Promise<Verification["broken"]> =>
  (await run(ledger.verify())).broken;

const whole = async (ledger: DurableLedger): Promise<void> => {
  expect(await run(ledger.verify())).toMatchObject({ ok: true });
};

describe("the table of entries is held against the chain", () => {
  it("of several entries that lie the first is named, in whatever order they are looked at", async () => {
    const { ledger, tamper } = await place();
    for (const id of ["1", "2", "3"]) await pair(ledger, id);
    tamper("UPDATE haft_entries SET ending = 'failed' WHERE open_seq > 1");
    expect((await brokenOf(ledger))?.seq).toBe(4);
    tamper("DELETE FROM haft_entries WHERE open_seq = 5; UPDATE haft_entries SET call_id = 'x'");
    expect((await brokenOf(ledger))?.seq).toBe(1);
  });

  it("a call that was lost and is made to look as if it were under way is named", async () => {
    const { ledger, tamper } = await place();
    await run(ledger.runs.begin({ runId: "r", agent: "a", principal: undefined, messages: [], at: 1_000 }));
    await run(ledger.open(opening("1", { runId: "r", epoch: 1 })));
    await run(ledger.runs.giveUp("r", undefined, 2_000));
    const rows = await run(ledger.rows({ entryId: "1" }));
    expect(rows.map(({ kind, body }) => [kind, body.ending])).toEqual([
      ["opened", undefined],
      ["lost", "unknown"],
    ]);
    await whole(ledger);
    tamper("UPDATE haft_entries SET ending = 'open', last_seq = open_seq, closed_at = NULL");
    expect(await brokenOf(ledger)).toEqual({
      seq: rows[1]?.seq,
      why: expect.stringContaining("does not know that it was lost"),
    });
  });

  it("a call that ended long after it began and is made to look as if it were under way is named", async () => {
    const { ledger, tamper } = await place();
    await run(ledger.open(opening("long")));
    await many(ledger);
    await run(ledger.close(closing("long")));
    await whole(ledger);
    const { head } = await run(ledger.verify());
    tamper(
      "UPDATE haft_entries SET ending = 'open', last_seq = open_seq, close_seq = NULL, closed_at = NULL WHERE open_seq = 1",
    );
    expect(await brokenOf(ledger)).toEqual({
      seq: head.seq,
      why: expect.stringContaining("does not know that it was closed"),
    });
  });

  it("a call that was pruned between its two beginnings leaves a whole chain, and lends nobody its second", async () => {
    const { ledger, tamper } = await place();
    await run(ledger.open(opening("twice")));
    await run(ledger.close(closing("twice", { ending: "hydrated" })));
    await many(ledger);
    await run(ledger.open(opening("twice")));
    await run(ledger.close(closing("twice")));
    await pair(ledger, "last");
    const stop = new AbortController();
    const pruned = await run(
      ledger.prune(Date.now() + 1_000_000, { signal: stop.signal, onProgress: () => stop.abort() }),
    );
    expect(pruned).toMatchObject({ isComplete: false, rows: 500 });
    await whole(ledger);
    const [again, closed] = await run(ledger.rows({ entryId: "twice" }));
    expect([again?.kind, closed?.kind]).toEqual(["opened", "closed"]);
    expect(again?.body.again).toBe(true);
    tamper(
      `UPDATE haft_entries SET open_seq = ${again?.seq}, call_id = 'call-twice' WHERE entry_id = 'last'`,
    );
    expect(await run(ledger.verify())).toMatchObject({ ok: false });
  });

  /** One call that was started, asked about, refused to a stranger and lost; and one that was answered and is over. */
  const asking = async () => {
    const made = await place();
    const { ledger } = made;
    await run(ledger.open(opening("1")));
    await run(ledger.intend({ entryId: "1", tool: "work", at: 1_500, full: false, decision: "rule-1" }));
    const pending = { ending: "pending", result: undefined, flow: undefined } as const;
    await run(ledger.close(closing("1", { ...pending, approval: asked("a", "1") })));
    await run(ledger.approvals.answer("a", { decision: { kind: "allow" }, at: 2_000 }));
    await run(ledger.approvals.take("a", 3_000));
    await run(ledger.close(closing("1", { ending: "unknown" })));
    await wait(ledger, asked("b", "2"));
    await run(ledger.approvals.refuse("b", { agent: "mallory" }, 3_500));
    await pair(ledger, "3");
    await whole(ledger);
    return made;
  };
  const of = (id: string, kind: string): string =>
    `(SELECT MIN(seq) FROM haft_records WHERE entry_id = '${id}' AND kind = '${kind}')`;

  it.each([
    ["whose end is its own beginning", `close_seq = ${of("1", "opened")}`, "1"],
    ["whose end is no row at all", "close_seq = 999", "1"],
    ["whose end is another call's", `close_seq = ${of("3", "closed")}`, "1"],
    ["whose start is its own beginning", `start_seq = ${of("1", "opened")}`, "1"],
    ["whose start is no row at all", "start_seq = 999", "1"],
    [
      "whose last change is a row that changed nothing",
      `last_seq = ${of("2", "refused")}, closed_at = (SELECT at FROM haft_records WHERE kind = 'refused')`,
      "2",
    ],
    [
      "whose last change is another call's",
      `last_seq = ${of("3", "closed")}, closed_at = (SELECT at FROM haft_records WHERE seq = ${of("3", "closed")})`,
      "2",
    ],
    ["whose end is one that it went on from", `ending = 'pending', close_seq = ${of("1", "closed")}`, "1"],
    ["of another run", "run_id = 'run-2'", "3"],
  ])("an entry %s is named", async (_, change, id) => {
    const { ledger, tamper } = await asking();
    tamper(`UPDATE haft_entries SET ${change} WHERE entry_id = '${id}'`);
    expect(await run(ledger.verify())).toMatchObject({
      ok: false,
      broken: { why: expect.stringContaining("haft_entries") },
    });
  });

  it("a call that was lost after it went on, and whose end is said to be its beginning, is named", async () => {
    const { ledger, tamper } = await place();
    await wait(ledger, asked("a", "1"));
    await run(ledger.approvals.answer("a", { decision: { kind: "allow" }, at: 2_000 }));
    await run(ledger.approvals.take("a", 3_000));
    await ledger.end();
    const next = await open(ledger.place.slice("sqlite:".length));
    await whole(next);
    tamper(`UPDATE haft_entries SET close_seq = open_seq WHERE ending = 'unknown'`);
    expect(await run(next.verify())).toMatchObject({ ok: false });
  });

  it("a call that no agent made and that is laid at somebody's door is named", async () => {
    const { ledger, tamper } = await place();
    await run(ledger.open(opening("1", { agent: undefined })));
    await run(ledger.close(closing("1")));
    await run(ledger.open(opening("2", { agent: undefined })));
    await whole(ledger);
    expect((await run(ledger.entries({ entryId: "1" })))[0]?.agent).toBeUndefined();
    tamper("UPDATE haft_entries SET agent = 'tester' WHERE entry_id = '1'");
    expect(await brokenOf(ledger)).toMatchObject({ seq: 1 });
    tamper("UPDATE haft_entries SET agent = NULL; UPDATE haft_entries SET agent = 'x' WHERE entry_id = '2'");
    expect(await brokenOf(ledger)).toMatchObject({ seq: 3 });
  });

  it("a call that is moved to another session, taken out of its own or put into one is named", async () => {
    const { ledger, tamper } = await place();
    await run(ledger.open(opening("1", { session: "chat-1" })));
    await run(ledger.close(closing("1")));
    await run(ledger.open(opening("2", { input: '{"session":"chat-1"}' })));
    await run(ledger.close(closing("2")));
    await run(ledger.open(opening("3", { session: "chat-1" })));
    await whole(ledger);
    const session = (id: string, name: string): void =>
      tamper(`UPDATE haft_entries SET session = ${name} WHERE entry_id = '${id}'`);
    session("1", "'chat-2'");
    expect(await brokenOf(ledger)).toMatchObject({ seq: 1, why: expect.stringContaining("haft_entries") });
    session("1", "NULL");
    expect(await brokenOf(ledger)).toMatchObject({ seq: 1 });
    session("1", "'chat-1'");
    await whole(ledger);
    session("2", "'chat-1'");
    expect(await brokenOf(ledger)).toMatchObject({ seq: 3 });
    session("2", "NULL");
    session("3", "'chat'");
    expect(await brokenOf(ledger)).toMatchObject({ seq: 5 });
  });

  it("names that no database keeps as they came make no honest entry a lie", async () => {
    const { ledger } = await place();
    const odd = "te\0st\ud800er";
    await run(ledger.open(opening("1", { agent: odd, callId: odd, tool: odd, session: odd })));
    await whole(ledger);
    await run(ledger.close(closing("1", { tool: odd })));
    await run(ledger.open(opening("2", { agent: odd, callId: odd, tool: odd })));
    await run(ledger.close(closing("2", { tool: undefined })));
    await whole(ledger);
    expect(await run(ledger.entries({ callId: odd }))).toHaveLength(2);
  });
});

describe("the table of keys is held against the chain", () => {
  it.each([
    ["is under way", undefined],
    ["failed after its code was started", { ending: "failed", ran: true }],
    ["was executed", { ending: "executed", ran: true }],
  ] as const)("the key of a call that %s is missed", async (_, end) => {
    const { ledger, tamper } = await place();
    await run(ledger.open(opening("1")));
    await run(ledger.reserve(claim("k", "1")));
    if (end !== undefined) await run(ledger.close(closing("1", end)));
    await whole(ledger);
    tamper("DELETE FROM haft_keys");
    expect(await brokenOf(ledger)).toEqual({ seq: 2, why: "its key is missing from haft_keys" });
  });
});

describe("the table of runs is held against the chain", () => {
  const hello: Message = { role: "user", content: "hello" };
  const begun = async () => {
    const made = await place();
    const { runs } = made.ledger;
    await run(
      runs.begin({ runId: "r", agent: "a", principal: undefined, messages: [hello, hello], at: 1_000 }),
    );
    return made;
  };

  it("a message that was taken out of the middle of a conversation is missed, whatever else stands", async () => {
    const { ledger, tamper } = await begun();
    await whole(ledger);
    tamper("DELETE FROM haft_run_messages WHERE number = 1");
    expect(await brokenOf(ledger)).toEqual({
      seq: 1,
      why: "the conversation of its run is not the one that the chain tells of",
    });
  });

  it("what verify says tells a run that is gone from one that does not know how it ended", async () => {
    const { ledger, tamper } = await begun();
    await run(ledger.runs.end({ runId: "r", epoch: 1, status: "failed", reason: "no luck", at: 2_000 }));
    await whole(ledger);
    tamper("UPDATE haft_runs SET status = 'running', reason = NULL, last_seq = began_seq");
    expect(await brokenOf(ledger)).toEqual({
      seq: 2,
      why: "its run in haft_runs does not know of it (run-ended)",
    });
    tamper("DELETE FROM haft_runs");
    expect(await brokenOf(ledger)).toEqual({ seq: 1, why: "its run is missing from haft_runs" });
  });
});
