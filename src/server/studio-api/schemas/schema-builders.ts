import type { JsonSchema } from "../../../types/json.ts";

declare const valueType: unique symbol;

/** A JSON Schema whose values have the type `T`. */
export interface Schema<out T> extends JsonSchema {
  readonly [valueType]?: T;
}

export interface EnumSchema<Words extends readonly string[]> extends Schema<Words[number]> {
  readonly enum: Words;
}

export interface ArraySchema<Items> extends Schema<readonly ValueOf<Items>[]> {}

/** Keeps the types of the fields, so that their doc comments reach the values' type. */
export interface ObjectSchema<Fields> extends Schema<ObjectOf<Fields>> {}

export interface OptionalField<out S> {
  readonly optional: S;
}

/** The values of a schema or an optional field. */
export type ValueOf<S> =
  S extends OptionalField<infer Inner> ? ValueOf<Inner> : S extends Schema<infer T> ? T : never;

type OptionalNames<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends OptionalField<unknown> ? Name : never;
}[keyof Fields];
type FieldValues<Fields, Names extends keyof Fields> = { readonly [Name in Names]: ValueOf<Fields[Name]> };
/** Shows the fields themselves in hovers and errors. */
type Flat<T> = { [Name in keyof T]: T[Name] } & {};
type ObjectOf<Fields> = Flat<
  FieldValues<Fields, Exclude<keyof Fields, OptionalNames<Fields>>> &
    Partial<FieldValues<Fields, OptionalNames<Fields>>>
>;

export const optionalField = <S extends Schema<unknown>>(schema: S): OptionalField<S> => ({
  optional: schema,
});

export const stringType: Schema<string> = Object.freeze({ type: "string" });
export const numberType: Schema<number> = Object.freeze({ type: "number" });
export const integerType: Schema<number> = Object.freeze({ type: "integer" });
export const booleanType: Schema<boolean> = Object.freeze({ type: "boolean" });
export const anyType: Schema<unknown> = Object.freeze({});
export const trueType: Schema<true> = Object.freeze({ const: true });
export const recordType: Schema<Readonly<Record<string, unknown>>> = Object.freeze({
  type: "object",
  additionalProperties: true,
});
export const numberRecordType: Schema<Readonly<Record<string, number>>> = Object.freeze({
  type: "object",
  additionalProperties: numberType,
});
export const timeType: Schema<number> = Object.freeze({
  type: "number",
  description: "Milliseconds since 1970.",
});

export const textOfLength = (minLength: number, maxLength: number): Schema<string> => ({
  type: "string",
  ...(minLength === 0 ? {} : { minLength }),
  maxLength,
});

export const arrayTypeOf = <S extends Schema<unknown>>(items: S): ArraySchema<S> => ({
  type: "array",
  items,
});
export const stringListType: Schema<readonly string[]> = arrayTypeOf(stringType);
export const enumTypeOf = <const Words extends readonly string[]>(...words: Words): EnumSchema<Words> => ({
  type: "string",
  enum: words,
});

type FieldSchema = Schema<unknown> | OptionalField<Schema<unknown>>;
type FieldSchemas = Readonly<Record<string, FieldSchema>>;

export const objectTypeOf = <Fields extends FieldSchemas>(fields: Fields): ObjectSchema<Fields> => {
  const all = Object.entries(fields);
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

/** Further fields are allowed. */
export const openObjectTypeOf = <Fields extends FieldSchemas>(fields: Fields): ObjectSchema<Fields> => ({
  ...objectTypeOf(fields),
  additionalProperties: true,
});

const isOptional = (field: FieldSchema): field is OptionalField<Schema<unknown>> => "optional" in field;

export const schemaRef = <T>(name: string): Schema<T> => ({ $ref: `#/components/schemas/${name}` });
