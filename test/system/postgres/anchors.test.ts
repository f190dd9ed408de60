import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { merkleRoot } from "../../../src/ledger/durable/anchors/write-anchor.ts";
import {
  createDurableLedger,
  type DurableLedgerOptions,
} from "../../../src/ledger/durable/durable-ledger.ts";
import type { DurableLedger, LedgerAnchor } from "../../../src/types/durable-ledger.ts";
import { createClosing, createOpening, runLedgerEffect } from "../../contracts/ledger/ledger-fixtures.ts";
import { testMasking } from "../../kit/use-sqlite-folder.ts";
import { waitFor } from "../../kit/wait-for.ts";
import { usePostgres } from "../kit/use-postgres.ts";

const world = usePostgres();
const key = new Uint8Array(32).fill(7);

const ledgerAt = async (url: string, options: Partial<DurableLedgerOptions> = {}): Promise<DurableLedger> =>
  createDurableLedger(await world.open(url), {
    redactor: testMasking,
    place: "postgres",
    keys: [key],
    anchors: { everyMs: 0 },
    ...options,
  });

const change = async (url: string, sql: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`SET session_replication_role = replica; ${sql}`);
  await client.end();
};

const pair = async (ledger: DurableLedger, id: string): Promise<void> => {
  await runLedgerEffect(ledger.open(createOpening(id)));
  await runLedgerEffect(ledger.close(createClosing(id)));
};

const anchored = async (ledger: DurableLedger): Promise<LedgerAnchor> => {
  const anchor = await runLedgerEffect(ledger.anchor());
  if (anchor === undefined) throw new Error("nothing was written since the last anchor");
  return anchor;
};

/** Two chains, an anchor over both, and another one after more rows of the second. */
const twoChains = async () => {
  const url = await world.migrated();
  const [first, second] = [await ledgerAt(url), await ledgerAt(url)];
  await pair(first, "1");
  await pair(second, "2");
  const early = await anchored(first);
  await pair(second, "3");
  const late = await anchored(second);
  return { url, first, second, early, late };
};

