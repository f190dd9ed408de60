import { isPlainObject } from "../../json/json-value.ts";

/**
 * A schema of any dialect in normalized form: known keywords, no identifiers, references as indexes of
 * definitions.
 */
export interface PlainSchema {
  /** The first is the root schema. */
  readonly definitions: readonly PlainNode[];
  readonly recursive: ReadonlySet<number>;
}

export type PlainNode = boolean | PlainKeywords;

export type JsonType = "array" | "boolean" | "integer" | "null" | "number" | "object" | "string";

export interface PlainKeywords {
  readonly $ref?: string;
  readonly type?: readonly JsonType[];
  /** Primitive values only; others are `values`. */
  readonly enum?: readonly unknown[];
  readonly values?: readonly unknown[];
  readonly multipleOf?: number;
  readonly maximum?: number;
  readonly exclusiveMaximum?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly uniqueItems?: true;
  readonly prefixItems?: readonly PlainNode[];
  readonly items?: PlainNode;
  readonly contains?: PlainNode;
  readonly minContains?: number;
  readonly maxContains?: number;
  readonly unevaluatedItems?: PlainNode;
  readonly maxProperties?: number;
  readonly minProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, PlainNode>>;
  readonly patternProperties?: Readonly<Record<string, PlainNode>>;
  readonly additionalProperties?: PlainNode;
  readonly propertyNames?: PlainNode;
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>;
  readonly dependentSchemas?: Readonly<Record<string, PlainNode>>;
  readonly unevaluatedProperties?: PlainNode;
  readonly allOf?: readonly PlainNode[];
  readonly anyOf?: readonly PlainNode[];
  readonly oneOf?: readonly PlainNode[];
  readonly not?: PlainNode;
  readonly if?: PlainNode;
  readonly then?: PlainNode;
  readonly else?: PlainNode;
  readonly default?: unknown;
  readonly description?: string;
  /** The value is never repeated in a message. */
  readonly secret?: true;
}

const prefix = "#/$defs/";

export const toReference = (definition: number): string => `${prefix}${definition}`;

export const definitionIndexOf = (reference: string): number => Number(reference.slice(prefix.length));

/** They apply to the same value. */
export const inPlaceSubschemas = (node: PlainKeywords): PlainNode[] => [
  ...(node.allOf ?? []),
  ...(node.anyOf ?? []),
  ...(node.oneOf ?? []),
  ...[node.not, node.if, node.then, node.else].filter((each) => each !== undefined),
  ...Object.values(node.dependentSchemas ?? {}),
];

/** They apply to members or items. */
export const childSubschemas = (node: PlainKeywords): PlainNode[] => [
  ...(node.prefixItems ?? []),
  ...[
    node.items,
    node.contains,
    node.unevaluatedItems,
    node.additionalProperties,
    node.propertyNames,
    node.unevaluatedProperties,
  ].filter((each) => each !== undefined),
  ...Object.values(node.properties ?? {}),
  ...Object.values(node.patternProperties ?? {}),
];

export const schemaLimits = {
  /** As JSON text without white space. */
  length: 256 * 1024,
  /** Nesting depth of objects and arrays. */
  depth: 64,
  subschemas: 2_000,
  /** With all references expanded. */
  visits: 10_000,
  /** Length of a chain of references. */
  referenceDepth: 128,
  enumValues: 1_000,
  patternLength: 4_000,
  /** The linear engine's cost per character. */
  patternSize: 1_000,
  /** Recursions during one validation. */
  recursions: 250_000,
  /** Recursions while reasons are collected. */
  explanations: 5_000,
  findings: 200,
  issues: 10,
  messageLength: 600,
  /** Length of a quoted value. */
  receivedLength: 120,
} as const;

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && isPlainObject(value);
