import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { Haft, ToolApprovalError, tool } from "haft";
import { agent } from "haft/agent";
import { openLedger } from "haft/ledger";
import { scriptedModel } from "haft/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

/** An attacker who can write SQL knows how rows are hashed, and has everything but the key. */
type Row = Record<string, SQLInputValue>;

let folder = "";
let place = "";
let file = "";
let paid = 0;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "haft-forged-"));
  file = join(folder, "ledger.db");
  place = `sqlite:${file}`;
  paid = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (): Promise<Haft> =>
  Haft.open({
    tools: [
      tool({
        name: "refund",
        description: "Pays money back",
        input: { type: "object", properties: { order: { type: "integer" } }, required: ["order"] } as const,
        requiresApproval: true,
        run: ({ order }) => {
          paid += 1;
          return { order };
        },
      }),
      tool({ name: "look", description: "Looks", input: { type: "object" } as const, run: () => "seen" }),
    ],
    principal: { agent: "clerk", allow: ["*"] },
    ledger: place,
  }) as Promise<Haft>;

/** A runtime that has made some calls and one approval request, and is closed. */
const waiting = async (): Promise<string> => {
  const haft = await open();
  await haft.call("look", {});
  const error = await haft.call("refund", { order: 7 }).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(ToolApprovalError);
  await haft.close();
  return String((error as ToolApprovalError).approval?.id);
};

const hashOf = (prev: string, row: Row, isNamed: boolean): string => {
  const quoted = (value: SQLInputValue): string => JSON.stringify(value);
  const named = isNamed ? `"chain":${row.chain},` : "";
  const key = isNamed ? `"key":${quoted(row.key_id ?? null)},` : "";
  return createHash("sha256")
    .update(
      `${prev}\n{"at":${row.at},"body":${row.body},${named}"entryId":${quoted(row.entry_id ?? null)},${key}` +
        `"kind":"${row.kind}","runId":${quoted(row.run_id ?? null)},"seq":${row.seq}}`,
    )
    .digest("hex");
};

/** Changes the rows, recomputes their hashes, and writes them back. */
const forge = (change: (rows: Row[]) => void, sql = ""): void => {
  const database = new DatabaseSync(file);
  database.exec(`DROP TRIGGER haft_records_fixed; DROP TRIGGER haft_records_kept; ${sql}`);
  const rows = database.prepare("SELECT * FROM haft_records ORDER BY seq").all() as Row[];
  change(rows);
  database.exec("DELETE FROM haft_records");
  let prev = "0".repeat(64);
  for (const [i, row] of rows.entries()) {
    row.seq = i + 1;
    const isNamed = "prev" in row;
    if (isNamed) row.prev = prev;
    row.hash = hashOf(prev, row, isNamed);
    prev = row.hash;
    const columns = Object.keys(row);
    const marks = columns.map(() => "?").join(", ");
    database
      .prepare(`INSERT INTO haft_records (${columns.join(", ")}) VALUES (${marks})`)
      .run(...columns.map((column) => row[column] ?? null));
  }
  database.close();
};

const verify = async () => {
  const ledger = await openLedger(place);
  try {
    return await ledger.verify();
  } finally {
    await ledger.end();
  }
};

describe("an attacker who can write to the database but has no key", () => {
  it("cannot forge an approval: verify fails, and the call is not made", async () => {
    const id = await waiting();
    expect(await verify()).toMatchObject({ ok: true });
    const body = JSON.stringify({ at: 2_000, by: "eve", decision: { kind: "allow" }, id, isExact: true });
    forge(
      (rows) => rows.push({ ...rows.at(-1)!, kind: "answered", body }),
      "UPDATE haft_approvals SET status = 'answered'",
    );
    expect(await verify()).toMatchObject({ ok: false });
    const haft = await open();
    await haft.resume(id).catch(() => undefined);
    await haft.close();
    expect(paid).toBe(0);
  });

  it("cannot change arguments and all later hashes: verify fails", async () => {
    await waiting();
    forge((rows) => {
      for (const row of rows) row.body = String(row.body).replaceAll('\\"order\\":7', '\\"order\\":8');
    });
    expect(await verify()).toMatchObject({ ok: false });
  });

  it("cannot remove a call with its entry: verify fails", async () => {
    await waiting();
    forge(
      (rows) => rows.splice(0, 2),
      "DELETE FROM haft_entries WHERE open_seq = 1; UPDATE haft_entries SET open_seq = open_seq - 2, close_seq = close_seq - 2, last_seq = last_seq - 2; UPDATE haft_approvals SET asked_seq = asked_seq - 2",
    );
    expect(await verify()).toMatchObject({ ok: false });
  });
});

