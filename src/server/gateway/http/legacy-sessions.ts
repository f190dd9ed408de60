import { randomUUID } from "node:crypto";
import { isInitializeRequest, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { JsonObject } from "../../../base/json/is-object.ts";
import { callerIdentityOf, isSameCaller, type Principal } from "../../../types/principal.ts";
import { type ClientConnection, type HoldSlot, toAuthInfo } from "../client-connection.ts";
import { createClientConnection } from "../connect-client.ts";
import type { GatewayState } from "../gateway-state.ts";
import { forwardNotifications } from "../notify-client.ts";
import type { PeerBroadcast, PeerRequest } from "../peers/peers.ts";
import { duplicateIdError, type OpenRequests, trackOpenRequests } from "../wire/open-requests.ts";
import { createEventStore, parseRemoteStream, withStreamedRequests } from "./event-store.ts";
import { onBodyEnd } from "./on-body-end.ts";
import { replayStream } from "./replay-stream.ts";
import { prefixRequestIds, sortMessagesByGateway } from "./request-ids.ts";
import { rpcErrorResponse } from "./rpc-response.ts";
import { responseTextOf } from "./text-response.ts";
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
  touchedAt: number;
  open: number;
}

const isJsonRpcRequest = (body: unknown): boolean =>
  typeof body === "object" && body !== null && !Array.isArray(body) && "id" in body && "method" in body;

const isIdle = ({ open, connection }: LegacySession): boolean => open === 0 && connection.running === 0;

const callerKey = (principal: Principal): string => {
  const { agent, user, tenant } = callerIdentityOf(principal);
  return JSON.stringify([tenant, user, agent]);
};

const acceptedResponse = () => new Response(null, { status: 202 });

const sessionNotFoundResponse = () => rpcErrorResponse(404, { code: -32001, message: "Session not found" });

