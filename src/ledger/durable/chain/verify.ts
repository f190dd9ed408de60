import type { ChainQuery, ChainRow, Verification } from "../../../words/durable-ledger.ts";
import type { Row, Script } from "../database.ts";
import type { Dialect } from "../dialect.ts";
import type { Store } from "../store.ts";
import { checkApprovals, inventedApprovals } from "./check-approvals.ts";
import { checkEntries, readLiars } from "./check-entries.ts";
import { checkKeys, inventedKeys } from "./check-keys.ts";
import { checkRuns, inventedRuns } from "./check-runs.ts";
import { linkHash, readLink, toChainRow } from "./link.ts";

/** As many as are read at once: a chain may be longer than memory. */
const pageSize = 1_000;

export type Broken = NonNullable<Verification["broken"]>;

interface Anchor {
  readonly seq: number;
  readonly hash: string;
}

/** Walks the whole chain, and holds every table that says something of it against it. */
export const verifyChain = async (
  { database, dialect }: Pick<Store, "database" | "dialect">,
  expect: string | undefined,
): Promise<Verification> => {
  const anchor = await database.read(readAnchor);
  let head = anchor;
  let rows = 0;
  let isAnchored = anchor.seq === 0;
  let isExpectedSeen = expect === undefined || expect === anchor.hash;
  const report = (broken?: Broken): Verification =>
    broken === undefined ? { ok: true, rows, head } : { ok: false, rows, head, broken };

  // The chain goes first: a table is held against rows that may themselves be broken further on.
  let lie: Broken | undefined;
  for (;;) {
    const from = head;
    const { page, found } = await database.read(() => readPage(dialect, from.seq));
    lie ??= found;
    for (const row of page) {
      const link = readLink(row);
      const broken = wrong(link, head);
      if (broken !== undefined) return report(broken);
      head = { seq: link.seq, hash: link.hash };
      rows += 1;
      isExpectedSeen ||= link.hash === expect;
      isAnchored ||= link.kind === "pruned" && isSame(JSON.parse(link.body), anchor);
    }
    if (page.length < pageSize) break;
  }
  if (!isAnchored) {
    return report({
      seq: anchor.seq + 1,
      why: "the chain begins behind rows that were taken away, and no row of it says that they were pruned",
    });
  }
  lie ??= await database.read(readInvented);
  if (lie !== undefined) return report(lie);
  if (isExpectedSeen) return report();
  return report({
    seq: head.seq,
    why: "no row has the hash that was noted before: rows were cut off the end, or it was pruned since",
  });
};

const wrong = (link: ReturnType<typeof readLink>, head: Anchor): Broken | undefined => {
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

/** Rows, and the first of them of which a table says something else. */
function* readPage(
  dialect: Dialect,
  after: number,
): Script<{ readonly page: readonly Row[]; readonly found: Broken | undefined }> {
  const page = yield {
    sql: `SELECT * FROM haft_records WHERE seq > ? ORDER BY seq LIMIT ${pageSize}`,
    values: [after],
  };
  const kinds = new Set(page.map(({ kind }) => kind));
  const range = [after, Number(page.at(-1)?.seq ?? after)] as const;
  const lies = [
    yield* checkEntries(range, page),
    kinds.has("asked") ? yield* checkApprovals(dialect, range, page) : undefined,
    [...kinds].some((kind) => String(kind).startsWith("run-")) ? yield* checkRuns(range) : undefined,
    kinds.has("keyed") ? yield* checkKeys(range) : undefined,
  ].filter((lie) => lie !== undefined);
  return { page, found: lies.toSorted((one, other) => one.seq - other.seq)[0] };
}

/** What is in a table, and no row of the chain tells of. */
function* readInvented(): Script<Broken | undefined> {
  return (
    (yield* readLiars()) ?? (yield* inventedApprovals()) ?? (yield* inventedRuns()) ?? (yield* inventedKeys())
  );
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
