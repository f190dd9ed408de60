import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import * as Scope from "effect/Scope";
import { Credentials } from "../base/credentials/credentials.ts";
import { memoryTokenStore } from "../base/credentials/oauth/token-store.ts";
import { openOnce } from "../base/credentials/open-once.ts";
import { createReadResultTool } from "../mcp/client/content/read-result-tool.ts";
import { openFileTruncator, type TruncateToFileOptions } from "../mcp/client/content/truncate-to-file.ts";
import { type McpServersService, openMcpServers } from "../mcp/client/mcp-servers.ts";
import { readServer } from "../mcp/client/read-server.ts";
import { createIdleClock } from "../mcp/client/servers/lifecycle/server-lifecycle.ts";
import { openLockFile } from "../mcp/lock/lock-file.ts";
import { Registry } from "../registry/tool-registry.ts";
import { ConfigurationError, DefinitionChangedError } from "../types/errors.ts";
import { Events } from "../types/event.ts";
import { isStdioServer, type McpServerState, type NamedMcpServer, type RemoteServer } from "../types/mcp.ts";
import type { Principal } from "../types/principal.ts";
import { Configuration } from "./configuration.ts";
import type { McpOptions } from "./mcp-options.ts";
import { secretRevealer } from "./secret-revealer.ts";
import type { ToolServices } from "./tool-runtime-layer.ts";

