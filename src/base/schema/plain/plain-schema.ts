/**
 * A schema of any dialect in the one form that is judged: only the keywords below, no identifiers, and every
 * reference is the number of a definition. The compiled code and the explanation both read this form.
 */
export interface PlainSchema {
  /** The first is the whole schema. */
  readonly definitions: readonly PlainNode[];
  /** Definitions that lead back to themselves, some levels down in the value. */
  readonly recursive: ReadonlySet<number>;
}

export type PlainNode = boolean | PlainKeywords;

export type JsonType = "array" | "boolean" | "integer" | "null" | "number" | "object" | "string";

export interface PlainKeywords {
  readonly $ref?: string;
  readonly type?: readonly JsonType[];
  /** Values that compare by identity. Any other `enum` or `const` is `values`. */
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
  /** What stands here is never repeated in a message. */
  readonly secret?: true;
}

const prefix = "#/$defs/";

export const toReference = (definition: number): string => `${prefix}${definition}`;

export const definitionIndexOf = (reference: string): number => Number(reference.slice(prefix.length));

/** The schemas that speak about the same value as this one does. */
export const inPlaceSubschemas = (node: PlainKeywords): PlainNode[] => [
  ...(node.allOf ?? []),
  ...(node.anyOf ?? []),
  ...(node.oneOf ?? []),
  ...[node.not, node.if, node.then, node.else].filter((each) => each !== undefined),
  ...Object.values(node.dependentSchemas ?? {}),
];

/** The schemas that speak about what is inside of the value. */
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
