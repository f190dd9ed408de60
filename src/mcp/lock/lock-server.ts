import { copyJson } from "../../base/json/copy-json.ts";
import { freezeJson, isObject } from "../../base/json/json-value.ts";
import { shown } from "../../base/text/visible.ts";
import { ConfigurationError } from "../../types/errors.ts";
import type { McpServerState, NamedMcpServer, RemoteTool } from "../../types/mcp.ts";
import { definitionHasher, definitionOf } from "./definition.ts";
import { launchHashOf, launchOf } from "./launch.ts";
import type { LockedDefinition, LockedServer, LockedTool } from "./lock.ts";

const isString = (value: unknown): boolean => typeof value === "string";
/** Such a field would make the whole lockfile unreadable. */
const invalidFieldProblem = (tool: RemoteTool): string | undefined => {
  if (!isObject(tool.inputSchema)) return "it has no input schema.";
  for (const field of ["title", "description"] as const)
    if (tool[field] !== undefined && !isString(tool[field])) return `its ${field} is not a string.`;
  for (const field of ["outputSchema", "annotations"] as const)
    if (tool[field] !== undefined && !isObject(tool[field])) return `its ${field} is not an object.`;
  return undefined;
};

export const toLockable = (
  tool: RemoteTool,
):
  | { readonly ok: true; readonly definition: LockedDefinition }
  | { readonly ok: false; readonly problem: string } => {
  const { name } = tool;
  if (typeof name !== "string" || name === "" || name === "__proto__")
    return { ok: false, problem: "its name cannot be a key of a JSON object." };
  const misshapen = invalidFieldProblem(tool);
  if (misshapen !== undefined) return { ok: false, problem: misshapen };
  const copied = copyJson(definitionOf(name, tool));
  return copied.ok
    ? { ok: true, definition: copied.value as LockedDefinition }
    : { ok: false, problem: shown(copied.problem.message, 200) };
};

export type AcceptedFlagsByTool = ReadonlyMap<string, readonly string[]>;

export type PageHashesByTool = ReadonlyMap<string, string>;

export const lockServer = (
  server: NamedMcpServer,
  serverInfo: McpServerState["serverInfo"],
  tools: readonly RemoteTool[],
  accepted: AcceptedFlagsByTool = new Map(),
  pages: PageHashesByTool = new Map(),
): LockedServer => {
  const launch = launchOf(server);
  const hash = definitionHasher(server.id, launch);
  const locked = new Map<string, LockedTool>();
  for (const tool of tools) {
    const kept = toLockable(tool);
    const problem = kept.ok
      ? locked.has(tool.name)
        ? "the server lists it twice."
        : undefined
      : kept.problem;
    if (!kept.ok || problem !== undefined)
      throw new ConfigurationError(
        "invalid_config",
        `The tool ${shown(String(tool.name))} of ${shown(server.id)} cannot be locked: ${problem}`,
      );
    const { name, ...rest } = kept.definition;
    const codes = accepted.get(name) ?? [];
    const uiHash = pages.get(name);
    locked.set(name, {
      hash: hash(kept.definition),
      ...rest,
      ...(uiHash === undefined ? {} : { uiHash }),
      ...(codes.length === 0 ? {} : { accepted: [...new Set(codes)].sort() }),
    });
  }
  return freezeJson({
    launch,
    launchHash: launchHashOf(launch),
    ...(serverInfo === undefined ? {} : { serverInfo: shown(String(serverInfo.name), 100) }),
    tools: Object.fromEntries([...locked].sort(([one], [other]) => (one < other ? -1 : 1))),
  });
};
