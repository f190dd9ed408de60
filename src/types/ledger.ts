import * as Context from "effect/Context";
import type { Effect } from "effect/Effect";
import type { ApprovalRecord, ApprovalStore } from "./approval.ts";
import type { LedgerError } from "./errors.ts";
import type { FailureCode } from "./failures.ts";
import type { ProvenanceNote } from "./hydration.ts";
import type { ContentPart, MediaNote } from "./message.ts";
import type { Flow } from "./outcome.ts";
import type { RunStore } from "./run-store.ts";

/** Written before the call is examined. */
export interface EntryOpening {
  /** Unique in the ledger. `callId` comes from the model and may repeat. */
  readonly entryId: string;
  readonly callId: string;
  /** The agent's run; a call or turn outside of one has a run of its own. */
  readonly runId: string;
  readonly tool: string;
  /** The exact argument text. Rows hold its hash and a redacted copy. */
  readonly input: string;
  /** Hash of the arguments as received, if `input` is already masked (see `LedgerStore.alsoMask`). */
  readonly inputHash?: string | undefined;
  readonly agent: string | undefined;
  readonly session: string | undefined;
  readonly user?: string | undefined;
  readonly tenant?: string | undefined;
  /** Entry of the call whose code made this one. */
  readonly parentId?: string | undefined;
  /** The caller's own id for correlation with other systems. */
  readonly correlationId: string | undefined;
  /** The Studio user who made the call, and the App if one made it. */
  readonly operator?: string | undefined;
  /** The caller's idempotency key: a repeated key means the same call. */
  readonly key?: string | undefined;
  /** Epoch of the claim on the run. A store refuses an older epoch. */
  readonly epoch?: number | undefined;
  /** The entry already exists and continues. Otherwise the store may assume that the id is new. */
  readonly isAgain?: boolean | undefined;
  readonly at: number;
}

/**
 * `pending` waits for approval and `hydrated` for the orchestrator; such an entry is closed once more.
 * `unknown` was running when its process died, so it may have taken effect.
 */
export type EntryEnding = "executed" | "failed" | "pending" | "hydrated" | "unknown";

/** Which code ran under which spec, and why it was allowed. */
export interface CallFacts {
  /** Why policy allowed or refused the call, for operators. */
  readonly decision: string | undefined;
  /** The rules that decided; empty if the principal's rights or the tool's properties did. */
  readonly ruleIds?: readonly string[] | undefined;
  /** Hash of the spec. */
  readonly definition?: string | undefined;
  /** Kind of the implementation. */
  readonly implementation?: string | undefined;
  /** Layers around the call, outermost first. */
  readonly layers?: readonly string[] | undefined;
}

/**
 * How an attempt ended. `unknown` was abandoned before it returned and may still take effect; `suspended`
 * waits for approval and may be started again in the same entry.
 */
export type AttemptEnding = "ended" | "unknown" | "suspended";

export interface Attempt {
  readonly number: number;
  readonly startedAt: number;
  readonly inputHash: string;
  readonly ending: AttemptEnding;
  /** False only if this process can prove that nothing left it. */
  readonly ran: boolean;
}

/**
 * Written between authorization and the first layer, for calls whose start must be durable before it happens.
 */
export interface StartIntent extends CallFacts {
  readonly entryId: string;
  readonly tool: string;
  readonly epoch?: number | undefined;
  readonly at: number;
  /** Must survive a power failure. */
  readonly full: boolean;
}

/** Written before the reply is returned. */
export interface EntryClosing extends CallFacts {
  readonly entryId: string;
  readonly ending: EntryEnding;
  /** Full name of the tool, once it is known. */
  readonly tool: string | undefined;
  readonly code: FailureCode | undefined;
  readonly message: string | undefined;
  readonly flow: Flow["kind"] | undefined;
  /** The result as JSON text. */
  readonly result: string | undefined;
  /** Media of the result without their bytes. */
  readonly media?: readonly MediaNote[] | undefined;
  /** Media of the result with their bytes, which no row contains. */
  readonly parts?: readonly ContentPart[] | undefined;
  /** The value that a layer replaced, as JSON text. */
  readonly original: string | undefined;
  /** The arguments that the code received, as JSON text, if they were repaired, edited or changed. */
  readonly ranWith?: string | undefined;
  /** The target agent of a handoff. */
  readonly handoff?: string | undefined;
  readonly notes: readonly string[];
  /** How the arguments were read and validated. */
  readonly provenance?: ProvenanceNote | undefined;
  readonly durationMs: number;
  /** In the operator's currency. */
  readonly cost?: number | undefined;
  /** Tools whose untrusted content the reply contains. */
  readonly taints?: readonly string[] | undefined;
  /** The code was started and may have taken effect. Only this process decides it. */
  readonly ran?: boolean | undefined;
  /** A remote server claims that the call did not run, which frees no key and permits no retry. */
  readonly claimsNotRun?: boolean | undefined;
  /** All attempts, in order. */
  readonly attempts?: readonly Attempt[] | undefined;
  readonly epoch?: number | undefined;
  /**
   * The approval request: `waiting` with ending `pending`, or `used` with the decision of an immediate
   * approval. Stored atomically with the ending.
   */
  readonly approval?: ApprovalRecord | undefined;
  /** Set when an operator or the tool's `reconcile` settled an unknown effect. */
  readonly settlement?: Settlement | undefined;
  /** The tool only reads; bounded ledgers drop such entries first. */
  readonly readOnly?: boolean;
  readonly full?: boolean;
  /** The store may batch this entry with the run's next write. */
  readonly isSoon?: boolean;
}

