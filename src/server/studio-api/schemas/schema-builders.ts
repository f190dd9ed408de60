import type { JsonSchema } from "../../../types/json.ts";

export interface OptionalField {
  readonly optional: JsonSchema;
}

/** One schema per field of a type. Missing fields do not compile. */
export type AnswerFields<T> = {
  readonly [K in keyof Required<T>]: unknown extends T[K]
    ? OptionalField | JsonSchema
    : undefined extends T[K]
      ? OptionalField
      : JsonSchema;
};

export const optionalField = (schema: JsonSchema): OptionalField => ({ optional: schema });

export const stringType: JsonSchema = Object.freeze({ type: "string" });
export const numberType: JsonSchema = Object.freeze({ type: "number" });
export const integerType: JsonSchema = Object.freeze({ type: "integer" });
export const booleanType: JsonSchema = Object.freeze({ type: "boolean" });
export const anyType: JsonSchema = Object.freeze({});
export const trueType: JsonSchema = Object.freeze({ const: true });
export const recordType: JsonSchema = Object.freeze({ type: "object", additionalProperties: true });
export const timeType: JsonSchema = Object.freeze({
  type: "number",
  description: "Milliseconds since 1970.",
});

export const arrayTypeOf = (items: JsonSchema): JsonSchema => ({ type: "array", items });
export const stringListType: JsonSchema = arrayTypeOf(stringType);
export const enumTypeOf = <const Words extends readonly string[]>(...words: Words): JsonSchema => ({
  type: "string",
  enum: words,
});

export const objectTypeOf = <T>(fields: AnswerFields<T>): JsonSchema => {
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

export const schemaRef = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });
