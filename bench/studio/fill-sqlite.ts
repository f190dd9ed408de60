import { hash as digest } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { redactor } from "../../src/base/json/redact.ts";
import { createChainKeys } from "../../src/ledger/durable/chain/chain-keys.ts";
import { genesisHash, hashRow, recordColumns } from "../../src/ledger/durable/chain/signed-row.ts";
import { entryColumns } from "../../src/ledger/durable/entry-state.ts";
import { openDurableLedger } from "../../src/ledger/open-durable-ledger.ts";
import { agentOf, callsPerRun, callsPerSession, isFailed, toolOf } from "../months/plan.ts";

/** The generated ledger: a number of calls, evenly over a number of days up to now. */
export interface SqliteFill {
  readonly file: string;
  readonly calls: number;
  readonly days: number;
  /** Hexadecimal. */
  readonly key: string;
  readonly now: number;
}

const marks = (columns: readonly string[]): string => columns.map(() => "?").join(", ");

/** Generates calls with valid hashes and MACs; the ledger's own writer would take an hour. */
export const fillSqlite = async ({ file, calls, days, key, now }: SqliteFill): Promise<void> => {
  await (await openDurableLedger(`sqlite:${file}`, { redactor: redactor({}), key })).end();
  const { newest } = createChainKeys([Buffer.from(key, "hex")]);
  if (newest === undefined) throw new Error("the ledger has no key");
  const database = new DatabaseSync(file);
  database.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -400000");
  const record = database.prepare(
    `INSERT INTO haft_records (${recordColumns.join(", ")}) VALUES (${marks(recordColumns)})`,
  );
  const entry = database.prepare(
    `INSERT INTO haft_entries (${entryColumns.join(", ")}) VALUES (${marks(entryColumns)})`,
  );
  const [head] = database.prepare("SELECT seq, hash FROM haft_records ORDER BY seq DESC LIMIT 1").all();
  let seq = Number(head?.seq ?? 0);
  let prev = String(head?.hash ?? genesisHash);
  const inputHash = digest("sha256", '{"city":"Oslo"}');
  const span = days * 86_400_000;
  const month = Number(database.prepare("SELECT max(month) AS month FROM haft_entries").get()?.month ?? 0);
  const add = (at: number, kind: string, entryId: string, runId: string, body: string): void => {
    seq += 1;
    const link = { chain: 0, seq, prev, at, kind, entryId, runId, body, keyId: newest.id };
    const hash = hashRow(prev, link);
    record.run(0, seq, prev, at, kind, entryId, runId, body, hash, newest.mac(hash), newest.id, month);
    prev = hash;
  };
  database.exec("BEGIN");
  for (let n = 0; n < calls; n += 1) {
    if (n % 50_000 === 49_999) database.exec("COMMIT; BEGIN");
    const at = Math.floor(now - span + (span * n) / calls);
    const id = digest("md5", `bench ${n}`);
    const run = `made-by-bench-${Math.floor(n / callsPerRun)}`;
    const session = `session-${Math.floor(n / callsPerSession)}`;
    const [tool, agent, ending] = [toolOf(n), agentOf(n), isFailed(n) ? "failed" : "executed"];
    const took = 1 + ((n * 7919) % 1000) / 10;
    const failure = ending === "failed" ? `"code":"failed","message":"The tool failed.",` : "";
    const opened = `{"agent":"${agent}","callId":"call-${id}","input":"{\\"city\\":\\"Oslo\\"}","inputHash":"${inputHash}","isExact":true,"session":"${session}","tenant":"tenant-${n % 3}","tool":"${tool}"}`;
    const closed = `{${failure}"cost":0.001,"decision":"rule-1: allowed","durationMs":${took},"ending":"${ending}","flow":"continue","isExact":true,"ran":true,"result":"{\\"celsius\\":21}","tool":"${tool}"}`;
    add(at, "opened", id, run, opened);
    const openSeq = seq;
    add(at + took, "closed", id, run, closed);
    entry.run(
      openSeq,
      id,
      `call-${id}`,
      run,
      tool,
      agent,
      at,
      ending,
      "bench",
      null,
      seq,
      seq,
      at + took,
      0,
      0,
      0,
      session,
      null,
      month,
    );
  }
  database.exec("COMMIT; ANALYZE");
  database.close();
};