export interface McpServices {
  readonly servers: McpServersService;
  readonly connect: (server: NamedMcpServer) => Promise<McpServerState>;
  readonly disconnect: (id: string) => Promise<boolean>;
  readonly remove: (id: string) => Promise<boolean>;
  readonly list: () => readonly McpServerState[];
  readonly configured: readonly NamedMcpServer[];
  readonly lock: string | false;
  /** Resolves when every configured server has connected or failed once. */
  readonly whenTried: Promise<unknown>;
  /** Subscribes to standard error of the started servers, line by line. */
  readonly onStderr: (listener: (line: string, serverId: string) => void) => () => void;
  /** The answer is the full redirect URL. */
  readonly beginSignIn: (id: string, principal?: Principal) => Promise<{ readonly url: string }>;
  readonly finishSignIn: (id: string, answer: string, principal?: Principal) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Connects all servers, and waits for them up to `waitMs`. */
export const openMcpServices = async (
  services: Context.Context<ToolServices>,
  options: McpOptions = {},
  principal?: Principal,
): Promise<McpServices> => {
  // All configurations are validated before any server starts.
  const configuredServers = Object.entries(options.servers ?? {}).map(([id, server]) =>
    readServer(id, server),
  );
  const { mcp: config, limits } = Context.get(services, Configuration);
  const registry = Context.get(services, Registry);
  const credentials = Context.get(services, Credentials);
  const lockPath = options.lock ?? "haft.lock";
  const lock = openLockFile(lockPath);
  const resultFiles =
    options.truncateToFile === false
      ? undefined
      : openFileTruncator(truncationOptions(options.truncateToFile));
  const reveal = secretRevealer(credentials);
  const refusalReason = (server: NamedMcpServer): string | undefined => {
    const right = lock.checkStart(server);
    return right.ok ? options.refuse?.(server) : right.reason;
  };
  const requirePermitted = (server: NamedMcpServer): NamedMcpServer => {
    const reason = refusalReason(server);
    if (reason === undefined) return server;
    const message = `The MCP server "${server.id}" is not available. An operator must review it first.`;
    throw new DefinitionChangedError("definition_changed", message, { ran: false, detail: reason });
  };
  const closers: (() => void)[] = [];
  const stderrListeners = new Set<(line: string, serverId: string) => void>();
  // Loaded on demand: the protocol client and OAuth.
  const client = openOnce(async () => {
    const [{ openSession }, { createMcpAuthorizations: mcpAuthorization }] = await Promise.all([
      import("../mcp/client/open-session.ts"),
      import("../mcp/client/auth/mcp-authorization.ts"),
    ]);
    const authorizations = mcpAuthorization({
      store: options.tokens ?? memoryTokenStore(),
      reveal,
      known: { add: credentials.learn },
      ...(options.onSignIn === undefined ? {} : { onSignIn: options.onSignIn }),
      ...(options.allow === undefined ? {} : { guard: { allow: options.allow } }),
    });
    closers.push(authorizations.close);
    return { openSession, ...authorizations };
  });
  const scope = Effect.runSync(Scope.make());
  const servers = await Effect.runPromise(
    openMcpServers({
      registry,
      events: Context.get(services, Events),
      sharedSession: {
        reveal,
        principal,
        onStderr: (line, serverId) => {
          for (const listener of stderrListeners) listener(line, serverId);
        },
      },
      config,
      open: async (server, services) => {
        const { openSession, authorize } = await client();
        return openSession(requirePermitted(server), { ...services, authorize });
      },
      checkTools: lock.checkTools,
      checkPage: lock.checkPage,
      refusal: refusalReason,
      truncator: resultFiles,
      media: limits,
      ask: options.ask,
    }).pipe(Scope.provide(scope), Effect.updateService(Clock.Clock, createIdleClock)),
  );
  if (resultFiles !== undefined) registry.register(createReadResultTool(resultFiles));
  const unwatch = lock.watch(() => Effect.runFork(reviewAllServers(servers)));
  const enabledServers = configuredServers.filter(({ disabled }) => disabled !== true);
  // Loaded before connect timeouts start.
  if (enabledServers.length > 0) await client();
  const connecting = Effect.runFork(servers.connectAll(enabledServers, { keepTrying: true }));
  const initialConnect = Effect.runPromise(Fiber.await(connecting));
  const waitMs = options.waitMs ?? config.connectionTimeoutMs;
  await Effect.runPromise(Effect.timeoutOption(Fiber.await(connecting), waitMs));
  const findRemoteServer = (id: string): NamedMcpServer & RemoteServer => {
    const found = configuredServers.find((server) => server.id === id);
    if (found !== undefined && !isStdioServer(found)) return found;
    const why =
      found === undefined ? "is not configured" : "is a process on this machine and needs no sign-in";
    throw new ConfigurationError("invalid_config", `The server "${id}" ${why}.`);
  };
  return {
    servers,
    beginSignIn: async (id, caller = principal) => {
      const server = findRemoteServer(id);
      return (await client()).beginSignIn(server, caller);
    },
    finishSignIn: async (id, answer, caller = principal) => {
      const server = findRemoteServer(id);
      await (await client()).finishSignIn(server, caller, answer);
      await Effect.runPromise(Effect.exit(servers.refresh(id)));
    },
    connect: async (server) => {
      const configuredServers = readServer(server.id, server);
      await client();
      return Effect.runPromise(servers.connect(configuredServers));
    },
    disconnect: (id) => Effect.runPromise(servers.disconnect(id)),
    remove: (id) => Effect.runPromise(servers.remove(id)),
    list: servers.list,
    configured: configuredServers,
    lock: lockPath,
    whenTried: initialConnect,
    onStderr: (listener) => {
      stderrListeners.add(listener);
      return () => void stderrListeners.delete(listener);
    },
    close: async () => {
      unwatch();
      for (const close of closers) close();
      await Effect.runPromise(Fiber.interrupt(connecting));
      await Effect.runPromise(Scope.close(scope, Exit.void));
      await resultFiles?.close();
    },
  };
};

/** Reviews all tools again, and reconnects refused servers. */
const reviewAllServers = (servers: McpServersService): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* servers.review();
    const waiting = servers.list().filter(({ status }) => status === "error");
    yield* Effect.forEach(waiting, ({ id }) => Effect.exit(servers.refresh(id)), { discard: true });
  });

/** A folder per runtime, removed on close. */
const truncationOptions = (
  given: Exclude<McpOptions["truncateToFile"], false> = {},
): TruncateToFileOptions => ({
  directory: given.directory ?? join(tmpdir(), `haft-${randomBytes(8).toString("hex")}`),
  ...(given.overBytes === undefined ? {} : { overBytes: given.overBytes }),
});
