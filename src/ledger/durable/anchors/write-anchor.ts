import { appendFile } from "node:fs/promises";
import { hashText } from "../../../base/json/canonical-json.ts";
import type { ChainHead, LedgerAnchor } from "../../../types/durable-ledger.ts";
import type { ChainKeys } from "../chain/chain-keys.ts";
import { readHeads } from "../chain/chains.ts";
import { chainOf, genesisHash } from "../chain/signed-row.ts";
import { type Database, type InsertRows, type Row, type Script, StaleCacheError } from "../database.ts";
import type { DurableStore } from "../durable-store.ts";

interface WriteAnchorContext {
  readonly database: Database;
  readonly chainKeys: ChainKeys;
  readonly now: () => number;
}

/** Every 100th anchor lists all heads, which limits how far back a reader must go. */
const fullAnchorInterval = 100;

/**
 * Writes nothing if the last anchor is younger than `minIntervalMs` or nothing changed. Of concurrent
 * writers, the unique number lets one win.
 */
export const writeAnchor = async (
  { database, chainKeys, now }: WriteAnchorContext,
  minIntervalMs = 0,
): Promise<LedgerAnchor | undefined> => {
  const at = now();
  const made = await database.read(() => nextAnchor(chainKeys, at, minIntervalMs));
  if (made === undefined) return undefined;
  try {
    await database.write(function* (): Script<void> {
      yield made.insert;
    });
    return made.anchor;
  } catch (error) {
    if (error instanceof StaleCacheError) return undefined;
    throw error;
  }
};

function* nextAnchor(
  { newest }: ChainKeys,
  at: number,
  minIntervalMs: number,
): Script<{ readonly anchor: LedgerAnchor; readonly insert: InsertRows } | undefined> {
  const before = yield* readAnchorState(Number.MAX_SAFE_INTEGER);
  const { number: last, hash: prev } = before?.last ?? noAnchor;
  if (before !== undefined && at - before.last.at < minIntervalMs) return undefined;
  const heads = (yield* readHeads()).map(({ seq, hash }) => ({ seq, hash }));
  const known = new Map([...(before?.heads.values() ?? [])].map(({ seq, hash }) => [seq, hash]));
  const changed = heads.filter(({ seq, hash }) => known.get(seq) !== hash);
  if (changed.length === 0) return undefined;
  const number = last + 1;
  const root = merkleRoot(heads);
  const keyId = newest?.id ?? null;
  const isWhole = number % fullAnchorInterval === 1 || heads.length < known.size;
  const hash = anchorHash({ number, at, root, prev, keyId });
  const row = [
    number,
    at,
    serializeHeads(isWhole ? heads : changed),
    Number(isWhole),
    root,
    prev,
    hash,
    newest?.mac(hash) ?? null,
    keyId,
  ];
  return {
    anchor: { number, at, root, hash },
    insert: { insert: "haft_roots", columns: anchorColumns, rows: [row] },
  };
}

/** An anchor as stored. Anchors form a small hash chain of their own. */
export interface StoredAnchor extends LedgerAnchor {
  readonly prev: string;
  readonly mac: string | null;
  readonly keyId: string | null;
  /** All heads if `isWhole`, otherwise those changed since the previous anchor. */
  readonly heads: readonly ChainHead[];
  readonly isWhole: boolean;
}

export const noAnchor = { number: 0, hash: genesisHash };

const anchorColumns = ["number", "at", "heads", "is_whole", "root", "prev", "hash", "mac", "key_id"] as const;

/** The root covers the heads, so the hash does too. */
export const anchorHash = ({
  number,
  at,
  root,
  prev,
  keyId,
}: Pick<StoredAnchor, "number" | "at" | "root" | "prev" | "keyId">): string =>
  hashText(`${prev}\n{"at":${at},"key":${JSON.stringify(keyId)},"number":${number},"root":"${root}"}`);

/** The stored text may be forged. */
const parseHeads = (text: unknown): readonly ChainHead[] => {
  try {
    const heads: unknown = JSON.parse(String(text));
    return Array.isArray(heads) ? heads.map(([seq, hash]) => ({ seq: Number(seq), hash: String(hash) })) : [];
  } catch {
    return [];
  }
};

const serializeHeads = (heads: readonly ChainHead[]): string =>
  JSON.stringify(heads.map(({ seq, hash }) => [seq, hash]));

