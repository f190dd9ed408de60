import type { Script } from "../database.ts";

/** Where the chain begins: behind the last row that was pruned. */
export interface Anchor {
  readonly seq: number;
  readonly hash: string;
}

export function* readAnchor(): Script<Anchor> {
  const [row] = yield { sql: "SELECT seq, hash FROM haft_anchor", values: [] };
  return { seq: Number(row?.seq ?? 0), hash: String(row?.hash ?? "") };
}

/** The number of the newest row; that of the anchor where there is none. */
export function* readLastSeq({ seq }: Anchor): Script<number> {
  const [row] = yield { sql: "SELECT MAX(seq) AS last FROM haft_records", values: [] };
  return Math.max(seq, Number(row?.last ?? 0));
}
