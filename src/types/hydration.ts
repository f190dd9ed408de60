import type { Reply } from "./reply.ts";
import type { NoSchemaMode, ToolSpec } from "./spec.ts";

/** `model` asks a model once; `deterministic` follows rules; neither happens unless it is asked for. */
export type RepairMode = "off" | "deterministic" | "model";

/** What a repairer is asked when arguments cannot be used. */
export interface RepairQuestion {
  readonly spec: ToolSpec;
  /** The arguments as they came. */
  readonly text: string;
  /** Why they cannot be used. */
  readonly problem: string;
}

/** Asks somebody, such as a model, for the arguments once more, as JSON text. */
export type Repairer = (
  question: RepairQuestion,
  options?: { readonly signal?: AbortSignal },
) => Promise<string>;

/** One thing that a repair did. Both sides are shortened where they are long. */
export interface Change {
  readonly stage: "text" | "shape" | "key" | "value" | "model";
  /** JSON pointer into the repaired value; "" is the whole of it. */
  readonly pointer: string;
  readonly from: string;
  readonly to: string;
}

/** Who held the arguments against which schema, and when it was made ready. */
export interface ValidatorNote {
  readonly name: string;
  readonly version: string;
  readonly compiledAt: "definition" | "hydration";
}

/** What the ledger keeps of a hydration beside the arguments themselves. */
export interface ProvenanceNote {
  /** The arguments were held against the tool's schema and passed. */
  readonly validated: boolean;
  /** `null` where there is no schema to hold anything against. */
  readonly validator: ValidatorNote | null;
  /** Repaired arguments are untrusted: policy is told. */
  readonly repaired: boolean;
  readonly changes: readonly Change[];
  /** Set on a call whose arguments were held against nothing. */
  readonly noSchemaMode?: NoSchemaMode;
  /** Where the call stood in its provider's reply. */
  readonly part?: string;
  /** How long reading and validating took. Measured where an orchestrator hydrates. */
  readonly validationMs?: number;
}

/** How arguments became a value. The exact text is kept here and nowhere in the ledger. */
export interface Provenance {
  /** The name as the model wrote it. */
  readonly providerToolId: string;
  readonly callId: string;
  /** Full name of the tool it maps back to, once known. */
  readonly tool?: string;
  /** Where the call stood in its provider's reply: a JSON pointer such as `/content/2`, if a reply it was. */
  readonly part?: string;
  readonly originalRawArgs: unknown;
  /** What strict reading gave, before any repair. */
  readonly parsed?: unknown;
  /** What the tool gets; missing unless hydration succeeded. The pure `hydrate` does not freeze a text's value. */
  readonly validated?: unknown;
  /** `null` where there is no schema to hold anything against. */
  readonly validator: ValidatorNote | null;
  /** When, in milliseconds since 1970, as far as whoever hydrated it knows the time. */
  readonly at?: number | undefined;
  /** How long reading and validating took, in milliseconds, as far as whoever hydrated it has a clock. */
  readonly validationMs?: number;
  /** The class of which an instance was made. */
  readonly className?: string;
  /** Repaired arguments are untrusted: policy is told. */
  readonly repaired: boolean;
  readonly changes: readonly Change[];
  /** Set on a call whose arguments were held against nothing. */
  readonly noSchemaMode?: NoSchemaMode;
}

/** Why a call could not be hydrated, and in which step. */
export interface HydrationError {
  /** `ask`: the model could not be asked, so there is no call. */
  readonly stage: "ask" | "find" | "parse" | "validate" | "instantiate";
  /** Words from which a model can correct itself. */
  readonly message: string;
  readonly detail?: unknown;
}

/** Arguments read, validated and, where allowed, repaired once. A value: hydration never throws. */
export interface HydrationResult {
  readonly success: boolean;
  readonly errors: readonly HydrationError[];
  readonly provenance: Provenance;
  /** The instance of a class tool or else a handle: present on success when a runtime hydrated it. */
  readonly tool?: HydratedTool;
  /** Takes the call on down the corridor, once, and gives what the model is told. Present whenever `tool` could be. */
  readonly reply?: () => Promise<Reply>;
}

/** Running it is no way around anything: policy, layers and the ledger come first. */
export interface HydratedTool {
  readonly run: (params?: unknown) => Promise<unknown>;
}

/** Of a result for which no call was read. */
export const noProvenance: Provenance = Object.freeze({
  providerToolId: "",
  callId: "",
  originalRawArgs: undefined,
  validator: null,
  repaired: false,
  changes: Object.freeze([]),
});
