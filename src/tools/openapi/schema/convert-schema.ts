import { isObject, type JsonObject, toPointer } from "../../../base/json/json-value.ts";
import type { JsonSchema } from "../../../types/json.ts";
import type { ReportLoss } from "../operation.ts";
import { type OpenApiDocument, refOf, resolvePointer } from "../read-document.ts";
import { hiddenProperties, partsOf } from "./composed.ts";
import {
  invalidKeywords,
  isNameLists,
  isSchemaLike,
  relaxSchema,
  withForbiddenNames,
} from "./file-schema.ts";
import {
  boundedText,
  plainKeywords,
  readBounds,
  readEnum,
  readExamples,
  readLinearPattern,
  schemaTypesOf,
  smallJsonOf,
  type TextBudget,
} from "./keywords.ts";

/** `lax-output` checks only the structure. */
export type ConversionSide = "input" | "output" | "lax-output";

export interface Conversion {
  readonly document: OpenApiDocument;
  readonly side: ConversionSide;
  readonly note: ReportLoss;
  readonly define: (pointer: string) => string;
  /** Bounds the expansion of shared parts. */
  readonly budget: TextBudget & { left: number; isReported: boolean };
}

const maxSchemaDepth = 20;

type ConversionSite = Conversion & {
  readonly inside: readonly unknown[];
  /** Hidden by another part of an `allOf`. */
  readonly hidden: ReadonlySet<string>;
};

/** To draft 2020-12, with references under `$defs`. */
export const convertSchema = (
  conversion: Conversion,
  schema: unknown,
  pointer: string,
): JsonSchema | boolean => convert({ ...conversion, inside: [], hidden: new Set() }, schema, pointer);

const convert = (site: ConversionSite, schema: unknown, pointer: string): JsonSchema | boolean => {
  if (typeof schema === "boolean") return schema;
  if (schema === undefined) return {};
  if (!isObject(schema)) {
    site.note(pointer, "It is not a schema; any value is accepted.");
    return {};
  }
  if (--site.budget.left < 0 || site.inside.includes(schema) || site.inside.length >= maxSchemaDepth) {
    if (!site.budget.isReported)
      site.note(pointer, "The schema is nested too deeply; any value is accepted below this level.");
    site.budget.isReported = true;
    return {};
  }
  const inner = { ...site, inside: [...site.inside, schema] };
  const reference = refOf(schema);
  return reference === undefined
    ? convertObject(inner, schema, pointer)
    : convertReference(inner, schema, reference, pointer);
};

/** Before 3.1, keywords next to a reference are ignored. */
const convertReference = (
  site: ConversionSite,
  schema: JsonObject,
  reference: string,
  pointer: string,
): JsonSchema | boolean => {
  const found = resolvePointer(site.document.root, reference);
  if ("problem" in found) {
    site.note(pointer, `Any value is accepted: ${found.problem}.`);
    return withDescription(site, {}, schema);
  }
  const { $ref: _, ...siblings } = schema;
  const target = { $ref: `#/$defs/${site.define(found.pointer)}` };
  if (site.document.version !== "3.1")
    return withDescription(site, target, { description: siblings.description });
  const rest = convertObject({ ...site, inside: [...site.inside, siblings] }, siblings, pointer);
  return { ...rest, ...target };
};

