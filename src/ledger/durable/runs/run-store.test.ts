import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import {
  createApprovalRecord,
  createClosing,
  createKeyClaim,
  createOpening,
  runLedgerEffect,
  runToLedgerError,
} from "../../../../test/contracts/ledger/ledger-fixtures.ts";
import { testMasking, useSqliteFolder } from "../../../../test/kit/use-sqlite-folder.ts";
import type { Message } from "../../../types/message.ts";
import type { RunStart, RunStep } from "../../../types/run-store.ts";
import { openSqliteDatabase } from "../../sqlite-database.ts";
import { hashRow, type LinkedRow, readSignedRow } from "../chain/signed-row.ts";
import type { Row } from "../database.ts";
import { createDurableLedger } from "../durable-ledger.ts";

const { fresh, open, connect } = useSqliteFolder();

const hello: Message = { role: "user", content: "hello" };
const asks: Message = { role: "assistant", content: "", calls: [{ id: "c1", tool: "work", input: "{}" }] };
const tool = { role: "tool", callId: "c1", tool: "work" } as const;
const pending: Message = { ...tool, content: "waits", ok: false, pending: "a" };
const answered: Message = { ...tool, content: "21", ok: true };
const principal = { agent: "a", session: "s", allow: ["x"] };

const start = (runId: string, more: Partial<RunStart> = {}): RunStart => ({
  runId,
  agent: "a",
  principal,
  messages: [hello],
  at: 1_000,
  ...more,
});

const step = (runId: string, messages: readonly Message[], more: Partial<RunStep> = {}): RunStep => ({
  ...{ runId, messages, epoch: 1, turns: 1, agent: "a", at: 2_000 },
  usage: { inputTokens: 5, outputTokens: 7 },
  ...more,
});

const place = async () => {
  const path = fresh();
  const ledger = await open(path);
  const tamper = (sql: string): void =>
    connect(path).exec(`DROP TRIGGER haft_records_fixed; DROP TRIGGER haft_records_kept; ${sql}`);
  return { path, ledger, runs: ledger.runs, tamper };
};

describe("a run is written", () => {
  it("together with its first step and its end, if they come at once", async () => {
    const { runs, ledger } = await place();
    await Promise.all([
      runLedgerEffect(runs.begin(start("r"))),
      runLedgerEffect(runs.add(step("r", [asks, answered], { agent: "b" }))),
      runLedgerEffect(ledger.open(createOpening("1", { runId: "r", epoch: 1 }))),
      runLedgerEffect(runs.end({ runId: "r", epoch: 1, status: "pending", at: 3_000 })),
    ]);
    expect(await runLedgerEffect(runs.find("r"))).toMatchObject({
      agent: "b",
      status: "pending",
      isHeld: false,
      messages: [hello, asks, answered],
    });
    expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
  });

  it("by nobody any more, once it was given up together with the next step", async () => {
    const { runs, ledger } = await place();
    await runLedgerEffect(runs.begin(start("r")));
    const [given, late, again] = await Promise.all([
      runLedgerEffect(runs.giveUp("r", "ada", 2_000)),
      runToLedgerError(runs.add(step("r", [asks]))),
      runLedgerEffect(runs.giveUp("r", "bob", 2_000)),
    ]);
    expect([given, late.code, again]).toEqual(["given-up", "claim_lost", "ended"]);
    expect(await runLedgerEffect(runs.find("r"))).toMatchObject({
      status: "stopped",
      reason: "It was given up by ada.",
      messages: [],
    });
    expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
  });

  it("without its messages where there is no key to keep them under, and goes on all the same", async () => {
    const path = fresh();
    const ledger = await createDurableLedger(openSqliteDatabase({ path }), {
      redactor: testMasking,
      place: path,
    });
    const { runs } = ledger;
    await runLedgerEffect(runs.begin(start("r")));
    await runLedgerEffect(runs.add(step("r", [asks, pending])));
    await runLedgerEffect(runs.amend({ runId: "r", epoch: 1, messages: [answered], at: 3_000 }));
    expect(await runLedgerEffect(runs.find("r"))).toMatchObject({ messages: [], updatedAt: 3_000, turns: 1 });
    await runLedgerEffect(runs.add(step("r", [hello], { at: 4_000 })));
    expect(await runLedgerEffect(runs.find("r"))).toMatchObject({ messages: [], updatedAt: 4_000 });
    expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
    await ledger.end();
  });

  it("with all that was said before, where nobody had counted it yet", async () => {
    const { runs, ledger, tamper } = await place();
    await runLedgerEffect(runs.begin(start("r")));
    // As a run that 0.1.0 began has none.
    tamper("UPDATE haft_runs SET digest = NULL");
    await runLedgerEffect(runs.add(step("r", [asks, answered])));
    expect((await runLedgerEffect(runs.find("r")))?.messages).toEqual([hello, asks, answered]);
    expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
  });
});

