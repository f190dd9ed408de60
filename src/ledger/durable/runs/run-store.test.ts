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

describe("run", () => {
  it("is written together with its first step and its end", async () => {
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

  it("rejects a step that arrives together with its cancellation", async () => {
    const { runs, ledger } = await place();
    await runLedgerEffect(runs.begin(start("r")));
    const [given, late, again] = await Promise.all([
      runLedgerEffect(runs.cancel("r", "ada", 2_000)),
      runToLedgerError(runs.add(step("r", [asks]))),
      runLedgerEffect(runs.cancel("r", "bob", 2_000)),
    ]);
    expect([given, late.code, again]).toEqual(["given-up", "claim_lost", "ended"]);
    expect(await runLedgerEffect(runs.find("r"))).toMatchObject({
      status: "stopped",
      reason: "The run was cancelled by ada.",
      messages: [],
    });
    expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
  });

  it("is written without messages when there is no key", async () => {
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

  it("keeps its earlier messages when it has no digest", async () => {
    const { runs, ledger, tamper } = await place();
    await runLedgerEffect(runs.begin(start("r")));
    // A run of 0.1.0 has no digest.
    tamper("UPDATE haft_runs SET digest = NULL");
    await runLedgerEffect(runs.add(step("r", [asks, answered])));
    expect((await runLedgerEffect(runs.find("r")))?.messages).toEqual([hello, asks, answered]);
    expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
  });
});

describe("step that is not awaited", () => {
  it("is written before the next write of its run", async () => {
    const { runs, ledger } = await place();
    await runLedgerEffect(runs.begin(start("r")));
    await runLedgerEffect(runs.add(step("r", [asks], { isSoon: true })));
    await runLedgerEffect(ledger.open(createOpening("1", { runId: "r", epoch: 1 })));
    const kinds = (await runLedgerEffect(ledger.rows())).map(({ kind }) => kind);
    expect(kinds.slice(-2)).toEqual(["run-step", "opened"]);
  });

  it("blocks all further writes of its run except its failure when it cannot be stored", async () => {
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
      expect(each.message).toContain("A long text cannot be stored");
    // The same holds for a later transaction.
    const later = ledger.open(createOpening("2", { runId: "r", epoch: 1 }));
    expect((await runToLedgerError(later)).message).toContain("A long text cannot be stored");
    expect(await runLedgerEffect(ledger.entries())).toEqual([]);
    await runLedgerEffect(runs.end({ runId: "r", epoch: 1, status: "failed", at: 4_000 }));
    expect(await runLedgerEffect(runs.find("r"))).toMatchObject({ status: "failed", messages: [hello] });
    // A new claim continues where the run was left.
    const epoch = (await runLedgerEffect(runs.claim("r", 5_000)))!;
    await runLedgerEffect(ledger.open(createOpening("3", { runId: "r", epoch })));
  });
});

it("finds several runs at once and refuses only a changed one", async () => {
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
    expect.stringContaining('The run "c" differs from its first row in the chain'),
    [hello],
    [hello, asks],
  ]);
});

it("replaces the pending message of a call, not a newer one with the same call id", async () => {
  const { runs, ledger } = await place();
  await runLedgerEffect(runs.begin(start("r")));
  const other: Message = { ...tool, content: "another call", ok: true };
  await runLedgerEffect(runs.add(step("r", [asks, pending, asks, other])));
  await runLedgerEffect(runs.amend({ runId: "r", epoch: 1, messages: [answered], at: 3_000 }));
  expect((await runLedgerEffect(runs.find("r")))?.messages).toEqual([hello, asks, answered, asks, other]);
  // Nothing is pending, so the newest message is replaced.
  const last: Message = { ...tool, content: "once more", ok: true };
  await runLedgerEffect(runs.amend({ runId: "r", epoch: 1, messages: [last], at: 3_000 }));
  expect((await runLedgerEffect(runs.find("r")))?.messages).toEqual([hello, asks, answered, asks, last]);
  expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
});

describe("messages of a run that is done", () => {
  it.each([
    ["are kept when everything is recorded", true, true, [hello]],
    ["are kept when everything was recorded at its start", true, false, [hello]],
    ["are kept when everything is recorded at its end", false, true, [hello]],
    ["are deleted when nothing is recorded", false, false, []],
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

it("keeps the key of a pending call whose code ran when its run is cancelled, and releases the key otherwise", async () => {
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
  expect(await runLedgerEffect(ledger.runs.cancel("r", undefined, 2_000))).toBe("given-up");
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

describe("changed run", () => {
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
    ["without its first row", "DELETE FROM haft_records WHERE seq = 1"],
    ["with the first row of another run", "UPDATE haft_runs SET began_seq = 2 WHERE run_id = 'r'"],
    ["with another row as its first row", "UPDATE haft_runs SET began_seq = 3 WHERE run_id = 'r'"],
    ["with another caller", `UPDATE haft_runs SET principal = ${eve} WHERE run_id = 'r'`],
    ["without its caller", "UPDATE haft_runs SET principal = NULL WHERE run_id = 'r'"],
    ["with another caller in a changed first row", forgeCaller("")],
    ["with another caller in a first row with another hash", forgeCaller(", hash = 'f'")],
    ["with another caller in a first row without a MAC", forgeCaller(", mac = NULL, key_id = NULL")],
  ])("is refused %s", async (_, sql) => {
    const { runs, tamper } = await begun();
    tamper(sql);
    expect((await runToLedgerError(runs.find("r"))).message).toContain(
      "differs from its first row in the chain, so it cannot be resumed",
    );
  });

  it.each([
    ["with a deleted message", "DELETE FROM haft_run_messages WHERE number = 1"],
    ["with another hash in its last step", "UPDATE haft_records SET hash = 'f' WHERE kind = 'run-step'"],
    ["with an empty last step", "UPDATE haft_records SET body = '{}' WHERE kind = 'run-step'"],
  ])("is refused for a conversation %s", async (_, sql) => {
    const { runs, tamper } = await begun();
    tamper(sql);
    expect((await runToLedgerError(runs.find("r"))).message).toContain(
      'The conversation of the run "r" differs from the chain, so it cannot be resumed',
    );
  });
});

describe("run whose first row has no MAC", () => {
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

  it("is accepted when it began before there was a key", async () => {
    const path = fresh();
    await (await begins(path, false, "older", "old")).end();
    const ledger = await begins(path, true, "new");
    for (const runId of ["old", "older", "new", "old"]) {
      expect(await runLedgerEffect(ledger.runs.find(runId))).toMatchObject({ runId, principal });
    }
    expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
    await ledger.end();
  });

  it("is accepted when it began after keys were turned off", async () => {
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
    ["a changed row says that keys were turned off", "as it was"],
    ["a changed and rehashed row says that keys were turned off", "anew"],
  ])("is refused after rows with a MAC although its hash is right and %s", async (_, hashed) => {
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
      "differs from its first row in the chain, so it cannot be resumed",
    );
    await ledger.end();
  });
});
