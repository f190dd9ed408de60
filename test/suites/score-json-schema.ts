import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { compileSchema } from "../../src/base/schema/compile-schema.ts";
import { ToolError } from "../../src/types/errors.ts";
import type { JsonSchema } from "../../src/types/json.ts";
import type { Validator } from "../../src/types/tool.ts";
import type { Score } from "./suite.ts";

type Schema = JsonSchema | boolean;

interface Group {
  readonly description: string;
  readonly schema: Schema;
  readonly tests: readonly {
    readonly description: string;
    readonly data: unknown;
    readonly valid: boolean;
  }[];
}

interface Draft {
  readonly folder: string;
  readonly dialect: string;
}

const readJson = async (file: string): Promise<unknown> => JSON.parse(await readFile(file, "utf8"));

/** The files of a draft assume its dialect. Only a schema that names an older one is read in it. */
const inDialect = (schema: Schema, dialect: string): Schema =>
  typeof schema === "boolean" || Object.hasOwn(schema, "$schema")
    ? schema
    : Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(schema), ...said(dialect) });

const said = (dialect: string) => ({ $schema: { value: dialect, enumerable: true } });

/** The suite expects these documents under this address. Those of another draft belong to another suite. */
const readRemotes = async (folder: string, draft: Draft): Promise<Record<string, Schema>> => {
  const remotes: Record<string, Schema> = {};
  if (!existsSync(folder)) return remotes;
  for (const file of await readdir(folder, { recursive: true })) {
    const [top = ""] = file.split("/");
    if (!file.endsWith(".json") || (/^(?:draft|v1$)/.test(top) && top !== draft.folder)) continue;
    const remote = (await readJson(join(folder, file))) as Schema;
    remotes[`http://localhost:1234/${file}`] = inDialect(remote, draft.dialect);
  }
  return remotes;
};

const readGroups = async (folder: string): Promise<readonly (readonly [string, Group])[]> => {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".json")).sort();
  const groups = await Promise.all(
    files.map(async (file) =>
      ((await readJson(join(folder, file))) as Group[]).map((each) => [file, each] as const),
    ),
  );
  return groups.flat();
};

const compile = (schema: Schema, documents: Record<string, Schema> | undefined): Validator | string => {
  try {
    return compileSchema(schema, documents === undefined ? {} : { documents });
  } catch (error) {
    const pointer = ToolError.is(error) ? error.failure.issues?.[0]?.pointer : undefined;
    return pointer === undefined ? `crashed with ${String(error)}` : "";
  }
};

const count = (
  groups: readonly (readonly [string, Group])[],
  dialect: string,
  documents: Record<string, Schema> | undefined,
): Score => {
  const notes: string[] = [];
  let [total, right] = [0, 0];
  for (const [file, { description, schema, tests }] of groups) {
    const validate = compile(inDialect(schema, dialect), documents);
    total += tests.length;
    if (typeof validate === "string") {
      if (validate !== "") notes.push(`${file}, ${description}: ${validate}`);
      continue;
    }
    for (const test of tests) {
      const answer = validate(structuredClone(test.data));
      const isExplained =
        answer.ok || !/^the value (?:does not fit|cannot be)/.test(answer.issues[0]?.message ?? "");
      if (answer.ok === test.valid && isExplained) right++;
      else notes.push(`${file}, ${description}, ${test.description}: ${JSON.stringify(answer)}`);
    }
  }
  return { right, wrong: notes.length, total, notes };
};

const percent = ({ right, total }: Score): string => `${((100 * right) / total).toFixed(2)} %`;

/**
 * A schema without an answer must be refused with a pointer before any value is seen. A crash or an answer
 * without a reason counts as wrong. Counts with the suite's remote documents, and again without them.
 */
export const scoreJsonSchema = async (dataDir: string, draft: Draft): Promise<Score> => {
  const suite = join(dataDir, "schemas/json-schema-test-suite");
  const groups = await readGroups(join(suite, draft.folder));
  const handed = count(groups, draft.dialect, await readRemotes(join(suite, "remotes"), draft));
  const alone = count(groups, draft.dialect, undefined);
  const first = `${alone.right} right (${percent(alone)}) when no remote document is handed in`;
  return {
    ...handed,
    wrong: handed.wrong + alone.wrong,
    notes: [first, ...(handed.notes ?? []), ...(alone.notes ?? [])],
  };
};
