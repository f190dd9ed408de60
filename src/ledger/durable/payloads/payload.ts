import type { SqlValue } from "../database.ts";

/** A row of `haft_payloads`: entry, kind, run, and the sealed text or the file it is in. */
export type Payload = readonly [entryId: string, kind: string, runId: string, ...SealedText];

/** Either bytes or the name of a file with them. */
export type SealedText = readonly [bytes: Uint8Array | null, file: string | null];

export const toSealedText = (bytes: SqlValue | undefined, file: SqlValue | undefined): SealedText => [
  bytes instanceof Uint8Array ? bytes : null,
  typeof file === "string" ? file : null,
];
