import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { Haft, ToolApprovalError, tool } from "haft";
import { openLedger } from "haft/ledger";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

/** Whoever can write SQL knows how rows are hashed, and has everything but the key. */
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

/** A runtime has made some calls and asked one question; then it is gone. */
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

/** Changes the rows, gives each the hash it should then have, and writes them back. */
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

describe("whoever can write to the database but has no key", () => {
  it("forges a yes that nobody gave: verify tells, and the call is not made", async () => {
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

  it("changes what a call was asked for, and every hash behind it: verify tells", async () => {
    await waiting();
    forge((rows) => {
      for (const row of rows) row.body = String(row.body).replaceAll('\\"order\\":7', '\\"order\\":8');
    });
    expect(await verify()).toMatchObject({ ok: false });
  });

  it("takes a call out of the middle, its entry too: verify tells", async () => {
    await waiting();
    forge(
      (rows) => rows.splice(0, 2),
      "DELETE FROM haft_entries WHERE open_seq = 1; UPDATE haft_entries SET open_seq = open_seq - 2, close_seq = close_seq - 2, last_seq = last_seq - 2; UPDATE haft_approvals SET asked_seq = asked_seq - 2",
    );
    expect(await verify()).toMatchObject({ ok: false });
  });
});
