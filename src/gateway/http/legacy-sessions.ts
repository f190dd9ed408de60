import { randomUUID } from "node:crypto";
import {
  type EventStore,
  isInitializeRequest,
  type JSONRPCMessage,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { isSameParty, type Principal, partyOf } from "../../words/principal.ts";
import { authInfoOf, type ClientConnection, type HoldPlace } from "../client-connection.ts";
import type { GatewayState } from "../gateway-state.ts";
import { connectionFor } from "../mcp-server.ts";
import { tellNews } from "../news.ts";
import { type OpenRequests, openRequests, repeatedId } from "../wire/open-requests.ts";
import { plainTextOf } from "./plain-answer.ts";
import { quickAnswer } from "./quick-answer.ts";
import { rpcError } from "./rpc-response.ts";

export interface SessionLimits {
  readonly maxSessions: number;
  readonly idleMs: number;
  readonly maxBodyBytes: number;
  readonly keptEvents: number;
  readonly keptEventBytes: number;
}

/** Who sent a request, and how its place is held. */
interface SessionCaller {
  readonly principal: Principal;
  readonly hold?: HoldPlace | undefined;
}

interface Session {
  readonly principal: Principal;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly connection: ClientConnection;
  readonly requests: OpenRequests;
  usedAt: number;
  /** Responses that are still open. */
  open: number;
}

const isRequest = (body: unknown): boolean =>
  typeof body === "object" && body !== null && !Array.isArray(body) && "id" in body && "method" in body;

const isIdle = ({ open, connection }: Session): boolean => open === 0 && connection.running === 0;

const nameOf = (principal: Principal): string => {
  const { agent, user, tenant } = partyOf(principal);
  return JSON.stringify([tenant, user, agent]);
};

const unknown = () => rpcError(404, { code: -32001, message: "Session not found" });

/** Sessions of clients of the old era. An id is a name, not a right: nobody but its caller finds a session by it. */
export class LegacySessions {
  readonly #front: GatewayState;
  readonly #limits: SessionLimits;
  readonly #sessions = new Map<string, Session>();
  #sweeper: NodeJS.Timeout | undefined;

  constructor(gateway: GatewayState, limits: SessionLimits) {
    this.#front = gateway;
    this.#limits = limits;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** What is open in the session that a request names, where it is its caller's. */
  requestsOf(request: Request, principal: Principal): OpenRequests | undefined {
    const session = this.#sessions.get(request.headers.get("mcp-session-id") ?? "");
    return session !== undefined && isSameParty(session.principal, principal) ? session.requests : undefined;
  }

  async fetch(request: Request, caller: SessionCaller, parsedBody: unknown): Promise<Response> {
    const { principal } = caller;
    const id = request.headers.get("mcp-session-id");
    if (id !== null) {
      const session = this.#sessions.get(id);
      if (session === undefined || !isSameParty(session.principal, principal)) return unknown();
      return this.#serve(session, request, caller, parsedBody);
    }
    if (request.method !== "POST" || !isInitializeRequest(parsedBody)) {
      return rpcError(400, { code: -32000, message: "Bad Request: Mcp-Session-Id header is required" });
    }
    if (this.#sessions.size >= this.#limits.maxSessions && !this.#evict()) {
      const headers = { "Retry-After": "10" };
      return rpcError(503, { code: -32000, message: "Too many sessions are in use." }, { headers });
    }
    const session = await this.#open(principal);
    const response = await this.#serve(session, request, caller, parsedBody);
    if (!response.ok) await session.transport.close();
    return response;
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
    await Promise.all([...this.#sessions.values()].map(({ transport }) => transport.close()));
  }

  async #serve(
    session: Session,
    request: Request,
    { principal, hold }: SessionCaller,
    parsedBody: unknown,
  ): Promise<Response> {
    session.usedAt = Date.now();
    const giveBack = session.requests.take(parsedBody);
    if (giveBack === undefined) return rpcError(400, repeatedId);
    const answered = await session.transport.handleRequest(request, {
      authInfo: authInfoOf(principal, { hold }),
      ...(parsedBody === undefined ? {} : { parsedBody }),
    });
    // The answers of a batch stand in one stream, and so they stay.
    const response = isRequest(parsedBody) ? await quickAnswer(answered) : answered;
    if (!response.ok) giveBack();
    if (response.body === null || plainTextOf(response) !== undefined) return response;
    session.open++;
    return watchEnd(response, () => {
      session.open--;
      session.usedAt = Date.now();
    });
  }

  async #open(principal: Principal): Promise<Session> {
    const id = randomUUID();
    const { maxBodyBytes, keptEvents, keptEventBytes } = this.#limits;
    const connection = connectionFor(this.#front, principal, id);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      eventStore: eventStore({ events: keptEvents, bytes: keptEventBytes }),
      retryInterval: 1000,
      maxRequestBodySize: maxBodyBytes,
    });
    const requests = openRequests(transport);
    const session: Session = { principal, transport, connection, requests, usedAt: Date.now(), open: 0 };
    const stop = tellNews(connection);
    const closeLine = connection.server.onclose;
    connection.server.onclose = () => {
      stop();
      closeLine?.();
      this.#sessions.delete(id);
      this.#rest();
    };
    await connection.server.connect(transport);
    this.#sessions.set(id, session);
    this.#sweeper ??= setInterval(() => this.#sweep(), Math.max(this.#limits.idleMs / 4, 50)).unref();
    return session;
  }

  #sweep(): void {
    const oldest = Date.now() - this.#limits.idleMs;
    for (const session of this.#sessions.values()) {
      if (isIdle(session) && session.usedAt < oldest) void session.transport.close();
    }
  }

  /** Whoever has most makes room, by the session that was idle longest: nobody ends those of others by opening more. */
  #evict(): boolean {
    const idle = [...this.#sessions.values()].filter(isIdle).sort((one, other) => one.usedAt - other.usedAt);
    const counts = new Map<string, number>();
    for (const { principal } of this.#sessions.values()) {
      const party = nameOf(principal);
      counts.set(party, (counts.get(party) ?? 0) + 1);
    }
    let first: Session | undefined;
    let most = 0;
    for (const session of idle) {
      const count = counts.get(nameOf(session.principal))!;
      if (count > most) [first, most] = [session, count];
    }
    void first?.transport.close();
    return first !== undefined;
  }

  #rest(): void {
    if (this.#sessions.size > 0) return;
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
  }
}