describe("anchor", () => {
  it("is the Merkle root of the ends of all chains, and verify returns the last one", async () => {
    const { first, early, late } = await twoChains();
    expect([early.number, late.number]).toEqual([1, 2]);
    const found = await runLedgerEffect(first.verify());
    expect(found).toMatchObject({ ok: true, anchor: late, unanchored: 0 });
    expect(merkleRoot(found.heads)).toBe(late.root);
    expect(await runLedgerEffect(first.anchors())).toEqual([early, late]);
    await pair(first, "4");
    expect(await runLedgerEffect(first.verify())).toMatchObject({ ok: true, anchor: late, unanchored: 2 });
  });

  it("is written only when there are new rows, and once by concurrent writers", async () => {
    const { first, second } = await twoChains();
    expect(await runLedgerEffect(first.anchor())).toBeUndefined();
    await pair(first, "4");
    const written = await Promise.all(
      [first, second, first, second].map((ledger) => runLedgerEffect(ledger.anchor())),
    );
    expect(written.filter((each) => each !== undefined).length).toBeGreaterThan(0);
    expect((await runLedgerEffect(first.anchors())).map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(await runLedgerEffect(second.verify())).toMatchObject({ ok: true, unanchored: 0 });
  });

  const cuts: readonly (readonly [what: string, sql: string, why: string])[] = [
    [
      "the last rows of a chain were deleted",
      "DELETE FROM haft_records WHERE seq > 4294967298; DELETE FROM haft_entries WHERE entry_id = '3'",
      "is missing",
    ],
    [
      "a whole chain was deleted",
      "DELETE FROM haft_records WHERE chain = 1; DELETE FROM haft_entries WHERE open_seq > 4294967296",
      "is missing",
    ],
    ["an anchor was changed", "UPDATE haft_roots SET at = at + 1 WHERE number = 1", "was changed"],
    ["an anchor was deleted", "DELETE FROM haft_roots WHERE number = 1", "missing"],
    ["the heads of an anchor were changed", "UPDATE haft_roots SET heads = '[]' WHERE number = 2", "root"],
    ["the MAC of an anchor was removed", "UPDATE haft_roots SET mac = NULL WHERE number = 2", "MAC"],
  ];
  it.each(cuts)("makes verify report that %s", async (_, sql, why) => {
    const { url, first } = await twoChains();
    await change(url, sql);
    const { ok, broken } = await runLedgerEffect(first.verify());
    expect(ok).toBe(false);
    expect(broken?.why).toContain(why);
  });

  it("noted elsewhere reveals that later anchors and rows were deleted", async () => {
    const { url, first, early, late } = await twoChains();
    await change(
      url,
      "DELETE FROM haft_records WHERE seq > 4294967298; DELETE FROM haft_entries WHERE entry_id = '3'; DELETE FROM haft_roots WHERE number = 2",
    );
    expect(await runLedgerEffect(first.verify())).toMatchObject({ ok: true });
    expect(await runLedgerEffect(first.verify({ expect: early.hash }))).toMatchObject({ ok: true });
    expect(await runLedgerEffect(first.verify({ expect: early.root }))).toMatchObject({ ok: true });
    const { ok, broken } = await runLedgerEffect(first.verify({ expect: late.hash }));
    expect(ok).toBe(false);
    expect(broken?.why).toContain("no row or anchor has the expected hash");
  });

  it("lets verify start from it, so that only later rows are checked", async () => {
    const { url, first, early } = await twoChains();
    expect(await runLedgerEffect(first.verify({ from: early.hash }))).toMatchObject({ ok: true, rows: 2 });
    await change(url, "UPDATE haft_records SET at = at + 1 WHERE seq = 1");
    expect(await runLedgerEffect(first.verify({ from: early.hash }))).toMatchObject({ ok: true, rows: 2 });
    expect(await runLedgerEffect(first.verify())).toMatchObject({ ok: false });
    await change(url, "UPDATE haft_records SET at = at + 1 WHERE seq = 4294967299");
    expect(await runLedgerEffect(first.verify({ from: early.hash }))).toMatchObject({
      ok: false,
      broken: { seq: 4_294_967_299 },
    });
    const { ok, broken } = await runLedgerEffect(first.verify({ from: "f".repeat(64) }));
    expect(ok).toBe(false);
    expect(broken?.why).toContain("no row has the hash to start from");
  });

  it("is rejected as a start when its row was replaced", async () => {
    const { url, first, early } = await twoChains();
    await change(url, "UPDATE haft_records SET hash = repeat('a', 64) WHERE seq = 4294967298");
    const { ok } = await runLedgerEffect(first.verify({ from: early.hash }));
    expect(ok).toBe(false);
  });

  it("is written periodically, to the ledger, a file and a URL", async () => {
    const bodies: string[] = [];
    const server = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => {
        bodies.push(body);
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { readonly port: number };
    const file = join(tmpdir(), `haft-anchors-${process.pid}-${Date.now()}.jsonl`);
    const url = await world.migrated();
    const ledger = await ledgerAt(url, {
      anchors: { everyMs: 50, file, url: `http://127.0.0.1:${port}/anchors` },
    });
    await pair(ledger, "1");
    await waitFor(() => expect(bodies.length).toBeGreaterThan(0));
    const [line] = (await readFile(file, "utf8")).trim().split("\n");
    expect(JSON.parse(line!)).toMatchObject({ number: 1, place: "postgres" });
    expect(bodies[0]).toBe(line);
    await pair(ledger, "2");
    // A store with anchors writes a last one when it ends.
    await ledger.end();
    const reader = await ledgerAt(url, { readOnly: true });
    expect(await runLedgerEffect(reader.verify())).toMatchObject({ ok: true, rows: 4, unanchored: 0 });
    server.close();
  });
});
