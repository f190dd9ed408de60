import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import type { AnyToolError } from "../types/errors.ts";
import type { McpServerState, NamedMcpServer } from "../types/mcp.ts";
import type { Principal } from "../types/principal.ts";
import type { McpOptions } from "./mcp-options.ts";
import { runtimeMcpServers } from "./mcp-servers.ts";
import type { ToolServices } from "./tool-runtime-layer.ts";
import { thrownToTaggedError } from "./try-tagged.ts";

/** MCP servers whose tools the runtime has, as Effects: what `haft.mcp` does. */
export interface McpService {
  /** Starts or reaches a server and takes its tools over. Interrupted, it leaves no server behind. */
  readonly connect: (server: NamedMcpServer) => Effect.Effect<McpServerState, AnyToolError>;
  /** Ends the connection; its tools leave, and it stays in the list until it is removed. False where there is no such server. */
  readonly disconnect: (id: string) => Effect.Effect<boolean, AnyToolError>;
  /** Takes a server off the list, disconnecting it first. False where there is no such server. */
  readonly remove: (id: string) => Effect.Effect<boolean, AnyToolError>;
  /** Every server, also those that were lost or disconnected, and why. */
  readonly list: Effect.Effect<readonly McpServerState[]>;
  /** Where a person gives this runtime's caller a right at a server, and what the browser comes back with. */
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

/** Connects the servers of the options while it is built; all are disconnected with its scope. */
export const mcpLayer = (
  options?: McpOptions,
  principal?: Principal,
): Layer.Layer<Mcp, AnyToolError, ToolServices> => observableMcpLayer(options, principal, () => {});

/** The same; `onTried` is called when each server is up or has failed. */
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
        // Loaded with the first server: whoever has none needs nothing of it.
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
              // One that was there before is not this fiber's to remove.
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
