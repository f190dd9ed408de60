import { randomUUID } from "node:crypto";
import {
  type EventStore,
  isInitializeRequest,
  type JSONRPCMessage,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { isSameCaller, type Principal } from "../../../types/principal.ts";
import { responseTextOf, rpcErrorResponse } from "../../request/http-error.ts";
import { slotOwnerOf } from "../../request/request-slots.ts";
import {
  type ClientConnection,
  forwardNotifications,
  type HoldSlot,
  toAuthInfo,
} from "../client-connection.ts";
import { createClientConnection } from "../connect-client.ts";
import type { GatewayState } from "../gateway-state.ts";
import { duplicateIdError, type OpenRequests, trackOpenRequests } from "../serve-connection.ts";
import { toUnaryResponse } from "./unary-response.ts";

export interface LegacySessionLimits {
  readonly maxSessions: number;
  readonly idleMs: number;
  readonly maxBodyBytes: number;
  readonly keptEvents: number;
  readonly keptEventBytes: number;
}

interface SessionCaller {
  readonly principal: Principal;
  readonly hold?: HoldSlot | undefined;
}

interface LegacySession {
  readonly principal: Principal;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly connection: ClientConnection;
  readonly requests: OpenRequests;
  usedAt: number;
  open: number;
}

const isJsonRpcRequest = (body: unknown): boolean =>
  typeof body === "object" && body !== null && !Array.isArray(body) && "id" in body && "method" in body;

const isIdle = ({ open, connection }: LegacySession): boolean => open === 0 && connection.running === 0;

const sessionNotFoundResponse = () => rpcErrorResponse(404, { code: -32001, message: "Session not found" });

interface StoredEvent {
  readonly id: string;
  readonly streamId: string;
  readonly message: JSONRPCMessage;
  readonly size: number;
}

interface EventStoreLimits {
  readonly events: number;
  readonly bytes: number;
}

/** Keeps the latest messages, so that broken streams can resume. */
const createEventStore = ({ events: maxEvents, bytes: maxBytes }: EventStoreLimits): EventStore => {
  const events: StoredEvent[] = [];
  let bytes = 0;
  let count = 0;
  return {
    storeEvent: async (streamId, message) => {
      const id = (++count).toString(36);
      const size = JSON.stringify(message).length;
      events.push({ id, streamId, message, size });
      bytes += size;
      while (events.length > maxEvents || (bytes > maxBytes && events.length > 1))
        bytes -= events.shift()!.size;
      return id;
    },
    getStreamIdForEventId: async (id) => events.find((event) => event.id === id)?.streamId,
    replayEventsAfter: async (lastEventId, { send }) => {
      const index = events.findIndex(({ id }) => id === lastEventId);
      const { streamId } = events[index] ?? { streamId: "" };
      for (const { id, message, streamId: of } of events.slice(index + 1)) {
        // Only marks the start of a stream.
        if (of === streamId && Object.keys(message).length > 0) await send(id, message);
      }
      return streamId;
    },
  };
};

/** Sessions of legacy clients. An ID only works for its caller. */
export class LegacySessions {
  readonly #gateway: GatewayState;
  readonly #limits: LegacySessionLimits;
  readonly #sessions = new Map<string, LegacySession>();
  #sweeper: NodeJS.Timeout | undefined;

  constructor(gateway: GatewayState, limits: LegacySessionLimits) {
    this.#gateway = gateway;
    this.#limits = limits;
  }

  get size(): number {
    return this.#sessions.size;
  }

  requestsOf(request: Request, principal: Principal): OpenRequests | undefined {
    const session = this.#sessions.get(request.headers.get("mcp-session-id") ?? "");
    return session !== undefined && isSameCaller(session.principal, principal) ? session.requests : undefined;
  }

  async fetch(request: Request, caller: SessionCaller, parsedBody: unknown): Promise<Response> {
    const { principal } = caller;
    const id = request.headers.get("mcp-session-id");
    if (id !== null) {
      const session = this.#sessions.get(id);
      if (session === undefined || !isSameCaller(session.principal, principal))
        return sessionNotFoundResponse();
      return this.#serve(session, request, caller, parsedBody);
    }
    if (request.method !== "POST" || !isInitializeRequest(parsedBody)) {
      return rpcErrorResponse(400, {
        code: -32000,
        message: "Bad Request: Mcp-Session-Id header is required",
      });
    }
    if (this.#sessions.size >= this.#limits.maxSessions && !this.#evict()) {
      const headers = { "Retry-After": "10" };
      return rpcErrorResponse(503, { code: -32000, message: "Too many sessions are in use." }, { headers });
    }
    const sessionId = randomUUID();
    const session = await this.#open(sessionId, principal);
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
    session: LegacySession,
    request: Request,
    { principal, hold }: SessionCaller,
    parsedBody: unknown,
  ): Promise<Response> {
    session.usedAt = Date.now();
    const releaseIds = session.requests.take(parsedBody);
    if (releaseIds === undefined) return rpcErrorResponse(400, duplicateIdError);
    const answered = await session.transport.handleRequest(request, {
      authInfo: toAuthInfo(principal, { hold }),
      ...(parsedBody === undefined ? {} : { parsedBody }),
    });
    const response = isJsonRpcRequest(parsedBody) ? await toUnaryResponse(answered) : answered;
    if (!response.ok) releaseIds();
    if (response.body === null || responseTextOf(response) !== undefined) return response;
    session.open++;
    return onBodyEnd(response, () => {
      session.open--;
      session.usedAt = Date.now();
    });
  }

  async #open(id: string, principal: Principal): Promise<LegacySession> {
    const { maxBodyBytes, keptEvents, keptEventBytes } = this.#limits;
    const connection = createClientConnection(this.#gateway, principal, id);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      eventStore: createEventStore({ events: keptEvents, bytes: keptEventBytes }),
      retryInterval: 1000,
      maxRequestBodySize: maxBodyBytes,
    });
    const requests = trackOpenRequests(transport);
    const session: LegacySession = {
      principal,
      transport,
      connection,
      requests,
      usedAt: Date.now(),
      open: 0,
    };
    const stop = forwardNotifications(connection);
    const closeLine = connection.server.onclose;
    connection.server.onclose = () => {
      stop();
      closeLine?.();
      this.#sessions.delete(id);
      this.#stopSweeperIfEmpty();
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

  /** Evicts from the caller with the most sessions, so that no caller can evict those of others. */
  #evict(): boolean {
    const idle = [...this.#sessions.values()].filter(isIdle).sort((one, other) => one.usedAt - other.usedAt);
    const counts = new Map<string, number>();
    for (const { principal } of this.#sessions.values()) {
      const owner = slotOwnerOf(principal);
      counts.set(owner, (counts.get(owner) ?? 0) + 1);
    }
    let first: LegacySession | undefined;
    let most = 0;
    for (const session of idle) {
      const count = counts.get(slotOwnerOf(session.principal))!;
      if (count > most) [first, most] = [session, count];
    }
    void first?.transport.close();
    return first !== undefined;
  }

  #stopSweeperIfEmpty(): void {
    if (this.#sessions.size > 0) return;
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
  }
}

/** Calls `onEnd` once, when the body is read, fails or is canceled. */
const onBodyEnd = (response: Response, onEnd: () => void): Response => {
  const { body, status, headers } = response;
  if (body === null) {
    onEnd();
    return response;
  }
  const reader = body.getReader();
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    onEnd();
  };
  const watchedBody = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        end();
        controller.close();
      } catch (error) {
        end();
        controller.error(error);
      }
    },
    cancel: (reason) => {
      end();
      return reader.cancel(reason);
    },
  });
  return new Response(watchedBody, { status, headers });
};