export const readAnchor = (row: Row): StoredAnchor => ({
  number: Number(row.number),
  at: Number(row.at),
  heads: parseHeads(row.heads),
  isWhole: row.is_whole === 1,
  root: String(row.root),
  prev: String(row.prev),
  hash: String(row.hash),
  mac: row.mac as string | null,
  keyId: row.key_id as string | null,
});

export type AnchoredHeads = Map<number, ChainHead>;

export const applyAnchor = (known: AnchoredHeads, { heads, isWhole }: StoredAnchor): void => {
  if (isWhole) known.clear();
  for (const head of heads) known.set(chainOf(head.seq), head);
};

/** The newest anchor up to `upTo`, with all chain heads at that time. */
export function* readAnchorState(
  upTo: number,
): Script<{ readonly last: StoredAnchor; readonly heads: AnchoredHeads } | undefined> {
  const rows = yield {
    sql: `SELECT * FROM haft_roots WHERE number <= ? AND number >=
            (SELECT COALESCE(MAX(number), 0) FROM haft_roots WHERE is_whole AND number <= ?) ORDER BY number`,
    values: [upTo, upTo],
  };
  const heads: AnchoredHeads = new Map();
  let last: StoredAnchor | undefined;
  for (const row of rows) {
    last = readAnchor(row);
    applyAnchor(heads, last);
  }
  return last === undefined ? undefined : { last, heads };
}

const leafOf = ({ seq, hash }: ChainHead): string => hashText(`leaf\n${seq}\n${hash}`);

/** The prefixes keep leaves and nodes apart. */
export const merkleRoot = (heads: readonly ChainHead[]): string => {
  let level = heads.toSorted((one, other) => one.seq - other.seq).map(leafOf);
  if (level.length === 0) return hashText("no chains");
  while (level.length > 1) {
    const next: string[] = [];
    for (let i = 0; i < level.length; i += 2) {
      const [left, right] = [level[i]!, level[i + 1]];
      next.push(right === undefined ? left : hashText(`node\n${left}\n${right}`));
    }
    level = next;
  }
  return level[0]!;
};

export interface AnchorOptions {
  /** Milliseconds. 0 writes no anchors in this process. */
  readonly everyMs: number;
  readonly file?: string | undefined;
  readonly url?: string | undefined;
  /** Called if an anchor is not written or published; the next one covers the same rows. */
  readonly onError?: ((error: Error) => void) | undefined;
}

export const defaultAnchorOptions: AnchorOptions = { everyMs: 5_000 };

export interface AnchorScheduler {
  readonly end: () => Promise<void>;
}

const postTimeoutMs = 10_000;

/** Jitter keeps processes apart, so that usually one of them writes the next anchor. */
export const startAnchorScheduler = (
  store: Pick<DurableStore, "database" | "chainKeys" | "now">,
  place: string,
  options: AnchorOptions,
): AnchorScheduler => {
  const { everyMs, file, url, onError } = options;
  let running: Promise<void> | undefined;
  let hasAnchored = false;
  const publish = async (anchor: LedgerAnchor): Promise<void> => {
    const line = JSON.stringify({ ...anchor, place });
    if (file !== undefined) await appendFile(file, `${line}\n`);
    if (url !== undefined) await postAnchor(url, line);
  };
  const anchor = async (leastMs: number): Promise<void> => {
    try {
      const written = await writeAnchor(store, leastMs);
      if (written === undefined) return;
      hasAnchored = true;
      await publish(written);
    } catch (error) {
      onError?.(error as Error);
    }
  };
  const tick = (): void => {
    running ??= anchor(everyMs * 0.8).finally(() => {
      running = undefined;
    });
  };
  const timer = everyMs === 0 ? undefined : setInterval(tick, everyMs * (0.9 + Math.random() * 0.2)).unref();
  return {
    end: async () => {
      clearInterval(timer);
      await running;
      if (hasAnchored) await anchor(0);
    },
  };
};

const postAnchor = async (url: string, body: string): Promise<void> => {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
    redirect: "error",
    signal: AbortSignal.timeout(postTimeoutMs),
  });
  if (!response.ok)
    throw new Error(`The anchor could not be sent to ${new URL(url).host}: ${response.status}.`);
};
