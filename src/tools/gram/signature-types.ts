import type { Json } from "../../types/json.ts";

/** `object` and `array` alone let in anything of the sort; `null` is the result of a tool that gives nothing. */
export type SimpleType = "string" | "integer" | "number" | "boolean" | "object" | "array" | "null";

/** The type of a parameter or of a result in a signature. */
export type SignatureType =
  | SimpleType
  | { readonly list: Shape }
  /** A closed object: what no field names is not let in. */
  | { readonly record: readonly SignatureParameter[] };

/** What a value must look like. Which constraints a type may have: `constraintsOf`. */
export interface Shape {
  readonly type: SignatureType;
  /** `Maybe` where nothing can be left out: an item of a list, or a result. */
  readonly nullable?: true;
  readonly description?: string;
  readonly enum?: readonly Json[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly format?: string;
}

/** A parameter, or a field of a record. One with a default is never required. */
export interface SignatureParameter extends Shape {
  readonly name: string;
  readonly optional: boolean;
  readonly default?: Json;
}

export type SignatureForm = "classic" | "path";

/** What a tool takes and gives. Frozen plain data, the same for both ways to write it. */
export interface Signature {
  readonly form: SignatureForm;
  readonly parameters: readonly SignatureParameter[];
  readonly result: Shape;
  /** Whether the result was marked `IO`. It says nothing to a schema. */
  readonly effect: boolean;
}

const numericConstraints = ["enum", "minimum", "maximum"] as const;
const noConstraints = [] as const;

export type Constraint = "enum" | "minimum" | "maximum" | "pattern" | "format";

/** A constraint that its type cannot keep is refused rather than ignored. */
export const constraintsOf = (type: SignatureType): readonly Constraint[] => {
  if (type === "string") return ["enum", "pattern", "format"];
  if (type === "integer" || type === "number") return numericConstraints;
  return type === "boolean" ? ["enum"] : noConstraints;
};
