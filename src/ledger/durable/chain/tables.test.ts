import { describe, expect, it } from "vitest";
import {
  createApprovalRecord,
  createClosing,
  createKeyClaim,
  createOpening,
  openPendingEntry,
  runLedgerEffect,
} from "../../../../test/contracts/ledger/ledger-fixtures.ts";
import { useSqliteFolder } from "../../../../test/kit/use-sqlite-folder.ts";
import type { DurableLedger, Verification } from "../../../types/durable-ledger.ts";
import type { Message } from "../../../types/message.ts";

const { fresh, open, connect } = useSqliteFolder();

/** Removes the triggers that protect rows, as any database writer can. */
const free = "DROP TRIGGER haft_records_fixed; DROP TRIGGER haft_records_kept;";

/** A ledger, and a writer who can change its tables but cannot sign its chain. */
const place = async () => {
  const path = fresh();
  const ledger = await open(path);
  const tamper = (sql: string): void => connect(path).exec(sql);
  return { ledger, tamper };
};

const pair = async (ledger: DurableLedger, id: string): Promise<void> => {
  await runLedgerEffect(ledger.open(createOpening(id)));
  await runLedgerEffect(ledger.close(createClosing(id)));
};

/** Writes more calls than one page of verification holds. */
const many = async (ledger: DurableLedger): Promise<void> => {
  await Promise.all(Array.from({ length: 260 }, (_, i) => pair(ledger, `among many ${i}`)));
};

const brokenOf = async (ledger: DurableLedger): Promise<Verification["broken"]> =>
  (await runLedgerEffect(ledger.verify())).broken;

const whole = async (ledger: DurableLedger): Promise<void> => {
  expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
};

