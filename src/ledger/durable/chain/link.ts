import { hashText } from "../../../json/hash.ts";
import type { ChainRow } from "../../../words/durable-ledger.ts";
import type { Row } from "../database.ts";

/** What the first row follows. */
export const genesis: string = "0".repeat(64);

/** A row of the chain before it is hashed. The body is JSON already, and hashed as the text it is. */
export interface Link {
  readonly seq: number;
  readonly at: number;
  readonly kind: string;
  readonly entryId: string | null;
  readonly runId: string | null;
  readonly body: string;
}

const quoted = (text: string | null): string => (text === null ? "null" : JSON.stringify(text));

/** Over the row before and this one, with every column in it. */
export const linkHash = (previous: string, { seq, at, kind, entryId, runId, body }: Link): string =>
  hashText(
    `${previous}\n{"at":${at},"body":${body},"entryId":${quoted(entryId)},"kind":"${kind}",` +
      `"runId":${quoted(runId)},"seq":${seq}}`,
  );

export const linkColumns = ["seq", "at", "kind", "entry_id", "run_id", "body", "hash"] as const;

export const readLink = (row: Row): Link & { readonly hash: string } => ({
  seq: Number(row.seq),
  at: Number(row.at),
  kind: String(row.kind),
  entryId: row.entry_id as string | null,
  runId: row.run_id as string | null,
  body: String(row.body),
  hash: String(row.hash),
});

export const toChainRow = (row: Row): ChainRow => {
  const { body, entryId, runId, ...rest } = readLink(row);
  return { ...rest, entryId: entryId ?? undefined, runId: runId ?? undefined, body: JSON.parse(body) };
};
