import * as Context from "effect/Context";
import type { Effect } from "effect/Effect";
import type { ApprovalRecord, ApprovalStore } from "./approval.ts";
import type { ContentPart, MediaNote } from "./content.ts";
import type { LedgerError } from "./errors.ts";
import type { FailureCode } from "./failures.ts";
import type { ProvenanceNote } from "./hydration.ts";
import type { Flow } from "./outcome.ts";
import type { RunStore } from "./run-store.ts";

/** Written before anybody looks at the call. */
export interface EntryOpening {
  /** Unique in the ledger; `callId` is the model's own and may come again. */
  readonly entryId: string;
  readonly callId: string;
  /** The agent's run; a call or a turn outside of one has a run of its own. */
  readonly runId: string;
  readonly tool: string;
  /** The arguments exactly as they came, as text. A row holds their hash and a redacted copy. */
  readonly input: string;
  /** Hash of the arguments as they came, where `input` is masked already: see `LedgerStore.alsoMask`. */
  readonly inputHash?: string | undefined;
  readonly agent: string | undefined;
  readonly session: string | undefined;
  readonly user?: string | undefined;
  readonly tenant?: string | undefined;
  /** The entry of the call from inside which this one was made. */
  readonly parentId?: string | undefined;
  /** The caller's name for what this belongs to, in systems of its own. */
  readonly correlationId: string | undefined;
  /** Who made the call in the Studio, and through which App. No client or caller can set it. */
  readonly operator?: string | undefined;
  /** The caller's own name for this call: whoever uses it again means the same call. */
  readonly key?: string | undefined;
  /** The claim on its run under which the call is made. A store refuses one that is not the newest. */
  readonly epoch?: number | undefined;
  /** The entry is there already and goes on: a store looks for it. Without this it may take the id for a new one. */
  readonly isAgain?: boolean | undefined;
  readonly at: number;
}

/**
 * `pending` waits for a person, `hydrated` for the orchestrator: such an entry is closed once more. `unknown` was
 * under way when its process died: it may have run, and nobody can say.
 */
export type EntryEnding = "executed" | "failed" | "pending" | "hydrated" | "unknown";

/** Which code answered under which promise, and who let it. */
export interface CallFacts {
  /** Why policy let the call through or refused it, in words for operators. */
  readonly decision: string | undefined;
  /** The rules that decided; none where the principal's own right or the tool's nature did. */
  readonly ruleIds?: readonly string[] | undefined;
  /** Hash of the spec the call was held against. */
  readonly definition?: string | undefined;
  /** Of what kind the code is. */
  readonly implementation?: string | undefined;
  /** The layers around the call, outermost first. */
  readonly layers?: readonly string[] | undefined;
}

/**
 * How one start of the code came to its end. `unknown` was given up before it answered and may still take effect;
 * `suspended` stopped to wait for a person, and may be started again in the same entry.
 */
export type AttemptEnding = "ended" | "unknown" | "suspended";

/** One start of the code under a grant. */
export interface Attempt {
  /** From 1, in the order they were started. */
  readonly number: number;
  readonly startedAt: number;
  /** Hash of the canonical arguments that the code got. */
  readonly inputHash: string;
  readonly ending: AttemptEnding;
  /** False only where this side can prove that nothing left the process. */
  readonly ran: boolean;
}

/** Written between authorization and the first layer, for calls whose start must be on disk by itself. */
export interface StartIntent extends CallFacts {
  readonly entryId: string;
  readonly tool: string;
  readonly epoch?: number | undefined;
  readonly at: number;
  /** Not even a power cut may lose it. */
  readonly full: boolean;
}

