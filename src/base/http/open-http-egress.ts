import * as Effect from "effect/Effect";
import type { Scope } from "effect/Scope";
import { ConfigurationError, ToolExecutionError, ToolTimeoutError } from "../../types/errors.ts";
import type { HttpEgressClient, HttpEgressRequest } from "./http-egress.ts";
import { parseAllowEntry } from "./url.ts";
import type { HostLookup } from "./wire/connector.ts";
import type { RedirectFollower } from "./wire/redirect-follower.ts";

/** What the guarded HTTP client may reach, and its limits. */
export interface HttpEgressOptions {
  /**
   * `host:port` places that are reachable although their address is private or their port unusual. Set by the
   * operator for the whole client; no tool can extend it. Unless set: none.
   */
  readonly allow?: readonly string[];
  /** Resolves host names to addresses. Unless set: the system resolver. */
  readonly lookup?: HostLookup;
  /** Connect timeout in milliseconds. Unless set: 10,000. */
  readonly connectTimeoutMs?: number;
  /** Timeout of a whole request in milliseconds. Unless set: 30,000. */
  readonly timeoutMs?: number;
  /** Maximum response body in bytes. Unless set: 1 MiB. */
  readonly maxBytes?: number;
  /** Maximum number of redirects. Unless set: 3. */
  readonly redirects?: number;
}

const defaultLimits = { connectTimeoutMs: 10_000, timeoutMs: 30_000, maxBytes: 1_048_576, redirects: 3 };

const readLimits = (options: HttpEgressOptions): Effect.Effect<typeof defaultLimits, ConfigurationError> => {
  const limits = { ...defaultLimits };
  for (const name of Object.keys(defaultLimits) as (keyof typeof defaultLimits)[]) {
    const value = options[name] ?? defaultLimits[name];
    const minimum = name === "redirects" ? 0 : 1;
    if (!Number.isSafeInteger(value) || value < minimum) {
      const message = `httpEgress.${name} is ${value}; it must be a whole number of at least ${minimum}.`;
      return Effect.fail(new ConfigurationError("invalid_config", message));
    }
    limits[name] = value;
  }
  return Effect.succeed(limits);
};

const readAllowEntries = (
  entries: readonly string[],
): Effect.Effect<readonly string[], ConfigurationError> =>
  Array.isArray(entries)
    ? Effect.try({ try: () => entries.map(parseAllowEntry), catch: (error) => error as ConfigurationError })
    : Effect.fail(
        new ConfigurationError(
          "invalid_config",
          `httpEgress.allow must be a list. Write [${JSON.stringify(entries)}].`,
        ),
      );

const timeoutError = (timeoutMs: number): ToolTimeoutError =>
  new ToolTimeoutError("timed_out", `The server did not respond completely within ${timeoutMs} ms.`, {
    ran: true,
    answerLost: true,
    timeoutMs,
  });

const clientClosedError = (): ToolExecutionError =>
  new ToolExecutionError("failed", "The HTTP client is closed.", { ran: false, retryable: false });

export const openHttpEgress = (
  options: HttpEgressOptions = {},
): Effect.Effect<HttpEgressClient, ConfigurationError, Scope> =>
  Effect.gen(function* () {
    const { timeoutMs: defaultTimeoutMs, ...limits } = yield* readLimits(options);
    const places = yield* readAllowEntries(options.allow ?? []);
    let follower: RedirectFollower | "closed" | undefined;

    const open = yield* Effect.cached(
      Effect.map(
        Effect.promise(() => import("./wire/redirect-follower.ts")),
        ({ openRedirectFollower: openFollower }) => {
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

    const request = (asked: HttpEgressRequest) => {
      const timeoutMs = asked.timeoutMs ?? defaultTimeoutMs;
      return open.pipe(
        Effect.flatMap((opened) =>
          opened === "closed" || follower === "closed"
            ? Effect.fail(clientClosedError())
            : opened.request(asked),
        ),
        Effect.timeoutOrElse({ duration: timeoutMs, orElse: () => Effect.fail(timeoutError(timeoutMs)) }),
      );
    };
    return { request };
  });
