import type { Row, Script } from "../database.ts";
import type { SqlDialect } from "../dialect.ts";
import { noMonth } from "../months/month-tables.ts";
import { type ChainKeys, type ChainTip, rotationBefore } from "./chain-keys.ts";
import { chainOf, chainStart, firstChain, genesisHash, rowsPerChain } from "./signed-row.ts";

/** The owner's own chain, a free one, or a new one. */
export function* claimChain(
  { hasChains }: SqlDialect,
  { owner, writer }: ChainOwner,
  keys: ChainKeys,
): Script<number> {
  if (!hasChains) return firstChain;
  const [own] = yield {
    sql: "SELECT chain FROM haft_chains WHERE owner = ? FOR UPDATE",
    values: [owner],
  };
  if (own !== undefined) return Number(own.chain);
  // Without the key of any chain, appended rows would look forged.
  for (const head of yield* readHeads()) rotationBefore(head, keys);
  const [unowned] = yield {
    sql: `UPDATE haft_chains SET owner = ?, writer = ? WHERE chain = (SELECT chain FROM haft_chains
            WHERE owner IS NULL AND NOT is_full ORDER BY chain LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING chain`,
    values: [owner, writer],
  };
  return unowned === undefined ? yield* beginChain({ owner, writer }) : Number(unowned.chain);
}

export interface ChainOwner {
  readonly owner: string;
  readonly writer: string;
}

function* beginChain({ owner, writer }: ChainOwner): Script<number> {
  for (;;) {
    const [inserted] = yield {
      sql: `INSERT INTO haft_chains (chain, owner, writer) SELECT COALESCE(MAX(chain), 0) + 1, ?, ? FROM haft_chains
            ON CONFLICT (chain) DO NOTHING RETURNING chain`,
      values: [owner, writer],
    };
    if (inserted === undefined) continue;
    const chain = Number(inserted.chain);
    yield {
      post: "INSERT INTO haft_anchor (chain, seq, hash) VALUES (?, ?, ?)",
      values: [chain, chainStart(chain), genesisHash],
    };
    return chain;
  }
}

/** Raises the fence first, so that pending transactions of an owner that is still alive fail. */
export function* releaseChains(
  { hasChains, amongTexts }: SqlDialect,
  owners: readonly string[],
): Script<void> {
  if (!hasChains) return;
  const theirs = [JSON.stringify(owners)];
  yield {
    post: `UPDATE haft_commits SET fence = fence + 1
             WHERE writer IN (SELECT writer FROM haft_chains WHERE owner ${amongTexts})`,
    values: theirs,
  };
  yield {
    post: `UPDATE haft_chains SET owner = NULL, writer = NULL WHERE owner ${amongTexts}`,
    values: theirs,
  };
}

export function* releaseChain({ hasChains }: SqlDialect, owner: string): Script<void> {
  if (!hasChains) return;
  yield { post: "UPDATE haft_chains SET owner = NULL, writer = NULL WHERE owner = ?", values: [owner] };
}

export function* readHead(chain: number): Script<ChainTip> {
  const start = chainStart(chain);
  const [last] = yield {
    sql: "SELECT seq, hash, kind, key_id, month FROM haft_records WHERE seq > ? AND seq < ? ORDER BY seq DESC LIMIT 1",
    values: [start, start + rowsPerChain],
  };
  if (last === undefined) return yield* readEmptyHead(chain);
  return toHead(last);
}

const toHead = ({ seq, hash, kind, key_id, month }: Row): ChainTip => ({
  seq: Number(seq),
  hash: String(hash),
  kind: String(kind),
  keyId: key_id as string | null,
  month: Number(month),
});

function* readEmptyHead(chain: number): Script<ChainTip> {
  const [anchor] = yield { sql: "SELECT seq, hash FROM haft_anchor WHERE chain = ?", values: [chain] };
  const { seq = chainStart(chain), hash = genesisHash } = anchor ?? {};
  return { seq: Number(seq), hash: String(hash), kind: "", keyId: null, month: noMonth };
}

/** More rows than one transaction can write. */
const rowReserve = 1_000_000;

export const isAlmostFull = ({ seq }: ChainTip): boolean => seq % rowsPerChain > rowsPerChain - rowReserve;

export const retireChain = ({ seq }: ChainTip) => ({
  post: "UPDATE haft_chains SET owner = NULL, writer = NULL, is_full = true WHERE chain = ?",
  values: [chainOf(seq)],
});

/** Independent of `haft_chains`, which may be forged. */
export function* chainsWithRows(): Script<readonly number[]> {
  const chains: number[] = [];
  for (let from = Number.MIN_SAFE_INTEGER; ; ) {
    const [next] = yield { sql: "SELECT MIN(seq) AS seq FROM haft_records WHERE seq > ?", values: [from] };
    if (next === undefined || next.seq === null) return chains;
    const chain = chainOf(Number(next.seq));
    chains.push(chain);
    from = chainStart(chain + 1) - 1;
  }
}

export function* lockFreeChains({ hasChains }: SqlDialect): Script<readonly number[]> {
  if (!hasChains) return [];
  const rows = yield {
    sql: "SELECT chain FROM haft_chains WHERE owner IS NULL ORDER BY chain FOR UPDATE SKIP LOCKED",
    values: [],
  };
  return rows.map(({ chain }) => Number(chain));
}

export function* readHeads(): Script<readonly ChainTip[]> {
  const rows = yield {
    sql: `SELECT h.seq, h.hash, h.kind, h.key_id, h.month FROM haft_chains c CROSS JOIN LATERAL
            (SELECT r.seq, r.hash, r.kind, r.key_id, r.month FROM haft_records r
             WHERE r.seq > c.chain * CAST(${rowsPerChain} AS bigint)
             AND r.seq < (c.chain + 1) * CAST(${rowsPerChain} AS bigint) ORDER BY r.seq DESC LIMIT 1) h
          ORDER BY c.chain`,
    values: [],
  };
  return rows.map(toHead);
}
