import type { SharedRuntime } from "../../../runtime/shared-runtime.ts";
import type { ServerLogLine } from "../types/servers.ts";

const maxLogLines = 200;
const maxLogLineLength = 2_000;

export interface ServerLogs {
  readonly of: (serverId: string) => readonly ServerLogLine[];
  readonly note: (serverId: string, text: string) => void;
  readonly onLine: (listener: (serverId: string) => void) => () => void;
  readonly close: () => void;
}

export const createServerLogs = (
  shared: SharedRuntime,
  mask: (text: string) => string,
  now: () => number,
): ServerLogs => {
  const lines = new Map<string, ServerLogLine[]>();
  const listeners = new Set<(serverId: string) => void>();
  const append = (serverId: string, kind: ServerLogLine["kind"], text: string, at = now()): void => {
    const kept = lines.get(serverId) ?? [];
    kept.push({ at, kind, text: mask(text).slice(0, maxLogLineLength).toWellFormed() });
    if (kept.length > maxLogLines) kept.shift();
    lines.set(serverId, kept);
    for (const listener of listeners) listener(serverId);
  };
  const closers = [
    shared.events.on("tools.mcp-connected", ({ serverName, tools }) =>
      append(serverName, "connected", connectedText(tools)),
    ),
    shared.events.on("tools.mcp-disconnected", ({ serverName, reason = "disconnected" }) =>
      append(serverName, "disconnected", reason),
    ),
  ];
  // Servers may already be connected.
  for (const { id, connectedAt, tools } of shared.mcp.list()) {
    if (connectedAt !== undefined) append(id, "connected", connectedText(tools), connectedAt);
  }
  // Otherwise the MCP module is not loaded.
  if (shared.mcp.list().length > 0) {
    void shared.mcp.open().then((services) => {
      closers.push(
        services.onStderr((line, serverId) => append(serverId, "logged", line)),
        services.servers.onNotification((news, serverId) => {
          if (news.kind === "logged") append(serverId, "logged", JSON.stringify(news.message));
          if (news.kind === "trouble") append(serverId, "trouble", news.message);
          if (news.kind === "closed") append(serverId, "disconnected", news.reason);
        }),
      );
    });
  }
  return {
    of: (serverId) => lines.get(serverId) ?? [],
    note: (serverId, text) => append(serverId, "logged", text),
    onLine: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: () => {
      for (const close of closers) close();
    },
  };
};

const connectedText = ({ length }: readonly unknown[]): string =>
  `connected with ${length} ${length === 1 ? "tool" : "tools"}`;
