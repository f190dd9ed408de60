import type { JsonSchema } from "../../src/types/json.ts";
import { type Dice, names, scalars } from "./random-schema.ts";

type Schema = JsonSchema | boolean;

/** Any small value. */
export const anyValue = (roll: Dice, depth: number): unknown => {
  if (depth <= 0 || roll.chance(0.7)) return roll.pick(scalars);
  if (roll.chance(0.5)) return Array.from({ length: roll.below(3) }, () => anyValue(roll, depth - 1));
  return Object.fromEntries(
    Array.from({ length: roll.below(3) }, () => [roll.pick(names), anyValue(roll, depth - 1)]),
  );
};

const union = (...lists: readonly unknown[]): unknown[] => [...new Set(lists.flat())];

/** Merges two schemas without resolving conflicts. */
const merged = (one: Schema, other: Schema): Schema => {
  if (one === false || other === false) return false;
  if (one === true) return other;
  if (other === true) return one;
  const result: Record<string, unknown> = { ...one, ...other };
  if (one.properties && other.properties)
    result.properties = { ...(one.properties as object), ...(other.properties as object) };
  if (one.required && other.required) result.required = union(one.required, other.required);
  return result;
};

const branchOf = (schema: JsonSchema, roll: Dice): Schema | undefined => {
  const { anyOf, oneOf, allOf, $ref: _, ...rest } = schema as Record<string, readonly Schema[] | undefined>;
  const choice = anyOf ?? oneOf;
  if (choice !== undefined)
    return merged(
      { ...rest, ...(anyOf && oneOf ? { oneOf } : {}), ...(allOf ? { allOf } : {}) },
      roll.pick(choice),
    );
  if (allOf !== undefined) return allOf.reduce(merged, rest);
  if (schema.if === undefined) return undefined;
  const { if: condition, then: yes = true, else: no = true, ...others } = schema as Record<string, Schema>;
  return roll.chance(0.5) ? merged(merged(others, condition!), yes) : merged(others, no);
};

/** A value that probably fits: at the limits of the schema, and with additional members. */
export const likelyValue = (schema: Schema, root: JsonSchema, roll: Dice, depth = 4): unknown => {
  if (typeof schema === "boolean" || depth <= 0 || roll.chance(0.04)) return anyValue(roll, 2);
  if (typeof schema.$ref === "string") {
    const { $ref: _, ...rest } = schema;
    return likelyValue(merged((root.$defs as Record<string, Schema>).self!, rest), root, roll, depth - 1);
  }
  const branch = branchOf(schema, roll);
  if (branch !== undefined) return likelyValue(branch, root, roll, depth - 0.5);
  if ("const" in schema) return schema.const;
  if (Array.isArray(schema.enum)) return roll.pick(schema.enum);
  return typedValue(schema, root, roll, depth);
};

const typedValue = (schema: JsonSchema, root: JsonSchema, roll: Dice, depth: number): unknown => {
  const type = schema.type === undefined ? guess(schema, roll) : roll.pick([schema.type].flat());
  if (type === "object") return objectValue(schema, root, roll, depth);
  if (type === "array") return listValue(schema, root, roll, depth);
  if (type === "string") return textValue(schema, roll);
  if (type === "number" || type === "integer") return numberValue(schema, roll, type);
  return type === "boolean" ? roll.chance(0.5) : type === "null" ? null : anyValue(roll, 2);
};

const guess = (schema: JsonSchema, roll: Dice): string => {
  if (schema.properties || schema.required || schema.dependentSchemas) return "object";
  return roll.pick(["object", "array", "string", "number", "null", "any"]);
};

const numberValue = (schema: JsonSchema, roll: Dice, type: string): number => {
  const {
    minimum,
    exclusiveMinimum,
    maximum,
    exclusiveMaximum,
    multipleOf = 1,
  } = schema as Record<string, number>;
  const edge = roll.pick(
    [minimum, exclusiveMinimum, maximum, exclusiveMaximum, 0, 6].filter((each) => each !== undefined),
  );
  const value =
    edge + roll.pick([0, 0, 1, -1, type === "integer" ? 2 : 0.25, type === "integer" ? -2 : -0.25]);
  return roll.chance(0.5) ? Math.round(value / multipleOf) * multipleOf : value;
};

const textValue = (schema: JsonSchema, roll: Dice): string => {
  const { minLength = 0, maxLength = 4 } = schema as Record<string, number>;
  if (roll.chance(0.4)) return roll.pick(["", "a", "b", "x", "x1", "xx", "aaa", "kind"]);
  return roll.pick(["a", "x", "1"]).repeat(roll.pick([minLength, maxLength, minLength + 1]));
};

const listValue = (schema: JsonSchema, root: JsonSchema, roll: Dice, depth: number): unknown => {
  const { minItems = 0, maxItems = 3 } = schema as Record<string, number>;
  const {
    prefixItems = [],
    items = true,
    contains,
  } = schema as Record<string, never> & {
    prefixItems?: readonly Schema[];
    items?: Schema;
    contains?: Schema;
  };
  const length = roll.pick([minItems, maxItems, Math.min(minItems + 1, maxItems), roll.below(4)]);
  return Array.from({ length }, (_, index) =>
    likelyValue(
      prefixItems[index] ?? (contains !== undefined && roll.chance(0.4) ? contains : items),
      root,
      roll,
      depth - 1,
    ),
  );
};

const objectValue = (schema: JsonSchema, root: JsonSchema, roll: Dice, depth: number): unknown => {
  const properties = (schema.properties ?? {}) as Record<string, Schema>;
  const patterns = Object.entries((schema.patternProperties ?? {}) as Record<string, Schema>);
  const extra = (schema.additionalProperties ?? true) as Schema;
  const wanted = Object.keys(properties).filter(() => roll.chance(0.6));
  const more = roll.chance(0.4) ? [roll.pick([...names, "other", "xx"])] : [];
  const keys = union(schema.required ?? [], wanted, more) as string[];
  return Object.fromEntries(
    keys.map((key) => {
      const fitting = patterns.find(([pattern]) => new RegExp(pattern, "u").test(key))?.[1];
      return [
        key,
        likelyValue(properties[key] ?? fitting ?? (extra === false ? true : extra), root, roll, depth - 1),
      ];
    }),
  );
};
