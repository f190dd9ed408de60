import * as Context from "effect/Context";
import type { Effect } from "effect/Effect";
import type { LedgerError } from "./errors.ts";
import type { FailureCode } from "./failures.ts";
import type { ProvenanceNote } from "./hydration.ts";
import type { Flow } from "./outcome.ts";

/** Written before anybody looks at the call. */
export interface Opening {
  readonly entryId: string;
  readonly callId: string;
  readonly runId: string;
  readonly tool: string;
  /** The arguments exactly as they came, as text. A row holds their hash and a redacted copy. */
  readonly input: string;
  readonly agent: string | undefined;
  readonly session: string | undefined;
  readonly correlationId: string | undefined;
  readonly at: number;
}

/** `pending` waits for a person, `hydrated` for the orchestrator: such an entry is closed once more. */
export type Ending = "executed" | "failed" | "pending" | "hydrated";

/** Written before the reply is released. */
export interface Closing {
  readonly entryId: string;
  readonly ending: Ending;
  /** Full name of the tool that answered, once it was known. */
  readonly tool: string | undefined;
  readonly code: FailureCode | undefined;
  readonly message: string | undefined;
  readonly decision: string | undefined;
  readonly flow: Flow["kind"] | undefined;
  /** The result as JSON text. */
  readonly result: string | undefined;
  /** What a rewriting layer replaced, as JSON text. */
  readonly original: string | undefined;
  readonly notes: readonly string[];
  /** How the arguments became a value, as far as that was tried. */
  readonly provenance?: ProvenanceNote | undefined;
  readonly durationMs: number;
}

/** One row as it is read back: texts are redacted and may be cut, the hash is of all that came. */
export interface LedgerEntry extends Opening, Partial<Omit<Closing, "ending" | "tool" | "entryId">> {
  readonly ending: Ending | "open";
  readonly inputHash: string;
}

/** Where calls are written down. An entry that is pending or hydrated may be closed once more. */
export interface LedgerStore {
  readonly open: (opening: Opening) => Effect<void, LedgerError>;
  readonly close: (closing: Closing) => Effect<void, LedgerError>;
  readonly entries: (query?: LedgerQuery) => Effect<readonly LedgerEntry[], LedgerError>;
}

export interface LedgerQuery {
  readonly callId?: string;
  readonly runId?: string;
  readonly tool?: string;
  readonly ending?: LedgerEntry["ending"];
  readonly limit?: number;
}

export class Ledger extends Context.Service<Ledger, LedgerStore>()("haft/Ledger") {}
