import { rm } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import type pg from "pg";
import { chainStart, genesisHash, recordColumns } from "../../src/ledger/durable/chain/signed-row.ts";
import { entryColumns } from "../../src/ledger/durable/entry-state.ts";
import type { ChainFill, FilledFile } from "./fill-chain.ts";
import type { FillPlan } from "./plan.ts";

const columns = { haft_records: recordColumns, haft_entries: entryColumns };

/** Fills empty ledger tables by COPY, and creates their indexes afterward. */
export const fill = async (client: pg.Client, plan: FillPlan, now: number): Promise<void> => {
  const restore = await withoutIndexes(client);
  for (let chain = 1; chain < plan.chains; chain += 1) {
    await client.query("INSERT INTO haft_chains (chain) VALUES ($1)", [chain]);
    await client.query("INSERT INTO haft_anchor (chain, seq, hash) VALUES ($1, $2, $3)", [
      chain,
      chainStart(chain),
      genesisHash,
    ]);
  }
  let copying: Promise<unknown> = Promise.resolve();
  const copy = async ({ table, file }: FilledFile): Promise<void> => {
    await client.query(`COPY ${table} (${columns[table].join(", ")}) FROM '${file}'`);
    await rm(file);
  };
  await Promise.all(
    Array.from(
      { length: plan.chains },
      (_, chain) =>
        new Promise<void>((resolve, reject) => {
          const worker = new Worker(new URL("./fill-chain.ts", import.meta.url), {
            workerData: { ...plan, chain, now } satisfies ChainFill,
          });
          worker.on("message", (file: FilledFile) => {
            copying = copying.then(() => copy(file));
            copying.catch(reject);
          });
          worker.once("error", reject);
          worker.once("exit", () => resolve());
        }),
    ),
  );
  await copying;
  await restore();
  await client.query("VACUUM ANALYZE haft_records");
  await client.query("VACUUM ANALYZE haft_entries");
};

/** Creating an index after the rows takes a tenth of the time. */
const withoutIndexes = async (client: pg.Client): Promise<() => Promise<void>> => {
  const ofParent =
    await client.query(`SELECT i.indexrelid::regclass AS name, pg_get_indexdef(i.indexrelid) AS sql
    FROM pg_index i WHERE i.indrelid IN ('haft_records'::regclass, 'haft_entries'::regclass)`);
  for (const { name } of ofParent.rows) await client.query(`DROP INDEX ${name}`);
  const own =
    await client.query(`SELECT i.indexrelid::regclass AS name, i.indrelid::regclass AS of, c.conname,
      pg_get_indexdef(i.indexrelid) AS sql
    FROM pg_inherits p JOIN pg_index i ON i.indrelid = p.inhrelid
    LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid
    WHERE p.inhparent IN ('haft_records'::regclass, 'haft_entries'::regclass)`);
  for (const { name, of, conname } of own.rows) {
    await client.query(
      conname === null ? `DROP INDEX ${name}` : `ALTER TABLE ${of} DROP CONSTRAINT ${conname}`,
    );
  }
  return async () => {
    for (const { sql } of [...own.rows, ...ofParent.rows])
      await client.query(sql.replace(" ON ONLY ", " ON "));
  };
};