describe("verification of the entries table", () => {
  it("reports the first of several changed entries", async () => {
    const { ledger, tamper } = await place();
    for (const id of ["1", "2", "3"]) await pair(ledger, id);
    tamper("UPDATE haft_entries SET ending = 'failed' WHERE open_seq > 1");
    expect((await brokenOf(ledger))?.seq).toBe(4);
    tamper("DELETE FROM haft_entries WHERE open_seq = 5; UPDATE haft_entries SET call_id = 'x'");
    expect((await brokenOf(ledger))?.seq).toBe(1);
  });

  it("reports a lost call that was changed to open", async () => {
    const { ledger, tamper } = await place();
    await runLedgerEffect(
      ledger.runs.begin({ runId: "r", agent: "a", principal: undefined, messages: [], at: 1_000 }),
    );
    await runLedgerEffect(ledger.open(createOpening("1", { runId: "r", epoch: 1 })));
    await runLedgerEffect(ledger.runs.cancel("r", undefined, 2_000));
    const rows = await runLedgerEffect(ledger.rows({ entryId: "1" }));
    expect(rows.map(({ kind, body }) => [kind, body.ending])).toEqual([
      ["opened", undefined],
      ["lost", "unknown"],
    ]);
    await whole(ledger);
    tamper("UPDATE haft_entries SET ending = 'open', last_seq = open_seq, closed_at = NULL");
    expect(await brokenOf(ledger)).toEqual({
      seq: rows[1]?.seq,
      why: expect.stringContaining("has no record that it was lost"),
    });
  });

  it("reports a call that was changed to open when its end is on a later page", async () => {
    const { ledger, tamper } = await place();
    await runLedgerEffect(ledger.open(createOpening("long")));
    await many(ledger);
    await runLedgerEffect(ledger.close(createClosing("long")));
    await whole(ledger);
    const { head } = await runLedgerEffect(ledger.verify());
    tamper(
      "UPDATE haft_entries SET ending = 'open', last_seq = open_seq, close_seq = NULL, closed_at = NULL WHERE open_seq = 1",
    );
    expect(await brokenOf(ledger)).toEqual({
      seq: head.seq,
      why: expect.stringContaining("has no record that it was closed"),
    });
  });

  it("accepts a call that was pruned between two openings, and reports an entry that uses the second one", async () => {
    const { ledger, tamper } = await place();
    await runLedgerEffect(ledger.open(createOpening("twice")));
    await runLedgerEffect(ledger.close(createClosing("twice", { ending: "hydrated" })));
    await many(ledger);
    await runLedgerEffect(ledger.open(createOpening("twice")));
    await runLedgerEffect(ledger.close(createClosing("twice")));
    await pair(ledger, "last");
    const stop = new AbortController();
    const pruned = await runLedgerEffect(
      ledger.prune(Date.now() + 1_000_000, { signal: stop.signal, onProgress: () => stop.abort() }),
    );
    expect(pruned).toMatchObject({ isComplete: false, rows: 500 });
    await whole(ledger);
    const [again, closed] = await runLedgerEffect(ledger.rows({ entryId: "twice" }));
    expect([again?.kind, closed?.kind]).toEqual(["opened", "closed"]);
    expect(again?.body.again).toBe(true);
    tamper(
      `UPDATE haft_entries SET open_seq = ${again?.seq}, call_id = 'call-twice' WHERE entry_id = 'last'`,
    );
    expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: false });
  });

  /** Call 1 was started, approved and lost, call 2 is pending after a refused answer, call 3 was executed. */
  const asking = async () => {
    const made = await place();
    const { ledger } = made;
    await runLedgerEffect(ledger.open(createOpening("1")));
    await runLedgerEffect(
      ledger.intend({ entryId: "1", tool: "work", at: 1_500, full: false, decision: "rule-1" }),
    );
    const pending = { ending: "pending", result: undefined, flow: undefined } as const;
    await runLedgerEffect(
      ledger.close(createClosing("1", { ...pending, approval: createApprovalRecord("a", "1") })),
    );
    await runLedgerEffect(ledger.approvals.answer("a", { decision: { kind: "allow" }, at: 2_000 }));
    await runLedgerEffect(ledger.approvals.take("a", 3_000));
    await runLedgerEffect(ledger.close(createClosing("1", { ending: "unknown" })));
    await openPendingEntry(ledger, createApprovalRecord("b", "2"));
    await runLedgerEffect(ledger.approvals.refuse("b", { agent: "mallory" }, 3_500));
    await pair(ledger, "3");
    await whole(ledger);
    return made;
  };
  const of = (id: string, kind: string): string =>
    `(SELECT MIN(seq) FROM haft_records WHERE entry_id = '${id}' AND kind = '${kind}')`;

  it.each([
    ["whose end is its own opening", `close_seq = ${of("1", "opened")}`, "1"],
    ["whose end is a missing row", "close_seq = 999", "1"],
    ["whose end is of another call", `close_seq = ${of("3", "closed")}`, "1"],
    ["whose start is its own opening", `start_seq = ${of("1", "opened")}`, "1"],
    ["whose start is a missing row", "start_seq = 999", "1"],
    [
      "whose last change is a refused answer",
      `last_seq = ${of("2", "refused")}, closed_at = (SELECT at FROM haft_records WHERE kind = 'refused')`,
      "2",
    ],
    [
      "whose last change is of another call",
      `last_seq = ${of("3", "closed")}, closed_at = (SELECT at FROM haft_records WHERE seq = ${of("3", "closed")})`,
      "2",
    ],
    [
      "whose end is the one before it was resumed",
      `ending = 'pending', close_seq = ${of("1", "closed")}`,
      "1",
    ],
    ["of another run", "run_id = 'run-2'", "3"],
  ])("reports an entry %s", async (_, change, id) => {
    const { ledger, tamper } = await asking();
    tamper(`UPDATE haft_entries SET ${change} WHERE entry_id = '${id}'`);
    expect(await runLedgerEffect(ledger.verify())).toMatchObject({
      ok: false,
      broken: { why: expect.stringContaining("haft_entries") },
    });
  });

  it("reports a call that was lost after it was resumed when its end is changed to its opening", async () => {
    const { ledger, tamper } = await place();
    await openPendingEntry(ledger, createApprovalRecord("a", "1"));
    await runLedgerEffect(ledger.approvals.answer("a", { decision: { kind: "allow" }, at: 2_000 }));
    await runLedgerEffect(ledger.approvals.take("a", 3_000));
    await ledger.end();
    const next = await open(ledger.place.slice("sqlite:".length));
    await whole(next);
    tamper(`UPDATE haft_entries SET close_seq = open_seq WHERE ending = 'unknown'`);
    expect(await runLedgerEffect(next.verify())).toMatchObject({ ok: false });
  });

  it("reports an entry without an agent that was given one", async () => {
    const { ledger, tamper } = await place();
    await runLedgerEffect(ledger.open(createOpening("1", { agent: undefined })));
    await runLedgerEffect(ledger.close(createClosing("1")));
    await runLedgerEffect(ledger.open(createOpening("2", { agent: undefined })));
    await whole(ledger);
    expect((await runLedgerEffect(ledger.entries({ entryId: "1" })))[0]?.agent).toBeUndefined();
    tamper("UPDATE haft_entries SET agent = 'tester' WHERE entry_id = '1'");
    expect(await brokenOf(ledger)).toMatchObject({ seq: 1 });
    tamper("UPDATE haft_entries SET agent = NULL; UPDATE haft_entries SET agent = 'x' WHERE entry_id = '2'");
    expect(await brokenOf(ledger)).toMatchObject({ seq: 3 });
  });

  it("reports an entry that was moved between sessions", async () => {
    const { ledger, tamper } = await place();
    await runLedgerEffect(ledger.open(createOpening("1", { session: "chat-1" })));
    await runLedgerEffect(ledger.close(createClosing("1")));
    await runLedgerEffect(ledger.open(createOpening("2", { input: '{"session":"chat-1"}' })));
    await runLedgerEffect(ledger.close(createClosing("2")));
    await runLedgerEffect(ledger.open(createOpening("3", { session: "chat-1" })));
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

  it("accepts names with characters that no database stores", async () => {
    const { ledger } = await place();
    const odd = "te\0st\ud800er";
    await runLedgerEffect(
      ledger.open(createOpening("1", { agent: odd, callId: odd, tool: odd, session: odd })),
    );
    await whole(ledger);
    await runLedgerEffect(ledger.close(createClosing("1", { tool: odd })));
    await runLedgerEffect(ledger.open(createOpening("2", { agent: odd, callId: odd, tool: odd })));
    await runLedgerEffect(ledger.close(createClosing("2", { tool: undefined })));
    await whole(ledger);
    expect(await runLedgerEffect(ledger.entries({ callId: odd }))).toHaveLength(2);
  });
});

