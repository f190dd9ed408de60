import type * as Clock from "effect/Clock";
import * as Deferred from "effect/Deferred";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import type { Semaphore } from "effect/Semaphore";
import type { ToolError } from "../../../../types/errors.ts";
import type { McpSession, McpSessionNotification } from "../../../../types/mcp.ts";
import { sanitizeUntrustedText } from "../../transport/sanitize-foreign-text.ts";
import type { McpServersServices } from "../servers-services.ts";
import type { Upstream } from "../upstream.ts";

/** Wakes one waiting fiber. Earlier signals are merged into one. */
export interface WakeSignal {
  readonly notify: () => void;
  readonly wait: Effect.Effect<void>;
  readonly clear: () => void;
}

export const createWakeSignal = (): WakeSignal => {
  let isPending = false;
  let resumeWaiter: (() => void) | undefined;
  return {
    notify: () => {
      isPending = true;
      resumeWaiter?.();
    },
    clear: () => {
      isPending = false;
    },
    wait: Effect.callback<void>((resume) => {
      const answer = (): void => {
        isPending = false;
        resumeWaiter = undefined;
        resume(Effect.void);
      };
      if (isPending) {
        answer();
        return;
      }
      resumeWaiter = answer;
      return Effect.sync(() => {
        if (resumeWaiter === answer) resumeWaiter = undefined;
      });
    }),
  };
};

export interface ServerLifecycle {
  readonly upstream: Upstream;
  readonly services: McpServersServices;
  readonly random: () => number;
  readonly keepTrying: boolean;
  readonly started: Deferred.Deferred<void, ToolError>;
  /** Wakes the reconnect loop early. */
  readonly retrySignal: WakeSignal;
  readonly listSemaphore: Semaphore;
  readonly notify: (news: McpSessionNotification) => void;
}

export const markConnected = (lifecycle: ServerLifecycle, session: McpSession, now: number): void => {
  const { upstream, services, started, notify: tell } = lifecycle;
  upstream.session = session;
  upstream.status = "connected";
  upstream.reason = undefined;
  upstream.degradedReason = undefined;
  upstream.connectedAt = now;
  upstream.connections++;
  services.events.emit("tools.mcp-connected", {
    serverName: upstream.server.id,
    tools: upstream.tools.names(),
  });
  tell({ kind: "tools-changed" });
  // Waiters may resume synchronously, so this comes last.
  Deferred.doneUnsafe(started, Effect.void);
};

/** Synchronous, so that the next call is not sent to a closed session. */
export const markDisconnected = (
  { upstream, services, notify: tell }: ServerLifecycle,
  session: McpSession,
  why: string,
): void => {
  if (upstream.session !== session) return;
  const reason = sanitizeUntrustedText(why);
  upstream.session = undefined;
  upstream.status = "disconnected";
  upstream.reason = reason;
  upstream.connectedAt = undefined;
  services.events.emit("tools.mcp-disconnected", { serverName: upstream.server.id, reason });
  tell({ kind: "tools-changed" });
};

const maxTimerMs = 2_147_483_647;

const sleepMs = (ms: number): Effect.Effect<void> => {
  if (ms <= 0) return Effect.yieldNow;
  if (!Number.isFinite(ms)) return Effect.never;
  return Effect.callback<void>((resume) => {
    const rest = ms > maxTimerMs ? sleepMs(ms - maxTimerMs) : Effect.void;
    const timer = setTimeout(() => resume(rest), Math.min(ms, maxTimerMs));
    timer.unref();
    return Effect.sync(() => clearTimeout(timer));
  });
};

/** The timers of the idle clock do not keep the process alive. */
export const keepProcessAlive = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => setInterval(() => {}, maxTimerMs)),
    () => effect,
    (timer) => Effect.sync(() => clearInterval(timer)),
  );

/** Waits between reconnects must not keep the process alive. */
export const createIdleClock = (clock: Clock.Clock): Clock.Clock => ({
  currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe(),
  currentTimeMillis: clock.currentTimeMillis,
  currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
  currentTimeNanos: clock.currentTimeNanos,
  monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: clock.monotonicTimeNanos,
  sleep: (duration) => sleepMs(Duration.toMillis(duration)),
});
