import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type Format, formats } from "../../src/models/dialects/formats.ts";
import type { JsonSchema } from "../../src/types/json.ts";
import { schemasOf } from "../exports/schemas-of.ts";
import { specOf } from "../exports/spec-of.ts";
import { strictProblems } from "../exports/strict-problems.ts";
import { unnamedLosses } from "../exports/unnamed-losses.ts";
import type { Suite } from "./suite.ts";

interface Recorded {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
}

interface Case {
  readonly format: Format;
  readonly strict: boolean;
}

const recordedTools = async (folder: string): Promise<readonly Recorded[]> => {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".json") && file !== "index.json");
  const lists = await Promise.all(
    files.sort().map(async (file) => JSON.parse(await readFile(join(folder, file), "utf8")).tools),
  );
  return lists.flat();
};

const cases: readonly Case[] = [
  ...(Object.keys(formats) as Format[]).map((format) => ({ format, strict: false })),
  { format: "openai", strict: true },
  { format: "openai-responses", strict: true },
];

const judge = (tool: Recorded, { format, strict }: Case) => {
  const { description = "", inputSchema, outputSchema } = tool;
  const output = outputSchema === undefined ? {} : { output: outputSchema };
  const before = structuredClone(tool);
  const spec = specOf(inputSchema, { name: tool.name, description, strict, source: "mcp", ...output });
  const { tools, report } = formats[format]([{ wireName: tool.name, spec }]);
  const exported = schemasOf(tools[0]);
  const problems = [...unnamedLosses(inputSchema, exported.input, report)];
  if (exported.isStrict) problems.push(...strictProblems(exported.input));
  if (exported.output !== undefined) {
    problems.push(...unnamedLosses(outputSchema!, exported.output, report, "/output"));
  } else if (outputSchema !== undefined && !report.some((loss) => loss.pointer === "/output")) {
    problems.push("/output: is gone");
  }
  if (!isDeepStrictEqual(tool, before)) problems.push("the authoritative schema was touched");
  return { problems, isStrict: exported.isStrict };
};

export const name = "recorded MCP tools keep every keyword in every format, or the report names it";

/** Share of exports that must be right. */
export const floor = 1;

export const run: Suite["run"] = async (dataDir) => {
  const tools = await recordedTools(join(dataDir, "schemas", "mcp-servers"));
  const wrong: string[] = [];
  const strict = new Set<string>();
  for (const way of cases) {
    for (const tool of tools) {
      const { problems, isStrict } = judge(tool, way);
      if (isStrict) strict.add(tool.name);
      if (problems.length === 0) continue;
      wrong.push(
        `${way.format}${way.strict ? " strict" : ""} ${tool.name}: ${problems.slice(0, 3).join("; ")}`,
      );
    }
  }
  const total = tools.length * cases.length;
  const notes = [`${tools.length} tools, of which ${strict.size} can be asked for strictly`, ...wrong];
  return { right: total - wrong.length, wrong: wrong.length, total, notes };
};