const convertObject = (outer: ConversionSite, schema: JsonObject, pointer: string): JsonSchema => {
  const { note, side, document } = outer;
  const keyword = side === "input" ? "readOnly" : "writeOnly";
  const isComposed = Array.isArray(schema.allOf) || isObject(schema.properties);
  const own = isComposed ? hiddenProperties(document.root, schema, keyword) : new Set<string>();
  const hidden: ReadonlySet<string> = own.size === 0 ? outer.hidden : new Set([...outer.hidden, ...own]);
  const site = { ...outer, hidden };
  const made: Record<string, unknown> = {};
  const kinds = schemaTypesOf(schema, pointer, note);
  const isNullable = schema.nullable === true && kinds.length > 0;
  const all = isNullable && !kinds.includes("null") ? [...kinds, "null"] : kinds;
  if (all.length > 0) made.type = all.length === 1 ? all[0] : all;
  for (const [name, read] of Object.entries(plainKeywords)) {
    if (!Object.hasOwn(schema, name)) continue;
    const value = read(schema[name]);
    if (value !== undefined) made[name] = value;
    // The boolean `required` of draft 3.
    else if (schema[name] !== false) note(`${pointer}/${name}`, `Its ${name} cannot be read and is omitted.`);
  }
  delete made.minimum;
  delete made.maximum;
  Object.assign(made, readBounds(schema, pointer, note));
  const values = readEnum(schema, kinds, pointer, note, site.budget);
  if (values !== undefined) made.enum = values;
  if (Object.hasOwn(schema, "const")) {
    if (smallJsonOf(schema.const, site.budget) !== undefined) made.const = schema.const;
    else note(`${pointer}/const`, "Its const is not JSON or too large, and is omitted.");
  }
  const pattern = readLinearPattern(schema, pointer, note);
  if (pattern !== undefined) made.pattern = pattern;
  const examples = readExamples(schema);
  if (examples !== undefined) made.examples = examples;
  addMembers(site, schema, pointer, made);
  addChoices(site, schema, pointer, made);
  for (const name of droppedKeywords) {
    if (Object.hasOwn(schema, name)) note(`${pointer}/${name}`, `"${name}" is omitted.`);
  }
  for (const name of invalidKeywords(schema, document.version))
    note(`${pointer}/${name}`, `Its ${name} cannot be read and is omitted.`);
  if (Array.isArray(made.required)) {
    made.required = made.required.filter((name) => !hidden.has(name));
    if ((made.required as readonly unknown[]).length === 0) delete made.required;
  }
  const unjudged = pattern === undefined && typeof schema.pattern === "string" ? schema.pattern : undefined;
  const isClosed = made.additionalProperties === false && made.patternProperties === undefined;
  const whole =
    side === "lax-output"
      ? relaxSchema(made)
      : side === "input" && !isClosed
        ? withForbiddenNames(made, own)
        : made;
  return withDescription(site, whole, schema, unjudged);
};

const droppedKeywords = [
  "$id",
  "$anchor",
  "$dynamicRef",
  "$dynamicAnchor",
  "unevaluatedItems",
  "unevaluatedProperties",
];

const addMembers = (
  site: ConversionSite,
  schema: JsonObject,
  pointer: string,
  made: Record<string, unknown>,
): void => {
  const one = (name: string, as = name): void => {
    const given = schema[name];
    if (typeof given === "boolean" || isObject(given))
      made[as] = convert(withoutHidden(site), given, `${pointer}/${name}`);
  };
  const map = (name: string, keeps: (key: string) => boolean): void => {
    const given = schema[name];
    if (!isObject(given)) return;
    const entries = Object.entries(given).filter(
      ([key]) => key !== "__proto__" && keeps(key) && hasBudget(site, key, `${pointer}/${name}`),
    );
    made[name] = Object.fromEntries(
      entries.map(([key, each]) => [
        key,
        convert(withoutHidden(site), each, `${pointer}/${name}${toPointer([key])}`),
      ]),
    );
  };
  map("properties", (key) => !site.hidden.has(key));
  if (site.document.version === "3.1") {
    map("patternProperties", (key) => isSupportedPattern(key, `${pointer}/patternProperties`, site.note));
    map("dependentSchemas", () => true);
    for (const name of ["contains", "propertyNames", "if", "then", "else"]) one(name);
    if (
      isNameLists(schema.dependentRequired) &&
      smallJsonOf(schema.dependentRequired, site.budget) !== undefined
    )
      made.dependentRequired = schema.dependentRequired;
    if (Array.isArray(schema.prefixItems))
      made.prefixItems = listOf(site, schema.prefixItems, `${pointer}/prefixItems`);
  }
  one("additionalProperties");
  if (Array.isArray(schema.items)) {
    const items = listOf(site, schema.items, `${pointer}/items`);
    if (items.length > 0) made.prefixItems = items;
  } else one("items");
};

