import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import type { AnyToolError } from "../words/errors.ts";
import type { McpServerState, NamedServer } from "../words/mcp.ts";
import type { Principal } from "../words/principal.ts";
import type { ToolServices } from "./live.ts";
import { mcpDoor } from "./mcp-door.ts";
import type { McpOptions } from "./mcp-options.ts";
import { asTagged } from "./or-tagged.ts";

/** MCP servers whose tools the runtime has, as Effects: what `haft.mcp` does. */
export interface McpService {
  /** Starts or reaches a server and takes its tools over. Interrupted, it leaves no server behind. */
  readonly connect: (server: NamedServer) => Effect.Effect<McpServerState, AnyToolError>;
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
): Layer.Layer<Mcp, AnyToolError, ToolServices> =>
  Layer.effect(
    Mcp,
    Effect.gen(function* () {
      const services = yield* Effect.context<ToolServices>();
      const door = yield* Effect.acquireRelease(
        // Loaded with the first server: whoever has none needs nothing of it.
        Effect.sync(() =>
          mcpDoor(() => import("./mcp.ts").then(({ openMcp }) => openMcp(services, options, principal))),
        ),
        ({ close }) => Effect.promise(close),
      );
      if (options !== undefined) yield* fromPromise(door.open);
      return {
        connect: (server) =>
          Effect.suspend(() => {
            const isKnown = door.list().some(({ id }) => id === server.id);
            const removed = Effect.ignore(fromPromise(() => door.remove(server.id)));
            return Effect.onInterrupt(
              fromPromise(() => door.connect(server)),
              // One that was there before is not this fiber's to remove.
              () => (isKnown ? Effect.void : removed),
            );
          }),
        disconnect: (id) => fromPromise(() => door.disconnect(id)),
        remove: (id) => fromPromise(() => door.remove(id)),
        list: Effect.sync(door.list),
        beginSignIn: (...asked) => fromPromise(() => door.beginSignIn(...asked)),
        finishSignIn: (...asked) => fromPromise(() => door.finishSignIn(...asked)),
      };
    }),
  );

const fromPromise = <A>(ask: () => Promise<A>): Effect.Effect<A, AnyToolError> =>
  Effect.tryPromise({ try: ask, catch: asTagged });
