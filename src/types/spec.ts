import type { JsonSchema } from "./json.ts";

/** What kind of thing a tool does, for lists and filters. */
export type Category = "search" | "file" | "code" | "http" | "data" | "custom";

export const risks = ["low", "medium", "high", "critical"] as const;
/** What can go wrong when a tool runs. `high` and `critical` need a person unless a rule waives it. */
export type Risk = (typeof risks)[number];

/** Where a tool's code comes from. Rules can go by it. */
export type ToolSource = "builtin" | "mcp" | "function" | "plugin" | "http" | (string & {});

/** A tool writes unless `readOnly`, and is non-idempotent unless `idempotent` or `readOnly`. */
export interface Annotations {
  readonly title?: string;
  readonly readOnly?: boolean;
  readonly idempotent?: boolean;
  readonly destructive?: boolean;
  readonly openWorld?: boolean;
}

/** What somebody else than Haft knows of a tool, under names with a namespace such as `acme.com/owner`. Plain JSON. */
export type ToolMeta = Readonly<Record<`${string}/${string}`, unknown>>;

/** What may be done with a tool that has no schema: such a call is never validated. */
export type NoSchemaMode = "read-only" | "human-approval" | "full";

export const noSchemaModes: readonly NoSchemaMode[] = ["read-only", "human-approval", "full"];

/** What a tool promises. Serializable, frozen; says nothing about the code that keeps the promise. */
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
  /** The most that one call costs: reserved before it starts, where a rule counts what is spent. */
  readonly maxCost?: number;
  readonly source: ToolSource;
  readonly tags: readonly string[];
  readonly annotations: Annotations;
  readonly meta?: ToolMeta;
  /** `lenient` passes a violation on to the tool and says so in the ledger. */
  readonly validate: "strict" | "lenient";
  /** Asks providers that can for schema-constrained arguments. */
  readonly strict: boolean;
  /** Present only on a tool that was allowed to have no schema. */
  readonly noSchemaMode?: NoSchemaMode;
}

export const isReadOnly = (spec: ToolSpec): boolean => spec.annotations.readOnly === true;

export const isIdempotent = (spec: ToolSpec): boolean =>
  spec.annotations.readOnly === true || spec.annotations.idempotent === true;
