import { hashText } from "../../../base/json/hash.ts";
import type { ChainRow } from "../../../types/durable-ledger.ts";
import type { Row } from "../database.ts";

/** The hash that the first row of a chain names as its predecessor's. */
export const genesisHash: string = "0".repeat(64);

/**
 * A row's number tells its chain too: the chain's own number, times this, and the row's place in its chain. So one
 * number names a row in every table, rows of a chain follow each other by one, and those of the first chain begin
 * with 1. JavaScript counts two million such chains exactly.
 */
export const rowsPerChain: number = 2 ** 32;

export const chainOf = (seq: number): number => Math.floor(seq / rowsPerChain);

/** The number before a chain's first row. */
export const chainStart = (chain: number): number => chain * rowsPerChain;

/** A row as people are told of it: its number in the first chain, `chain/number` in others. */
export const rowName = (seq: number): string =>
  chainOf(seq) === firstChain ? String(seq) : `${chainOf(seq)}/${seq - chainStart(chainOf(seq))}`;

/** The chain that everybody begins with; on SQLite it is the only one. */
export const firstChain = 0;

/** What a row says, before it has a place in the chain. The body is JSON already, and hashed as the text it is. */
export interface RowContent {
  readonly at: number;
  readonly kind: string;
  readonly entryId: string | null;
  readonly runId: string | null;
  readonly body: string;
}

/** A row in its place: with the hash of its predecessor and the id of the key its MAC is made with. */
export interface LinkedRow extends RowContent {
  readonly chain: number;
  readonly seq: number;
  /** Null only in rows of 0.1.0, whose hash covers it all the same. */
  readonly prev: string | null;
  readonly keyId: string | null;
}

/** A row as it is stored. */
export interface SignedRow extends LinkedRow {
  readonly hash: string;
  readonly mac: string | null;
}

const quoteOrNull = (text: string | null): string => (text === null ? "null" : JSON.stringify(text));

/**
 * SHA-256 over the predecessor's hash and every column of the row but the MAC, which is made from this hash. Texts are
 * quoted, so that no two rows are written alike.
 */
export const hashRow = (prev: string, link: LinkedRow): string => {
  const { chain, seq, at, kind, entryId, runId, keyId, body } = link;
  return hashText(
    `${prev}\n{"at":${at},"body":${body},"chain":${chain},"entryId":${quoteOrNull(entryId)},"key":${quoteOrNull(keyId)},` +
      `"kind":${quoteOrNull(kind)},"runId":${quoteOrNull(runId)},"seq":${seq}}`,
  );
};

/** How 0.1.0 hashed a row: its rows name no predecessor, chain or key. */
const legacyHash = (prev: string, { seq, at, kind, entryId, runId, body }: LinkedRow): string =>
  hashText(
    `${prev}\n{"at":${at},"body":${body},"entryId":${quoteOrNull(entryId)},"kind":"${kind}",` +
      `"runId":${quoteOrNull(runId)},"seq":${seq}}`,
  );

/** Whether a row's hash is that of its own columns behind a predecessor of this hash. */
export const hasValidHash = (prev: string, link: SignedRow): boolean => {
  if (link.prev === null) return link.keyId === null && legacyHash(prev, link) === link.hash;
  return link.prev === prev && hashRow(prev, link) === link.hash;
};

export const recordColumns = [
  "chain",
  "seq",
  "prev",
  "at",
  "kind",
  "entry_id",
  "run_id",
  "body",
  "hash",
  "mac",
  "key_id",
  "month",
] as const;

export const readSignedRow = (row: Row): SignedRow => ({
  chain: Number(row.chain),
  seq: Number(row.seq),
  prev: row.prev as string | null,
  at: Number(row.at),
  kind: String(row.kind),
  entryId: row.entry_id as string | null,
  runId: row.run_id as string | null,
  body: String(row.body),
  hash: String(row.hash),
  mac: row.mac as string | null,
  keyId: row.key_id as string | null,
});

/** The body of a row that may have been changed: what is no object of JSON says nothing. */
export const parseRowBody = (body: unknown): Readonly<Record<string, unknown>> => {
  try {
    const read: unknown = JSON.parse(String(body));
    return typeof read === "object" && read !== null ? (read as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
};

export const toChainRow = (row: Row): ChainRow => {
  const { body, entryId, runId, prev, mac, keyId, ...rest } = readSignedRow(row);
  return {
    ...rest,
    entryId: entryId ?? undefined,
    runId: runId ?? undefined,
    body: JSON.parse(body),
    prev: prev ?? undefined,
    mac: mac ?? undefined,
    keyId: keyId ?? undefined,
  };
};
