import type { JsonSchema } from "../../words/json.ts";

/** A field that may be missing. */
export interface OptionalField {
  readonly optional: JsonSchema;
}

/** One schema for each field of a type, and `may` around those that may be missing: a forgotten one does not compile. */
export type Fields<T> = {
  readonly [K in keyof Required<T>]: unknown extends T[K]
    ? OptionalField | JsonSchema
    : undefined extends T[K]
      ? OptionalField
      : JsonSchema;
};

export const may = (schema: JsonSchema): OptionalField => ({ optional: schema });

export const text: JsonSchema = Object.freeze({ type: "string" });
export const number: JsonSchema = Object.freeze({ type: "number" });
export const integer: JsonSchema = Object.freeze({ type: "integer" });
export const flag: JsonSchema = Object.freeze({ type: "boolean" });
/** Any JSON, such as arguments and schemas of tools. */
export const any: JsonSchema = Object.freeze({});
export const isTrue: JsonSchema = Object.freeze({ const: true });
export const record: JsonSchema = Object.freeze({ type: "object", additionalProperties: true });
/** Milliseconds since 1970. */
export const time: JsonSchema = Object.freeze({ type: "number", description: "Milliseconds since 1970." });

export const list = (items: JsonSchema): JsonSchema => ({ type: "array", items });
export const texts: JsonSchema = list(text);
export const oneOf = <const Words extends readonly string[]>(...words: Words): JsonSchema => ({
  type: "string",
  enum: words,
});

export const object = <T>(fields: Fields<T>): JsonSchema => {
  const all = Object.entries(fields as Readonly<Record<string, JsonSchema | OptionalField>>);
  const required = all.flatMap(([name, field]) => (isOptional(field) ? [] : [name]));
  return {
    type: "object",
    properties: Object.fromEntries(
      all.map(([name, field]) => [name, isOptional(field) ? field.optional : field]),
    ),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
};

const isOptional = (field: JsonSchema | OptionalField): field is OptionalField => "optional" in field;

export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });
