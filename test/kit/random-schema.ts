import type { JsonSchema } from "../../src/types/json.ts";

/** A small random source: the same seed gives the same sequence. */
export interface Dice {
  readonly next: () => number;
  readonly below: (end: number) => number;
  readonly chance: (share: number) => boolean;
  readonly pick: <T>(from: readonly T[]) => T;
}

export const dice = (seed: number): Dice => {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (end: number): number => Math.floor(next() * end);
  return { next, below, chance: (share) => next() < share, pick: (from) => from[below(from.length)]! };
};

type Schema = JsonSchema | boolean;

/** Few names, numbers and texts, so that two schemas often overlap. */
export const names = ["a", "b", "c", "kind", "x1"] as const;
export const patterns = ["^x", "^[a-c]$", "1$", "^.{2,}$"] as const;
export const scalars = [
  null,
  true,
  false,
  0,
  1,
  2,
  3,
  -1,
  5,
  10,
  1.5,
  0.5,
  "",
  "a",
  "b",
  "kind",
  "x1",
  "xx",
  "aaa",
];

const numberSchema = (roll: Dice): JsonSchema => ({
  type: roll.pick(["number", "integer"]),
  ...(roll.chance(0.4)
    ? { [roll.pick(["minimum", "exclusiveMinimum"])]: roll.pick([-1, 0, 0.5, 1, 2]) }
    : {}),
  ...(roll.chance(0.4)
    ? { [roll.pick(["maximum", "exclusiveMaximum"])]: roll.pick([1, 2, 2.5, 3, 10]) }
    : {}),
  ...(roll.chance(0.2) ? { multipleOf: roll.pick([0.5, 1, 2, 3, 5]) } : {}),
});

const textSchema = (roll: Dice): JsonSchema => ({
  type: "string",
  ...(roll.chance(0.3) ? { minLength: roll.below(3) } : {}),
  ...(roll.chance(0.3) ? { maxLength: roll.below(4) } : {}),
  ...(roll.chance(0.2) ? { pattern: roll.pick(patterns) } : {}),
  ...(roll.chance(0.1) ? { format: roll.pick(["email", "date"]) } : {}),
});

const listSchema = (roll: Dice, depth: number): JsonSchema => ({
  type: "array",
  ...(roll.chance(0.7) ? { items: randomSchema(roll, depth - 1) } : {}),
  ...(roll.chance(0.2) ? { prefixItems: some(roll, 2, () => randomSchema(roll, depth - 1)) } : {}),
  ...(roll.chance(0.3) ? { minItems: roll.below(3) } : {}),
  ...(roll.chance(0.3) ? { maxItems: roll.below(4) } : {}),
  ...(roll.chance(0.15) ? { uniqueItems: true } : {}),
  ...(roll.chance(0.15) ? { contains: randomSchema(roll, depth - 1) } : {}),
  ...(roll.chance(0.1) ? { [roll.pick(["minContains", "maxContains"])]: roll.below(3) } : {}),
  ...(roll.chance(0.08)
    ? { unevaluatedItems: roll.chance(0.6) ? false : randomSchema(roll, depth - 1) }
    : {}),
});

const objectSchema = (roll: Dice, depth: number): JsonSchema => {
  const child = () => randomSchema(roll, depth - 1);
  return {
    type: "object",
    ...(roll.chance(0.9) ? { properties: keyed(roll, names, 3, () => withDefault(child(), roll)) } : {}),
    ...(roll.chance(0.6) ? { required: [...new Set(some(roll, 2, () => roll.pick(names)))] } : {}),
    ...(roll.chance(0.5) ? { additionalProperties: roll.chance(0.7) ? false : child() } : {}),
    ...(roll.chance(0.12) ? { patternProperties: keyed(roll, patterns, 1, child) } : {}),
    ...(roll.chance(0.1) ? { minProperties: roll.below(3) } : {}),
    ...(roll.chance(0.1) ? { maxProperties: roll.below(4) } : {}),
    ...(roll.chance(0.07) ? { propertyNames: roll.pick([{ enum: ["a", "b", "c"] }, textSchema(roll)]) } : {}),
    ...(roll.chance(0.07) ? { dependentRequired: { [roll.pick(names)]: [roll.pick(names)] } } : {}),
    ...(roll.chance(0.07) ? { dependentSchemas: { [roll.pick(names)]: objectSchema(roll, depth - 1) } } : {}),
    ...(roll.chance(0.08) ? { unevaluatedProperties: roll.chance(0.7) ? false : child() } : {}),
  };
};

