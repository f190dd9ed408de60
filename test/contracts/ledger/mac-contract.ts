import { describe, expect, it } from "vitest";
import { createChainKeys, keyIdOf } from "../../../src/ledger/durable/chain/chain-keys.ts";
import { hashRow } from "../../../src/ledger/durable/chain/signed-row.ts";
import type { ChainRow, DurableLedger } from "../../../src/types/durable-ledger.ts";
import {
  createApprovalRecord,
  createClosing,
  createOpening,
  openPendingEntry,
  runLedgerEffect,
  runToLedgerError,
} from "./ledger-fixtures.ts";

/** One place that can be opened with different keys. */
export interface KeyedLedgerPlace {
  /** Opens without a key if the list is empty. */
  readonly open: (keys: readonly Uint8Array[], readOnly?: boolean) => Promise<DurableLedger>;
  /** Runs SQL that bypasses the protection of rows. */
  readonly tamper: (sql: string) => Promise<unknown>;
}

const keyOfByte = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
const [oldKey, newKey, otherKey] = [keyOfByte(1), keyOfByte(2), keyOfByte(3)];
const entryIdOf = (of: Uint8Array): string => keyIdOf(of);

const sqlText = (value: string | number | undefined): string => {
  if (typeof value === "number") return String(value);
  return value === undefined ? "NULL" : `'${value.replaceAll("'", "''")}'`;
};

const insertSql = (row: ChainRow): string =>
  `INSERT INTO haft_records (chain, seq, prev, at, kind, entry_id, run_id, body, hash, mac, key_id) VALUES (${[
    row.chain,
    row.seq,
    row.prev,
    row.at,
    row.kind,
    row.entryId,
    row.runId,
    JSON.stringify(row.body),
    row.hash,
    row.mac,
    row.keyId,
  ]
    .map(sqlText)
    .join(", ")})`;

/** Recomputes the hashes of all rows, as an attacker without the key can. */
const rehashRows = (rows: readonly ChainRow[], from = 1): readonly ChainRow[] => {
  let prev = "0".repeat(64);
  return rows.map((row, i) => {
    const seq = i + 1;
    const link = {
      ...row,
      seq,
      prev,
      entryId: row.entryId ?? null,
      runId: row.runId ?? null,
      keyId: row.keyId ?? null,
      body: JSON.stringify(row.body),
    };
    const hash = seq < from ? row.hash : hashRow(prev, link);
    const made = { ...row, seq, prev, hash };
    prev = hash;
    return made;
  });
};

