import type { Reply } from "./outcome.ts";
import type { NoSchemaMode, ToolSpec } from "./tool.ts";

/** `deterministic` repairs by fixed rules, `model` asks a model once. The default is `off`. */
export type RepairMode = "off" | "deterministic" | "model";

/** Input of a repairer: arguments that cannot be used. */
export interface RepairQuestion {
  readonly spec: ToolSpec;
  /** The arguments as received. */
  readonly text: string;
  /** Why the arguments cannot be used. */
  readonly problem: string;
}

/** Requests the arguments again, usually from a model, and returns them as JSON text. */
export type Repairer = (
  question: RepairQuestion,
  options?: { readonly signal?: AbortSignal },
) => Promise<string>;

/** One edit of a repair. Long values are shortened. */
export interface Change {
  readonly stage: "text" | "shape" | "key" | "value" | "model";
  /** JSON pointer into the repaired value; "" is the root. */
  readonly pointer: string;
  readonly from: string;
  readonly to: string;
}

/** The validator that checked the arguments, and when it was compiled. */
export interface ValidatorNote {
  readonly name: string;
  readonly version: string;
  readonly compiledAt: "definition" | "hydration";
}

/** What the ledger keeps about a hydration in addition to the arguments. */
export interface ProvenanceNote {
  /** The arguments passed the tool's schema. */
  readonly validated: boolean;
  /** `null` if the tool has no schema. */
  readonly validator: ValidatorNote | null;
  /** Policy treats repaired arguments as untrusted. */
  readonly repaired: boolean;
  readonly changes: readonly Change[];
  /** Set if the arguments were not checked against any schema. */
  readonly noSchemaMode?: NoSchemaMode;
  /** JSON pointer to the call in the provider's reply. */
  readonly part?: string;
  /** Duration of reading and validating; measured by `haft.hydrate`. */
  readonly validationMs?: number;
}

/** How the arguments were read and validated. The exact text is kept here only, never in the ledger. */
export interface Provenance {
  /** The tool name as the model wrote it. */
  readonly providerToolId: string;
  readonly callId: string;
  /** Full name of the resolved tool. */
  readonly tool?: string;
  /** JSON pointer to the call in the provider's reply, such as `/content/2`. */
  readonly part?: string;
  readonly originalRawArgs: unknown;
  /** Result of strict parsing, before any repair. */
  readonly parsed?: unknown;
  /**
   * The value that the tool receives; missing unless hydration succeeded. The pure `hydrate` does not freeze
   * it.
   */
  readonly validated?: unknown;
  /** `null` if the tool has no schema. */
  readonly validator: ValidatorNote | null;
  /** Milliseconds since 1970, if the caller supplies the time. */
  readonly at?: number | undefined;
  /** Duration of reading and validating in milliseconds, if the caller supplies a clock. */
  readonly validationMs?: number;
  /** Name of the instantiated class. */
  readonly className?: string;
  /** Policy treats repaired arguments as untrusted. */
  readonly repaired: boolean;
  readonly changes: readonly Change[];
  /** Set if the arguments were not checked against any schema. */
  readonly noSchemaMode?: NoSchemaMode;
}

/** Why a call could not be hydrated, and at which step. */
export interface HydrationError {
  /** `ask`: the model could not be called, so there is no tool call. */
  readonly stage: "ask" | "find" | "parse" | "validate" | "instantiate";
  /** Written so that a model can correct itself. */
  readonly message: string;
  readonly detail?: unknown;
}

/** Result of reading, validating and, where allowed, repairing the arguments once. Hydration never throws. */
export interface HydrationResult {
  readonly success: boolean;
  readonly errors: readonly HydrationError[];
  readonly provenance: Provenance;
  /** An instance of a class tool, or a handle. Present on success when a runtime hydrated the call. */
  readonly tool?: HydratedTool;
  /** Continues the call through the pipeline once and returns the reply. Present whenever `tool` could be. */
  readonly reply?: () => Promise<Reply>;
}

/** A hydrated tool; `run` applies policy, layers and the ledger. */
export interface HydratedTool {
  readonly run: (params?: unknown) => Promise<unknown>;
}

export const noProvenance: Provenance = Object.freeze({
  providerToolId: "",
  callId: "",
  originalRawArgs: undefined,
  validator: null,
  repaired: false,
  changes: Object.freeze([]),
});