const withDefault = (schema: Schema, roll: Dice): Schema =>
  typeof schema === "object" && roll.chance(0.25) ? { ...schema, default: roll.pick(scalars) } : schema;

const some = <T>(roll: Dice, most: number, make: () => T): readonly T[] =>
  Array.from({ length: 1 + roll.below(most) }, make);

const keyed = <T>(roll: Dice, keys: readonly string[], most: number, make: () => T): Record<string, T> =>
  Object.fromEntries(some(roll, most, () => [roll.pick(keys), make()]));

const choiceSchema = (roll: Dice, depth: number): JsonSchema => {
  const child = () => randomSchema(roll, depth - 1);
  const keyword = roll.pick(["anyOf", "anyOf", "oneOf", "allOf", "not", "if"] as const);
  if (keyword === "not") return { not: child() };
  if (keyword === "if") return { if: child(), then: child(), ...(roll.chance(0.5) ? { else: child() } : {}) };
  return { [keyword]: some(roll, 3, child) };
};

/** Schemas of all kinds. `#/$defs/self` must exist and may refer to the whole schema. */
export const randomSchema = (roll: Dice, depth: number): Schema => {
  if (depth <= 0 || roll.chance(0.05)) {
    return roll.pick<Schema>([
      true,
      false,
      {},
      { type: "string" },
      { type: "integer" },
      { const: roll.pick(scalars) },
    ]);
  }
  const kind = roll.below(20);
  if (kind < 4) return numberSchema(roll);
  if (kind < 7) return textSchema(roll);
  if (kind < 8) return { type: roll.pick(["null", "boolean"]) };
  if (kind < 10) return { enum: [...new Set(some(roll, 4, () => roll.pick(scalars)))] };
  if (kind < 12) return listSchema(roll, depth);
  if (kind < 16) return objectSchema(roll, depth);
  if (kind < 18) return choiceSchema(roll, depth);
  if (kind < 19) return { ...objectSchema(roll, depth), ...choiceSchema(roll, depth) };
  return roll.chance(0.5)
    ? { $ref: "#/$defs/self" }
    : { type: some(roll, 2, () => roll.pick(["null", "string", "number", "object"])) };
};

/** A whole schema. It refers to itself only inside of a member, so that its values are finite. */
export const rootSchema = (roll: Dice, depth: number): JsonSchema => {
  const own = objectSchema(roll, 1);
  const self = {
    ...own,
    properties: {
      ...(own.properties as object),
      ...(roll.chance(0.7) ? { next: { $ref: "#/$defs/self" } } : {}),
    },
  };
  const made = randomSchema(roll, depth);
  return { ...(typeof made === "boolean" ? { allOf: [made] } : made), $defs: { self } };
};

const swaps: Readonly<Record<string, (value: never, roll: Dice) => unknown>> = {
  type: (type: string | readonly string[], roll) => [
    ...new Set([type].flat().concat(roll.pick(["null", "string", "number", "integer", "object"]))),
  ],
  enum: (values: readonly unknown[], roll) => [...new Set([...values, roll.pick(scalars)])],
  required: (keys: readonly string[], roll) =>
    roll.chance(0.5) ? keys.slice(1) : [...new Set([...keys, roll.pick(names)])],
  const: (_: unknown, roll) => roll.pick(scalars),
};