/** A row as it is read back: texts are redacted and possibly truncated; the hash covers the full input. */
export interface LedgerEntry
  extends Omit<EntryOpening, "isAgain">,
    Partial<Omit<EntryClosing, "ending" | "tool" | "entryId" | "approval" | "full" | "isSoon" | "parts">> {
  /** `open` means running in a live process. */
  readonly ending: EntryEnding | "open";
  readonly inputHash: string;
}

/** An entry with its exact texts, if they are still kept. Used for resuming and replaying. */
export interface EntryTexts {
  readonly entry: LedgerEntry;
  readonly input: string | undefined;
  readonly result: string | undefined;
  readonly parts?: readonly ContentPart[] | undefined;
}

/** Whether a call with an unknown effect took effect. */
export interface Settlement {
  readonly tookEffect: boolean;
  /** Name of the operator, or `reconcile`. */
  readonly by: string;
  readonly reason?: string | undefined;
  readonly at: number;
}

/** Input of `LedgerStore.settle`. */
export interface SettlementRequest extends Omit<Settlement, "at"> {
  readonly entryId: string;
  /** Result for later calls with the same key, as JSON text. Only if the call took effect. */
  readonly result?: string | undefined;
}

/**
 * Result of settling a call. `running`: a live process holds it. `pending`: it waits for approval. `settled`:
 * it was settled before. `known`: its outcome is known.
 */
export type SettlementResult =
  | { readonly kind: "done"; readonly entry: LedgerEntry }
  | { readonly kind: "missing" | "running" | "pending" | "settled" | "known" };

/** Which callers share a tool's key. */
export type KeyScope = "tenant" | "user" | "agent" | "global";

/** Claims a key between authorization and the first layer, for an entry that is already open. */
export interface KeyClaim {
  readonly key: string;
  /** Set for the key of `tool({ key })`, which callers share; otherwise the key is the caller's own. */
  readonly effect?: { readonly scope: KeyScope; readonly retentionMs: number } | undefined;
  /** The entry that claims the key. */
  readonly entryId: string;
  /** Full name of the tool, and hash of its canonical arguments. */
  readonly tool: string;
  readonly inputHash: string;
  /** A caller's key is scoped to agent, user and tenant. */
  readonly agent: string;
  readonly user: string | undefined;
  readonly tenant: string | undefined;
  readonly epoch?: number | undefined;
  readonly at: number;
}

/** Result of claiming a key. */
export type Reservation =
  /** The key was free and now belongs to this entry. */
  | { readonly kind: "fresh" }
  /** The same call exists; its entry has the outcome or is still open. */
  | { readonly kind: "known"; readonly entryId: string; readonly ending: LedgerEntry["ending"] }
  /** The key belongs to another tool or to other arguments. */
  | { readonly kind: "other"; readonly entryId: string };

export interface Masking {
  readonly text: (text: string) => string;
  readonly value: (value: unknown) => unknown;
}

/** Stores calls. Only `open`, `close` and `entries` are required. */
export interface LedgerStore {
  /** Location without passwords, for messages to operators. */
  readonly place?: string;
  readonly open: (opening: EntryOpening) => Effect<void, LedgerError>;
  readonly close: (closing: EntryClosing) => Effect<void, LedgerError>;
  readonly entries: (query?: LedgerQuery) => Effect<readonly LedgerEntry[], LedgerError>;
  readonly intend?: (intent: StartIntent) => Effect<void, LedgerError>;
  /**
   * Exactly one of several concurrent claims to a key is `fresh`. An entry that closes without having run
   * releases its key.
   */
  readonly reserve?: (claim: KeyClaim) => Effect<Reservation, LedgerError>;
  readonly recall?: (entryId: string) => Effect<EntryTexts | undefined, LedgerError>;
  /**
   * Records whether a call with an unknown effect took effect. One of several concurrent requests gets
   * `done`.
   */
  readonly settle?: (request: SettlementRequest) => Effect<SettlementResult, LedgerError>;
  readonly approvals?: ApprovalStore;
  readonly runs?: RunStore;
  /**
   * Adds the runtime's secrets to the masking of a store that masks by itself, until the returned function is
   * called.
   */
  readonly alsoMask?: (masking: Masking) => () => void;
  /** Flushes and closes files and connections. */
  readonly end?: () => Promise<void>;
}

/** Filters for ledger entries, combined with AND. */
export interface LedgerQuery {
  readonly entryId?: string;
  readonly callId?: string;
  readonly runId?: string;
  /** Full name or wire name; for an unknown tool the name as the model wrote it. */
  readonly tool?: string;
  readonly agent?: string;
  /** Only calls of this session. */
  readonly session?: string;
  /** `unknown` finds calls that were running when their process died. */
  readonly ending?: LedgerEntry["ending"];
  /** Only calls whose effect is unknown, and calls that were settled as having taken effect. */
  readonly mayHaveTakenEffect?: boolean;
  /** Opened at or after this time, in milliseconds since 1970. */
  readonly since?: number;
  readonly until?: number;
  /** Only entries that were opened before this one, for paging backwards. */
  readonly before?: string;
  /** Only entries that were opened after this one; `limit` then takes the oldest. */
  readonly after?: string;
  /** Number of the newest entries; returned oldest first. */
  readonly limit?: number;
}

/** The service that records calls. */
export class Ledger extends Context.Service<Ledger, LedgerStore>()("haft/Ledger") {}
