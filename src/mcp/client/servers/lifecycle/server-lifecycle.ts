import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import type { Semaphore } from "effect/Semaphore";
import type { ToolError } from "../../../../types/errors.ts";
import type { McpSession, McpSessionNotification } from "../../../../types/mcp.ts";
import { sanitizeUntrustedText } from "../../transport/sanitize-foreign-text.ts";
import type { McpServersServices } from "../servers-services.ts";
import type { Upstream } from "../upstream.ts";
import type { WakeSignal } from "./wake-signal.ts";

export interface ServerLifecycle {
  readonly upstream: Upstream;
  readonly services: McpServersServices;
  readonly random: () => number;
  readonly keepTrying: boolean;
  readonly started: Deferred.Deferred<void, ToolError>;
  /** Wakes the reconnect loop early. */
  readonly retrySignal: WakeSignal;
  readonly listSemaphore: Semaphore;
  readonly notify: (news: McpSessionNotification) => void;
}

export const markConnected = (lifecycle: ServerLifecycle, session: McpSession, now: number): void => {
  const { upstream, services, started, notify: tell } = lifecycle;
  upstream.session = session;
  upstream.status = "connected";
  upstream.reason = undefined;
  upstream.degradedReason = undefined;
  upstream.connectedAt = now;
  upstream.connections++;
  services.events.emit("tools.mcp-connected", {
    serverName: upstream.server.id,
    tools: upstream.tools.names(),
  });
  tell({ kind: "tools-changed" });
  // Waiters may resume synchronously, so this comes last.
  Deferred.doneUnsafe(started, Effect.void);
};

/** Synchronous, so that the next call is not sent to a closed session. */
export const markDisconnected = (
  { upstream, services, notify: tell }: ServerLifecycle,
  session: McpSession,
  why: string,
): void => {
  if (upstream.session !== session) return;
  const reason = sanitizeUntrustedText(why);
  upstream.session = undefined;
  upstream.status = "disconnected";
  upstream.reason = reason;
  upstream.connectedAt = undefined;
  services.events.emit("tools.mcp-disconnected", { serverName: upstream.server.id, reason });
  tell({ kind: "tools-changed" });
};