/** Another schema that is nearly the same. */
export const similarSchema = (schema: Schema, roll: Dice, depth = 4): Schema => {
  if (typeof schema === "boolean") return roll.chance(0.3) ? { type: "string" } : schema;
  if (roll.chance(0.04)) return { anyOf: [schema, randomSchema(roll, 1)] };
  if (roll.chance(0.04)) return { allOf: [schema, roll.chance(0.5) ? true : randomSchema(roll, 1)] };
  if (roll.chance(0.02)) return { oneOf: [schema, { type: "null" }] };
  if (roll.chance(0.02)) return { not: { not: schema } };
  const entries = Object.entries(schema).flatMap(
    ([keyword, value]): readonly (readonly [string, unknown])[] => {
      if (keyword === "$defs" || keyword === "$ref")
        return [[keyword, keyword === "$defs" ? inEach(value, roll, depth) : value]];
      if (roll.chance(0.06)) return [];
      if (typeof value === "number" && roll.chance(0.25))
        return [
          [
            keyword,
            Math.max(
              keyword.startsWith("m") && keyword !== "minimum" && keyword !== "maximum"
                ? keyword === "multipleOf"
                  ? 0.5
                  : 0
                : -9,
              keyword === "multipleOf" ? value * roll.pick([1, 2, 0.5]) : value + roll.pick([-1, 1]),
            ),
          ],
        ];
      if (swaps[keyword] !== undefined && roll.chance(0.15))
        return [[keyword, swaps[keyword](value as never, roll)]];
      if (keyword === "additionalProperties" && roll.chance(0.15)) return [[keyword, randomSchema(roll, 1)]];
      return [[keyword, depth > 0 ? nestedKeyword(keyword, value, roll, depth) : value]];
    },
  );
  const changed = Object.fromEntries(entries);
  if (changed.minContains !== undefined || changed.maxContains !== undefined) return changed;
  if (changed.type === "object" && roll.chance(0.06)) changed.required = [roll.pick(names)];
  return changed;
};

const lists = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const maps = new Set(["properties", "patternProperties", "dependentSchemas"]);
const ones = new Set([
  "items",
  "additionalProperties",
  "contains",
  "not",
  "if",
  "then",
  "else",
  "propertyNames",
]);

const nestedKeyword = (keyword: string, value: unknown, roll: Dice, depth: number): unknown => {
  if (lists.has(keyword))
    return (value as readonly Schema[]).map((each) => similarSchema(each, roll, depth - 1));
  if (maps.has(keyword)) return inEach(value, roll, depth);
  return ones.has(keyword) ? similarSchema(value as Schema, roll, depth - 1) : value;
};

const inEach = (value: unknown, roll: Dice, depth: number): unknown =>
  Object.fromEntries(
    Object.entries(value as Record<string, Schema>).map(([key, each]) => [
      key,
      similarSchema(each, roll, depth - 1),
    ]),
  );

/** The same schema with an annotation at every place, so that no part of it is textually equal. */
export const withAnnotations = (schema: Schema): Schema => {
  if (typeof schema === "boolean") return schema;
  const entries = Object.entries(schema).map(([keyword, value]) => [keyword, wordyInside(keyword, value)]);
  const reported = Object.fromEntries(entries);
  return { ...reported, allOf: [...((reported.allOf as readonly Schema[] | undefined) ?? []), true] };
};

const wordyInside = (keyword: string, value: unknown): unknown => {
  if (lists.has(keyword)) return (value as readonly Schema[]).map(withAnnotations);
  if (ones.has(keyword) || keyword.startsWith("unevaluated")) return withAnnotations(value as Schema);
  if (!maps.has(keyword) && keyword !== "$defs") return value;
  const members = Object.entries(value as Record<string, Schema>);
  return Object.fromEntries(members.map(([key, each]) => [key, withAnnotations(each)]));
};