/** A MAC for every row of a chain, and behavior without its key. */
export const macContract = (name: string, make: () => Promise<KeyedLedgerPlace>): void => {
  const pair = async (ledger: DurableLedger, entryId: string): Promise<void> => {
    await runLedgerEffect(ledger.open(createOpening(entryId)));
    await runLedgerEffect(ledger.close(createClosing(entryId)));
  };
  const filled = async (keys: readonly Uint8Array[] = [oldKey]) => {
    const place = await make();
    const ledger = await place.open(keys);
    for (const entryId of ["1", "2", "3"]) await pair(ledger, entryId);
    const replace = async (rows: readonly ChainRow[]): Promise<void> => {
      await place.tamper("DELETE FROM haft_records");
      for (const row of rows) await place.tamper(insertSql(row));
    };
    return { ...place, ledger, replace, rows: () => runLedgerEffect(ledger.rows()) };
  };

  describe(`${name} MACs`, () => {
    it("each row names its predecessor's hash and has a MAC of the key that it names", async () => {
      const { rows, ledger } = await filled();
      const all = await rows();
      const { newest } = createChainKeys([oldKey]);
      for (const [i, row] of all.entries()) {
        expect(row).toMatchObject({ chain: 0, keyId: entryIdOf(oldKey), mac: newest?.mac(row.hash) });
        expect(row.prev).toBe(all[i - 1]?.hash ?? "0".repeat(64));
      }
      expect(JSON.stringify(all)).not.toContain(Buffer.from(oldKey).toString("hex"));
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({
        ok: true,
        keys: [{ keyId: entryIdOf(oldKey), isHere: true, rows: 6, from: 1, to: 6 }],
      });
    });

    const forgeries: readonly (readonly [what: string, seq: number, forge: (rows: ChainRow[]) => unknown])[] =
      [
        [
          "a changed text",
          3,
          (rows) => {
            rows[2] = { ...rows[2]!, body: { ...rows[2]!.body, input: '{"city":"Rome"}' } };
          },
        ],
        ["an inserted row", 4, (rows) => rows.splice(3, 0, { ...rows[1]!, entryId: "2" })],
        ["a deleted row", 4, (rows) => rows.splice(3, 1)],
        ["two swapped rows", 3, (rows) => rows.splice(2, 2, rows[3]!, rows[2]!)],
        ["a row at the end with another row's MAC", 7, (rows) => rows.push({ ...rows[5]!, at: 9_000 })],
        [
          "a row at the end without a MAC",
          7,
          (rows) => rows.push({ ...rows[5]!, mac: undefined, keyId: undefined }),
        ],
        ["a row at the end with an unknown key", 7, (rows) => rows.push({ ...rows[5]!, keyId: "ffffffff" })],
        [
          "a key change that the old key did not confirm",
          7,
          (rows) => {
            const proof = createChainKeys([otherKey]).newest!.handOver(rows[5]!.hash, entryIdOf(otherKey));
            const body = { from: entryIdOf(oldKey), proof, to: entryIdOf(otherKey) };
            rows.push({
              ...rows[5]!,
              kind: "key-rotated",
              entryId: undefined,
              keyId: entryIdOf(otherKey),
              body,
            });
          },
        ],
        [
          "keys turned off without the key",
          7,
          (rows) =>
            rows.push(
              { ...rows[5]!, kind: "keys-off", body: {} },
              { ...rows[5]!, mac: undefined, keyId: undefined },
            ),
        ],
        [
          "MACs removed from the last rows",
          5,
          (rows) => {
            for (const i of [4, 5]) rows[i] = { ...rows[i]!, mac: undefined, keyId: undefined };
          },
        ],
        [
          "a row moved to another chain",
          3,
          (rows) => {
            rows[2] = { ...rows[2]!, chain: 1 };
          },
        ],
      ];
    it.each(forgeries)("detects %s even if every hash matches", async (_, seq, forge) => {
      const { ledger, replace, rows } = await filled();
      const all = [...(await rows())];
      forge(all);
      await replace(rehashRows(all));
      const { ok, broken } = await runLedgerEffect(ledger.verify());
      expect({ ok, seq: broken?.seq }).toEqual({ ok: false, seq });
    });

    it("detects with the key that the MACs of all rows were removed", async () => {
      const { open, ledger, replace, rows } = await filled();
      const stripped = (await rows()).map((row) => ({ ...row, mac: undefined, keyId: undefined }));
      await replace(rehashRows(stripped));
      const found = await runLedgerEffect(ledger.verify());
      expect(found).toMatchObject({ ok: false, keys: [], unkeyed: { rows: 6, from: 1, to: 6 } });
      expect(found.unproved).toContain("no row has a MAC although a key is configured");
      await ledger.end();
      // A process with the key continues: earlier rows are still reported as unkeyed, and fail where a key is
      // required.
      const other = await open([oldKey]);
      await pair(other, "4");
      expect(await runLedgerEffect(other.verify())).toMatchObject({ unkeyed: { rows: 6, from: 1, to: 6 } });
      expect(await runLedgerEffect(other.verify({ keyedFrom: 1 }))).toMatchObject({
        ok: false,
        broken: { seq: 1 },
      });
      expect(await runLedgerEffect(other.verify({ keyedFrom: 7 }))).toMatchObject({ ok: true });
    });

    it("does not use a forged approval whose hash and table match", async () => {
      for (const keyId of [undefined, entryIdOf(oldKey), "ffffffff"]) {
        const place = await make();
        const ledger = await place.open([oldKey]);
        await openPendingEntry(ledger, createApprovalRecord("a", "1"));
        const rows = await runLedgerEffect(ledger.rows());
        const body = { at: 2_000, by: "eve", decision: { kind: "allow" }, id: "a", isExact: true };
        const filler = { ...rows[2]!, kind: "refused", body: {}, mac: keyId && "x".repeat(43), keyId };
        const forged = [...rows, filler, { ...filler, kind: "answered", body }] as readonly ChainRow[];
        for (const row of rehashRows(forged, 4).slice(3)) await place.tamper(insertSql(row));
        await place.tamper("UPDATE haft_approvals SET status = 'answered'");
        expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: false, broken: { seq: 4 } });
        const another = await place.open([oldKey]);
        expect(await runLedgerEffect(another.approvals.find("a"))).toBeUndefined();
        expect(
          (await runLedgerEffect(another.approvals.take("a", 3_000)).catch(() => ({ kind: "refused" }))).kind,
        ).not.toBe("taken");
      }
    });
  });

  describe(`${name} keys`, () => {
    it("a forged approval is not used even if the MACs of all rows were removed", async () => {
      const place = await make();
      const first = await place.open([oldKey]);
      await openPendingEntry(first, createApprovalRecord("a", "1"));
      const body = {
        at: 2_000,
        by: "eve",
        decision: { kind: "allow", always: "session" },
        id: "a",
        isExact: true,
      };
      const rows = await runLedgerEffect(first.rows());
      await first.end();
      const forged = [...rows, { ...rows[2]!, kind: "answered", body }];
      await place.tamper("DELETE FROM haft_records");
      for (const row of rehashRows(forged.map((each) => ({ ...each, mac: undefined, keyId: undefined })))) {
        await place.tamper(insertSql(row));
      }
      await place.tamper("UPDATE haft_approvals SET status = 'answered', always = 'session'");
      const ledger = await place.open([oldKey]);
      const { tool, definition, runId, principal } = createApprovalRecord("a", "1");
      const call = { tool, definition, runId, principal, at: 5_000 };
      expect(await runLedgerEffect(ledger.approvals.standing(call))).toBeUndefined();
      expect(await runLedgerEffect(ledger.approvals.take("a", 3_000))).toEqual({ kind: "void" });
    });

    it("a new key follows the old one in a row that both confirm, and old rows verify with the old key", async () => {
      const { open, ledger } = await filled();
      await ledger.end();
      const rotated = await open([newKey, oldKey]);
      await pair(rotated, "4");
      expect(
        (await runLedgerEffect(rotated.rows({ after: 6 }))).map(({ kind, keyId }) => [kind, keyId]),
      ).toEqual([
        ["key-rotated", entryIdOf(newKey)],
        ["opened", entryIdOf(newKey)],
        ["closed", entryIdOf(newKey)],
      ]);
      expect(await runLedgerEffect(rotated.verify())).toMatchObject({
        ok: true,
        keys: [
          { keyId: entryIdOf(oldKey), isHere: true, rows: 6, from: 1, to: 6 },
          { keyId: entryIdOf(newKey), isHere: true, rows: 3, from: 7, to: 9 },
        ],
      });
    });

    it("stores with the same keys in different order change keys concurrently, and the chain stays valid", async () => {
      const { open, ledger } = await filled();
      await ledger.end();
      const stores = [await open([oldKey, newKey]), await open([newKey, oldKey])];
      await Promise.all(Array.from({ length: 20 }, (_, i) => pair(stores[i % 2]!, `turn ${i}`)));
      const found = await runLedgerEffect(stores[0]!.verify());
      expect(found).toMatchObject({ ok: true });
      expect(found.keys).toHaveLength(2);
      expect(await runLedgerEffect(stores[1]!.entries({ ending: "executed" }))).toHaveLength(23);
    });

    it("rows of a missing key are reported by its id and not as broken", async () => {
      const { open, ledger } = await filled();
      await ledger.end();
      const rotated = await open([newKey, oldKey]);
      await pair(rotated, "4");
      const without = await open([newKey]);
      const found = await runLedgerEffect(without.verify());
      expect(found).toMatchObject({
        ok: false,
        keys: [
          { isHere: false, rows: 6 },
          { isHere: true, rows: 3 },
        ],
      });
      expect(found.broken).toBeUndefined();
      expect(found.unproved).toBe(
        `6 rows were sealed with the key ${entryIdOf(oldKey)}, which is not available`,
      );
      const none = await open([], true);
      expect(await runLedgerEffect(none.verify())).toMatchObject({
        ok: false,
        keys: [{ isHere: false }, { isHere: false }],
      });
    });

    it("nothing is appended without the newest row's key, and the error names the key by its id", async () => {
      const { open, ledger } = await filled();
      for (const keys of [[], [otherKey]]) {
        const other = await open(keys);
        const { code, message } = await runToLedgerError(other.open(createOpening("4")));
        expect(code).toBe("ledger_unavailable");
        expect(message).toContain(entryIdOf(oldKey));
        expect(await runLedgerEffect(other.entries())).toHaveLength(3);
      }
      await pair(ledger, "5");
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true, rows: 8 });
    });

    it("rows from before the first key are reported as unkeyed and protected by that key", async () => {
      const { open, ledger: first, tamper } = await filled([]);
      const { keys, ...rest } = await runLedgerEffect(first.verify());
      expect(rest).toMatchObject({ ok: true, unkeyed: { rows: 6, from: 1, to: 6 } });
      expect(keys).toEqual([]);
      await first.end();
      const ledger = await open([oldKey]);
      await pair(ledger, "4");
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({
        ok: true,
        unkeyed: { rows: 6, from: 1, to: 6 },
        keys: [{ keyId: entryIdOf(oldKey), rows: 2, from: 7, to: 8 }],
      });
      await tamper("UPDATE haft_records SET body = replace(body, 'Oslo', 'Rome') WHERE seq = 3");
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: false, broken: { seq: 3 } });
    });

    it("rows without a MAC are valid only after a row that turned keys off", async () => {
      const { open, ledger: first } = await filled();
      await runLedgerEffect(first.turnKeysOff());
      await first.end();
      const without = await open([]);
      await pair(without, "4");
      await without.end();
      const ledger = await open([oldKey]);
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({
        ok: true,
        unkeyed: { rows: 2, from: 8, to: 9 },
      });
      await pair(ledger, "5");
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true, rows: 11 });
      const again = await open([]);
      expect(await runToLedgerError(again.open(createOpening("6")))).toMatchObject({
        code: "ledger_unavailable",
      });
    });

    it("an approval that was answered before the keys changed is still taken", async () => {
      const place = await make();
      const first = await place.open([oldKey]);
      await openPendingEntry(first, createApprovalRecord("a", "1", { input: { city: "Oslo" } }));
      await runLedgerEffect(first.approvals.answer("a", { decision: { kind: "allow" }, at: 2_000 }));
      const second = await place.open([newKey, oldKey]);
      expect(await runLedgerEffect(second.approvals.take("a", 3_000))).toMatchObject({ kind: "taken" });
      expect(await runLedgerEffect(second.verify())).toMatchObject({ ok: true });
    });
  });
};