/** Written before the reply is released. */
export interface EntryClosing extends CallFacts {
  readonly entryId: string;
  readonly ending: EntryEnding;
  /** Full name of the tool that answered, once it was known. */
  readonly tool: string | undefined;
  readonly code: FailureCode | undefined;
  readonly message: string | undefined;
  readonly flow: Flow["kind"] | undefined;
  /** The result as JSON text. */
  readonly result: string | undefined;
  /** Pictures, sounds and files of the result, without their bytes. */
  readonly media?: readonly MediaNote[] | undefined;
  /** The same with their bytes. They are in no row: a store that keeps exact texts keeps them as it keeps those. */
  readonly parts?: readonly ContentPart[] | undefined;
  /** What a rewriting layer replaced, as JSON text. */
  readonly original: string | undefined;
  /** The arguments that the code got, as JSON text, where they were repaired, edited or changed on the way. */
  readonly ranWith?: string | undefined;
  /** The agent that was handed over to. */
  readonly handoff?: string | undefined;
  readonly notes: readonly string[];
  /** How the arguments became a value, as far as that was tried. */
  readonly provenance?: ProvenanceNote | undefined;
  readonly durationMs: number;
  /** In whatever currency the operator counts. */
  readonly cost?: number | undefined;
  /** Tools whose words are in what the model is told, if they are not to be trusted. */
  readonly taints?: readonly string[] | undefined;
  /** Whether the code was started, and may have taken effect. Only this side says so. */
  readonly ran?: boolean | undefined;
  /** A remote server claimed that it had not run: it may be wrong, so this frees no key and permits no retry. */
  readonly claimsNotRun?: boolean | undefined;
  /** Every start of the code, in order. */
  readonly attempts?: readonly Attempt[] | undefined;
  readonly epoch?: number | undefined;
  /**
   * What a person was asked: `waiting` with a `pending` ending, `used` with its decision where the answer came at
   * once. Kept together with the ending, or neither is.
   */
  readonly approval?: ApprovalRecord | undefined;
  /** Set when an operator, or the tool's `reconcile`, said afterwards whether the call took effect. */
  readonly settlement?: Settlement | undefined;
  /** The tool only reads: a ledger that must forget forgets such calls first. */
  readonly readOnly?: boolean;
  readonly full?: boolean;
  /** Nobody waits for it: it may be written with what its run writes next, before it. */
  readonly isSoon?: boolean;
}

/** One row as it is read back: texts are redacted and may be cut, the hash is of all that came. */
export interface LedgerEntry
  extends Omit<EntryOpening, "isAgain">,
    Partial<Omit<EntryClosing, "ending" | "tool" | "entryId" | "approval" | "full" | "isSoon" | "parts">> {
  /** `open` is under way, in a process that lives. */
  readonly ending: EntryEnding | "open";
  readonly inputHash: string;
}

/** An entry with the exact texts, as far as they are still kept: what resuming and replaying read. */
export interface EntryTexts {
  readonly entry: LedgerEntry;
  readonly input: string | undefined;
  readonly result: string | undefined;
  readonly parts?: readonly ContentPart[] | undefined;
}

/** Whether a call whose effect was unknown took effect, who said so, and why. */
export interface Settlement {
  readonly tookEffect: boolean;
  /** An operator's name, or `reconcile`. */
  readonly by: string;
  readonly reason?: string | undefined;
  readonly at: number;
}

/** What a store is asked to record about a call whose effect is unknown. */
export interface SettlementRequest extends Omit<Settlement, "at"> {
  readonly entryId: string;
  /** What later calls with the same key get, as JSON text. Only where it took effect. */
  readonly result?: string | undefined;
}

/**
 * What came of settling a call. `running` is held by a live process, `pending` waits for an approval, `settled` was settled
 * before, `known` ended with a known outcome.
 */
export type SettlementResult =
  | { readonly kind: "done"; readonly entry: LedgerEntry }
  | { readonly kind: "missing" | "running" | "pending" | "settled" | "known" };

/** Whose calls share a tool's key. */
export type KeyScope = "tenant" | "user" | "agent" | "global";

