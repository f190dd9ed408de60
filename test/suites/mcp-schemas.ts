import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { compileSchema } from "../../src/base/schema/compile-schema.ts";
import { inspectSchema } from "../../src/base/schema/standard-schema.ts";
import type { JsonSchema } from "../../src/types/json.ts";
import type { Suite } from "./suite.ts";

interface Recorded {
  readonly name: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
}

export const name = "recorded MCP tools whose input and output schemas are inspected and compiled";

export const floor = 1;

export const run: Suite["run"] = async (dataDir) => {
  const folder = join(dataDir, "schemas/mcp-servers");
  const files = (await readdir(folder)).filter((file) => file.endsWith(".json") && file !== "index.json");
  const notes: string[] = [];
  let [total, schemas] = [0, 0];
  for (const file of files.sort()) {
    const { tools } = JSON.parse(await readFile(join(folder, file), "utf8")) as { tools: Recorded[] };
    for (const { name, inputSchema, outputSchema } of tools) {
      total++;
      try {
        for (const schema of outputSchema === undefined ? [inputSchema] : [inputSchema, outputSchema]) {
          schemas++;
          inspectSchema(schema);
          compileSchema(schema)({});
        }
      } catch (error) {
        notes.push(`${file}, ${name}: ${String(error)}`);
      }
    }
  }
  const wrong = notes.length;
  return { right: total - wrong, wrong, total, notes: [`${schemas} schemas`, ...notes] };
};