/** The same response; whoever waits for it hears once when its body is over, read to the end or given up. */
const watchEnd = (response: Response, ended: () => void): Response => {
  const { body, status, headers } = response;
  if (body === null) {
    ended();
    return response;
  }
  const reader = body.getReader();
  let isOver = false;
  const over = (): void => {
    if (isOver) return;
    isOver = true;
    ended();
  };
  const watched = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        over();
        controller.close();
      } catch (error) {
        over();
        controller.error(error);
      }
    },
    cancel: (reason) => {
      over();
      return reader.cancel(reason);
    },
  });
  return new Response(watched, { status, headers });
};

interface Event {
  readonly id: string;
  readonly streamId: string;
  readonly message: JSONRPCMessage;
  readonly size: number;
}

interface EventStoreLimits {
  readonly events: number;
  readonly bytes: number;
}

/** The last messages of one session, for a client whose stream broke. Older ones are gone, and so is their stream. */
const eventStore = ({ events: most, bytes: mostBytes }: EventStoreLimits): EventStore => {
  const events: Event[] = [];
  let bytes = 0;
  let count = 0;
  return {
    storeEvent: async (streamId, message) => {
      const id = (++count).toString(36);
      const size = JSON.stringify(message).length;
      events.push({ id, streamId, message, size });
      bytes += size;
      while (events.length > most || (bytes > mostBytes && events.length > 1)) bytes -= events.shift()!.size;
      return id;
    },
    getStreamIdForEventId: async (id) => events.find((event) => event.id === id)?.streamId,
    replayEventsAfter: async (lastEventId, { send }) => {
      const index = events.findIndex(({ id }) => id === lastEventId);
      const { streamId } = events[index] ?? { streamId: "" };
      for (const { id, message, streamId: of } of events.slice(index + 1)) {
        // An empty one only told the client where its stream begins.
        if (of === streamId && Object.keys(message).length > 0) await send(id, message);
      }
      return streamId;
    },
  };
};
