import * as Clock from "effect/Clock";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Scope from "effect/Scope";
import * as Semaphore from "effect/Semaphore";
import { hashJson } from "../../json/hash.ts";
import { ConfigurationError, ToolCancelledError, type ToolError } from "../../words/errors.ts";
import type { McpServerState, McpSession, NamedServer, SessionNews } from "../../words/mcp.ts";
import type { Principal } from "../../words/principal.ts";
import { launchOf } from "../lock/launch.ts";
import { readServer } from "./read-server.ts";
import { awaited } from "./servers/life/idle-clock.ts";
import { down, type Life } from "./servers/life/life.ts";
import { live } from "./servers/life/live.ts";
import { relist } from "./servers/life/relisting.ts";
import { wakeSignal } from "./servers/life/wake-signal.ts";
import { missingTool } from "./servers/missing-tool.ts";
import { toToolError } from "./servers/opening.ts";
import { type ServedUpstream, toServed } from "./servers/served-upstream.ts";
import type { NewsListener, ServersServices } from "./servers/servers-services.ts";
import { type SessionPins, sessionPins } from "./servers/tools/session-pins.ts";
import { newUpstream, toState, type Upstream } from "./servers/upstream.ts";
import type { Companion } from "./to-tool/companions.ts";

export interface ConnectOptions {
  /** A server that cannot be reached at first stays, and is tried again every now and then. */
  readonly keepTrying?: boolean;
}

/** Many servers, each with a life of its own: none waits for another. */
export interface McpServersService {
  /** Fails where the id is taken, or the server cannot be reached in its time and is not to be kept. */
  readonly connect: (
    server: NamedServer,
    options?: ConnectOptions,
  ) => Effect.Effect<McpServerState, ToolError>;
  /** All at once. Answers when each is up or has had its time; those that are not up stay in the list, and say why. */
  readonly connectAll: (
    servers: readonly NamedServer[],
    options?: ConnectOptions,
  ) => Effect.Effect<readonly McpServerState[]>;
  /**
   * Its tools leave, and whatever was started for it ends. It stays in the list as disconnected, until it is connected
   * again or removed. False where there is no such server.
   */
  readonly disconnect: (id: string) => Effect.Effect<boolean>;
  /** Disconnects it where it is connected, and takes it out of the list. False where it was in none. */
  readonly remove: (id: string) => Effect.Effect<boolean>;
  readonly list: () => readonly McpServerState[];
  /** The connection that all share, while it is up. */
  readonly session: (id: string) => McpSession | undefined;
  /** Full names of the tools of ours that read its resources, fetch its prompts and complete their arguments. */
  readonly companions: (id: string) => Readonly<Partial<Record<Companion, string>>>;
  /** Those that are up, as this caller may use them; servers with a connection for each caller need to know which. */
  readonly served: (principal?: Principal) => readonly ServedUpstream[];
  /** Lists its tools again now; a server that is away is tried at once. */
  readonly refresh: (id: string) => Effect.Effect<McpServerState, ToolError>;
  /** Judges all tools again, for a lockfile that has changed. */
  readonly review: () => Effect.Effect<void>;
  readonly onNews: (listener: NewsListener) => () => void;
}

const sweepMs = 60_000;

interface RunningServer {
  readonly life: Life;
  readonly scope: Scope.Closeable;
}

