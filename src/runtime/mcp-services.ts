import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import * as Scope from "effect/Scope";
import { Registry } from "../catalog/registry.ts";
import { Credentials } from "../credentials/credentials.ts";
import { onFirstUse } from "../credentials/on-first-use.ts";
import { memoryMcpTokens } from "../mcp/client/auth/token-store.ts";
import { readResultTool } from "../mcp/client/content/read-result-tool.ts";
import { type SpillOptions, spillOf } from "../mcp/client/content/spill.ts";
import { readServer } from "../mcp/client/read-server.ts";
import { idleClock } from "../mcp/client/servers/life/idle-clock.ts";
import { type McpServersService, mcpServers } from "../mcp/client/servers.ts";
import { type LockFile, lockFile } from "../mcp/lock/lock-file.ts";
import { ConfigurationError, DefinitionChangedError } from "../words/errors.ts";
import { Events } from "../words/event.ts";
import { isStdio, type McpServerState, type NamedServer, type RemoteServer } from "../words/mcp.ts";
import type { Principal } from "../words/principal.ts";
import { Configuration } from "./configuration.ts";
import type { ToolServices } from "./live.ts";
import type { McpOptions } from "./mcp-options.ts";
import { revealer } from "./revealer.ts";

/** The servers of one runtime, and everything that is kept for them. */
export interface McpServices {
  readonly servers: McpServersService;
  readonly connect: (server: NamedServer) => Promise<McpServerState>;
  readonly disconnect: (id: string) => Promise<boolean>;
  readonly remove: (id: string) => Promise<boolean>;
  readonly list: () => readonly McpServerState[];
  /** Servers as the configuration has them, and the lock that holds them to what was reviewed. */
  readonly configured: readonly NamedServer[];
  readonly lock: string | false;
  /** Calls back with each line that a server which was started here writes to its standard error. */
  readonly onStderr: (listener: (line: string, serverId: string) => void) => () => void;
  /** Where a person gives this caller's right at a server; the whole address the browser comes back to is the answer. */
  readonly beginSignIn: (id: string, principal?: Principal) => Promise<{ readonly url: string }>;
  readonly finishSignIn: (id: string, answer: string, principal?: Principal) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Connects to all servers at once, and waits for them as long as the options say. */
export const openMcp = async (
  services: Context.Context<ToolServices>,
  options: McpOptions = {},
  principal?: Principal,
): Promise<McpServices> => {
  // What is wrong with one of them is said before any of them is started.
  const named = Object.entries(options.servers ?? {}).map(([id, server]) => readServer(id, server));
  const { mcp: config, limits } = Context.get(services, Configuration);
  const registry = Context.get(services, Registry);
  const credentials = Context.get(services, Credentials);
  const lockPlace = options.lock ?? "haft.lock";
  const lock = lockFile(lockPlace);
  const spill = options.spill === false ? undefined : spillOf(spillOptions(options.spill));
  const reveal = revealer(credentials);
  const closers: (() => void)[] = [];
  const stderrListeners = new Set<(line: string, serverId: string) => void>();
  // The protocol's client, and OAuth with it: a runtime that serves its own tools only never needs them.
  const client = onFirstUse(async () => {
    const [{ openSession }, { mcpAuthorization }] = await Promise.all([
      import("../mcp/client/open-session.ts"),
      import("../mcp/client/auth/authorization.ts"),
    ]);
    const authorizations = mcpAuthorization({
      store: options.tokens ?? memoryMcpTokens(),
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
    mcpServers({
      registry,
      events: Context.get(services, Events),
      sessionHouse: {
        reveal,
        principal,
        onStderr: (line, serverId) => {
          for (const listener of stderrListeners) listener(line, serverId);
        },
      },
      config,
      open: async (server, services) => {
        const { openSession, authorize } = await client();
        return openSession(reviewed(server, lock), { ...services, authorize });
      },
      judge: lock.judge,
      judgePage: lock.judgePage,
      refusal: (server) => {
        const right = lock.mayStart(server);
        return right.ok ? undefined : right.reason;
      },
      spill,
      media: limits,
      ask: options.ask,
    }).pipe(Scope.provide(scope), Effect.updateService(Clock.Clock, idleClock)),
  );
  if (spill !== undefined) registry.register(readResultTool(spill));
  const unwatch = lock.watch(() => Effect.runFork(reviewAll(servers)));
  const wanted = named.filter(({ disabled }) => disabled !== true);
  // Before the time of any server begins to count.
  if (wanted.length > 0) await client();
  const connecting = Effect.runFork(servers.connectAll(wanted, { keepTrying: true }));
  const waitMs = options.waitMs ?? config.connectionTimeoutMs;
  await Effect.runPromise(Effect.timeoutOption(Fiber.await(connecting), waitMs));
  const remoteOf = (id: string): NamedServer & RemoteServer => {
    const found = named.find((server) => server.id === id);
    if (found !== undefined && !isStdio(found)) return found;
    const why =
      found === undefined ? "is not configured" : "is a process of this machine; nobody signs in to it";
    throw new ConfigurationError("invalid_config", `The server "${id}" ${why}.`);
  };
  return {
    servers,
    beginSignIn: async (id, caller = principal) => {
      const server = remoteOf(id);
      return (await client()).beginSignIn(server, caller);
    },
    finishSignIn: async (id, answer, caller = principal) => {
      const server = remoteOf(id);
      await (await client()).finishSignIn(server, caller, answer);
      await Effect.runPromise(Effect.exit(servers.refresh(id)));
    },
    connect: async (server) => {
      const named = readServer(server.id, server);
      await client();
      return Effect.runPromise(servers.connect(named));
    },
    disconnect: (id) => Effect.runPromise(servers.disconnect(id)),
    remove: (id) => Effect.runPromise(servers.remove(id)),
    list: servers.list,
    configured: named,
    lock: lockPlace,
    onStderr: (listener) => {
      stderrListeners.add(listener);
      return () => void stderrListeners.delete(listener);
    },
    close: async () => {
      unwatch();
      for (const close of closers) close();
      await Effect.runPromise(Fiber.interrupt(connecting));
      await Effect.runPromise(Scope.close(scope, Exit.void));
      await spill?.close();
    },
  };
};

/** Tools are judged again, and whoever was not let in gets another try. */
const reviewAll = (servers: McpServersService): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* servers.review();
    const waiting = servers.list().filter(({ status }) => status === "error");
    yield* Effect.forEach(waiting, ({ id }) => Effect.exit(servers.refresh(id)), { discard: true });
  });

/** One that is not as it was reviewed is neither started nor reached. */
const reviewed = (server: NamedServer, lock: LockFile): NamedServer => {
  const right = lock.mayStart(server);
  if (right.ok) return server;
  throw new DefinitionChangedError("definition_changed", right.reason, { ran: false });
};

/** Nobody else's runtime has the same folder, and it goes with this one. */
const spillOptions = (given: Exclude<McpOptions["spill"], false> = {}): SpillOptions => ({
  directory: given.directory ?? join(tmpdir(), `haft-${randomBytes(8).toString("hex")}`),
  ...(given.overBytes === undefined ? {} : { overBytes: given.overBytes }),
});
