import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type { ToolError } from "../../../../words/errors.ts";
import type { McpSession, NamedServer } from "../../../../words/mcp.ts";
import { slow, toToolError } from "../opening.ts";
import { reasonOf } from "../reason-of.ts";
import type { Life } from "./life.ts";
import type { WakeSignal } from "./wake-signal.ts";

type List = Awaited<ReturnType<McpSession["listTools"]>>;

export const listWithin = (
  session: McpSession,
  server: NamedServer,
  withinMs: number,
): Effect.Effect<List, ToolError> => {
  if (session.capabilities.tools === undefined) return Effect.succeed({ tools: [] });
  return Effect.tryPromise({
    try: (signal) => session.listTools(signal),
    catch: (error) => toToolError(error, server),
  }).pipe(
    Effect.timeoutOrElse({
      duration: withinMs,
      orElse: () => Effect.fail(slow(server, "did not list its tools", withinMs)),
    }),
  );
};

/** One at a time: the list that was asked for last is the one that counts. */
export const relist = (
  { upstream, services, lists, tell }: Life,
  session: McpSession,
): Effect.Effect<List, ToolError> => {
  const { server, tools } = upstream;
  const withinMs = server.callTimeoutMs ?? services.config.requestTimeoutMs;
  const listed = Effect.tap(listWithin(session, server, withinMs), (list) =>
    Effect.sync(() => {
      if (upstream.session !== session) return;
      upstream.trouble = undefined;
      if (tools.apply(list, session.capabilities)) tell({ kind: "tools-changed" });
    }),
  );
  return lists.withPermits(1)(listed);
};

const quietMs = 50;
const longestQuietMs = 5_000;
const calmMs = 10_000;
const freeOnes = 4;

/** Lists again when the server says so or its word on the last list has run out, as long as it is not interrupted. */
export const relisting = (
  life: Life,
  session: McpSession,
  changed: WakeSignal,
  firstTtlMs: number | undefined,
): Effect.Effect<never> => {
  const { upstream } = life;
  return Effect.gen(function* () {
    const clock = yield* Clock.Clock;
    let holdsMs = holdOf(upstream.server, firstTtlMs);
    let inARow = 0;
    let failures = 0;
    let listedAt = Number.NEGATIVE_INFINITY;
    while (true) {
      const isNews = yield* woken(changed, holdsMs);
      if (clock.currentTimeMillisUnsafe() - listedAt > calmMs) inARow = 0;
      // A server that never stops saying so is listed ever less often.
      if (isNews)
        yield* Effect.sleep(Math.min(longestQuietMs, quietMs * 2 ** Math.max(0, ++inARow - freeOnes)));
      changed.hush();
      const listed = yield* Effect.result(relist(life, session));
      listedAt = clock.currentTimeMillisUnsafe();
      if (Result.isSuccess(listed)) {
        failures = 0;
        holdsMs = holdOf(upstream.server, listed.success.ttlMs);
      } else {
        upstream.trouble = `its tools could not be listed again: ${reasonOf(listed.failure)}`;
        holdsMs = Math.min(60_000, 1_000 * 2 ** failures++);
      }
    }
  });
};

/** True for news, false where the time is over. */
const woken = (changed: WakeSignal, withinMs: number | undefined): Effect.Effect<boolean> => {
  const news = Effect.as(changed.woken, true);
  return withinMs === undefined ? news : Effect.raceFirst(news, Effect.as(Effect.sleep(withinMs), false));
};

const shortestHoldMs = 10_000;
const longestHoldMs = 86_400_000;

/** How long a list holds. A server that says "not at all" is heard as one that says nothing. */
const holdOf = ({ refreshMs }: NamedServer, ttlMs: number | undefined): number | undefined =>
  ttlMs !== undefined && ttlMs > 0 ? Math.min(longestHoldMs, Math.max(shortestHoldMs, ttlMs)) : refreshMs;
