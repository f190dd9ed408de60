import * as Clock from "effect/Clock";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Scope from "effect/Scope";
import * as Semaphore from "effect/Semaphore";
import { hashJson } from "../../base/json/canonical-json.ts";
import { ConfigurationError, ToolCancelledError, type ToolError } from "../../types/errors.ts";
import type { McpServerState, McpSession, McpSessionNotification, NamedMcpServer } from "../../types/mcp.ts";
import type { Principal } from "../../types/principal.ts";
import { launchOf } from "../lock/launch.ts";
import { readServer } from "./read-server.ts";
import { toUsableUpstreams, type UsableUpstream } from "./servers/caller-sessions.ts";
import { keepConnected, relistTools } from "./servers/lifecycle/keep-connected.ts";
import {
  createWakeSignal,
  keepProcessAlive,
  markDisconnected,
  type ServerLifecycle,
} from "./servers/lifecycle/server-lifecycle.ts";
import { explainMissingServerTool } from "./servers/missing-tool.ts";
import { toToolError } from "./servers/open-server.ts";
import type { McpNotificationListener, McpServersServices } from "./servers/servers-services.ts";
import { createSessionPins, type SessionPins } from "./servers/tools/check-tool-list.ts";
import { createUpstream, toServerState, type Upstream } from "./servers/upstream.ts";
import type { ServerFeatureTool } from "./to-tool/companions.ts";

export interface McpConnectOptions {
  /** Keeps and retries a server that cannot be reached at first. */
  readonly keepTrying?: boolean;
}

export interface McpServersService {
  /** Fails if the id is taken, or if the first attempt fails without `keepTrying`. */
  readonly connect: (
    server: NamedMcpServer,
    options?: McpConnectOptions,
  ) => Effect.Effect<McpServerState, ToolError>;
  /** A server that does not connect in time stays in the list with a reason. */
  readonly connectAll: (
    servers: readonly NamedMcpServer[],
    options?: McpConnectOptions,
  ) => Effect.Effect<readonly McpServerState[]>;
  /**
   * Removes the server's tools and ends its processes; the server stays in the list. Returns false for an
   * unknown id.
   */
  readonly disconnect: (id: string) => Effect.Effect<boolean>;
  readonly remove: (id: string) => Effect.Effect<boolean>;
  readonly list: () => readonly McpServerState[];
  readonly session: (id: string) => McpSession | undefined;
  /** Names of the local tools for resources, prompts and argument completion. */
  readonly companions: (id: string) => Readonly<Partial<Record<ServerFeatureTool, string>>>;
  /** Servers with a connection per caller need the principal. */
  readonly usableUpstreams: (principal?: Principal) => readonly UsableUpstream[];
  /** A disconnected server is retried at once. */
  readonly refresh: (id: string) => Effect.Effect<McpServerState, ToolError>;
  readonly review: () => Effect.Effect<void>;
  readonly onNotification: (listener: McpNotificationListener) => () => void;
}

const sweepMs = 60_000;

interface RunningServer {
  readonly lifecycle: ServerLifecycle;
  readonly scope: Scope.Closeable;
}