/** Sessions of legacy clients. An ID only works for its caller. */
export class LegacySessions {
  readonly #gateway: GatewayState;
  readonly #limits: LegacySessionLimits;
  readonly #sessions = new Map<string, LegacySession>();
  readonly #adopting = new Map<string, Promise<LegacySession | undefined>>();
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
      const session = this.#sessions.get(id) ?? (await this.#adopt(id, principal));
      if (session === undefined || !isSameCaller(session.principal, principal))
        return sessionNotFoundResponse();
      return this.#gateway.peers === undefined
        ? this.#serve(session, request, caller, parsedBody)
        : this.#serveShared(id, session, request, caller, parsedBody);
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
    else
      await this.#gateway.peers?.sessions.keep(sessionId, {
        principal,
        initialize: parsedBody.params as JsonObject,
      });
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
    asSent: unknown = parsedBody,
  ): Promise<Response> {
    session.usedAt = Date.now();
    const releaseIds = session.requests.take(asSent);
    if (releaseIds === undefined) return rpcErrorResponse(400, duplicateIdError);
    const answered = await withStreamedRequests(parsedBody, () =>
      session.transport.handleRequest(request, {
        authInfo: toAuthInfo(principal, { hold }),
        ...(parsedBody === undefined ? {} : { parsedBody }),
      }),
    );
    const response = isJsonRpcRequest(parsedBody) ? await toUnaryResponse(answered) : answered;
    if (!response.ok) releaseIds();
    if (response.body === null || responseTextOf(response) !== undefined) return response;
    session.open++;
    return onBodyEnd(response, () => {
      session.open--;
      session.usedAt = Date.now();
    });
  }

  async #serveShared(
    id: string,
    session: LegacySession,
    request: Request,
    caller: SessionCaller,
    parsedBody: unknown,
  ): Promise<Response> {
    const peers = this.#gateway.peers!;
    const { principal } = caller;
    this.#touch(id, session);
    if (request.method === "GET") {
      const stream = parseRemoteStream(request.headers.get("last-event-id") ?? "", peers.name);
      if (stream === undefined) return this.#serve(session, request, caller, parsedBody);
      if (stream.requests.length > 0)
        return replayStream({ gateway: this.#gateway, session: id, principal, stream });
      const headers = new Headers(request.headers);
      headers.delete("last-event-id");
      return this.#serve(session, new Request(request.url, { headers }), caller, parsedBody);
    }
    if (request.method === "DELETE") {
      await peers.sessions.drop(id);
      await peers.tellAll({ kind: "ended", session: id });
      return this.#serve(session, request, caller, parsedBody);
    }
    const { own, others, cancellations } = sortMessagesByGateway(parsedBody, peers.name);
    for (const message of cancellations) {
      // Too long for a notification.
      await peers.tellAll({ kind: "cancelled", session: id, message }).catch(() => {});
    }
    for (const { name, message } of others) {
      await peers.ask(name, { kind: "deliver", session: id, message, principal });
    }
    return own === undefined ? acceptedResponse() : this.#serve(session, request, caller, own, parsedBody);
  }

  async deliver({ session: id, message, principal }: Extract<PeerRequest, { kind: "deliver" }>) {
    const session = this.#sessions.get(id);
    if (session === undefined || !isSameCaller(session.principal, principal)) return false;
    session.transport.onmessage?.(message as never, { authInfo: toAuthInfo(principal) });
    return true;
  }

  onPeerMessage(news: PeerBroadcast): void {
    const session = this.#sessions.get(news.session);
    if (session === undefined) return;
    if (news.kind === "ended") void session.transport.close();
    else session.transport.onmessage?.(news.message as never);
  }

  #adopt(id: string, principal: Principal): Promise<LegacySession | undefined> | undefined {
    const { peers } = this.#gateway;
    if (peers === undefined) return undefined;
    const adopted =
      this.#adopting.get(id) ??
      this.#openFromStore(id, principal).finally(() => {
        this.#adopting.delete(id);
      });
    this.#adopting.set(id, adopted);
    return adopted;
  }

  async #openFromStore(id: string, principal: Principal): Promise<LegacySession | undefined> {
    const found = await this.#gateway.peers?.sessions.find(id, this.#limits.idleMs);
    if (found === undefined || !isSameCaller(found.principal, principal)) return undefined;
    if (this.#sessions.size >= this.#limits.maxSessions && !this.#evict()) return undefined;
    const session = await this.#open(id, found.principal);
    await initializeSession(session, found.initialize);
    return session;
  }

  #touch(id: string, session: LegacySession): void {
    const now = Date.now();
    if (now - session.touchedAt < Math.min(this.#limits.idleMs / 4, 60_000)) return;
    session.touchedAt = now;
    this.#gateway.peers?.sessions.touch(id).catch(() => {});
  }

  async #open(id: string, principal: Principal): Promise<LegacySession> {
    const { peers } = this.#gateway;
    const { maxBodyBytes, keptEvents, keptEventBytes } = this.#limits;
    const connection = createClientConnection(this.#gateway, principal, id);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      eventStore: createEventStore({ events: keptEvents, bytes: keptEventBytes, name: peers?.name }),
      retryInterval: 1000,
      maxRequestBodySize: maxBodyBytes,
    });
    const requests = trackOpenRequests(transport);
    if (peers !== undefined) prefixRequestIds(transport, peers.name);
    const usedAt = Date.now();
    const session: LegacySession = {
      principal,
      transport,
      connection,
      requests,
      usedAt,
      touchedAt: usedAt,
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
      const owner = callerKey(principal);
      counts.set(owner, (counts.get(owner) ?? 0) + 1);
    }
    let first: LegacySession | undefined;
    let most = 0;
    for (const session of idle) {
      const count = counts.get(callerKey(session.principal))!;
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

interface AdoptedSession {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly principal: Principal;
}

/** Restores a session that was initialized at another gateway. */
const initializeSession = async (
  { transport, principal }: AdoptedSession,
  params: JsonObject,
): Promise<void> => {
  const sendMessage = (parsedBody: unknown): Promise<Response> => {
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const authInfo = toAuthInfo(principal);
    const sessionHeaders = { ...headers, "mcp-session-id": transport.sessionId ?? "" };
    const request = new Request("http://localhost/", { method: "POST", headers: sessionHeaders, body: "{}" });
    return transport.handleRequest(request, { parsedBody, authInfo });
  };
  const answered = await sendMessage({ jsonrpc: "2.0", id: "introduced", method: "initialize", params });
  await answered.text();
  await sendMessage({ jsonrpc: "2.0", method: "notifications/initialized" });
};
