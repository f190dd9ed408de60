import type * as Clock from "effect/Clock";
import type * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type { JsonObject } from "../../../json/is-object.ts";
import { ToolCancelledError, ToolError, ToolOverloadedError, toError } from "../../../words/errors.ts";
import type { McpSession, NamedServer, SessionRequest } from "../../../words/mcp.ts";
import { type Principal, partyKeyOf } from "../../../words/principal.ts";
import { closed, openWithin } from "./opening.ts";
import type { ServersServices } from "./servers-services.ts";

const most = 64;
const idleMs = 600_000;

interface PartySession {
  readonly opening: Promise<McpSession>;
  session: McpSession | undefined;
  inFlight: number;
  usedAt: number;
}

/** A connection for each party, opened when it is first needed, so that no answer can reach the wrong one. */
export interface PartySessions {
  readonly request: (request: SessionRequest, principal: Principal) => Promise<JsonObject>;
  /** Closes what nobody has used for a while. */
  readonly sweep: () => void;
  readonly close: () => Promise<void>;
}

export const sessionsByParty = (
  server: NamedServer,
  services: ServersServices,
  context: Context.Context<never>,
  clock: Clock.Clock,
): PartySessions => {
  const seats = new Map<string, PartySession>();
  const ending = new AbortController();
  const leaving = new Set<Promise<void>>();
  const now = (): number => clock.currentTimeMillisUnsafe();

  const leave = (key: string, seat: PartySession): void => {
    if (seats.get(key) === seat) seats.delete(key);
    const { session } = seat;
    if (session === undefined) return;
    seat.session = undefined;
    const gone = closed(session).finally(() => leaving.delete(gone));
    leaving.add(gone);
  };

  const open = (key: string, principal: Principal): PartySession => {
    const keep = (session: McpSession): void => {
      seat.session = session;
      session.onNews((news) => {
        if (news.kind !== "closed") return;
        leave(key, seat);
      });
      if (ending.signal.aborted) leave(key, seat);
    };
    const withinMs = server.connectTimeoutMs ?? services.config.connectionTimeoutMs;
    const opening = Effect.runPromiseWith(context)(
      openWithin({ server, services, principal, withinMs, onOpen: keep }),
      { signal: ending.signal },
    );
    const seat: PartySession = { opening, session: undefined, inFlight: 0, usedAt: now() };
    opening.catch(() => leave(key, seat));
    return seat;
  };

  /** The one that was idle longest makes room. */
  const makeRoom = (): void => {
    if (seats.size < most) return;
    const idle = [...seats].filter(([, { inFlight }]) => inFlight === 0);
    const [oldest] = idle.sort(([, one], [, other]) => one.usedAt - other.usedAt);
    if (oldest === undefined) {
      throw new ToolOverloadedError(
        "overloaded",
        `The MCP server "${server.id}" has a connection for each of ${most} callers, and all of them are busy.`,
        { ran: false },
      );
    }
    leave(...oldest);
  };

  const seatOf = (principal: Principal): PartySession => {
    const key = partyKeyOf(principal);
    const known = seats.get(key);
    if (known !== undefined) return known;
    makeRoom();
    const seat = open(key, principal);
    seats.set(key, seat);
    return seat;
  };

  return {
    request: async (request, principal) => {
      if (ending.signal.aborted) throw ended(server);
      const seat = seatOf(principal);
      seat.inFlight++;
      try {
        const session = seat.session ?? (await waiting(seat.opening, server));
        if (request.signal?.aborted === true) throw ended(server);
        return await session.request(request);
      } finally {
        seat.inFlight--;
        seat.usedAt = now();
      }
    },
    sweep: () => {
      const before = now() - idleMs;
      for (const [key, seat] of seats) if (seat.inFlight === 0 && seat.usedAt <= before) leave(key, seat);
    },
    close: async () => {
      ending.abort();
      for (const [key, seat] of seats) leave(key, seat);
      await Promise.all(leaving);
    },
  };
};

/** Nothing has been sent yet, whatever the connection failed of. */
const waiting = async (opening: Promise<McpSession>, server: NamedServer): Promise<McpSession> => {
  try {
    return await opening;
  } catch (error) {
    throw ToolError.is(error) ? toError({ ...error.failure, ran: false }) : ended(server);
  }
};

const ended = (server: NamedServer): ToolCancelledError =>
  new ToolCancelledError(
    "cancelled",
    `The call was given up before the MCP server "${server.id}" was asked.`,
    {
      ran: false,
    },
  );
