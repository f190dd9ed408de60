import fc from "fast-check";
import { isObject } from "../../../src/base/json/json-value.ts";
import type { JsonSchema } from "../../../src/types/json.ts";
import type { Dice } from "../random-schema.ts";

type Schema = JsonSchema | boolean;

/** The pattern that tools add to a part of a path. */
const noSlash = "^[^/\\\\]*$";

const sampleStrings = [
  "a",
  "oslo",
  "two words",
  "x&y=1",
  "50%",
  "a+b",
  "ünï",
  "#1?",
  "[k]",
  "q:z;p",
  "don't",
  "(i)*!",
  "1",
];

/** Texts of the formats that validators check. */
const formats: Readonly<Record<string, readonly string[]>> = {
  date: ["2024-02-29", "1999-12-31"],
  "date-time": ["2024-02-29T12:30:00Z", "1999-12-31T23:59:59.123+02:00"],
  time: ["12:30:00Z"],
  duration: ["P1DT2H"],
  email: ["ada@mail.example"],
  hostname: ["api.example"],
  ipv4: ["192.0.2.7"],
  ipv6: ["2001:db8::7"],
  uri: ["https://api.example/a?b=c"],
  url: ["https://api.example/a?b=c"],
  "uri-reference": ["/a/b"],
  "uri-template": ["/a/{b}"],
  uuid: ["3f2504e0-4f89-41d3-9a0c-0305e82c3301"],
  regex: ["^a+$"],
  "json-pointer": ["/a/b"],
  "relative-json-pointer": ["1/a"],
  byte: ["aGVsbG8="],
  iri: ["https://api.example/a"],
};

interface ArgumentContext {
  readonly root: JsonSchema;
  readonly roll: Dice;
  /** Seed of a text that matches the schema's pattern. */
  readonly seed: number;
}

/** Arguments that probably fit. Callers check them with a validator. */
export const generateArguments = (schema: JsonSchema, roll: Dice, seed: number): unknown =>
  make({ root: schema, roll, seed }, schema, 6);

const resolved = ({ root }: ArgumentContext, schema: Schema): JsonSchema => {
  let found: Schema = schema;
  for (let hop = 0; hop < 20 && isObject(found) && typeof found.$ref === "string"; hop++) {
    const { $ref, ...rest } = found as { readonly $ref: string };
    const name = $ref.replace("#/$defs/", "");
    const target = (root.$defs as Record<string, Schema>)[name] ?? {};
    found = merged(isObject(target) ? target : {}, rest);
  }
  return isObject(found) ? found : {};
};

/** Merges two schemas without resolving conflicts. */
const merged = (one: JsonSchema, other: JsonSchema): JsonSchema => {
  const both: Record<string, unknown> = { ...one, ...other };
  if (one.properties && other.properties) {
    const properties: Record<string, unknown> = { ...(one.properties as object) };
    for (const [name, schema] of Object.entries(other.properties as Record<string, Schema>)) {
      const before = properties[name];
      properties[name] =
        before === undefined ? schema : { allOf: [before, schema].filter((each) => each !== true) };
    }
    both.properties = properties;
  }
  if (one.required && other.required) both.required = [...new Set([one.required, other.required].flat())];
  if (one.pattern && other.pattern === noSlash) both.pattern = one.pattern;
  if (one.allOf && other.allOf) both.allOf = [one.allOf, other.allOf].flat();
  if (Array.isArray(one.enum) && Array.isArray(other.enum)) {
    const kept = new Set(other.enum.map((value) => JSON.stringify(value)));
    both.enum = one.enum.filter((value) => kept.has(JSON.stringify(value)));
  }
  return both;
};

const flat = (making: ArgumentContext, schema: Schema, depth = 0): JsonSchema => {
  const { allOf, ...rest } = resolved(making, schema) as { readonly allOf?: readonly Schema[] };
  if (allOf === undefined || depth > 10) return rest;
  return flat(making, allOf.map((part) => flat(making, part, depth + 1)).reduce(merged, rest), depth + 1);
};

const make = (making: ArgumentContext, given: Schema, depth: number): unknown => {
  const { roll } = making;
  // A schema that requires itself has no value.
  if (depth < -12) return null;
  const schema = flat(making, given);
  const choice = (schema.oneOf ?? schema.anyOf) as readonly Schema[] | undefined;
  if (choice !== undefined) {
    const { oneOf: _, anyOf: _any, ...rest } = schema;
    const picked = flat(making, roll.pick([...choice]));
    return make(making, merged(rest, picked), depth - 0.5);
  }
  if ("const" in schema) return schema.const;
  if (Array.isArray(schema.enum)) return roll.pick(schema.enum);
  const kinds = [schema.type ?? guess(schema)].flat() as string[];
  const kind =
    kinds.length > 1 && roll.chance(0.15) ? "null" : (kinds.find((each) => each !== "null") ?? "null");
  if (kind === "object") return makeObject(making, schema, depth);
  if (kind === "array") return makeList(making, schema, depth);
  if (kind === "number" || kind === "integer") return makeNumber(making, schema, kind);
  if (kind === "boolean") return roll.chance(0.5);
  return kind === "string" ? makeText(making, schema) : null;
};

