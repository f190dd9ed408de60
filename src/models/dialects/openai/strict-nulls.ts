import type { RawCall } from "../../../types/call.ts";
import type { JsonSchema } from "../../../types/json.ts";
import type { ToolSpec } from "../../../types/tool.ts";
import type { OfferedTool } from "../exporter.ts";
import { isSchema, subschemaPointer } from "../schema/rewrite-schema.ts";
import { acceptsNull, strictSchema } from "./strict-schema.ts";

/** Nulls beyond these limits are kept and validated as null. */
const nullLimits = { pointers: 500, references: 6 };

interface NullableLocations {
  /** Where null is allowed, and by how many branches. */
  readonly allowed: [pointer: string, ways: number][];
  readonly references: [pointer: string, definition: string][];
}

const definitionOf = (reference: unknown): string | undefined =>
  typeof reference === "string" && reference.startsWith("#/$defs/") ? reference.slice(8) : undefined;

const readPart = (schema: unknown): NullableLocations => {
  const part: NullableLocations = { allowed: [], references: [] };
  const visit = (value: unknown, pointer: string): void => {
    if (!isSchema(value)) return;
    const definition = definitionOf(value.$ref);
    if (definition !== undefined) part.references.push([pointer, definition]);
    for (const [name, property] of Object.entries(isSchema(value.properties) ? value.properties : {})) {
      const at = subschemaPointer(pointer, name);
      if (acceptsNull(property)) part.allowed.push([at, 1]);
      visit(property, at);
    }
    visit(value.items, `${pointer}/*`);
    if (Array.isArray(value.anyOf)) for (const branch of value.anyOf) visit(branch, pointer);
  };
  visit(schema, "");
  return part;
};

const parseSpecPointer = (schemaPointer: string): readonly [definition: string, pointer: string] => {
  const steps = schemaPointer.split("/").slice(2);
  let definition = "";
  let pointer = "";
  for (let at = 0; at < steps.length; at++) {
    if (steps[at] === "items") pointer += "/*";
    else {
      if (steps[at] === "properties") pointer += `/${steps[at + 1]}`;
      if (steps[at] === "$defs") definition = steps[at + 1]!;
      at++;
    }
  }
  return [definition, pointer];
};

const findNullPointers = (input: JsonSchema): readonly string[] => {
  const { schema, nullable } = strictSchema(input);
  if (schema === undefined || nullable.length === 0) return [];
  const parts = new Map<string, NullableLocations>([["", readPart(schema)]]);
  for (const [name, definition] of Object.entries(isSchema(schema.$defs) ? schema.$defs : {})) {
    parts.set(subschemaPointer("", name).slice(1), readPart(definition));
  }
  for (const place of nullable) {
    const [definition, pointer] = parseSpecPointer(place);
    parts.get(definition)?.allowed.push([pointer, -1]);
  }
  // If more branches allow null than strict mode added, null may be meant.
  const ways = new Map<string, number>();
  const spread = (name: string, prefix: string, depth: number): void => {
    const part = parts.get(name);
    if (part === undefined || depth > nullLimits.references || ways.size > nullLimits.pointers) return;
    for (const [pointer, more] of part.allowed) {
      ways.set(prefix + pointer, (ways.get(prefix + pointer) ?? 0) + more);
    }
    for (const [pointer, definition] of part.references) spread(definition, prefix + pointer, depth + 1);
  };
  spread("", "", 0);
  return [...ways].flatMap(([pointer, left]) => (left === 0 ? [pointer] : []));
};

const nullPointerCache = new WeakMap<JsonSchema, readonly string[]>();

/** Pointers, with `*` for every item, where null means an omitted value. */
export const strictNulls = (spec: ToolSpec): readonly string[] => {
  if (!spec.strict) return [];
  const before = nullPointerCache.get(spec.input);
  if (before !== undefined) return before;
  const found = Object.freeze(findNullPointers(spec.input));
  nullPointerCache.set(spec.input, found);
  return found;
};

/** Marks where null in a strict call means an omitted value. */
export const withNulls = (calls: readonly RawCall[], tools: readonly OfferedTool[]): readonly RawCall[] =>
  calls.map((call) => {
    const spec = tools.find(({ wireName }) => wireName === call.tool)?.spec;
    const nulls = spec === undefined || call.providerExecuted === true ? [] : strictNulls(spec);
    return nulls.length === 0 ? call : { ...call, nulls };
  });
