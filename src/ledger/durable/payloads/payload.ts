import type { SqlValue } from "../database.ts";

/** A row of `haft_payloads`. */
export type Payload = readonly [entryId: string, kind: string, runId: string, ...SealedText];

export type SealedText = readonly [bytes: Uint8Array | null, file: string | null];

export const toSealedText = (bytes: SqlValue | undefined, file: SqlValue | undefined): SealedText => [
  bytes instanceof Uint8Array ? bytes : null,
  typeof file === "string" ? file : null,
];