const guess = (schema: JsonSchema): string => {
  if (schema.properties !== undefined || schema.additionalProperties !== undefined) return "object";
  return schema.items === undefined ? "string" : "array";
};

const makeObject = (making: ArgumentContext, schema: JsonSchema, depth: number): unknown => {
  const { roll } = making;
  const properties = (schema.properties ?? {}) as Record<string, Schema>;
  const required = (schema.required ?? []) as readonly string[];
  const { minProperties = 0, additionalProperties = true } = schema as {
    minProperties?: number;
    additionalProperties?: Schema;
  };
  const chosen = Object.keys(properties).filter(
    (name) => required.includes(name) || (depth > 0 && roll.chance(0.5)),
  );
  for (const name of required) if (!chosen.includes(name)) chosen.push(name);
  for (const name of Object.keys(properties))
    if (chosen.length < minProperties && !chosen.includes(name)) chosen.push(name);
  const extra = isObject(additionalProperties) && depth > 0 ? roll.below(3) : 0;
  const more = Math.max(extra, additionalProperties === false ? 0 : minProperties - chosen.length);
  for (let count = 0; count < more; count++) chosen.push(`key${count}`);
  return Object.fromEntries(
    chosen.map((name) => [name, make(making, properties[name] ?? additionalProperties, depth - 1)]),
  );
};

const makeList = (making: ArgumentContext, schema: JsonSchema, depth: number): unknown => {
  const { roll } = making;
  const {
    minItems = 0,
    maxItems = Number.POSITIVE_INFINITY,
    items = {},
    prefixItems = [],
  } = schema as {
    minItems?: number;
    maxItems?: number;
    items?: Schema;
    prefixItems?: readonly Schema[];
  };
  const wanted = depth > 0 ? roll.below(3) + (minItems === 0 ? 0 : minItems) : minItems;
  const length = Math.min(Math.max(wanted, minItems), maxItems);
  const list = Array.from({ length }, (_, index) => make(making, prefixItems[index] ?? items, depth - 1));
  if (schema.uniqueItems !== true) return list;
  const unique = new Map(list.map((item) => [JSON.stringify(item), item]));
  for (let count = 0; unique.size < minItems && count < 50; count++) {
    const item = make({ ...making, seed: making.seed + count + 1 }, items, depth - 1);
    unique.set(JSON.stringify(item), item);
  }
  return [...unique.values()];
};

const makeNumber = ({ roll }: ArgumentContext, schema: JsonSchema, kind: string): number => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema as Record<
    string,
    number | undefined
  >;
  const step = multipleOf ?? (kind === "integer" ? 1 : 0.25);
  const low = minimum ?? (exclusiveMinimum === undefined ? undefined : exclusiveMinimum + step);
  const high = maximum ?? (exclusiveMaximum === undefined ? undefined : exclusiveMaximum - step);
  const from = low ?? (high === undefined ? 0 : Math.min(0, high - 10 * step));
  const most = high === undefined ? 20 : Math.max(0, Math.min(20, Math.floor((high - from) / step)));
  const start = Math.ceil(from / step) * step;
  const value = start + roll.below(most + 1) * step;
  return high !== undefined && value > high ? from : Number(value.toPrecision(12));
};

const makeText = ({ roll, seed }: ArgumentContext, schema: JsonSchema): string => {
  const {
    pattern,
    format,
    minLength = 0,
    maxLength = Number.POSITIVE_INFINITY,
  } = schema as {
    pattern?: string;
    format?: string;
    minLength?: number;
    maxLength?: number;
  };
  if (pattern === "^[A-Za-z0-9+/]*={0,2}$") return roll.pick(["aGVsbG8=", "AAEC", ""]);
  if (format !== undefined && Object.hasOwn(formats, format)) return roll.pick([...formats[format]!]);
  if (pattern !== undefined && pattern !== noSlash) {
    try {
      const made = fc.sample(
        fc.stringMatching(new RegExp(pattern, "u"), { maxLength: Math.min(maxLength, 200) }),
        { seed: seed + roll.below(1_000_000), numRuns: 8 },
      );
      return (
        made.find((text) => text.length >= minLength && text.length <= maxLength && text.trim() === text) ??
        made[0]!
      );
    } catch {
      return "a";
    }
  }
  let text = roll.pick(sampleStrings);
  while ([...text].length < minLength) text += "abcdefgh".slice(0, minLength - [...text].length);
  return [...text].slice(0, maxLength).join("");
};
