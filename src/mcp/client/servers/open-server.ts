import * as Effect from "effect/Effect";
import { startTimer } from "../../../pipeline/layers/waiting/timer.ts";
import { MCPConnectionError, ToolError, toError } from "../../../types/errors.ts";
import type { McpSession, McpSessionServices, NamedMcpServer } from "../../../types/mcp.ts";
import type { Principal } from "../../../types/principal.ts";
import { errorReason, type McpServersServices, serverFactsOf } from "./servers-services.ts";

export interface OpenServerOptions {
  readonly server: NamedMcpServer;
  readonly services: McpServersServices;
  readonly principal: Principal | undefined;
  readonly withinMs: number;
  /** Called before the fiber can be interrupted. */
  readonly onOpen: (session: McpSession) => void;
}

/** `openSession` times out by itself with a better error. */
const openGraceMs = 250;

/** A session that opens too late is closed. */
export const openServerWithin = (options: OpenServerOptions): Effect.Effect<McpSession, ToolError> => {
  const { server, withinMs, onOpen } = options;
  return Effect.callback<McpSession, ToolError>((resume, signal) => {
    openServerSession(options, signal).then(
      (session) => {
        if (signal.aborted) {
          void closeQuietly(session);
          return;
        }
        onOpen(session);
        resume(Effect.succeed(session));
      },
      (error: unknown) => resume(Effect.fail(toToolError(error, server))),
    );
  }).pipe(
    Effect.timeoutOrElse({
      duration: withinMs + openGraceMs,
      orElse: () => Effect.fail(serverTimeoutError(server, "did not finish its handshake", withinMs)),
    }),
  );
};

const openServerSession = async (
  { server, services, principal }: OpenServerOptions,
  signal: AbortSignal,
): Promise<McpSession> => {
  const { sharedSession, config } = services;
  const open = services.open ?? (await import("../open-session.ts")).openSession;
  const { onStderr, ...sessionServices } = sharedSession;
  return open(server, {
    ...sessionServices,
    principal,
    connectTimeoutMs: server.connectTimeoutMs ?? config.connectionTimeoutMs,
    callTimeoutMs: server.callTimeoutMs ?? config.requestTimeoutMs,
    protocolVersion: config.protocolVersion,
    signal,
    ...(onStderr === undefined ? {} : { onStderr: (line: string) => onStderr(line, server.id) }),
  } satisfies McpSessionServices);
};

const maxCloseMs = 10_000;

/** Bounded, so that one server cannot delay closing the others. */
export const closeSessionWithin = (session: McpSession): Effect.Effect<void> =>
  Effect.withFiber((fiber) =>
    Effect.callback<void>((resume) => {
      const timer = startTimer(fiber, maxCloseMs, () => resume(Effect.void));
      closeQuietly(session).then(() => {
        timer.cancel();
        resume(Effect.void);
      });
    }),
  );

export const closeQuietly = async (session: McpSession): Promise<void> => {
  try {
    await session.close();
  } catch {}
};

export const serverTimeoutError = (
  server: NamedMcpServer,
  what: string,
  millis: number,
): MCPConnectionError =>
  new MCPConnectionError("mcp_unreachable", `The MCP server "${server.id}" ${what} within ${millis} ms.`, {
    ran: false,
    ...serverFactsOf(server),
    timeoutMs: millis,
  });

export const toToolError = (error: unknown, server: NamedMcpServer): ToolError =>
  ToolError.is(error)
    ? withServerFacts(error, server)
    : new MCPConnectionError(
        "mcp_unreachable",
        `The MCP server "${server.id}" cannot be reached: ${errorReason(error)}.`,
        { ran: false, cause: error, ...serverFactsOf(server) },
      );

/** Sign-in and network errors name no server. */
const withServerFacts = (error: ToolError, server: NamedMcpServer): ToolError =>
  error.serverName !== undefined && error.transport !== undefined
    ? error
    : toError({ ...serverFactsOf(server), ...error.failure });
