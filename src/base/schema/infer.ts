import type { JsonSchema } from "../../types/json.ts";
import type { EffectSchema } from "./forms/effect-schema.ts";
import type { ParameterListEntry } from "./forms/parameter-list.ts";
import type { StandardSchema } from "./standard-schema.ts";

export type SchemaSource = StandardSchema | EffectSchema | readonly ParameterListEntry[] | JsonSchema;

/** The type before validation. */
export type SchemaInput<Source> = Source extends StandardSchema
  ? NonNullable<Source["~standard"]["types"]>["input"]
  : Source extends EffectSchema
    ? Source["Encoded"]
    : FromData<Source, false>;

/** The type after validation. */
export type SchemaOutput<Source> = Source extends StandardSchema
  ? NonNullable<Source["~standard"]["types"]>["output"]
  : Source extends EffectSchema
    ? Source["Type"]
    : FromData<Source, true>;

type FromData<Source, Filled extends boolean> = Source extends readonly ParameterListEntry[]
  ? FromParameters<Source, Filled>
  : Source extends object
    ? string extends keyof Source
      ? Record<string, unknown>
      : Source extends { readonly type: string | readonly string[] } | { readonly properties: object }
        ? FromJsonSchema<Source, Filled>
        : FromProperties<Omit<Source, "required">, Source, Filled>
    : Record<string, unknown>;

type FromParameters<
  List extends readonly ParameterListEntry[],
  Filled extends boolean,
> = number extends List["length"]
  ? Record<string, unknown>
  : Flat<
      {
        readonly [P in List[number] as IsParameterPresent<P, Filled> extends true
          ? P["name"]
          : never]: FromJsonSchema<P, Filled>;
      } & {
        readonly [P in List[number] as IsParameterPresent<P, Filled> extends true
          ? never
          : P["name"]]?: FromJsonSchema<P, Filled>;
      }
    >;

type IsParameterPresent<P, Filled extends boolean> = P extends { readonly required: true }
  ? true
  : P extends { readonly default: unknown }
    ? Filled
    : false;

type FromJsonSchema<Schema, Filled extends boolean> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly type: readonly (infer Type)[] }
      ? FromType<Type, Schema, Filled>
      : Schema extends { readonly type: infer Type }
        ? FromType<Type, Schema, Filled>
        : Schema extends { readonly properties: infer Properties }
          ? FromProperties<Properties, Schema, Filled>
          : unknown;

type FromType<Type, Schema, Filled extends boolean> = Type extends "string"
  ? string
  : Type extends "number" | "integer"
    ? number
    : Type extends "boolean"
      ? boolean
      : Type extends "null"
        ? null
        : Type extends "array"
          ? readonly (Schema extends { readonly items: infer Item }
              ? FromJsonSchema<Item, Filled>
              : unknown)[]
          : Type extends "object"
            ? Schema extends { readonly properties: infer Properties }
              ? FromProperties<Properties, Schema, Filled>
              : Record<string, unknown>
            : unknown;

type FromProperties<Properties, Schema, Filled extends boolean> = Flat<
  {
    readonly [K in keyof Properties as IsPresent<K, Properties[K], Schema, Filled> extends true
      ? K
      : never]: FromJsonSchema<Properties[K], Filled>;
  } & {
    readonly [K in keyof Properties as IsPresent<K, Properties[K], Schema, Filled> extends true
      ? never
      : K]?: FromJsonSchema<Properties[K], Filled>;
  }
>;

type IsPresent<Key, Property, Schema, Filled extends boolean> = Schema extends {
  readonly required: readonly (infer Name)[];
}
  ? Key extends Name
    ? true
    : HasDefault<Property, Filled>
  : HasDefault<Property, Filled>;

type HasDefault<Property, Filled extends boolean> = Property extends { readonly default: unknown }
  ? Filled
  : false;

type Flat<T> = { readonly [K in keyof T]: T[K] };
