import type { Script } from "../database.ts";
import { chainStart, genesisHash, rowsPerChain } from "./signed-row.ts";

/** The last pruned row, after which the chain starts. */
export interface ChainBeginning {
  readonly seq: number;
  readonly hash: string;
}

export function* readBeginning(chain: number): Script<ChainBeginning> {
  const [row] = yield { sql: "SELECT seq, hash FROM haft_anchor WHERE chain = ?", values: [chain] };
  return { seq: Number(row?.seq ?? chainStart(chain)), hash: String(row?.hash ?? genesisHash) };
}

export function* readLastSeq(chain: number, { seq }: ChainBeginning): Script<number> {
  const start = chainStart(chain);
  const [row] = yield {
    sql: "SELECT MAX(seq) AS last FROM haft_records WHERE seq > ? AND seq < ?",
    values: [start, start + rowsPerChain],
  };
  return Math.max(seq, Number(row?.last ?? 0));
}
