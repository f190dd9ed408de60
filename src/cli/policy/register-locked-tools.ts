import { readServer } from "../../mcp/client/read-server.ts";
import { createServerTools } from "../../mcp/client/servers/tools/server-tools.ts";
import { createSessionPins } from "../../mcp/client/servers/tools/session-pins.ts";
import { launchHashOf, launchOf } from "../../mcp/lock/launch.ts";
import { type Lock, ownValue } from "../../mcp/lock/lock.ts";
import { readLockFile } from "../../mcp/lock/stored-lock.ts";
import type { ToolRegistry } from "../../registry/tool-registry.ts";
import type { HaftOptions } from "../../runtime/haft-options.ts";
import { ToolError } from "../../types/errors.ts";
import type { UnmatchedToolPattern } from "../../types/mcp.ts";

export interface LockedServers {
  /** Servers whose tools are not known without starting them. */
  readonly unknown: readonly string[];
  readonly unmatched: readonly (UnmatchedToolPattern & { readonly server: string })[];
}

/** Registers the reviewed tools of the lock, so that a policy is compared with tools of servers that are not started. */
export const registerLockedTools = async (
  registry: ToolRegistry,
  mcp: HaftOptions["mcp"],
): Promise<LockedServers> => {
  const lock = await readLockOf(mcp);
  const unknown: string[] = [];
  const unmatched: LockedServers["unmatched"][number][] = [];
  for (const [id, config] of Object.entries(mcp?.servers ?? {})) {
    const server = readServer(id, config);
    const locked = lock === undefined ? undefined : ownValue(lock.servers, id);
    if (locked === undefined || locked.launchHash !== launchHashOf(launchOf(server))) {
      unknown.push(id);
      continue;
    }
    const tools = createServerTools(server, {
      registry,
      judge: (_, listed) => listed.map((tool) => ({ tool, verdict: "ok" })),
      link: { request: () => Promise.reject(notStartedError), isUp: () => true, callTimeoutMs: 30_000 },
      refusal: () => undefined,
      pins: createSessionPins(),
    });
    tools.apply({ tools: Object.entries(locked.tools).map(([name, tool]) => ({ ...tool, name })) }, {});
    // Excluded tools are not in the lock.
    const missing = tools.unmatched().filter(({ setting }) => setting !== "exclude");
    unmatched.push(...missing.map((each) => ({ ...each, server: id })));
  }
  return { unknown, unmatched };
};

const notStartedError = new Error("The server is not started.");

const readLockOf = async (mcp: HaftOptions["mcp"]): Promise<Lock | undefined> => {
  if (typeof mcp?.lock !== "string") return undefined;
  const lock = await readLockFile(mcp.lock);
  if (ToolError.is(lock)) throw lock;
  return lock;
};
