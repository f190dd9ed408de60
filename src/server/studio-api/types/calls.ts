import type { Approval } from "./approvals.ts";
import type { AppView } from "./apps.ts";
import type { Caller, Finding, Text } from "./shared.ts";

/**
 * `open`: running. `pending`: waits for approval. `hydrated`: waits for its orchestrator. `unknown`: its
 * process ended while it ran.
 */
export type CallEnding = "open" | "executed" | "failed" | "pending" | "hydrated" | "unknown";

/** A call in a list. */
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
  /** Without waits for approvals and limits before the code started. */
  readonly durationMs?: number;
  readonly cost?: number;
  /** Beginning of the arguments, result and message. */
  readonly input: string;
  readonly result?: string;
  readonly message?: string;
  readonly isModel: boolean;
  readonly isRepaired?: true;
  /** A person or a layer changed the arguments. */
  readonly isChanged?: true;
  readonly isTainted?: true;
}

/** One call with all stages. */
export interface Call {
  readonly line: CallLine;
  readonly correlationId?: string;
  /** Person who made the call in the Studio, and the App they used. */
  readonly operator?: string;
  readonly key?: string;
  readonly inputHash: string;
  readonly stages: Stages;
  /**
   * Sources of untrusted content in the result; for calls with approvals also those the run had read before.
   */
  readonly taints: readonly TaintSource[];
  readonly parent?: CallLine;
  readonly children: readonly CallLine[];
  readonly approvals: readonly Approval[];
  /** The run of the call, if it is stored. */
  readonly run?: { readonly runId: string; readonly agent: string; readonly status: string };
  /** The effect is unknown and can be settled. */
  readonly canSettle?: true;
  /** How the call was settled. */
  readonly settlement?: CallSettlement;
  readonly media: readonly CallMedia[];
  /** Data for the tool's App, if the ledger has it completely. */
  readonly app?: AppView;
}

/** Whether a call with unknown effect took effect. */
export interface CallSettlement {
  readonly tookEffect: boolean;
  /** A person, or `reconcile`. */
  readonly by: string;
  readonly reason?: string;
  readonly at: number;
}

/** The body of `POST /calls/{entryId}/settle`. */
export interface SettleBody {
  readonly tookEffect: boolean;
  /** The result, if known. Later calls with the same key get it. */
  readonly result?: unknown;
  readonly reason?: string;
}

/** `failed` and `waits` mark the last stage reached; later stages are `not-reached`. */
export type StageState = "passed" | "failed" | "waits" | "running" | "unknown" | "not-reached";

interface Stage {
  readonly state: StageState;
  /** One sentence, as in `haft log show`. */
  readonly what: string;
}

/** The eight stages in order. */
export interface Stages {
  readonly hydrate: Stage & {
    /** The original arguments, masked. */
    readonly input: Text;
    /** Arguments the code received, if different. */
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
    /** Hash of the definition that the call used. */
    readonly definition?: string;
    /** Hash of the current definition. */
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
    /** Time spent waiting for approval, in milliseconds. */
    readonly waitedMs?: number;
    readonly cost?: number;
  };
  readonly check: Stage & {
    readonly result?: Text;
    /** The result before a layer replaced it. */
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

/** One change made by a repair. */
export interface CallChange {
  readonly stage: "text" | "shape" | "key" | "value" | "model";
  readonly pointer: string;
  readonly from: string;
  readonly to: string;
}

/** One attempt to run the code. */
export interface CallAttempt {
  readonly number: number;
  readonly startedAt: number;
  readonly inputHash: string;
  readonly ending: "ended" | "unknown" | "suspended";
  readonly ran: boolean;
}

/** A row of the hash chain. */
export interface CallRow {
  readonly seq: number;
  /** Name in `haft log show`. */
  readonly name: string;
  readonly chain: number;
  readonly at: number;
  readonly kind: string;
  readonly hash: string;
  readonly prev?: string;
  readonly mac?: string;
  readonly keyId?: string;
}

/** A tool whose untrusted content is in a result, with the call of the run that read it, if found. */
export interface TaintSource {
  readonly tool: string;
  readonly entryId?: string;
  readonly at?: number;
}

/** An image, audio or file of a result, without its bytes. */
export interface CallMedia {
  readonly kind: string;
  readonly mediaType: string;
  readonly name?: string;
  readonly bytes?: number;
  readonly sha256?: string;
  readonly url?: string;
}
