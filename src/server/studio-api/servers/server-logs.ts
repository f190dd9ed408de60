import type { Shared } from "../../runtime/shared.ts";
import type { ServerLogLine } from "../words/servers.ts";

const mostLines = 200;
const longestLine = 2_000;

/** The newest lines about each MCP server, as long as the Studio is open. */
export interface ServerLogs {
  readonly of: (serverId: string) => readonly ServerLogLine[];
  /** Says what somebody did with it here. */
  readonly note: (serverId: string, text: string) => void;
  readonly onLine: (listener: (serverId: string) => void) => () => void;
  readonly close: () => void;
}

export const serverLogs = (shared: Shared, mask: (text: string) => string, now: () => number): ServerLogs => {
  const lines = new Map<string, ServerLogLine[]>();
  const listeners = new Set<(serverId: string) => void>();
  const note = (serverId: string, kind: ServerLogLine["kind"], text: string, at = now()): void => {
    const kept = lines.get(serverId) ?? [];
    kept.push({ at, kind, text: mask(text).slice(0, longestLine).toWellFormed() });
    if (kept.length > mostLines) kept.shift();
    lines.set(serverId, kept);
    for (const listener of listeners) listener(serverId);
  };
  const closers = [
    shared.events.on("tools.mcp-connected", ({ serverName, tools }) =>
      note(serverName, "connected", connectedWords(tools)),
    ),
    shared.events.on("tools.mcp-disconnected", ({ serverName, reason = "disconnected" }) =>
      note(serverName, "disconnected", reason),
    ),
  ];
  // Most connect while the runtime opens, before anybody can listen.
  for (const { id, connectedAt, tools } of shared.mcp.list()) {
    if (connectedAt !== undefined) note(id, "connected", connectedWords(tools), connectedAt);
  }
  // Without servers nothing is opened for them.
  if (shared.mcp.list().length > 0) {
    void shared.mcp.open().then((services) => {
      closers.push(
        services.onStderr((line, serverId) => note(serverId, "logged", line)),
        services.servers.onNews((news, serverId) => {
          if (news.kind === "logged") note(serverId, "logged", JSON.stringify(news.message));
          if (news.kind === "trouble") note(serverId, "trouble", news.message);
          if (news.kind === "closed") note(serverId, "disconnected", news.reason);
        }),
      );
    });
  }
  return {
    of: (serverId) => lines.get(serverId) ?? [],
    note: (serverId, text) => note(serverId, "logged", text),
    onLine: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: () => {
      for (const close of closers) close();
    },
  };
};

const connectedWords = ({ length }: readonly unknown[]): string =>
  `connected with ${length} ${length === 1 ? "tool" : "tools"}`;
