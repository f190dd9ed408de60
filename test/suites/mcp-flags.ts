import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { findFlags } from "../../src/mcp/lock/flags/find-flags.ts";
import type { RemoteTool } from "../../src/types/mcp.ts";
import type { Suite } from "./suite.ts";

export const name = "recorded MCP tools that are not taken for dangerous ones";

export const floor = 1;

export const run: Suite["run"] = async (dataDir) => {
  const folder = join(dataDir, "schemas/mcp-servers");
  const files = (await readdir(folder)).filter((file) => file.endsWith(".json") && file !== "index.json");
  const servers = await Promise.all(
    files.map(async (file) => {
      const { tools } = JSON.parse(await readFile(join(folder, file), "utf8")) as { tools: RemoteTool[] };
      return { file, tools, names: tools.map((tool) => tool.name) };
    }),
  );
  const all = servers.flatMap(({ names }) => names);
  const notes = servers.flatMap(({ file, tools, names }) =>
    tools.flatMap((tool) => {
      const danger = findFlags(tool, all, names).find(({ severity }) => severity === "danger");
      return danger === undefined ? [] : [`${file}, ${tool.name}: ${danger.code} at ${danger.pointer}`];
    }),
  );
  return { right: all.length - notes.length, wrong: notes.length, total: all.length, notes };
};
