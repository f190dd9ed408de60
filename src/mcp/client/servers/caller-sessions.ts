import type * as Clock from "effect/Clock";
import type * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type { JsonObject } from "../../../base/json/json-value.ts";
import { ToolCancelledError, ToolError, ToolOverloadedError, toError } from "../../../types/errors.ts";
import type { McpSession, McpSessionRequest, NamedMcpServer } from "../../../types/mcp.ts";
import { callerKeyOf, type Principal } from "../../../types/principal.ts";
import { contentOwnerOf } from "../content/truncated-file-store.ts";
import { closeQuietly, openServerWithin } from "./open-server.ts";
import type { McpServersServices } from "./servers-services.ts";
import type { Upstream } from "./upstream.ts";

const maxCallerSessions = 64;
const callerSessionIdleMs = 600_000;

interface CallerSessionEntry {
  readonly opening: Promise<McpSession>;
  session: McpSession | undefined;
  inFlight: number;
  usedAt: number;
}

/** One connection per caller, opened on first use, so that no result can reach another caller. */
export interface CallerSessions {
  readonly request: (request: McpSessionRequest, principal: Principal) => Promise<JsonObject>;
  readonly closeIdle: () => void;
  readonly close: () => Promise<void>;
}

export const createCallerSessions = (
  server: NamedMcpServer,
  services: McpServersServices,
  context: Context.Context<never>,
  clock: Clock.Clock,
): CallerSessions => {
  const entries = new Map<string, CallerSessionEntry>();
  const shutdown = new AbortController();
  const closing = new Set<Promise<void>>();
  const now = (): number => clock.currentTimeMillisUnsafe();

  const closeEntry = (key: string, entry: CallerSessionEntry): void => {
    if (entries.get(key) === entry) entries.delete(key);
    const { session } = entry;
    if (session === undefined) return;
    entry.session = undefined;
    const gone = closeQuietly(session).finally(() => closing.delete(gone));
    closing.add(gone);
  };

  const open = (key: string, principal: Principal): CallerSessionEntry => {
    const keep = (session: McpSession): void => {
      entry.session = session;
      session.onNews((news) => {
        if (news.kind !== "closed") return;
        closeEntry(key, entry);
      });
      if (shutdown.signal.aborted) closeEntry(key, entry);
    };
    const withinMs = server.connectTimeoutMs ?? services.config.connectionTimeoutMs;
    const opening = Effect.runPromiseWith(context)(
      openServerWithin({ server, services, principal, withinMs, onOpen: keep }),
      { signal: shutdown.signal },
    );
    const entry: CallerSessionEntry = { opening, session: undefined, inFlight: 0, usedAt: now() };
    opening.catch(() => closeEntry(key, entry));
    return entry;
  };

  const evictIdle = (): void => {
    if (entries.size < maxCallerSessions) return;
    const idle = [...entries].filter(([, { inFlight }]) => inFlight === 0);
    const [oldest] = idle.sort(([, one], [, other]) => one.usedAt - other.usedAt);
    if (oldest === undefined) {
      throw new ToolOverloadedError(
        "overloaded",
        `The MCP server "${server.id}" has a connection for each of ${maxCallerSessions} callers, and all of them are busy.`,
        { ran: false },
      );
    }
    closeEntry(...oldest);
  };

  const entryOf = (principal: Principal): CallerSessionEntry => {
    const key = callerKeyOf(principal);
    const known = entries.get(key);
    if (known !== undefined) return known;
    evictIdle();
    const entry = open(key, principal);
    entries.set(key, entry);
    return entry;
  };

  return {
    request: async (request, principal) => {
      if (shutdown.signal.aborted) throw callCancelledError(server);
      const entry = entryOf(principal);
      entry.inFlight++;
      try {
        const session = entry.session ?? (await waitForSession(entry.opening, server));
        if (request.signal?.aborted === true) throw callCancelledError(server);
        return await session.request(request);
      } finally {
        entry.inFlight--;
        entry.usedAt = now();
      }
    },
    closeIdle: () => {
      const before = now() - callerSessionIdleMs;
      for (const [key, entry] of entries)
        if (entry.inFlight === 0 && entry.usedAt <= before) closeEntry(key, entry);
    },
    close: async () => {
      shutdown.abort();
      for (const [key, entry] of entries) closeEntry(key, entry);
      await Promise.all(closing);
    },
  };
};

/** Nothing was sent yet. */
const waitForSession = async (opening: Promise<McpSession>, server: NamedMcpServer): Promise<McpSession> => {
  try {
    return await opening;
  } catch (error) {
    throw ToolError.is(error) ? toError({ ...error.failure, ran: false }) : callCancelledError(server);
  }
};

const callCancelledError = (server: NamedMcpServer): ToolCancelledError =>
  new ToolCancelledError(
    "cancelled",
    `The call was cancelled before it was sent to the MCP server "${server.id}".`,
    {
      ran: false,
    },
  );

export interface UsableUpstream {
  readonly id: string;
  readonly session: McpSession;
  /** Tool names, since access to resources and prompts is governed. */
  readonly readResource?: string;
  readonly getPrompt?: string;
  readonly completeArgument?: string;
  readonly keys: readonly string[];
}

/** A server with a connection per caller requires a known caller. */
export const toUsableUpstreams = (
  upstream: Upstream,
  principal: Principal | undefined,
): readonly UsableUpstream[] => {
  const session = sessionOfCaller(upstream, principal);
  if (session === undefined || upstream.isBlocked()) return [];
  const own = upstream.tools.companions();
  const keys = [...upstream.tools.names(), ...Object.values(own)];
  return [{ id: upstream.server.id, session, keys, ...own }];
};

const sessionOfCaller = (
  { session, callerSessions }: Upstream,
  principal: Principal | undefined,
): McpSession | undefined => {
  if (session === undefined || callerSessions === undefined) return session;
  if (principal === undefined) return undefined;
  let own = callerSessionViews.get(session);
  if (own === undefined) {
    own = new Map();
    callerSessionViews.set(session, own);
  }
  const key = contentOwnerOf(principal);
  let mine = own.get(key);
  if (mine === undefined) {
    mine = createCallerSessionView(session, callerSessions, principal);
    own.set(key, mine);
    if (own.size > maxCallerSessionViews) own.delete(own.keys().next().value as string);
  }
  return mine;
};

/** The gateway uses sessions as keys. */
const callerSessionViews = new WeakMap<McpSession, Map<string, McpSession>>();
const maxCallerSessionViews = 1_000;

const createCallerSessionView = (
  session: McpSession,
  callerSessions: CallerSessions,
  principal: Principal,
): McpSession => {
  const { era, protocol, serverInfo, capabilities, instructions, transport } = session;
  return {
    era,
    protocol,
    serverInfo,
    capabilities,
    instructions,
    transport,
    listTools: (signal) => session.listTools(signal),
    request: (request) => callerSessions.request(request, principal),
    notify: (method, params) => session.notify(method, params),
    onNews: (listener) => session.onNews(listener),
    close: async () => {},
  };
};
