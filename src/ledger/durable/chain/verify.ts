import type { ChainQuery, ChainRow, Verification } from "../../../words/durable-ledger.ts";
import type { Database, Row, Script } from "../database.ts";
import { linkHash, readLink, toChainRow } from "./link.ts";

/** As many as are read at once: a chain may be longer than memory. */
const pageSize = 1_000;

type Broken = Verification["broken"];

interface Anchor {
  readonly seq: number;
  readonly hash: string;
}

/** Walks the whole chain, and holds the table of entries against it. */
export const verifyChain = async (database: Database, expect: string | undefined): Promise<Verification> => {
  const anchor = await database.read(readAnchor);
  let head = anchor;
  let rows = 0;
  let isAnchored = anchor.seq === 0;
  let isExpectedSeen = expect === undefined || expect === anchor.hash;
  const report = (broken?: Broken): Verification =>
    broken === undefined ? { ok: true, rows, head } : { ok: false, rows, head, broken };

  for (;;) {
    const from = head;
    const { page, strays } = await database.read(() => readPage(from.seq));
    for (const row of page) {
      const link = readLink(row);
      const broken = wrong(link, head);
      if (broken !== undefined) return report(broken);
      head = { seq: link.seq, hash: link.hash };
      rows += 1;
      isExpectedSeen ||= link.hash === expect;
      isAnchored ||= link.kind === "pruned" && isSame(JSON.parse(link.body), anchor);
    }
    const [stray] = strays;
    if (stray !== undefined) return report({ seq: Number(stray.seq), why: strayWords(stray) });
    if (page.length < pageSize) break;
  }
  if (!isAnchored) {
    return report({
      seq: anchor.seq + 1,
      why: "the chain begins behind rows that were taken away, and no row of it says that they were pruned",
    });
  }
  const lying = await database.read(readLiars);
  if (lying !== undefined) return report(lying);
  if (isExpectedSeen) return report();
  return report({
    seq: head.seq,
    why: "no row has the hash that was noted before: rows were cut off the end, or it was pruned since",
  });
};

const wrong = (link: ReturnType<typeof readLink>, head: Anchor): Broken => {
  const { seq } = link;
  if (seq !== head.seq + 1) return { seq: head.seq + 1, why: `the row is missing; the next one is ${seq}` };
  if (linkHash(head.hash, link) === link.hash) return undefined;
  return { seq, why: "its hash differs: this row or the one before it was changed" };
};

const isSame = (body: { upTo?: unknown; hash?: unknown }, anchor: Anchor): boolean =>
  body.upTo === anchor.seq && body.hash === anchor.hash;

export function* readAnchor(): Script<Anchor> {
  const [row] = yield { sql: "SELECT seq, hash FROM haft_anchor", values: [] };
  return { seq: Number(row?.seq ?? 0), hash: String(row?.hash ?? "") };
}

/** Rows, and those among them that the table of entries knows nothing of. */
function* readPage(
  after: number,
): Script<{ readonly page: readonly Row[]; readonly strays: readonly Row[] }> {
  const page = yield {
    sql: `SELECT * FROM haft_records WHERE seq > ? ORDER BY seq LIMIT ${pageSize}`,
    values: [after],
  };
  const strays = yield {
    sql: `SELECT r.seq, r.kind, e.last_seq FROM haft_records r LEFT JOIN haft_entries e ON e.entry_id = r.entry_id
          WHERE r.seq > ? AND r.seq <= ? AND r.kind IN ('opened', 'closed', 'lost')
          AND (e.last_seq < r.seq OR (e.last_seq IS NULL AND r.kind = 'opened' AND r.body NOT LIKE '{"again":%'))
          ORDER BY r.seq LIMIT 1`,
    values: [after, Number(page.at(-1)?.seq ?? after)],
  };
  return { page, strays };
}

const strayWords = ({ kind, last_seq }: Row): string =>
  last_seq === null
    ? "its entry is missing from haft_entries"
    : `its entry in haft_entries does not know that it was ${kind}`;

/** The first entry that says something else than the row it points to. */
function* readLiars(): Script<Broken> {
  const [row] = yield {
    sql: `SELECT e.open_seq, e.last_seq FROM haft_entries e
          LEFT JOIN haft_records o ON o.seq = e.open_seq LEFT JOIN haft_records l ON l.seq = e.last_seq
          WHERE o.seq IS NULL OR o.kind <> 'opened' OR o.entry_id <> e.entry_id OR o.run_id <> e.run_id
          OR l.seq IS NULL OR l.entry_id <> e.entry_id OR NOT (
            (l.kind IN ('opened', 'used') AND e.ending = 'open') OR (l.kind = 'lost' AND e.ending = 'unknown')
            OR (l.kind = 'closed' AND e.close_seq = l.seq AND l.body LIKE '%"ending":"' || e.ending || '"%'))
          ORDER BY e.open_seq LIMIT 1`,
    values: [],
  };
  if (row === undefined) return undefined;
  return { seq: Number(row.last_seq), why: "its entry in haft_entries says something else than the row" };
}

export function* selectRows({ after = 0, entryId, limit }: ChainQuery): Script<readonly ChainRow[]> {
  let from = after;
  if (entryId !== undefined) {
    const [entry] = yield { sql: "SELECT open_seq FROM haft_entries WHERE entry_id = ?", values: [entryId] };
    from = Math.max(after, Number(entry?.open_seq ?? 1) - 1);
  }
  const rows = yield {
    sql: `SELECT * FROM haft_records WHERE seq > ? ${entryId === undefined ? "" : "AND entry_id = ?"}
          ORDER BY seq ${limit === undefined ? "" : "LIMIT ?"}`,
    values: [from, entryId, limit].filter((value) => value !== undefined),
  };
  return rows.map(toChainRow);
}