/** Closing the scope disconnects all of them at once. */
export const mcpServers = (services: ServersServices): Effect.Effect<McpServersService, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock;
    const context = yield* Effect.context<never>();
    const kept = new Map<string, RunningServer>();
    /** Those that were disconnected on purpose. */
    const left = new Map<string, Upstream>();
    const pins = new Map<string, SessionPins>();
    const listeners = new Set<NewsListener>();
    const random = services.random ?? Math.random;
    let isOver = false;

    const tell = (news: SessionNews, serverId: string): void => {
      for (const listener of listeners) {
        try {
          listener(news, serverId);
        } catch {}
      }
    };

    /** What a server has shown counts as long as this process runs, also where it is disconnected in between. */
    const pinsOf = (server: NamedServer): SessionPins => {
      const who = hashJson([server.id, launchOf(server)]);
      const known = pins.get(who) ?? sessionPins();
      pins.set(who, known);
      return known;
    };

    /** By the time of whoever opened all of this, whoever connects a server. */
    const timed = <A>(effect: Effect.Effect<A>): Effect.Effect<A> =>
      Effect.provideService(effect, Clock.Clock, clock);

    /** Takes the id before anything else can. */
    const reserve = (given: NamedServer, keepTrying: boolean): Effect.Effect<Life, ToolError> =>
      Effect.try({
        try: () => {
          const server = readServer(given.id, given);
          const { id } = server;
          if (isOver) throw givenUp(id);
          if (kept.has(id)) throw taken(id);
          const life: Life = {
            upstream: newUpstream(server, { ...services, clock, context, pins: pinsOf(server) }),
            services,
            random,
            keepTrying,
            started: Deferred.makeUnsafe(),
            again: wakeSignal(),
            lists: Semaphore.makeUnsafe(1),
            tell: (news) => tell(news, id),
          };
          left.delete(id);
          kept.set(id, { life, scope: Scope.makeUnsafe("parallel") });
          return life;
        },
        catch: (error) => toToolError(error, given),
      });

    const start = (given: NamedServer, { keepTrying = false }: ConnectOptions = {}) =>
      Effect.gen(function* () {
        const life = yield* reserve(given, keepTrying);
        const { server, parties } = life.upstream;
        const { scope } = kept.get(server.id) as RunningServer;
        if (parties !== undefined) {
          yield* Scope.addFinalizer(scope, Effect.promise(parties.close));
          const sweeping = Effect.forever(Effect.andThen(Effect.sleep(sweepMs), Effect.sync(parties.sweep)));
          yield* Effect.forkIn(timed(sweeping), scope);
        }
        if (server.disabled !== true)
          yield* Effect.forkIn(timed(live(life)), scope, { startImmediately: true });
        else {
          life.upstream.status = "disconnected";
          life.upstream.reason = "it is disabled in the configuration";
          Deferred.doneUnsafe(life.started, Effect.fail(disabled(server)));
        }
        return life;
      }).pipe(Effect.uninterruptible);

    /** Its tools are gone before anything is waited for. */
    const stop = (id: string): Effect.Effect<boolean> =>
      Effect.suspend(() => {
        const found = kept.get(id);
        if (found === undefined) return Effect.succeed(false);
        kept.delete(id);
        const { life, scope } = found;
        const { session, tools } = life.upstream;
        if (session !== undefined) down(life, session, "it was disconnected by its operator");
        tools.clear();
        Deferred.doneUnsafe(life.started, Effect.fail(givenUp(id)));
        return Effect.as(Scope.close(scope, Exit.void), true);
      });

    const disconnect = (id: string): Effect.Effect<boolean> =>
      Effect.suspend(() => {
        const upstream = kept.get(id)?.life.upstream;
        if (upstream === undefined) return Effect.succeed(false);
        const leave = (): void => {
          if (kept.has(id)) return;
          left.set(id, upstream);
          upstream.status = "disconnected";
          upstream.reason = "it was disconnected by its operator";
          upstream.nextTryAt = undefined;
        };
        return Effect.tap(stop(id), () => Effect.sync(leave));
      });

    const connect = (given: NamedServer, options: ConnectOptions = {}) =>
      Effect.gen(function* () {
        const life = yield* start(given, options);
        const { upstream } = life;
        const isKept = options.keepTrying === true;
        const mine = Effect.suspend(() => (kept.get(given.id)?.life === life ? stop(given.id) : Effect.void));
        const exit = yield* awaited(Effect.exit(Deferred.await(life.started))).pipe(
          Effect.onInterrupt(() => (isKept ? Effect.void : mine)),
        );
        if (Exit.isSuccess(exit) || (isKept && kept.get(given.id)?.life === life)) return toState(upstream);
        yield* mine;
        return yield* Effect.failCause(exit.cause);
      });

    const connectOne = (given: NamedServer, options: ConnectOptions | undefined) =>
      Effect.gen(function* () {
        const life = yield* start(given, options);
        yield* awaited(Effect.exit(Deferred.await(life.started)));
        return toState(life.upstream);
      }).pipe(Effect.catch((error) => Effect.succeed(unusable(given, error))));

    const stopExplaining = services.registry.explainMissing((name) =>
      missingTool(name, (id) => kept.get(id)?.life.upstream, clock.currentTimeMillisUnsafe()),
    );
    yield* Effect.addFinalizer(() => {
      isOver = true;
      stopExplaining();
      return Effect.forEach([...kept.keys()], stop, { concurrency: "unbounded", discard: true });
    });

    return {
      connect,
      connectAll: (servers, options) =>
        Effect.forEach(servers, (server) => connectOne(server, options), { concurrency: "unbounded" }),
      disconnect,
      remove: (id) =>
        Effect.map(stop(id), (wasKept) => {
          const wasLeft = left.delete(id);
          return wasKept || wasLeft;
        }),
      list: () =>
        Object.freeze(
          [...[...kept.values()].map(({ life }) => life.upstream), ...left.values()].map(toState),
        ),
      session: (id) => kept.get(id)?.life.upstream.session,
      companions: (id) => kept.get(id)?.life.upstream.tools.companions() ?? {},
      served: (principal) => [...kept.values()].flatMap(({ life }) => toServed(life.upstream, principal)),
      refresh: (id) =>
        Effect.gen(function* () {
          const found = kept.get(id);
          if (found === undefined) return yield* Effect.fail(unknown(id));
          const { upstream, again } = found.life;
          if (upstream.session === undefined) again.ring();
          else yield* relist(found.life, upstream.session);
          return toState(upstream);
        }),
      review: () =>
        Effect.sync(() => {
          for (const { life } of kept.values()) {
            if (life.upstream.tools.review()) life.tell({ kind: "tools-changed" });
          }
        }),
      onNews: (listener) => {
        listeners.add(listener);
        return () => {
          listeners.delete(listener);
        };
      },
    } satisfies McpServersService;
  });

const taken = (id: string): ConfigurationError =>
  new ConfigurationError(
    "invalid_config",
    `There is an MCP server "${id}" already. Disconnect it first, or give the new one another id.`,
  );

const unknown = (id: string): ConfigurationError =>
  new ConfigurationError("invalid_config", `There is no MCP server "${id}".`);

const disabled = ({ id }: NamedServer): ConfigurationError =>
  new ConfigurationError("invalid_config", `The MCP server "${id}" is disabled in the configuration.`);

const givenUp = (id: string): ToolCancelledError =>
  new ToolCancelledError("cancelled", `The MCP server "${id}" was disconnected before it was ready.`, {
    ran: false,
  });

/** The answer for a configuration that never became a server. */
const unusable = ({ id }: NamedServer, { failure }: ToolError): McpServerState =>
  Object.freeze({
    id,
    status: "error",
    reason: failure.message,
    transport: "stdio",
    tools: [],
    quarantined: [],
    reconnects: 0,
  });
