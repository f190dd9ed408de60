import type { JsonSchema } from "./json.ts";
import type { ArgumentRoles } from "./lineage.ts";

/** What kind of operation a tool performs, for lists and filters. */
export type Category = "search" | "file" | "code" | "http" | "data" | "custom";

export const risks = ["low", "medium", "high", "critical"] as const;
/** How much harm a call can do. `high` and `critical` require approval unless a rule waives it. */
export type Risk = (typeof risks)[number];

/** Where the tool's code comes from; a condition of rules. */
export type ToolSource = "builtin" | "mcp" | "function" | "plugin" | "http" | (string & {});

/** A tool counts as writing unless `readOnly`, and as non-idempotent unless `idempotent` or `readOnly`. */
export interface Annotations {
  readonly title?: string;
  readonly readOnly?: boolean;
  readonly idempotent?: boolean;
  readonly destructive?: boolean;
  /** Works with third parties: unless set otherwise, it is a source and, if it writes, a sink. */
  readonly openWorld?: boolean;
  /** Returns content of third parties, which can contain instructions for the model. */
  readonly untrusted?: boolean;
  /** Carries its arguments out, or does harm that untrusted content must not cause. */
  readonly sink?: boolean;
  /** Returns data that untrusted content must not make the model read, such as passport numbers. */
  readonly private?: boolean;
  /** The effect can be taken back and is announced to nobody new. */
  readonly reversible?: boolean;
}

/** Metadata of other systems, under namespaced names such as `acme.com/owner`. Plain JSON. */
export type ToolMeta = Readonly<Record<`${string}/${string}`, unknown>>;

/** What a tool without a schema may do: its calls are never validated. */
export type NoSchemaMode = "read-only" | "human-approval" | "full";

export const noSchemaModes: readonly NoSchemaMode[] = ["read-only", "human-approval", "full"];

/** What a tool promises: serializable, frozen, and independent of its implementation. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly signature?: string;
  readonly input: JsonSchema;
  readonly output?: JsonSchema;
  readonly returnType?: string;
  readonly category: Category;
  readonly risk: Risk;
  readonly timeoutMs?: number;
  readonly requiresApproval: boolean;
  /** Maximum cost of one call: reserved before the call starts, where a rule limits cost. */
  readonly maxCost?: number;
  readonly source: ToolSource;
  readonly tags: readonly string[];
  readonly annotations: Annotations;
  /** What each argument decides. Undeclared roles are inferred from name and format. */
  readonly roles?: ArgumentRoles;
  readonly meta?: ToolMeta;
  /** `lenient` passes invalid arguments to the tool and records the violation in the ledger. */
  readonly validate: "strict" | "lenient";
  /** Requests schema-constrained arguments from providers that support them. */
  readonly strict: boolean;
  /** Set only for a tool without a schema. */
  readonly noSchemaMode?: NoSchemaMode;
}

export const isReadOnly = (spec: ToolSpec): boolean => spec.annotations.readOnly === true;

export const isIdempotent = (spec: ToolSpec): boolean =>
  spec.annotations.readOnly === true || spec.annotations.idempotent === true;
