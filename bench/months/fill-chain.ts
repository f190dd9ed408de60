import { hash as digest } from "node:crypto";
import { createWriteStream } from "node:fs";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { parentPort, workerData } from "node:worker_threads";
import { createChainKeys } from "../../src/ledger/durable/chain/chain-keys.ts";
import { chainStart, genesisHash, hashRow } from "../../src/ledger/durable/chain/signed-row.ts";
import { agentOf, callsPerRun, callsPerSession, type FillPlan, isFailed, timeOf, toolOf } from "./plan.ts";

/**
 * Generates one chain of a ledger: rows with valid hashes and MACs, written to files that the server copies.
 * The ledger's own writer would take hours; every run is named `made-by-bench-…`.
 */
export interface ChainFill extends FillPlan {
  readonly chain: number;
  readonly now: number;
}

/** A file that the server can copy into the table of a month. */
export interface FilledFile {
  readonly table: "haft_records" | "haft_entries";
  readonly file: string;
}

const { calls, months, chains, chain, key, folder, now } = workerData as ChainFill;
const { newest } = createChainKeys([Buffer.from(key, "hex")]);
if (newest === undefined) throw new Error("the ledger has no key");
const inputHash = digest("sha256", '"1"');
/** Calls per file. */
const callsPerFile = 250_000;

const write = (name: string) => {
  const file = join(folder, name);
  const stream = createWriteStream(file, { highWaterMark: 1 << 22 });
  let text = "";
  return {
    line: (line: string): Promise<void> | undefined => {
      text += line;
      if (text.length < 1 << 20) return undefined;
      const some = text;
      text = "";
      return stream.write(some) ? undefined : new Promise((resolve) => stream.once("drain", resolve));
    },
    end: async (table: FilledFile["table"]): Promise<void> => {
      stream.end(text);
      await finished(stream);
      await chmod(file, 0o644);
      parentPort?.postMessage({ table, file } satisfies FilledFile);
    },
  };
};

let seq = chainStart(chain);
let prev = genesisHash;
const row = (
  month: number,
  at: number,
  kind: string,
  entryId: string,
  runId: string,
  body: string,
): string => {
  seq += 1;
  const link = { chain, seq, prev, at, kind, entryId, runId, body, keyId: newest.id };
  const hash = hashRow(prev, link);
  const text = `${chain}\t${seq}\t${prev}\t${at}\t${kind}\t${entryId}\t${runId}\t${body}\t${hash}\t${newest.mac(hash)}\t${newest.id}\t${month}\n`;
  prev = hash;
  return text;
};

const perMonth = Math.floor(calls / months.length);
let n = chain;
for (const month of months) {
  const mine = Math.floor(perMonth / chains);
  for (let from = 0; from < mine; from += callsPerFile) {
    const records = write(`records-${chain}-${month}-${from}`);
    const entries = write(`entries-${chain}-${month}-${from}`);
    for (let i = from; i < Math.min(mine, from + callsPerFile); i += 1, n += chains) {
      const at = timeOf(month, i, mine, now);
      const id = createId(n);
      const run = `made-by-bench-${Math.floor(n / callsPerRun)}`;
      const session = `session-${Math.floor(n / callsPerSession)}`;
      const [tool, agent, ending] = [toolOf(n), agentOf(n), isFailed(n) ? "failed" : "executed"];
      const opened = `{"agent":"${agent}","callId":"call-${id}","input":"1","inputHash":"${inputHash}","isExact":true,"session":"${session}","tool":"${tool}"}`;
      const closed = `{"decision":"rule-1: allowed","durationMs":2.5,"ending":"${ending}","flow":"continue","isExact":true,"ran":true,"result":"2","tool":"${tool}"}`;
      const first = row(month, at, "opened", id, run, opened);
      const openSeq = seq;
      const isFull = records.line(first + row(month, at + 5, "closed", id, run, closed));
      if (isFull !== undefined) await isFull;
      const isFullToo = entries.line(
        `${openSeq}\t${id}\tcall-${id}\t${run}\t${tool}\t${agent}\t${at}\t${ending}\tbench\t\\N\t${seq}\t${seq}\t${at + 5}\t0\t0\t0\t${session}\t\\N\t${month}\n`,
      );
      if (isFullToo !== undefined) await isFullToo;
    }
    await records.end("haft_records");
    await entries.end("haft_entries");
  }
}

/** Looks random, but is deterministic. */
function createId(of: number): string {
  return digest("md5", `bench ${of}`);
}