describe("a pending run", () => {
  const guide = agent({ name: "guide", instructions: "Guide.", tools: ["look", "refund"] });
  const model = () =>
    scriptedModel([
      { calls: [{ id: "1", tool: "look", input: "{}" }] },
      { calls: [{ id: "2", tool: "refund", input: '{"order":7}' }] },
      { text: "done" },
    ]);
  const begin = async (): Promise<string> => {
    const haft = await open();
    const { runId, status } = await haft.run(guide, "Go", { model: model() });
    expect(status).toBe("pending");
    await haft.close();
    return runId;
  };
  const forge = async (...statements: readonly string[]): Promise<void> => {
    const database = new DatabaseSync(file);
    for (const statement of statements) database.exec(statement);
    database.close();
  };
  const verified = async (): Promise<boolean> => {
    const ledger = await openLedger(place);
    const { ok } = await ledger.verify();
    await ledger.end();
    return ok;
  };
  const goOn = async (runId: string, principal = { agent: "clerk", allow: ["*"] }): Promise<unknown> => {
    const haft = await open();
    try {
      return await haft.as(principal).run(guide, undefined, { resume: runId, model: model() });
    } finally {
      await haft.close();
    }
  };

  it("verifies, and is resumed as it was left", async () => {
    const runId = await begin();
    expect(await verified()).toBe(true);
    expect(await goOn(runId)).toMatchObject({ status: "pending" });
    expect(await verified()).toBe(true);
  });

  it.each([
    [
      "cut",
      ["DELETE FROM haft_run_messages WHERE number >= 1", "UPDATE haft_runs SET messages = 1, turns = 0"],
    ],
    ["cut without a change of its row", ["DELETE FROM haft_run_messages WHERE number >= 2"]],
    [
      "reordered",
      [
        "UPDATE haft_run_messages SET number = 90 WHERE number = 1",
        "UPDATE haft_run_messages SET number = 1 WHERE number = 2",
        "UPDATE haft_run_messages SET number = 2 WHERE number = 90",
      ],
    ],
  ])("is refused if its conversation was %s by SQL", async (_, statements) => {
    const runId = await begin();
    await forge(...statements);
    await expect(goOn(runId)).rejects.toThrow(
      `The conversation of the run "${runId}" differs from the chain`,
    );
  });

  it("does not verify if its conversation was cut by SQL", async () => {
    await begin();
    await forge(
      "DELETE FROM haft_run_messages WHERE number >= 1",
      "UPDATE haft_runs SET messages = 1, turns = 0",
    );
    expect(await verified()).toBe(false);
  });

  it("is refused if its principal was changed by SQL", async () => {
    const runId = await begin();
    await forge("UPDATE haft_runs SET principal = json_set(principal, '$.user', 'evil')");
    await expect(goOn(runId, { agent: "clerk", user: "evil", allow: ["*"] } as never)).rejects.toThrow(
      "differs from its first row in the chain",
    );
  });

  it.each([
    ["with its old MAC", ""],
    ["without a MAC", ", mac = NULL, key_id = NULL"],
  ])("is refused if its principal was changed by SQL in its first row too, %s", async (_, more) => {
    const runId = await begin();
    await forge(
      "DROP TRIGGER haft_records_fixed",
      "UPDATE haft_runs SET principal = json_set(principal, '$.user', 'evil')",
      `UPDATE haft_records SET body = json_set(body, '$.principal.user', 'evil')${more} WHERE kind = 'run-began'`,
    );
    await expect(goOn(runId, { agent: "clerk", user: "evil", allow: ["*"] } as never)).rejects.toThrow(
      "differs from its first row in the chain",
    );
  });
});
