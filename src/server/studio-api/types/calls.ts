import type { Approval } from "./approvals.ts";
import type { AppView } from "./apps.ts";
import type { Caller, Finding, Text } from "./shared.ts";

/** `open` is under way, `pending` waits for a person, `hydrated` for its orchestrator; `unknown` was under way when its process died. */
export type CallEnding = "open" | "executed" | "failed" | "pending" | "hydrated" | "unknown";

/** A call as a table shows it. */
export interface CallLine {
  readonly entryId: string;
  readonly callId: string;
  readonly runId: string;
  readonly tool: string;
  readonly at: number;
  readonly ending: CallEnding;
  readonly agent?: string;
  readonly user?: string;
  readonly tenant?: string;
  readonly session?: string;
  readonly parentId?: string;
  readonly code?: string;
  /** Without what it waited for a person, or for a limit, before its code began. */
  readonly durationMs?: number;
  readonly cost?: number;
  /** The beginning of the arguments and of what came of them. */
  readonly input: string;
  readonly result?: string;
  readonly message?: string;
  readonly isModel: boolean;
  readonly isRepaired?: true;
  /** A person, or a layer, put other arguments in place of those that came. */
  readonly isChanged?: true;
  readonly isTainted?: true;
}

/** One call with its whole way down the corridor. */
export interface Call {
  readonly line: CallLine;
  readonly correlationId?: string;
  /** Who made the call in the Studio, and through which App. */
  readonly operator?: string;
  readonly key?: string;
  readonly inputHash: string;
  readonly stages: Stages;
  /** Tools whose untrusted words are in what the model was told; of a call about which a person was asked, also those its run had read by then. */
  readonly taints: readonly TaintSource[];
  readonly parent?: CallLine;
  readonly children: readonly CallLine[];
  readonly approvals: readonly Approval[];
  /** The run it belongs to, where the ledger keeps it. */
  readonly run?: { readonly runId: string; readonly agent: string; readonly status: string };
  /** Its effect is unknown: an operator can settle it. */
  readonly canSettle?: true;
  /** Whether it took effect, who said so and why, once it was settled. */
  readonly settlement?: CallSettlement;
  readonly media: readonly CallMedia[];
  /** What the App of the tool is given, where the ledger has all of it. */
  readonly app?: AppView;
}

/** What was found out about a call whose effect was unknown. */
export interface CallSettlement {
  readonly tookEffect: boolean;
  /** A person, or `reconcile`. */
  readonly by: string;
  readonly reason?: string;
  readonly at: number;
}

/** What an operator found out about a call. */
export interface SettleBody {
  readonly tookEffect: boolean;
  /** What it returned, if that is known: later calls with its key get it. */
  readonly result?: unknown;
  readonly reason?: string;
}

/** `failed` is where it ended, `waits` where it stands; what comes behind was `not-reached`. */
export type StageState = "passed" | "failed" | "waits" | "running" | "unknown" | "not-reached";

interface Stage {
  readonly state: StageState;
  /** One sentence, as `haft log show` says it. */
  readonly what: string;
}

/** The eight stages in their order. */
export interface Stages {
  readonly hydrate: Stage & {
    /** The arguments exactly as they came, secrets masked. */
    readonly input: Text;
    /** What the code got, where that is something else. */
    readonly ranWith?: Text;
    readonly validated?: boolean;
    readonly validator?: { readonly name: string; readonly version: string };
    readonly repaired: boolean;
    readonly changes: readonly CallChange[];
    readonly validationMs?: number;
    readonly findings: readonly Finding[];
  };
  readonly bind: Stage & {
    readonly tool: string;
    readonly implementation?: string;
    readonly origin?: string;
    /** Hash of the definition that the call was held against. */
    readonly definition?: string;
    /** Hash of the definition as it is now. */
    readonly definitionNow?: string;
  };
  readonly authorize: Stage & {
    readonly decision?: string;
    readonly ruleIds: readonly string[];
    readonly caller: Caller | undefined;
  };
  readonly layers: Stage & {
    /** Outermost first. */
    readonly layers: readonly string[];
    readonly notes: readonly string[];
  };
  readonly run: Stage & {
    readonly attempts: readonly CallAttempt[];
    readonly ran?: boolean;
    readonly claimsNotRun?: true;
    readonly durationMs?: number;
    /** How long a person took, of that time. */
    readonly waitedMs?: number;
    readonly cost?: number;
  };
  readonly check: Stage & {
    readonly result?: Text;
    /** What a layer replaced. */
    readonly original?: Text;
  };
  readonly record: Stage & {
    readonly rows: readonly CallRow[];
  };
  readonly reply: Stage & {
    readonly flow?: string;
    readonly handoff?: string;
    readonly code?: string;
    readonly message?: string;
  };
}

/** One thing that a repair did. */
export interface CallChange {
  readonly stage: "text" | "shape" | "key" | "value" | "model";
  readonly pointer: string;
  readonly from: string;
  readonly to: string;
}

/** One start of the code. */
export interface CallAttempt {
  readonly number: number;
  readonly startedAt: number;
  readonly inputHash: string;
  readonly ending: "ended" | "unknown" | "suspended";
  readonly ran: boolean;
}

/** A row of the chain. */
export interface CallRow {
  readonly seq: number;
  /** As `haft log show` names it. */
  readonly name: string;
  readonly chain: number;
  readonly at: number;
  readonly kind: string;
  readonly hash: string;
  readonly prev?: string;
  readonly mac?: string;
  readonly keyId?: string;
}

/** A tool whose untrusted words are in an outcome, and the call of the same run that brought them, where one is found. */
export interface TaintSource {
  readonly tool: string;
  readonly entryId?: string;
  readonly at?: number;
}

/** A picture, a sound or a file of a result, without its bytes. */
export interface CallMedia {
  readonly kind: string;
  readonly mediaType: string;
  readonly name?: string;
  readonly bytes?: number;
  readonly sha256?: string;
  readonly url?: string;
}
