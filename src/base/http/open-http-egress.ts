import * as Effect from "effect/Effect";
import type { Scope } from "effect/Scope";
import { ConfigurationError, ToolExecutionError, ToolTimeoutError } from "../words/errors.ts";
import type { OutsideClient, OutsideRequest } from "./outside.ts";
import { readPlace } from "./place.ts";
import type { Lookup } from "./wire/connector.ts";
import type { Follower } from "./wire/follow.ts";

/** What the guarded HTTP client may reach, and its limits. */
export interface OutsideOptions {
  /**
   * `host:port` places reached although their address is private or their port unusual. An operator's
   * choice for the whole client: no tool can widen it. Unless set: none.
   */
  readonly allow?: readonly string[];
  /** Resolves names to addresses. Unless set: the system does. */
  readonly lookup?: Lookup;
  /** How long a connection may take. Unless set: 10,000. */
  readonly connectTimeoutMs?: number;
  /** How long a whole answer may take. Unless set: 30,000. */
  readonly timeoutMs?: number;
  /** The longest answer that is read. Unless set: 1 MiB. */
  readonly maxBytes?: number;
  /** How many redirects are followed. Unless set: 3. */
  readonly redirects?: number;
}

const defaults = { connectTimeoutMs: 10_000, timeoutMs: 30_000, maxBytes: 1_048_576, redirects: 3 };

const readLimits = (options: OutsideOptions): Effect.Effect<typeof defaults, ConfigurationError> => {
  const limits = { ...defaults };
  for (const name of Object.keys(defaults) as (keyof typeof defaults)[]) {
    const value = options[name] ?? defaults[name];
    const least = name === "redirects" ? 0 : 1;
    if (!Number.isSafeInteger(value) || value < least) {
      const message = `outside.${name} is ${value}; it must be a whole number from ${least}.`;
      return Effect.fail(new ConfigurationError("invalid_config", message));
    }
    limits[name] = value;
  }
  return Effect.succeed(limits);
};

const readPlaces = (entries: readonly string[]): Effect.Effect<readonly string[], ConfigurationError> =>
  Effect.try({ try: () => entries.map(readPlace), catch: (error) => error as ConfigurationError });

const late = (timeoutMs: number): ToolTimeoutError =>
  new ToolTimeoutError("timed_out", `The outside did not answer completely within ${timeoutMs} ms.`, {
    ran: true,
    timeoutMs,
  });

const closed = (): ToolExecutionError =>
  new ToolExecutionError("failed", "The outgoing client is closed.", { ran: false, retryable: false });

/**
 * The guarded client. What it stands on is loaded with the first request, and its sockets are closed
 * with the scope.
 */
export const outside = (
  options: OutsideOptions = {},
): Effect.Effect<OutsideClient, ConfigurationError, Scope> =>
  Effect.gen(function* () {
    const { timeoutMs: defaultTimeoutMs, ...limits } = yield* readLimits(options);
    const places = yield* readPlaces(options.allow ?? []);
    let follower: Follower | "closed" | undefined;

    const open = yield* Effect.cached(
      Effect.map(
        Effect.promise(() => import("./wire/follow.ts")),
        ({ openFollower }) => {
          follower ??= openFollower({ ...limits, places, lookup: options.lookup });
          return follower;
        },
      ),
    );
    yield* Effect.addFinalizer(() => {
      const opened = follower;
      follower = "closed";
      return opened === undefined || opened === "closed" ? Effect.void : Effect.promise(opened.close);
    });

    const request = (asked: OutsideRequest) => {
      const timeoutMs = asked.timeoutMs ?? defaultTimeoutMs;
      return open.pipe(
        Effect.flatMap((opened) =>
          opened === "closed" || follower === "closed" ? Effect.fail(closed()) : opened.request(asked),
        ),
        Effect.timeoutOrElse({ duration: timeoutMs, orElse: () => Effect.fail(late(timeoutMs)) }),
      );
    };
    return { request };
  });
