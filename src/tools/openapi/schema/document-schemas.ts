import { freezeJson } from "../../../base/json/json-value.ts";
import { schemaLimits } from "../../../base/schema/plain/plain-schema.ts";
import { inspectSchema } from "../../../base/schema/standard-schema.ts";
import { ToolDefinitionError } from "../../../types/errors.ts";
import type { JsonSchema } from "../../../types/json.ts";
import type { ReportLoss } from "../operation.ts";
import { type OpenApiDocument, resolvePointer } from "../read-document.ts";
import { type ConversionSide, convertSchema } from "./convert-schema.ts";

interface ConvertedDefinition {
  readonly schema: JsonSchema | boolean;
  readonly refers: ReadonlySet<string>;
  readonly losses: readonly (readonly [pointer: string, what: string])[];
  readonly length: number;
}

export interface SchemaDraft {
  readonly convert: (schema: unknown, pointer: string) => JsonSchema | boolean;
  readonly note: ReportLoss;
  /** Within the size limits. */
  readonly finish: (schema: JsonSchema) => JsonSchema;
}

const maxSchemas = 1_200;

/** Characters; more would fill a model's context. */
const maxDefinitionsLength: Readonly<Record<ConversionSide, number>> = {
  input: 32_768,
  output: 32_768,
  "lax-output": 16_384,
};

/** Referenced schemas are converted once. */
export const documentSchemas = (document: OpenApiDocument, side: ConversionSide) => {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const counts = new Map<string, number>();
  const converted = new Map<string, ConvertedDefinition>();

  const nameOf = (pointer: string): string => {
    const known = names.get(pointer);
    if (known !== undefined) return known;
    const last = pointer
      .slice(pointer.lastIndexOf("/") + 1)
      .replace(/[^A-Za-z0-9_.-]+/g, "_")
      .slice(0, 60);
    let name = last === "" || last === "__proto__" ? "schema" : last;
    let count = counts.get(last) ?? 2;
    for (; taken.has(name); count++) name = `${last}_${count}`;
    counts.set(last, count);
    taken.add(name);
    names.set(pointer, name);
    return name;
  };

  const read = (schema: unknown, pointer: string): ConvertedDefinition => {
    const refers = new Set<string>();
    const losses: (readonly [string, string])[] = [];
    const define = (target: string): string => {
      refers.add(target);
      return nameOf(target);
    };
    const made = convertSchema(
      {
        document,
        side,
        define,
        note: (at, what) => losses.push([at, what]),
        budget: { left: maxSchemas, text: schemaLimits.length, isReported: false },
      },
      schema,
      pointer,
    );
    return {
      schema: freezeJson(made) as JsonSchema | boolean,
      refers,
      losses,
      length: JSON.stringify(made).length,
    };
  };

  const definitionAt = (pointer: string): ConvertedDefinition => {
    const known = converted.get(pointer);
    if (known !== undefined) return known;
    const found = resolvePointer(
      document.root,
      `#${encodeURI(pointer.toWellFormed()).replaceAll("#", "%23")}`,
    );
    const made = read("value" in found ? found.value : {}, pointer);
    converted.set(pointer, made);
    return made;
  };

  return {
    draft: (note: ReportLoss, at: string): SchemaDraft => {
      const roots = new Set<string>();
      return {
        note,
        convert: (schema, pointer) => {
          const made = read(schema, pointer);
          for (const each of made.refers) roots.add(each);
          for (const [at, what] of made.losses) note(at, what);
          return made.schema;
        },
        finish: (schema) =>
          finish(schema, levelsFrom(roots, definitionAt), {
            nameOf,
            definitionAt,
            note,
            at,
            longest: maxDefinitionsLength[side],
          }),
      };
    },
  };
};

/** By distance in references. */
const levelsFrom = (
  roots: ReadonlySet<string>,
  definitionAt: (pointer: string) => ConvertedDefinition,
): readonly (readonly string[])[] => {
  const seen = new Set(roots);
  const levels: (readonly string[])[] = [];
  let level = [...roots];
  while (level.length > 0) {
    levels.push(level);
    const next: string[] = [];
    for (const pointer of level) {
      for (const target of definitionAt(pointer).refers) {
        if (seen.has(target)) continue;
        seen.add(target);
        next.push(target);
      }
    }
    level = next;
  }
  return levels;
};

interface DefinitionNames {
  readonly nameOf: (pointer: string) => string;
  readonly definitionAt: (pointer: string) => ConvertedDefinition;
  readonly note: ReportLoss;
  /** For losses about the whole schema. */
  readonly at: string;
  readonly longest: number;
}

const levelsThatFit = (
  levels: readonly (readonly string[])[],
  { definitionAt, longest: most }: DefinitionNames,
): number => {
  let left = most;
  const over = levels.findIndex((level) => {
    for (const pointer of level) left -= definitionAt(pointer).length;
    return left < 0;
  });
  return over < 0 ? levels.length : over;
};

const finish = (
  schema: JsonSchema,
  levels: readonly (readonly string[])[],
  query: DefinitionNames,
): JsonSchema => {
  let problem: ToolDefinitionError | undefined;
  for (
    let kept = levelsThatFit(levels, query);
    kept >= 0;
    kept = kept > 8 ? Math.floor(kept / 2) : kept - 1
  ) {
    const complete = freezeJson(withDefinitions(schema, levels, kept, query)) as JsonSchema;
    problem = problemOf(complete);
    if (problem === undefined) {
      for (const pointer of levels.slice(0, kept).flat())
        for (const [at, what] of query.definitionAt(pointer).losses) query.note(at, what);
      if (kept < levels.length)
        query.note(
          query.at,
          `The schema is too large; any value is accepted more than ${kept} references deep.`,
        );
      return complete;
    }
  }
  query.note(query.at, `The schema cannot be checked, so any value is accepted: ${problem?.message ?? ""}`);
  return withoutConstraints(schema);
};

const withDefinitions = (
  schema: JsonSchema,
  levels: readonly (readonly string[])[],
  kept: number,
  { nameOf, definitionAt }: DefinitionNames,
): JsonSchema => {
  if (levels.length === 0) return schema;
  const inside = levels
    .slice(0, kept)
    .flat()
    .map((pointer) => [nameOf(pointer), definitionAt(pointer).schema] as const);
  // Beyond the limit, definitions accept anything.
  const beyond = (levels[kept] ?? []).map((pointer) => [nameOf(pointer), {}] as const);
  return { ...schema, $defs: Object.fromEntries([...inside, ...beyond]) };
};

const problemOf = (schema: JsonSchema): ToolDefinitionError | undefined => {
  try {
    inspectSchema(schema);
    return undefined;
  } catch (error) {
    if (error instanceof ToolDefinitionError) return error;
    throw error;
  }
};

/** Keeps the property names. */
const withoutConstraints = ({
  type,
  properties = {},
  required,
  additionalProperties,
}: JsonSchema): JsonSchema => ({
  ...(type === undefined ? {} : { type }),
  properties: Object.fromEntries(Object.keys(properties as object).map((name) => [name, {}])),
  ...(required === undefined ? {} : { required }),
  ...(additionalProperties === undefined ? {} : { additionalProperties }),
});