describe("a step that nobody waits for", () => {
  it("is on record with what its run writes next, before it", async () => {
    const { runs, ledger } = await place();
    await runLedgerEffect(runs.begin(start("r")));
    await runLedgerEffect(runs.add(step("r", [asks], { isSoon: true })));
    await runLedgerEffect(ledger.open(createOpening("1", { runId: "r", epoch: 1 })));
    const kinds = (await runLedgerEffect(ledger.rows())).map(({ kind }) => kind);
    expect(kinds.slice(-2)).toEqual(["run-step", "opened"]);
  });

  it("and that can be put nowhere, lets nothing of its run follow but that it failed", async () => {
    const path = fresh();
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${path}.blobs`, "");
    const ledger = await open(path);
    const { runs } = ledger;
    await runLedgerEffect(runs.begin(start("r")));
    await runLedgerEffect(
      runs.add(step("r", [{ ...asks, content: "long".repeat(500_000) }], { isSoon: true })),
    );
    const refused = [
      ledger.open(createOpening("1", { runId: "r", epoch: 1 })),
      runs.add(step("r", [answered])),
      runs.end({ runId: "r", epoch: 1, status: "done", at: 3_000 }),
    ];
    for (const each of await Promise.all(refused.map((effect) => runToLedgerError(effect))))
      expect(each.message).toContain("A long text cannot be kept");
    // The same when it is asked for later, by a transaction of its own.
    const later = ledger.open(createOpening("2", { runId: "r", epoch: 1 }));
    expect((await runToLedgerError(later)).message).toContain("A long text cannot be kept");
    expect(await runLedgerEffect(ledger.entries())).toEqual([]);
    await runLedgerEffect(runs.end({ runId: "r", epoch: 1, status: "failed", at: 4_000 }));
    expect(await runLedgerEffect(runs.find("r"))).toMatchObject({ status: "failed", messages: [hello] });
    // Whoever claims it anew begins where it was left.
    const epoch = (await runLedgerEffect(runs.claim("r", 5_000)))!;
    await runLedgerEffect(ledger.open(createOpening("3", { runId: "r", epoch })));
  });
});

it("many runs that are looked for at once are found each as it is, and one that was changed refuses alone", async () => {
  const { runs, tamper } = await place();
  for (const runId of ["a", "b", "c"]) await runLedgerEffect(runs.begin(start(runId)));
  await runLedgerEffect(runs.add(step("b", [asks])));
  tamper("UPDATE haft_runs SET principal = '{}' WHERE run_id = 'c'");
  const looked = ["b", "none", "c", "a", "b"].map((runId) =>
    runLedgerEffect(runs.find(runId)).then(
      (found) => found?.messages,
      ({ message }: Error) => message,
    ),
  );
  expect(await Promise.all(looked)).toEqual([
    [hello, asks],
    undefined,
    expect.stringContaining("not as the chain says"),
    [hello],
    [hello, asks],
  ]);
});

it("an answer takes the place of the message that waits for it, not of a newer one about a call of the same id", async () => {
  const { runs, ledger } = await place();
  await runLedgerEffect(runs.begin(start("r")));
  const other: Message = { ...tool, content: "another call", ok: true };
  await runLedgerEffect(runs.add(step("r", [asks, pending, asks, other])));
  await runLedgerEffect(runs.amend({ runId: "r", epoch: 1, messages: [answered], at: 3_000 }));
  expect((await runLedgerEffect(runs.find("r")))?.messages).toEqual([hello, asks, answered, asks, other]);
  // Nothing waits any more: the newest is meant.
  const last: Message = { ...tool, content: "once more", ok: true };
  await runLedgerEffect(runs.amend({ runId: "r", epoch: 1, messages: [last], at: 3_000 }));
  expect((await runLedgerEffect(runs.find("r")))?.messages).toEqual([hello, asks, answered, asks, last]);
  expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
});

describe("what was said in a run that is over", () => {
  it.each([
    ["stays where everything is recorded", true, true, [hello]],
    ["stays where it was to be recorded when it began, whoever ends it", true, false, [hello]],
    ["stays where whoever ends it records everything", false, true, [hello]],
    ["goes where nobody wants it recorded", false, false, []],
  ])("%s", async (_, first, second, messages) => {
    const path = fresh();
    const beginning = await open(path, { keepPayloads: first });
    await runLedgerEffect(beginning.runs.begin(start("r")));
    await runLedgerEffect(beginning.runs.end({ runId: "r", epoch: 1, status: "pending", at: 2_000 }));
    const { runs } = await open(path, { keepPayloads: second });
    expect(await runLedgerEffect(runs.claim("r", 3_000))).toBe(2);
    await runLedgerEffect(runs.end({ runId: "r", epoch: 2, status: "done", at: 4_000 }));
    expect((await runLedgerEffect(runs.find("r")))?.messages).toEqual(messages);
  });
});

it("the key of a call whose code ran before it waited stays taken when its run is given up, and else it is free", async () => {
  const { ledger } = await place();
  await runLedgerEffect(ledger.runs.begin(start("r")));
  for (const [id, ran] of [
    ["ran", true],
    ["did not", false],
  ] as const) {
    await runLedgerEffect(ledger.open(createOpening(id, { runId: "r", epoch: 1 })));
    await runLedgerEffect(ledger.reserve(createKeyClaim(id, id, { epoch: 1 })));
    const approval = createApprovalRecord(`about ${id}`, id, { runId: "r" });
    await runLedgerEffect(ledger.close(createClosing(id, { ending: "pending", ran, approval, epoch: 1 })));
  }
  expect(await runLedgerEffect(ledger.runs.giveUp("r", undefined, 2_000))).toBe("given-up");
  expect((await runLedgerEffect(ledger.entries())).map(({ ending, ran }) => [ending, ran])).toEqual([
    ["failed", true],
    ["failed", false],
  ]);
  expect((await runLedgerEffect(ledger.approvals.list())).map(({ status }) => status)).toEqual([
    "void",
    "void",
  ]);
  await runLedgerEffect(ledger.open(createOpening("next")));
  expect(await runLedgerEffect(ledger.reserve(createKeyClaim("ran", "next")))).toMatchObject({
    kind: "known",
    entryId: "ran",
  });
  expect(await runLedgerEffect(ledger.reserve(createKeyClaim("did not", "next")))).toEqual({ kind: "fresh" });
  expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
});

describe("nobody goes on with a run", () => {
  const begun = async () => {
    const made = await place();
    await runLedgerEffect(made.runs.begin(start("r")));
    await runLedgerEffect(made.runs.begin(start("other", { messages: [] })));
    await runLedgerEffect(made.runs.add(step("r", [asks])));
    expect((await runLedgerEffect(made.runs.find("r")))?.messages).toEqual([hello, asks]);
    return made;
  };
  const eve = `'{"agent":"eve","allow":["*"]}'`;
  const forgeCaller = (row: string): string =>
    `UPDATE haft_runs SET principal = ${eve} WHERE run_id = 'r';
     UPDATE haft_records SET body = json_set(body, '$.principal', json(${eve})) ${row} WHERE seq = 1`;

  it.each([
    ["that began nowhere", "DELETE FROM haft_records WHERE seq = 1"],
    ["that began as another", "UPDATE haft_runs SET began_seq = 2 WHERE run_id = 'r'"],
    ["that began with another row", "UPDATE haft_runs SET began_seq = 3 WHERE run_id = 'r'"],
    ["for another caller", `UPDATE haft_runs SET principal = ${eve} WHERE run_id = 'r'`],
    ["for nobody", "UPDATE haft_runs SET principal = NULL WHERE run_id = 'r'"],
    ["for another caller, in whose name its first row was changed", forgeCaller("")],
    ["for another caller, with a first row of another hash", forgeCaller(", hash = 'f'")],
    ["for another caller, with a first row without a MAC", forgeCaller(", mac = NULL, key_id = NULL")],
  ])("%s", async (_, sql) => {
    const { runs, tamper } = await begun();
    tamper(sql);
    expect((await runToLedgerError(runs.find("r"))).message).toContain(
      "is not as the chain says that it began",
    );
  });

  it.each([
    ["that was cut", "DELETE FROM haft_run_messages WHERE number = 1"],
    ["whose last step has another hash", "UPDATE haft_records SET hash = 'f' WHERE kind = 'run-step'"],
    [
      "whose last step was changed to say nothing of it",
      "UPDATE haft_records SET body = '{}' WHERE kind = 'run-step'",
    ],
  ])("of a conversation %s", async (_, sql) => {
    const { runs, tamper } = await begun();
    tamper(sql);
    expect((await runToLedgerError(runs.find("r"))).message).toContain(
      "is not the one that the chain tells of",
    );
  });
});

describe("a run whose first row has no MAC", () => {
  const keys = [new Uint8Array(32)];
  const at = async (path: string, isKeyed: boolean) =>
    createDurableLedger(openSqliteDatabase({ path }), {
      redactor: testMasking,
      place: path,
      ...(isKeyed ? { keys } : {}),
    });
  const begins = async (path: string, isKeyed: boolean, ...runIds: readonly string[]) => {
    const ledger = await at(path, isKeyed);
    for (const runId of runIds) {
      await runLedgerEffect(ledger.runs.begin(start(runId, { messages: [] })));
      await runLedgerEffect(ledger.runs.end({ runId, epoch: 1, status: "pending", at: 2_000 }));
    }
    return ledger;
  };

  it("is gone on with where it began before there was a key", async () => {
    const path = fresh();
    await (await begins(path, false, "older", "old")).end();
    const ledger = await begins(path, true, "new");
    for (const runId of ["old", "older", "new", "old"]) {
      expect(await runLedgerEffect(ledger.runs.find(runId))).toMatchObject({ runId, principal });
    }
    expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
    await ledger.end();
  });

  it("is gone on with where it began after keys were turned off", async () => {
    const path = fresh();
    const first = await begins(path, true, "keyed");
    await runLedgerEffect(first.turnKeysOff());
    await first.end();
    await (await begins(path, false, "unkeyed")).end();
    const ledger = await at(path, true);
    for (const runId of ["keyed", "unkeyed"]) {
      expect(await runLedgerEffect(ledger.runs.find(runId))).toMatchObject({ runId, principal });
    }
    await ledger.end();
  });

  it.each([
    ["no row says that keys were turned off", undefined],
    ["a row was changed to say that keys were turned off", "as it was"],
    ["a row was changed and hashed to say that keys were turned off", "anew"],
  ])(
    "is nobody's to go on with behind rows that have one, though its hash fits and %s",
    async (_, hashed) => {
      const path = fresh();
      const ledger = await begins(path, true, "other", "r");
      const forger = connect(path);
      forger.exec("DROP TRIGGER haft_records_fixed");
      const rowAt = (seq: number) =>
        readSignedRow(forger.prepare("SELECT * FROM haft_records WHERE seq = ?").get(seq) as Row);
      const forge = (link: LinkedRow, more: string) =>
        forger
          .prepare(`UPDATE haft_records SET kind = ?, body = ?, prev = ?, hash = ? ${more} WHERE seq = ?`)
          .run(link.kind, link.body, link.prev, hashRow(String(link.prev), link), link.seq);
      if (hashed === "anew") forge({ ...rowAt(2), kind: "keys-off" }, "");
      if (hashed === "as it was") forger.exec("UPDATE haft_records SET kind = 'keys-off' WHERE seq = 2");
      const eve = { agent: "eve", allow: ["*"] };
      const first = rowAt(3);
      const body = JSON.stringify({ ...JSON.parse(first.body), principal: eve });
      forge({ ...first, prev: rowAt(2).hash, keyId: null, body }, ", mac = NULL, key_id = NULL");
      forger.prepare("UPDATE haft_runs SET principal = ? WHERE run_id = 'r'").run(JSON.stringify(eve));
      expect((await runToLedgerError(ledger.runs.find("r"))).message).toContain(
        "is not as the chain says that it began",
      );
      await ledger.end();
    },
  );
});
