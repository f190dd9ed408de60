import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import type { AnyToolError } from "../types/errors.ts";
import type { McpServerState, NamedMcpServer } from "../types/mcp.ts";
import type { Principal } from "../types/principal.ts";
import type { McpOptions } from "./mcp-options.ts";
import { runtimeMcpServers } from "./mcp-servers.ts";
import { thrownToTaggedError } from "./run-in-runtime.ts";
import type { ToolServices } from "./tool-runtime-layer.ts";

/** Manages MCP servers as Effects, like `haft.mcp`. */
export interface McpService {
  /** Connects a server and imports its tools. An interruption removes the server. */
  readonly connect: (server: NamedMcpServer) => Effect.Effect<McpServerState, AnyToolError>;
  /** Disconnects a server and unregisters its tools; it stays in the list. False if it does not exist. */
  readonly disconnect: (id: string) => Effect.Effect<boolean, AnyToolError>;
  /** Disconnects a server and removes it from the list. False if it does not exist. */
  readonly remove: (id: string) => Effect.Effect<boolean, AnyToolError>;
  /** All servers, including disconnected ones, with the reasons. */
  readonly list: Effect.Effect<readonly McpServerState[]>;
  /** Starts and finishes an OAuth sign-in at a server. */
  readonly beginSignIn: (
    id: string,
    principal?: Principal,
  ) => Effect.Effect<{ readonly url: string }, AnyToolError>;
  readonly finishSignIn: (
    id: string,
    answer: string,
    principal?: Principal,
  ) => Effect.Effect<void, AnyToolError>;
}

/** The service that connects MCP servers. */
export class Mcp extends Context.Service<Mcp, McpService>()("haft/Mcp") {}

/** Connects the configured servers; they are disconnected with the layer's scope. */
export const mcpLayer = (
  options?: McpOptions,
  principal?: Principal,
): Layer.Layer<Mcp, AnyToolError, ToolServices> => observableMcpLayer(options, principal, () => {});

/** `onInitialConnect` is called once each server has connected or failed. */
export const observableMcpLayer = (
  options: McpOptions | undefined,
  principal: Principal | undefined,
  onInitialConnect: () => void,
): Layer.Layer<Mcp, AnyToolError, ToolServices> =>
  Layer.effect(
    Mcp,
    Effect.gen(function* () {
      const services = yield* Effect.context<ToolServices>();
      const servers = yield* Effect.acquireRelease(
        Effect.sync(() =>
          runtimeMcpServers(() =>
            import("./mcp-services.ts").then(({ openMcpServices: openMcp }) =>
              openMcp(services, options, principal),
            ),
          ),
        ),
        ({ close }) => Effect.promise(close),
      );
      if (options !== undefined) {
        const { whenTried } = yield* fromServerPromise(servers.open);
        void whenTried.then(onInitialConnect);
      }
      return {
        connect: (server) =>
          Effect.suspend(() => {
            const isKnown = servers.list().some(({ id }) => id === server.id);
            const removed = Effect.ignore(fromServerPromise(() => servers.remove(server.id)));
            return Effect.onInterrupt(
              fromServerPromise(() => servers.connect(server)),
              // A server that existed before is not removed.
              () => (isKnown ? Effect.void : removed),
            );
          }),
        disconnect: (id) => fromServerPromise(() => servers.disconnect(id)),
        remove: (id) => fromServerPromise(() => servers.remove(id)),
        list: Effect.sync(servers.list),
        beginSignIn: (...asked) => fromServerPromise(() => servers.beginSignIn(...asked)),
        finishSignIn: (...asked) => fromServerPromise(() => servers.finishSignIn(...asked)),
      };
    }),
  );

const fromServerPromise = <A>(ask: () => Promise<A>): Effect.Effect<A, AnyToolError> =>
  Effect.tryPromise({ try: ask, catch: thrownToTaggedError });
