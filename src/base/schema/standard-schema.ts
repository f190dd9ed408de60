import type { JsonSchema } from "../../types/json.ts";
import { toPlainSchema } from "./plain/to-plain-schema.ts";

/** Standard Schema and Standard JSON Schema, version 1 (standardschema.dev). */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?: StandardJsonSchema | undefined;
  };
}

export type StandardResult<Output = unknown> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

type Converter = (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;

export interface StandardJsonSchema {
  readonly input: Converter;
  readonly output: Converter;
}

/** The author's own validator. */
export interface StandardValidate {
  readonly vendor: string;
  readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
}

/** Some libraries' schemas are functions. */
export const isStandardSchema = (value: unknown): value is StandardSchema => {
  if ((typeof value !== "object" || value === null) && typeof value !== "function") return false;
  const standard = (value as { readonly "~standard"?: unknown })["~standard"];
  return (
    typeof standard === "object" &&
    standard !== null &&
    typeof (standard as { readonly validate?: unknown }).validate === "function"
  );
};

/** Schemas that can be referenced by URI. Nothing is fetched. */
export type SchemaDocuments = Readonly<Record<string, JsonSchema | boolean>>;

const inspectedSchemas = new WeakSet<object>();

/** Throws a `ToolDefinitionError` for a malformed, too complex or unsupported schema. Compiles nothing. */
export const inspectSchema = (schema: JsonSchema | boolean, documents?: SchemaDocuments): void => {
  const isKnown = typeof schema === "object" && documents === undefined && inspectedSchemas.has(schema);
  if (isKnown && Object.isFrozen(schema)) return;
  toPlainSchema(schema, documents);
  if (typeof schema === "object" && documents === undefined) inspectedSchemas.add(schema);
};
