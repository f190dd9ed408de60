import { hashText } from "../../../base/json/canonical-json.ts";
import type { ChainRow } from "../../../types/durable-ledger.ts";
import type { Row } from "../database.ts";

export const genesisHash: string = "0".repeat(64);

/**
 * A sequence number is the chain number times this, plus the position in the chain. It stays a safe integer
 * for two million chains.
 */
export const rowsPerChain: number = 2 ** 32;

export const chainOf = (seq: number): number => Math.floor(seq / rowsPerChain);

export const chainStart = (chain: number): number => chain * rowsPerChain;

export const rowName = (seq: number): string =>
  chainOf(seq) === firstChain ? String(seq) : `${chainOf(seq)}/${seq - chainStart(chainOf(seq))}`;

/** The only chain on SQLite. */
export const firstChain = 0;

/** The body is JSON text and hashed as such. */
export interface RowContent {
  readonly at: number;
  readonly kind: string;
  readonly entryId: string | null;
  readonly runId: string | null;
  readonly body: string;
}

export interface LinkedRow extends RowContent {
  readonly chain: number;
  readonly seq: number;
  /** Null only in rows of 0.1.0. */
  readonly prev: string | null;
  readonly keyId: string | null;
}

export interface SignedRow extends LinkedRow {
  readonly hash: string;
  readonly mac: string | null;
}

const quoteOrNull = (text: string | null): string => (text === null ? "null" : JSON.stringify(text));

/** Covers every column except the MAC. Quoting keeps the encoding unambiguous. */
export const hashRow = (prev: string, link: LinkedRow): string => {
  const { chain, seq, at, kind, entryId, runId, keyId, body } = link;
  return hashText(
    `${prev}\n{"at":${at},"body":${body},"chain":${chain},"entryId":${quoteOrNull(entryId)},"key":${quoteOrNull(keyId)},` +
      `"kind":${quoteOrNull(kind)},"runId":${quoteOrNull(runId)},"seq":${seq}}`,
  );
};

/** Rows of 0.1.0. */
const legacyHash = (prev: string, { seq, at, kind, entryId, runId, body }: LinkedRow): string =>
  hashText(
    `${prev}\n{"at":${at},"body":${body},"entryId":${quoteOrNull(entryId)},"kind":"${kind}",` +
      `"runId":${quoteOrNull(runId)},"seq":${seq}}`,
  );

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

/** The body may have been tampered with. */
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
