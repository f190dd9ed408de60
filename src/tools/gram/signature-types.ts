import type { Json } from "../../types/json.ts";

/** `null` is the result of a tool that returns nothing. */
export type SimpleType = "string" | "integer" | "number" | "boolean" | "object" | "array" | "null";

/** The type of a parameter or result. */
export type SignatureType =
  | SimpleType
  | { readonly list: Shape }
  /** A closed object without additional properties. */
  | { readonly record: readonly SignatureParameter[] };

export interface Shape {
  readonly type: SignatureType;
  /** Where nothing can be omitted: a list item or a result. */
  readonly nullable?: true;
  readonly description?: string;
  readonly enum?: readonly Json[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly format?: string;
}

/** A parameter or a field of a record. One with a default is optional. */
export interface SignatureParameter extends Shape {
  readonly name: string;
  readonly optional: boolean;
  readonly default?: Json;
}

export type SignatureForm = "classic" | "path";

/** A tool's parameters and result as frozen plain data, independent of the notation. */
export interface Signature {
  readonly form: SignatureForm;
  readonly parameters: readonly SignatureParameter[];
  readonly result: Shape;
  /** Whether the result was marked `IO`; it has no effect on the schema. */
  readonly effect: boolean;
}

const numericConstraints = ["enum", "minimum", "maximum"] as const;
const noConstraints = [] as const;

export type Constraint = "enum" | "minimum" | "maximum" | "pattern" | "format";

/** Others are refused. */
export const constraintsOf = (type: SignatureType): readonly Constraint[] => {
  if (type === "string") return ["enum", "pattern", "format"];
  if (type === "integer" || type === "number") return numericConstraints;
  return type === "boolean" ? ["enum"] : noConstraints;
};
