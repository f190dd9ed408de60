import * as Clock from "effect/Clock";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import { MCPConnectionError, type ToolError } from "../../../../words/errors.ts";
import type { McpSession, SessionNews } from "../../../../words/mcp.ts";
import { foreignWords } from "../../transport/foreign-words.ts";
import { closing, openWithin, toToolError } from "../opening.ts";
import { factsOf } from "../server-facts.ts";
import { down, type Life, up } from "./life.ts";
import { listWithin, relisting } from "./relisting.ts";
import { nextTry, type RetryState } from "./retry-state.ts";
import { wakeSignal } from "./wake-signal.ts";

const healthyMs = 60_000;

/** Connects, and connects again, until it is interrupted. Whatever it opened is closed then. */
export const live = (life: Life): Effect.Effect<never> => {
  const { upstream, services } = life;
  const open = new Set<McpSession>();
  const startMs = upstream.server.connectTimeoutMs ?? services.config.connectionTimeoutMs;
  const lasting = Effect.gen(function* () {
    const clock = yield* Clock.Clock;
    const now = (): number => clock.currentTimeMillisUnsafe();
    const retries: RetryState = { failures: 0, waits: 0, startsUntil: now() + startMs };
    while (true) {
      upstream.status = "connecting";
      upstream.nextTryAt = undefined;
      const left = retries.startsUntil === undefined ? startMs : retries.startsUntil - now();
      // What breaks on our side is a failed try too: nobody would wait for a life that is over.
      const trying = Effect.catchDefect(oneConnection(life, open, Math.max(1, left), retries), (defect) =>
        Effect.fail(toToolError(defect, upstream.server)),
      );
      const tried = yield* Effect.result(trying);
      const wait = nextTry(life, retries, Result.isFailure(tried) ? tried.failure : undefined, now());
      yield* wait === undefined ? life.again.woken : Effect.raceFirst(Effect.sleep(wait), life.again.woken);
    }
  });
  return Effect.ensuring(
    lasting,
    Effect.suspend(() => Effect.forEach(open, closing, { concurrency: "unbounded", discard: true })),
  );
};

/** From the handshake to the end of the connection. Fails only where it never came up. */
const oneConnection = (
  life: Life,
  open: Set<McpSession>,
  withinMs: number,
  retries: RetryState,
): Effect.Effect<void, ToolError> =>
  Effect.gen(function* () {
    const { upstream, services } = life;
    const { server } = upstream;
    const clock = yield* Clock.Clock;
    const end = yield* Deferred.make<string>();
    const changed = wakeSignal();
    const hear = (session: McpSession, news: SessionNews): void => {
      const isUp = upstream.session === session;
      if (news.kind === "tools-changed") {
        changed.ring();
        return;
      }
      if (news.kind === "trouble" && isUp) upstream.trouble = foreignWords(news.message);
      if (news.kind === "closed") down(life, session, news.reason);
      if (isUp) life.tell(news);
      if (news.kind === "closed") Deferred.doneUnsafe(end, Effect.succeed(news.reason));
    };
    const keep = (session: McpSession): void => {
      open.add(session);
      session.onNews((news) => hear(session, news));
    };
    const { principal } = services.sessionHouse;
    const session = yield* openWithin({ server, services, principal, withinMs, onOpen: keep });
    const release = Effect.suspend(() => {
      open.delete(session);
      down(life, session, "the connection was closed");
      return closing(session);
    });
    const serve = Effect.gen(function* () {
      const gone = Effect.flatMap(Deferred.await(end), (reason) => Effect.fail(lostAtStart(life, reason)));
      const first = yield* Effect.raceFirst(listWithin(session, server, withinMs), gone);
      upstream.tools.apply(first, session.capabilities);
      const upAt = clock.currentTimeMillisUnsafe();
      retries.failures = 0;
      retries.startsUntil = undefined;
      up(life, session, upAt);
      yield* Effect.raceFirst(Deferred.await(end), relisting(life, session, changed, first.ttlMs));
      if (clock.currentTimeMillisUnsafe() - upAt >= healthyMs) retries.waits = 0;
    });
    yield* Effect.ensuring(serve, release);
  });

const lostAtStart = ({ upstream }: Life, reason: string): ToolError =>
  new MCPConnectionError(
    "mcp_unreachable",
    `The MCP server "${upstream.server.id}" left before it was ready: ${foreignWords(reason)}`,
    { ran: false, ...factsOf(upstream.server) },
  );