/** Closing the scope disconnects all servers concurrently. */
export const openMcpServers = (
  services: McpServersServices,
): Effect.Effect<McpServersService, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock;
    const context = yield* Effect.context<never>();
    const running = new Map<string, RunningServer>();
    const disconnected = new Map<string, Upstream>();
    const pins = new Map<string, SessionPins>();
    const listeners = new Set<McpNotificationListener>();
    const random = services.random ?? Math.random;
    let isClosed = false;

    const notify = (news: McpSessionNotification, serverId: string): void => {
      for (const listener of listeners) {
        try {
          listener(news, serverId);
        } catch {}
      }
    };

    /** Pins last as long as the process, also across disconnects. */
    const sessionPinsOf = (server: NamedMcpServer): SessionPins => {
      const requireServer = hashJson([server.id, launchOf(server)]);
      const known = pins.get(requireServer) ?? createSessionPins();
      pins.set(requireServer, known);
      return known;
    };

    const withClock = <A>(effect: Effect.Effect<A>): Effect.Effect<A> =>
      Effect.provideService(effect, Clock.Clock, clock);

    const reserveId = (
      given: NamedMcpServer,
      keepTrying: boolean,
    ): Effect.Effect<ServerLifecycle, ToolError> =>
      Effect.try({
        try: () => {
          const server = readServer(given.id, given);
          const { id } = server;
          if (isClosed) throw connectCancelledError(id);
          if (running.has(id)) throw idTakenError(id);
          const lifecycle: ServerLifecycle = {
            upstream: createUpstream(server, { ...services, clock, context, pins: sessionPinsOf(server) }),
            services,
            random,
            keepTrying,
            started: Deferred.makeUnsafe(),
            retrySignal: createWakeSignal(),
            listSemaphore: Semaphore.makeUnsafe(1),
            notify: (news) => notify(news, id),
          };
          disconnected.delete(id);
          running.set(id, { lifecycle: lifecycle, scope: Scope.makeUnsafe("parallel") });
          return lifecycle;
        },
        catch: (error) => toToolError(error, given),
      });

    const start = (given: NamedMcpServer, { keepTrying = false }: McpConnectOptions = {}) =>
      Effect.gen(function* () {
        const lifecycle = yield* reserveId(given, keepTrying);
        const { server, callerSessions } = lifecycle.upstream;
        const { scope } = running.get(server.id) as RunningServer;
        if (callerSessions !== undefined) {
          yield* Scope.addFinalizer(scope, Effect.promise(callerSessions.close));
          const cleanUpIdle = Effect.forever(
            Effect.andThen(Effect.sleep(sweepMs), Effect.sync(callerSessions.closeIdle)),
          );
          yield* Effect.forkIn(withClock(cleanUpIdle), scope);
        }
        if (server.disabled !== true)
          yield* Effect.forkIn(withClock(keepConnected(lifecycle)), scope, { startImmediately: true });
        else {
          lifecycle.upstream.status = "disconnected";
          lifecycle.upstream.reason = "it is disabled in the configuration";
          Deferred.doneUnsafe(lifecycle.started, Effect.fail(serverDisabledError(server)));
        }
        return lifecycle;
      }).pipe(Effect.uninterruptible);

    /** Removes the tools before it waits for the scope to close. */
    const stop = (id: string): Effect.Effect<boolean> =>
      Effect.suspend(() => {
        const found = running.get(id);
        if (found === undefined) return Effect.succeed(false);
        running.delete(id);
        const { lifecycle, scope } = found;
        const { session, tools } = lifecycle.upstream;
        if (session !== undefined)
          markDisconnected(lifecycle, session, "it was disconnected by its operator");
        tools.clear();
        Deferred.doneUnsafe(lifecycle.started, Effect.fail(connectCancelledError(id)));
        return Effect.as(Scope.close(scope, Exit.void), true);
      });

    const disconnect = (id: string): Effect.Effect<boolean> =>
      Effect.suspend(() => {
        const upstream = running.get(id)?.lifecycle.upstream;
        if (upstream === undefined) return Effect.succeed(false);
        const leave = (): void => {
          if (running.has(id)) return;
          disconnected.set(id, upstream);
          upstream.status = "disconnected";
          upstream.reason = "it was disconnected by its operator";
          upstream.nextTryAt = undefined;
        };
        return Effect.tap(stop(id), () => Effect.sync(leave));
      });

    const connect = (given: NamedMcpServer, options: McpConnectOptions = {}) =>
      Effect.gen(function* () {
        const lifecycle = yield* start(given, options);
        const { upstream } = lifecycle;
        const isRunning = options.keepTrying === true;
        const ownServer = Effect.suspend(() =>
          running.get(given.id)?.lifecycle === lifecycle ? stop(given.id) : Effect.void,
        );
        const exit = yield* keepProcessAlive(Effect.exit(Deferred.await(lifecycle.started))).pipe(
          Effect.onInterrupt(() => (isRunning ? Effect.void : ownServer)),
        );
        if (Exit.isSuccess(exit) || (isRunning && running.get(given.id)?.lifecycle === lifecycle))
          return toServerState(upstream);
        yield* ownServer;
        return yield* Effect.failCause(exit.cause);
      });

    const connectOne = (given: NamedMcpServer, options: McpConnectOptions | undefined) =>
      Effect.gen(function* () {
        const lifecycle = yield* start(given, options);
        yield* keepProcessAlive(Effect.exit(Deferred.await(lifecycle.started)));
        return toServerState(lifecycle.upstream);
      }).pipe(Effect.catch((error) => Effect.succeed(invalidServerState(given, error))));

    const stopExplaining = services.registry.explainMissing((name) =>
      explainMissingServerTool(
        name,
        (id) => running.get(id)?.lifecycle.upstream,
        clock.currentTimeMillisUnsafe(),
      ),
    );
    yield* Effect.addFinalizer(() => {
      isClosed = true;
      stopExplaining();
      return Effect.forEach([...running.keys()], stop, { concurrency: "unbounded", discard: true });
    });

    return {
      connect,
      connectAll: (servers, options) =>
        Effect.forEach(servers, (server) => connectOne(server, options), { concurrency: "unbounded" }),
      disconnect,
      remove: (id) =>
        Effect.map(stop(id), (wasKept) => {
          const wasDisconnected = disconnected.delete(id);
          return wasKept || wasDisconnected;
        }),
      list: () =>
        Object.freeze(
          [...[...running.values()].map(({ lifecycle }) => lifecycle.upstream), ...disconnected.values()].map(
            toServerState,
          ),
        ),
      session: (id) => running.get(id)?.lifecycle.upstream.session,
      companions: (id) => running.get(id)?.lifecycle.upstream.tools.companions() ?? {},
      usableUpstreams: (principal) =>
        [...running.values()].flatMap(({ lifecycle }) => toUsableUpstreams(lifecycle.upstream, principal)),
      refresh: (id) =>
        Effect.gen(function* () {
          const found = running.get(id);
          if (found === undefined) return yield* Effect.fail(unknownServerError(id));
          const { upstream, retrySignal } = found.lifecycle;
          if (upstream.session === undefined) retrySignal.notify();
          else yield* relistTools(found.lifecycle, upstream.session);
          return toServerState(upstream);
        }),
      review: () =>
        Effect.sync(() => {
          for (const { lifecycle } of running.values()) {
            if (lifecycle.upstream.tools.review()) lifecycle.notify({ kind: "tools-changed" });
          }
        }),
      onNotification: (listener) => {
        listeners.add(listener);
        return () => {
          listeners.delete(listener);
        };
      },
    } satisfies McpServersService;
  });

const idTakenError = (id: string): ConfigurationError =>
  new ConfigurationError(
    "invalid_config",
    `An MCP server "${id}" is already connected. Disconnect it first, or use another id.`,
  );

const unknownServerError = (id: string): ConfigurationError =>
  new ConfigurationError("invalid_config", `Unknown MCP server "${id}".`);

const serverDisabledError = ({ id }: NamedMcpServer): ConfigurationError =>
  new ConfigurationError("invalid_config", `The MCP server "${id}" is disabled in the configuration.`);

const connectCancelledError = (id: string): ToolCancelledError =>
  new ToolCancelledError("cancelled", `The MCP server "${id}" was disconnected before it was ready.`, {
    ran: false,
  });

const invalidServerState = ({ id }: NamedMcpServer, { failure }: ToolError): McpServerState =>
  Object.freeze({
    id,
    status: "error",
    reason: failure.message,
    transport: "stdio",
    tools: [],
    quarantined: [],
    reconnects: 0,
  });
