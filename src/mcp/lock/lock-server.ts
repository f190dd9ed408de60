import { copyJson } from "../../json/copy-json.ts";
import { freezeJson } from "../../json/freeze-json.ts";
import { isObject } from "../../json/is-object.ts";
import { ConfigurationError } from "../../words/errors.ts";
import type { McpServerState, NamedServer, RemoteTool } from "../../words/mcp.ts";
import { definitionOf, hashAt } from "./definition.ts";
import { shown } from "./flags/visible.ts";
import { launchHashOf, launchOf } from "./launch.ts";
import type { LockedDefinition, LockedServer, LockedTool } from "./locked.ts";

const isText = (value: unknown): boolean => typeof value === "string";
/** A lock with such a field could not be read again, and then no server would start, this one's neighbors included. */
const misshapenField = (tool: RemoteTool): string | undefined => {
  if (!isObject(tool.inputSchema)) return "it has no input schema.";
  for (const field of ["title", "description"] as const)
    if (tool[field] !== undefined && !isText(tool[field])) return `its ${field} is not a text.`;
  for (const field of ["outputSchema", "annotations"] as const)
    if (tool[field] !== undefined && !isObject(tool[field])) return `its ${field} is not an object.`;
  return undefined;
};

/** Why a tool cannot be in a lock, or its definition as a lock keeps it. */
export const lockable = (
  tool: RemoteTool,
):
  | { readonly ok: true; readonly definition: LockedDefinition }
  | { readonly ok: false; readonly problem: string } => {
  const { name } = tool;
  if (typeof name !== "string" || name === "" || name === "__proto__")
    return { ok: false, problem: "its name cannot be a key of a JSON object." };
  const misshapen = misshapenField(tool);
  if (misshapen !== undefined) return { ok: false, problem: misshapen };
  const copied = copyJson(definitionOf(name, tool));
  return copied.ok
    ? { ok: true, definition: copied.value as LockedDefinition }
    : { ok: false, problem: shown(copied.problem.message, 200) };
};

/** The codes that a reviewer let pass, by tool. */
export type AcceptedFlags = ReadonlyMap<string, readonly string[]>;

/** The hash of the page of an app, by tool. */
export type PageHashes = ReadonlyMap<string, string>;

/** A server as it was reviewed now. A list with a tool twice, or with what a lock cannot keep, is refused. */
export const lockServer = (
  server: NamedServer,
  serverInfo: McpServerState["serverInfo"],
  tools: readonly RemoteTool[],
  accepted: AcceptedFlags = new Map(),
  pages: PageHashes = new Map(),
): LockedServer => {
  const launch = launchOf(server);
  const hash = hashAt(server.id, launch);
  const locked = new Map<string, LockedTool>();
  for (const tool of tools) {
    const kept = lockable(tool);
    const problem = kept.ok ? (locked.has(tool.name) ? "the list has it twice." : undefined) : kept.problem;
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
