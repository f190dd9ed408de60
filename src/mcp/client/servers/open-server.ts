import * as Effect from "effect/Effect";
import { startTimer } from "../../../layers/waiting/timer.ts";
import { MCPConnectionError, ToolError } from "../../../words/errors.ts";
import type { McpSession, NamedServer, SessionServices } from "../../../words/mcp.ts";
import type { Principal } from "../../../words/principal.ts";
import { reasonOf } from "./reason-of.ts";
import { factsOf } from "./server-facts.ts";
import type { ServersServices } from "./servers-services.ts";

export interface ServerOpening {
  readonly server: NamedServer;
  readonly services: ServersServices;
  readonly principal: Principal | undefined;
  readonly withinMs: number;
  /** Is told of the session before anybody can be interrupted between having it and keeping it. */
  readonly onOpen: (session: McpSession) => void;
}

/** Whoever opens a session keeps to its time and knows better what went wrong; this is for one that does not. */
const graceMs = 250;

/** A session within its time, or a ToolError. One that comes too late is closed. */
export const openWithin = (opening: ServerOpening): Effect.Effect<McpSession, ToolError> => {
  const { server, withinMs, onOpen } = opening;
  return Effect.callback<McpSession, ToolError>((resume, signal) => {
    opened(opening, signal).then(
      (session) => {
        if (signal.aborted) {
          void closed(session);
          return;
        }
        onOpen(session);
        resume(Effect.succeed(session));
      },
      (error: unknown) => resume(Effect.fail(toToolError(error, server))),
    );
  }).pipe(
    Effect.timeoutOrElse({
      duration: withinMs + graceMs,
      orElse: () => Effect.fail(slow(server, "did not finish its handshake", withinMs)),
    }),
  );
};

/** Async, so that what throws at once rejects like everything else. */
const opened = async (
  { server, services, principal }: ServerOpening,
  signal: AbortSignal,
): Promise<McpSession> => {
  const { sessionHouse, config } = services;
  const open = services.open ?? (await import("../open-session.ts")).openSession;
  const { onStderr, ...parts } = sessionHouse;
  return open(server, {
    ...parts,
    principal,
    connectTimeoutMs: server.connectTimeoutMs ?? config.connectionTimeoutMs,
    callTimeoutMs: server.callTimeoutMs ?? config.requestTimeoutMs,
    signal,
    ...(onStderr === undefined ? {} : { onStderr: (line: string) => onStderr(line, server.id) }),
  } satisfies SessionServices);
};

const closingMs = 10_000;

/** Waits for the session to end, but not forever: whoever closes it has others to close. */
export const closing = (session: McpSession): Effect.Effect<void> =>
  Effect.withFiber((fiber) =>
    Effect.callback<void>((resume) => {
      const timer = startTimer(fiber, closingMs, () => resume(Effect.void));
      closed(session).then(() => {
        timer.cancel();
        resume(Effect.void);
      });
    }),
  );

/** Sessions say that closing never fails; one that breaks its word breaks nothing else. */
export const closed = async (session: McpSession): Promise<void> => {
  try {
    await session.close();
  } catch {}
};

export const slow = (server: NamedServer, what: string, millis: number): MCPConnectionError =>
  new MCPConnectionError("mcp_unreachable", `The MCP server "${server.id}" ${what} within ${millis} ms.`, {
    ran: false,
    ...factsOf(server),
    timeoutMs: millis,
  });

export const toToolError = (error: unknown, server: NamedServer): ToolError =>
  ToolError.is(error)
    ? error
    : new MCPConnectionError(
        "mcp_unreachable",
        `The MCP server "${server.id}" cannot be reached: ${reasonOf(error)}.`,
        { ran: false, cause: error, ...factsOf(server) },
      );
