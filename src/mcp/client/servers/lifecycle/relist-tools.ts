import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type { ToolError } from "../../../../types/errors.ts";
import type { McpSession, NamedMcpServer } from "../../../../types/mcp.ts";
import { serverTimeoutError, toToolError } from "../open-server.ts";
import { errorReason } from "../reason-of.ts";
import type { ServerLifecycle } from "./server-lifecycle.ts";
import type { WakeSignal } from "./wake-signal.ts";

type ToolList = Awaited<ReturnType<McpSession["listTools"]>>;

export const listToolsWithin = (
  session: McpSession,
  server: NamedMcpServer,
  withinMs: number,
): Effect.Effect<ToolList, ToolError> => {
  if (session.capabilities.tools === undefined) return Effect.succeed({ tools: [] });
  return Effect.tryPromise({
    try: (signal) => session.listTools(signal),
    catch: (error) => toToolError(error, server),
  }).pipe(
    Effect.timeoutOrElse({
      duration: withinMs,
      orElse: () => Effect.fail(serverTimeoutError(server, "did not list its tools", withinMs)),
    }),
  );
};

/** Lists run one at a time, so that the latest request wins. */
export const relistTools = (
  { upstream, services, listSemaphore, notify: tell }: ServerLifecycle,
  session: McpSession,
): Effect.Effect<ToolList, ToolError> => {
  const { server, tools } = upstream;
  const withinMs = server.callTimeoutMs ?? services.config.requestTimeoutMs;
  const listed = Effect.tap(listToolsWithin(session, server, withinMs), (list) =>
    Effect.sync(() => {
      if (upstream.session !== session) return;
      upstream.degradedReason = undefined;
      if (tools.apply(list, session.capabilities)) tell({ kind: "tools-changed" });
    }),
  );
  return listSemaphore.withPermits(1)(listed);
};

const minDebounceMs = 50;
const maxQuietMs = 5_000;
const backoffResetMs = 10_000;
const immediateRelists = 4;

export const keepListCurrent = (
  lifecycle: ServerLifecycle,
  session: McpSession,
  changed: WakeSignal,
  firstTtlMs: number | undefined,
): Effect.Effect<never> => {
  const { upstream } = lifecycle;
  return Effect.gen(function* () {
    const clock = yield* Clock.Clock;
    let ttlMs = listTtlOf(upstream.server, firstTtlMs);
    let consecutive = 0;
    let failures = 0;
    let listedAt = Number.NEGATIVE_INFINITY;
    while (true) {
      const isNotified = yield* waitForChange(changed, ttlMs);
      if (clock.currentTimeMillisUnsafe() - listedAt > backoffResetMs) consecutive = 0;
      // Backs off for a server that notifies continuously.
      if (isNotified)
        yield* Effect.sleep(
          Math.min(maxQuietMs, minDebounceMs * 2 ** Math.max(0, ++consecutive - immediateRelists)),
        );
      changed.clear();
      const listed = yield* Effect.result(relistTools(lifecycle, session));
      listedAt = clock.currentTimeMillisUnsafe();
      if (Result.isSuccess(listed)) {
        failures = 0;
        ttlMs = listTtlOf(upstream.server, listed.success.ttlMs);
      } else {
        upstream.degradedReason = `its tools could not be listed again: ${errorReason(listed.failure)}`;
        ttlMs = Math.min(60_000, 1_000 * 2 ** failures++);
      }
    }
  });
};

/** True for a notification. */
const waitForChange = (changed: WakeSignal, withinMs: number | undefined): Effect.Effect<boolean> => {
  const news = Effect.as(changed.wait, true);
  return withinMs === undefined ? news : Effect.raceFirst(news, Effect.as(Effect.sleep(withinMs), false));
};

const minListTtlMs = 10_000;
const maxListTtlMs = 86_400_000;

/** A TTL of 0 is treated as missing. */
const listTtlOf = ({ refreshMs }: NamedMcpServer, ttlMs: number | undefined): number | undefined =>
  ttlMs !== undefined && ttlMs > 0 ? Math.min(maxListTtlMs, Math.max(minListTtlMs, ttlMs)) : refreshMs;
