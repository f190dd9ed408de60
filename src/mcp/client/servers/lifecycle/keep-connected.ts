import * as Clock from "effect/Clock";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import { MCPConnectionError, type ToolError } from "../../../../types/errors.ts";
import { isRetryable } from "../../../../types/failure.ts";
import type { McpSession, McpSessionNotification, NamedMcpServer } from "../../../../types/mcp.ts";
import { sanitizeUntrustedText } from "../../transport/sanitize-foreign-text.ts";
import { closeSessionWithin, openServerWithin, serverTimeoutError, toToolError } from "../open-server.ts";
import { errorReason, serverFactsOf } from "../servers-services.ts";
import {
  createWakeSignal,
  markConnected,
  markDisconnected,
  type ServerLifecycle,
  type WakeSignal,
} from "./server-lifecycle.ts";

const stableAfterMs = 60_000;

/** Reconnects until interrupted, then closes every session it opened. */
export const keepConnected = (lifecycle: ServerLifecycle): Effect.Effect<never> => {
  const { upstream, services } = lifecycle;
  const open = new Set<McpSession>();
  const startMs = upstream.server.connectTimeoutMs ?? services.config.connectionTimeoutMs;
  const reconnectLoop = Effect.gen(function* () {
    const clock = yield* Clock.Clock;
    const now = (): number => clock.currentTimeMillisUnsafe();
    const retries: RetryState = { failures: 0, waits: 0, startsUntil: now() + startMs };
    while (true) {
      upstream.status = "connecting";
      upstream.nextTryAt = undefined;
      const left = retries.startsUntil === undefined ? startMs : retries.startsUntil - now();
      // A defect counts as a failed attempt.
      const trying = Effect.catchDefect(
        runConnection(lifecycle, open, Math.max(1, left), retries),
        (defect) => Effect.fail(toToolError(defect, upstream.server)),
      );
      const tried = yield* Effect.result(trying);
      const wait = scheduleRetry(
        lifecycle,
        retries,
        Result.isFailure(tried) ? tried.failure : undefined,
        now(),
      );
      yield* wait === undefined
        ? lifecycle.retrySignal.wait
        : Effect.raceFirst(Effect.sleep(wait), lifecycle.retrySignal.wait);
    }
  });
  return Effect.ensuring(
    reconnectLoop,
    Effect.suspend(() =>
      Effect.forEach(open, closeSessionWithin, { concurrency: "unbounded", discard: true }),
    ),
  );
};

/** Fails only if the connection is never established. */
const runConnection = (
  lifecycle: ServerLifecycle,
  open: Set<McpSession>,
  withinMs: number,
  retries: RetryState,
): Effect.Effect<void, ToolError> =>
  Effect.gen(function* () {
    const { upstream, services } = lifecycle;
    const { server } = upstream;
    const clock = yield* Clock.Clock;
    const end = yield* Deferred.make<string>();
    const changed = createWakeSignal();
    const onNotification = (session: McpSession, news: McpSessionNotification): void => {
      const isUp = upstream.session === session;
      if (news.kind === "tools-changed") {
        changed.notify();
        return;
      }
      if (news.kind === "trouble" && isUp) upstream.degradedReason = sanitizeUntrustedText(news.message);
      if (news.kind === "closed") markDisconnected(lifecycle, session, news.reason);
      if (isUp) lifecycle.notify(news);
      if (news.kind === "closed") Deferred.doneUnsafe(end, Effect.succeed(news.reason));
    };
    const keep = (session: McpSession): void => {
      open.add(session);
      session.onNews((news) => onNotification(session, news));
    };
    const { principal } = services.sharedSession;
    const session = yield* openServerWithin({ server, services, principal, withinMs, onOpen: keep });
    const release = Effect.suspend(() => {
      open.delete(session);
      markDisconnected(lifecycle, session, "the connection was closed");
      return closeSessionWithin(session);
    });
    const serve = Effect.gen(function* () {
      const gone = Effect.flatMap(Deferred.await(end), (reason) =>
        Effect.fail(lostAtStartError(lifecycle, reason)),
      );
      const first = yield* Effect.raceFirst(listToolsWithin(session, server, withinMs), gone);
      upstream.tools.apply(first, session.capabilities);
      const connectedAt = clock.currentTimeMillisUnsafe();
      retries.failures = 0;
      retries.startsUntil = undefined;
      markConnected(lifecycle, session, connectedAt);
      yield* Effect.raceFirst(Deferred.await(end), keepListCurrent(lifecycle, session, changed, first.ttlMs));
      if (clock.currentTimeMillisUnsafe() - connectedAt >= stableAfterMs) retries.waits = 0;
    });
    yield* Effect.ensuring(serve, release);
  });

type ToolList = Awaited<ReturnType<McpSession["listTools"]>>;

const listToolsWithin = (
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

const keepListCurrent = (
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

const lostAtStartError = ({ upstream }: ServerLifecycle, reason: string): ToolError =>
  new MCPConnectionError(
    "mcp_unreachable",
    `The MCP server "${upstream.server.id}" disconnected before it was ready: ${sanitizeUntrustedText(reason)}`,
    { ran: false, ...serverFactsOf(upstream.server) },
  );

interface RetryState {
  failures: number;
  /** Since the last stable connection. */
  waits: number;
  /** Deadline of the initial connect; undefined after it. */
  startsUntil: number | undefined;
}

/** Undefined if only an operator can fix the error. */
const scheduleRetry = (
  lifecycle: ServerLifecycle,
  retries: RetryState,
  error: ToolError | undefined,
  now: number,
): number | undefined => {
  const { upstream, services, random } = lifecycle;
  if (error !== undefined) {
    retries.failures++;
    upstream.reason = errorReason(error);
  }
  const isTransient = error === undefined || isRetryable(error.failure);
  const hasExhaustedRetries = retries.failures > services.config.maxRetries || !isTransient;
  if (upstream.connections > 0) {
    const isStarting = isTransient && retries.waits <= lastBackoffStep;
    const wait = isStarting ? backoffMs(retries.waits++, random) : slowRetryMs(random);
    return markWaiting(lifecycle, hasExhaustedRetries ? "error" : "disconnected", now, wait);
  }
  if (retries.startsUntil !== undefined && !hasExhaustedRetries) {
    const wait = backoffMs(retries.waits++, random);
    if (now + wait < retries.startsUntil) return markWaiting(lifecycle, "connecting", now, wait);
  }
  retries.startsUntil = undefined;
  const wait = markWaiting(lifecycle, "error", now, lifecycle.keepTrying ? slowRetryMs(random) : undefined);
  if (error !== undefined) Deferred.doneUnsafe(lifecycle.started, Effect.fail(error));
  return wait;
};

const markWaiting = (
  { upstream }: ServerLifecycle,
  status: "connecting" | "disconnected" | "error",
  now: number,
  wait: number | undefined,
): number | undefined => {
  upstream.status = status;
  upstream.nextTryAt = wait === undefined ? undefined : now + wait;
  return wait;
};

const firstBackoffMs = 250;
const maxBackoffMs = 30_000;

const lastBackoffStep = Math.ceil(Math.log2(maxBackoffMs / firstBackoffMs));

/** Exponential backoff with full jitter. */
const backoffMs = (step: number, random: () => number): number =>
  Math.round(Math.min(maxBackoffMs, firstBackoffMs * 2 ** step) * random());

const slowRetryMs = (random: () => number): number => Math.round(maxBackoffMs * (1 + random()));