/** Asked between authorization and the first layer, for an entry that is open already. */
export interface KeyClaim {
  readonly key: string;
  /** Set for the key of `tool({ key })`, which callers share; without it the key is the caller's own. */
  readonly effect?: { readonly scope: KeyScope; readonly retentionMs: number } | undefined;
  /** The entry that would hold the key from now on. */
  readonly entryId: string;
  /** Full name of the tool, and the hash of the canonical arguments it would get. */
  readonly tool: string;
  readonly inputHash: string;
  /** A key means the same call only for the same caller: agent, user and tenant. */
  readonly agent: string;
  readonly user: string | undefined;
  readonly tenant: string | undefined;
  readonly epoch?: number | undefined;
  readonly at: number;
}

/** What a caller's own key stands for. */
export type Reservation =
  /** The key was free: this entry holds it now. */
  | { readonly kind: "fresh" }
  /** The same call was made before, or is running; its entry has the outcome. */
  | { readonly kind: "known"; readonly entryId: string; readonly ending: LedgerEntry["ending"] }
  /** The key was used for another tool or other arguments. */
  | { readonly kind: "other"; readonly entryId: string };

/** Masks secrets: in texts those that are known, in values also what a key's name or the words of a text give away. */
export interface Masking {
  readonly text: (text: string) => string;
  readonly value: (value: unknown) => unknown;
}

/**
 * Where calls are written down. An entry that is pending or hydrated may be closed once more. The first three are
 * the least a store must do; with the others it also keeps what outlives the process.
 */
export interface LedgerStore {
  /** Where it is, without any password. Hints for operators name it. */
  readonly place?: string;
  readonly open: (opening: EntryOpening) => Effect<void, LedgerError>;
  readonly close: (closing: EntryClosing) => Effect<void, LedgerError>;
  readonly entries: (query?: LedgerQuery) => Effect<readonly LedgerEntry[], LedgerError>;
  readonly intend?: (intent: StartIntent) => Effect<void, LedgerError>;
  /** Of several claims to one key at once, one is fresh. An entry that closes without having `ran` gives its key back. */
  readonly reserve?: (claim: KeyClaim) => Effect<Reservation, LedgerError>;
  readonly recall?: (entryId: string) => Effect<EntryTexts | undefined, LedgerError>;
  /** Records whether a call whose effect is unknown took effect. Of several at once, one is `done`. */
  readonly settle?: (request: SettlementRequest) => Effect<SettlementResult, LedgerError>;
  readonly approvals?: ApprovalStore;
  readonly runs?: RunStore;
  /**
   * For a store that masks by itself and keeps exact texts apart: what a runtime that writes here knows as secret, until
   * the returned function is called. A store without it is handed rows that are masked already.
   */
  readonly alsoMask?: (masking: Masking) => () => void;
  /** Lets go of files and connections, once everything is written. */
  readonly end?: () => Promise<void>;
}

/** Which entries of the ledger are wanted. Every field that is given must fit. */
export interface LedgerQuery {
  readonly entryId?: string;
  readonly callId?: string;
  readonly runId?: string;
  /** Full name, or the one that models are shown; as the model wrote it where no tool was found. */
  readonly tool?: string;
  readonly agent?: string;
  /** Only calls of this session of a caller. */
  readonly session?: string;
  /** `unknown` finds calls that were under way when their process died. */
  readonly ending?: LedgerEntry["ending"];
  /** Opened at or after this time, in milliseconds since 1970. */
  readonly since?: number;
  readonly until?: number;
  /** Only those opened before this entry, in the order of the ledger: the page that comes next when one goes back. */
  readonly before?: string;
  /** Only those opened after this entry. Then `limit` takes the first so many of them, and not the newest. */
  readonly after?: string;
  /** The newest so many; they still come oldest first. */
  readonly limit?: number;
}

/** The service that writes down what happens to calls. */
export class Ledger extends Context.Service<Ledger, LedgerStore>()("haft/Ledger") {}