describe("verification of the keys table", () => {
  it.each([
    ["is open", undefined],
    ["failed after its code was started", { ending: "failed", ran: true }],
    ["was executed", { ending: "executed", ran: true }],
  ] as const)("reports the missing key of a call that %s", async (_, end) => {
    const { ledger, tamper } = await place();
    await runLedgerEffect(ledger.open(createOpening("1")));
    await runLedgerEffect(ledger.reserve(createKeyClaim("k", "1")));
    if (end !== undefined) await runLedgerEffect(ledger.close(createClosing("1", end)));
    await whole(ledger);
    tamper("DELETE FROM haft_keys");
    expect(await brokenOf(ledger)).toEqual({ seq: 2, why: "its key is missing from haft_keys" });
  });
});

describe("key that was changed to a call of another caller", () => {
  const keyed = async () => {
    const made = await place();
    const { ledger } = made;
    for (const [id, tenant] of [
      ["theirs", "victim"],
      ["mine", "attacker"],
    ] as const) {
      await runLedgerEffect(ledger.open(createOpening(id, { tenant })));
      await runLedgerEffect(ledger.reserve(createKeyClaim("k", id, { tenant })));
      await runLedgerEffect(ledger.close(createClosing(id)));
    }
    await runLedgerEffect(ledger.open(createOpening("again", { tenant: "attacker" })));
    const again = () => runLedgerEffect(ledger.reserve(createKeyClaim("k", "again", { tenant: "attacker" })));
    expect(await again()).toMatchObject({ kind: "known", entryId: "mine" });
    return { ...made, again };
  };

  it("is refused, so the sealed result of the other caller is not opened", async () => {
    const { ledger, tamper, again } = await keyed();
    tamper("UPDATE haft_keys SET entry_id = 'theirs' WHERE entry_id = 'mine'");
    await expect(again()).rejects.toThrow("does not match the ledger's chain");
    expect(await brokenOf(ledger)).toMatchObject({ why: expect.stringContaining("its key in haft_keys") });
  });

  it("is refused when the row of the chain was changed too", async () => {
    const { tamper, again } = await keyed();
    tamper(
      `${free} UPDATE haft_keys SET entry_id = 'theirs' WHERE entry_id = 'mine'; UPDATE haft_records SET entry_id = 'theirs' WHERE entry_id = 'mine' AND kind = 'keyed'`,
    );
    await expect(again()).rejects.toThrow("does not match the ledger's chain");
  });
});