/** Exceeding the limit is reported once. */
const hasBudget = ({ budget, note }: ConversionSite, name: string, pointer: string): boolean => {
  if (budget.text >= name.length) {
    budget.text -= name.length;
    return true;
  }
  if (!budget.isReported) note(pointer, "The schema is too large; the other names are omitted.");
  budget.isReported = true;
  return false;
};

const isSupportedPattern = (pattern: string, pointer: string, reportLoss: ReportLoss): boolean =>
  readLinearPattern({ pattern }, pointer, reportLoss) !== undefined;

const listOf = (
  site: ConversionSite,
  list: readonly unknown[],
  pointer: string,
): readonly (JsonSchema | boolean)[] =>
  list.map((each, index) => convert(withoutHidden(site), each, `${pointer}/${index}`));

/** Hidden names do not apply to nested objects. */
const withoutHidden = (site: ConversionSite): ConversionSite =>
  site.hidden.size === 0 ? site : { ...site, hidden: new Set() };

const addChoices = (
  site: ConversionSite,
  schema: JsonObject,
  pointer: string,
  made: Record<string, unknown>,
): void => {
  if (Array.isArray(schema.allOf) && schema.allOf.length > 0) {
    made.allOf = schema.allOf.map((part, index) => convertPart(site, part, `${pointer}/allOf/${index}`));
  }
  for (const name of ["oneOf", "anyOf"] as const) {
    const given = schema[name];
    if (!Array.isArray(given) || given.length === 0) continue;
    made[name] = given.map((branch, index) =>
      convertBranch(site, schema, branch, `${pointer}/${name}/${index}`),
    );
  }
  if (isSchemaLike(schema.not)) made.not = convert(withoutHidden(site), schema.not, `${pointer}/not`);
};

/** Inlines a part that requires a name hidden by another part. */
const convertPart = (site: ConversionSite, part: unknown, pointer: string): JsonSchema | boolean => {
  const reference = refOf(part);
  if (reference === undefined || site.hidden.size === 0) return convert(site, part, pointer);
  const { root } = site.document;
  const keyword = site.side === "input" ? "readOnly" : "writeOnly";
  const own = hiddenProperties(root, part, keyword);
  const asks = partsOf(root, part).some(
    ({ required }) =>
      Array.isArray(required) && required.some((name) => site.hidden.has(name) && !own.has(name)),
  );
  const found = asks ? resolvePointer(root, reference) : undefined;
  return found !== undefined && "value" in found
    ? convert(site, found.value, found.pointer)
    : convert(site, part, pointer);
};

/** A mapped discriminator restricts each branch to its values. */
const convertBranch = (
  site: ConversionSite,
  schema: JsonObject,
  branch: unknown,
  pointer: string,
): JsonSchema | boolean => {
  const made = convert(withoutHidden(site), branch, pointer);
  const { discriminator } = schema;
  const reference = refOf(branch);
  if (site.side === "lax-output" || reference === undefined || !isObject(discriminator)) return made;
  const { propertyName, mapping } = discriminator;
  if (typeof propertyName !== "string" || !isObject(mapping)) return made;
  const names = Object.entries(mapping)
    .filter(([, target]) => target === reference)
    .map(([name]) => name);
  if (names.length === 0) return made;
  return {
    allOf: [made, { properties: { [propertyName]: { enum: names } }, required: [propertyName] }],
  };
};

const withDescription = (
  { side }: ConversionSite,
  made: Readonly<Record<string, unknown>>,
  schema: JsonObject,
  pattern?: string,
): JsonSchema => {
  const words = [boundedText(schema.description)];
  const fallback = side === "input" && "default" in schema ? smallJsonOf(schema.default) : undefined;
  if (fallback !== undefined && fallback.length <= 80) words.push(`The service's default is ${fallback}.`);
  if (pattern !== undefined && side === "input") words.push(`It must match ${boundedText(pattern, 200)}`);
  const description = words.filter((each) => each !== undefined).join(" ");
  return description === "" ? made : { ...made, description };
};
