import { randomUUID } from "node:crypto";
import { isInitializeRequest, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { JsonObject } from "../../json/is-object.ts";
import { isSameParty, type Principal, partyOf } from "../../words/principal.ts";
import { authInfoOf, type ClientConnection, type HoldPlace } from "../client-connection.ts";
import type { GatewayState } from "../gateway-state.ts";
import { connectionFor } from "../mcp-server.ts";
import { tellNews } from "../news.ts";
import type { PeerNews, PeerQuestion } from "../peers/peers.ts";
import { type OpenRequests, openRequests, repeatedId } from "../wire/open-requests.ts";
import { answering, eventStore, streamElsewhere } from "./event-store.ts";
import { introduce } from "./introduce.ts";
import { plainTextOf } from "./plain-answer.ts";
import { nameQuestions, sortMessages } from "./question-ids.ts";
import { quickAnswer } from "./quick-answer.ts";
import { rpcError } from "./rpc-response.ts";
import { toldAgain } from "./told-again.ts";
import { watchEnd } from "./watch-end.ts";

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
  /** When the others were last told that it is in use. */
  touchedAt: number;
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

const accepted = () => new Response(null, { status: 202 });

const unknown = () => rpcError(404, { code: -32001, message: "Session not found" });

/** Sessions of clients of the old era. An id is a name, not a right: nobody but its caller finds a session by it. */
export class LegacySessions {
  readonly #front: GatewayState;
  readonly #limits: SessionLimits;
  readonly #sessions = new Map<string, Session>();
  /** Sessions that began at another gateway and are just being taken up here. */
  readonly #adopting = new Map<string, Promise<Session | undefined>>();
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
      const session = this.#sessions.get(id) ?? (await this.#adopt(id, principal));
      if (session === undefined || !isSameParty(session.principal, principal)) return unknown();
      return this.#front.peers === undefined
        ? this.#serve(session, request, caller, parsedBody)
        : this.#serveShared(id, session, request, caller, parsedBody);
    }
    if (request.method !== "POST" || !isInitializeRequest(parsedBody)) {
      return rpcError(400, { code: -32000, message: "Bad Request: Mcp-Session-Id header is required" });
    }
    if (this.#sessions.size >= this.#limits.maxSessions && !this.#evict()) {
      const headers = { "Retry-After": "10" };
      return rpcError(503, { code: -32000, message: "Too many sessions are in use." }, { headers });
    }
    const fresh = randomUUID();
    const session = await this.#open(fresh, principal);
    const response = await this.#serve(session, request, caller, parsedBody);
    if (!response.ok) await session.transport.close();
    else
      await this.#front.peers?.sessions.keep(fresh, {
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
    session: Session,
    request: Request,
    { principal, hold }: SessionCaller,
    parsedBody: unknown,
    asSent: unknown = parsedBody,
  ): Promise<Response> {
    session.usedAt = Date.now();
    const giveBack = session.requests.take(asSent);
    if (giveBack === undefined) return rpcError(400, repeatedId);
    const answered = await answering(parsedBody, () =>
      session.transport.handleRequest(request, {
        authInfo: authInfoOf(principal, { hold }),
        ...(parsedBody === undefined ? {} : { parsedBody }),
      }),
    );
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

  /** The same where other gateways may have what a message is about. */
  async #serveShared(
    id: string,
    session: Session,
    request: Request,
    caller: SessionCaller,
    parsedBody: unknown,
  ): Promise<Response> {
    const peers = this.#front.peers!;
    const { principal } = caller;
    this.#touch(id, session);
    if (request.method === "GET") {
      const stream = streamElsewhere(request.headers.get("last-event-id") ?? "", peers.name);
      if (stream === undefined) return this.#serve(session, request, caller, parsedBody);
      if (stream.requests.length > 0)
        return toldAgain({ gateway: this.#front, session: id, principal, stream });
      const headers = new Headers(request.headers);
      headers.delete("last-event-id");
      return this.#serve(session, new Request(request.url, { headers }), caller, parsedBody);
    }
    if (request.method === "DELETE") {
      await peers.sessions.drop(id);
      await peers.tellAll({ kind: "ended", session: id });
      return this.#serve(session, request, caller, parsedBody);
    }
    const { own, others, cancellations } = sortMessages(parsedBody, peers.name);
    for (const message of cancellations) {
      // One that is too long for a word names no request of ours.
      await peers.tellAll({ kind: "cancelled", session: id, message }).catch(() => {});
    }
    for (const { name, message } of others) {
      await peers.ask(name, { kind: "deliver", session: id, message, principal });
    }
    return own === undefined ? accepted() : this.#serve(session, request, caller, own, parsedBody);
  }

  /** A message that came to another gateway, for what is open here. */
  async deliver({ session: id, message, principal }: Extract<PeerQuestion, { kind: "deliver" }>) {
    const session = this.#sessions.get(id);
    if (session === undefined || !isSameParty(session.principal, principal)) return false;
    session.transport.onmessage?.(message as never, { authInfo: authInfoOf(principal) });
    return true;
  }

  told(news: PeerNews): void {
    const session = this.#sessions.get(news.session);
    if (session === undefined) return;
    if (news.kind === "ended") void session.transport.close();
    else session.transport.onmessage?.(news.message as never);
  }

  /** A session that began at another gateway, as its client introduced itself there. */
  #adopt(id: string, principal: Principal): Promise<Session | undefined> | undefined {
    const { peers } = this.#front;
    if (peers === undefined) return undefined;
    const adopted =
      this.#adopting.get(id) ??
      this.#takeUp(id, principal).finally(() => {
        this.#adopting.delete(id);
      });
    this.#adopting.set(id, adopted);
    return adopted;
  }

  async #takeUp(id: string, principal: Principal): Promise<Session | undefined> {
    const found = await this.#front.peers?.sessions.find(id, this.#limits.idleMs);
    if (found === undefined || !isSameParty(found.principal, principal)) return undefined;
    if (this.#sessions.size >= this.#limits.maxSessions && !this.#evict()) return undefined;
    const session = await this.#open(id, found.principal);
    await introduce(session, found.initialize);
    return session;
  }

  /** Others keep a session as long as it is used anywhere. */
  #touch(id: string, session: Session): void {
    const now = Date.now();
    if (now - session.touchedAt < Math.min(this.#limits.idleMs / 4, 60_000)) return;
    session.touchedAt = now;
    this.#front.peers?.sessions.touch(id).catch(() => {});
  }

  async #open(id: string, principal: Principal): Promise<Session> {
    const { peers } = this.#front;
    const { maxBodyBytes, keptEvents, keptEventBytes } = this.#limits;
    const connection = connectionFor(this.#front, principal, id);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      eventStore: eventStore({ events: keptEvents, bytes: keptEventBytes, name: peers?.name }),
      retryInterval: 1000,
      maxRequestBodySize: maxBodyBytes,
    });
    const requests = openRequests(transport);
    if (peers !== undefined) nameQuestions(transport, peers.name);
    const usedAt = Date.now();
    const session: Session = {
      principal,
      transport,
      connection,
      requests,
      usedAt,
      touchedAt: usedAt,
      open: 0,
    };
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