describe("verification against a noted head", () => {
  const noted = async () => {
    const made = await place();
    for (const id of ["1", "2", "3"]) await pair(made.ledger, id);
    const { head } = await runLedgerEffect(made.ledger.verify());
    const verified = () => runLedgerEffect(made.ledger.verify({ expect: head.hash }));
    expect(await verified()).toMatchObject({ ok: true });
    return { ...made, verified };
  };

  it.each([
    [
      "deleted rows at the end",
      "DELETE FROM haft_records WHERE seq > 4; DELETE FROM haft_entries WHERE open_seq > 4",
    ],
    ["a deleted row", "DELETE FROM haft_records WHERE seq = 3"],
    ["a changed row", "UPDATE haft_records SET body = replace(body, 'a', 'b') WHERE seq = 2"],
    [
      "an inserted row",
      "INSERT INTO haft_records (seq, at, kind, entry_id, run_id, body, hash) SELECT 7, at, kind, entry_id, run_id, body, hash FROM haft_records WHERE seq = 6",
    ],
  ])("reports %s", async (_, sql) => {
    const { tamper, verified } = await noted();
    tamper(`${free} ${sql}`);
    expect((await verified()).ok).toBe(false);
  });
});

describe("verification of the runs table", () => {
  const hello: Message = { role: "user", content: "hello" };
  const begun = async () => {
    const made = await place();
    const { runs } = made.ledger;
    await runLedgerEffect(
      runs.begin({ runId: "r", agent: "a", principal: undefined, messages: [hello, hello], at: 1_000 }),
    );
    return made;
  };

  it("reports a message that was deleted from a conversation", async () => {
    const { ledger, tamper } = await begun();
    await whole(ledger);
    tamper("DELETE FROM haft_run_messages WHERE number = 1");
    expect(await brokenOf(ledger)).toEqual({
      seq: 1,
      why: "the conversation of its run differs from the chain",
    });
  });

  it("distinguishes a missing run from a run with a changed status", async () => {
    const { ledger, tamper } = await begun();
    await runLedgerEffect(
      ledger.runs.end({ runId: "r", epoch: 1, status: "failed", reason: "no luck", at: 2_000 }),
    );
    await whole(ledger);
    tamper("UPDATE haft_runs SET status = 'running', reason = NULL, last_seq = began_seq");
    expect(await brokenOf(ledger)).toEqual({
      seq: 2,
      why: "its run in haft_runs has no record of it (run-ended)",
    });
    tamper("DELETE FROM haft_runs");
    expect(await brokenOf(ledger)).toEqual({ seq: 1, why: "its run is missing from haft_runs" });
  });
});
