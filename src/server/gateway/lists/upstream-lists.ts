import type { Result, ServerContext } from "@modelcontextprotocol/server";
import { isObject, type JsonObject } from "../../../base/json/json-value.ts";
import type { McpSession } from "../../../types/mcp.ts";
import {
  type ClientConnection,
  invalidParamsError,
  isLogLevel,
  mostVerboseLevel,
  principalOf,
  usesModernProtocol,
} from "../client-connection.ts";
import type { GatewayState } from "../gateway-state.ts";

export type ListKind = "prompts" | "resources" | "resourceTemplates";
const listMethods = {
  prompts: { method: "prompts/list", capability: "prompts" },
  resources: { method: "resources/list", capability: "resources" },
  resourceTemplates: { method: "resources/templates/list", capability: "resources" },
} as const;

const maxListPages = 100;
const maxListItems = 10_000;
/** For servers without `listChanged`. */
const unwatchedListTtlMs = 5_000;
const watchedListTtlMs = 300_000;

interface CachedList {
  readonly until: number;
  readonly items: Promise<readonly JsonObject[]>;
}

const listsBySession = new WeakMap<McpSession, Map<ListKind, CachedList>>();

const emptyList: Promise<readonly JsonObject[]> = Promise.resolve(Object.freeze([]));

/** Cached per session, across clients, until it changes or expires. */
export const fetchUpstreamList = (
  gateway: GatewayState,
  session: McpSession,
  kind: ListKind,
): Promise<readonly JsonObject[]> => {
  const capability = session.capabilities[listMethods[kind].capability];
  if (capability === undefined) return emptyList;
  const lists = cachedListsOf(session);
  const now = Date.now();
  const before = lists.get(kind);
  if (before !== undefined && before.until > now) return before.items;
  const isWatched = (capability as { readonly listChanged?: unknown } | null)?.listChanged === true;
  const items = fetchAllPages(session, kind, gateway.listTimeoutMs);
  const list: CachedList = { until: now + (isWatched ? watchedListTtlMs : unwatchedListTtlMs), items };
  lists.set(kind, list);
  items.catch(() => {
    if (lists.get(kind) === list) lists.delete(kind);
  });
  return items;
};

const cachedListsOf = (session: McpSession): Map<ListKind, CachedList> => {
  const before = listsBySession.get(session);
  if (before !== undefined) return before;
  const lists = new Map<ListKind, CachedList>();
  listsBySession.set(session, lists);
  session.onNews(({ kind }) => {
    if (kind === "prompts-changed") lists.delete("prompts");
    if (kind === "resources-changed") {
      lists.delete("resources");
      lists.delete("resourceTemplates");
    }
    if (kind === "closed") lists.clear();
  });
  return lists;
};

const fetchAllPages = async (
  session: McpSession,
  kind: ListKind,
  timeoutMs: number,
): Promise<readonly JsonObject[]> => {
  const items: JsonObject[] = [];
  let cursor: unknown;
  for (let page = 0; page < maxListPages; page++) {
    const params = cursor === undefined ? {} : { params: { cursor } };
    const result = await session.request({ method: listMethods[kind].method, ...params, timeoutMs });
    const found = result[kind];
    if (Array.isArray(found)) for (const item of found) if (isObject(item)) items.push(item);
    const next = result.nextCursor;
    if (typeof next !== "string" || next === cursor || items.length >= maxListItems) break;
    cursor = next;
  }
  return Object.freeze(items.slice(0, maxListItems));
};

/** Lists depend on the caller, so caches must not share them. */
export const withCacheHints = (connection: ClientConnection, result: Result): Result =>
  usesModernProtocol(connection)
    ? { ...result, ttlMs: connection.gateway.listTtlMs, cacheScope: "private" }
    : result;

interface RequestedLogLevels {
  readonly levels: Map<ClientConnection, string>;
  sentLevel: string | undefined;
}

const requestedLevels = new WeakMap<McpSession, RequestedLogLevels>();

/** Upstream servers get the most verbose requested level. */
export const setLogLevel = (
  connection: ClientConnection,
  params: JsonObject,
  context: ServerContext,
): Result => {
  const { level } = params;
  if (!isLogLevel(level))
    throw invalidParamsError("Invalid params: logging/setLevel needs /params/level to be a log level.");
  connection.logLevel = level;
  for (const { session } of connection.gateway.backend.servers(principalOf(connection, context))) {
    if (session.era !== "legacy" || session.capabilities.logging === undefined) continue;
    const all = requestedLevels.get(session) ?? { levels: new Map(), sentLevel: undefined };
    requestedLevels.set(session, all);
    all.levels.set(connection, level);
    forwardLogLevel(session, all);
  }
  return {};
};

export const clearLogLevel = (connection: ClientConnection): void => {
  if (connection.logLevel === undefined) return;
  for (const { session } of connection.gateway.backend.servers(connection.principal)) {
    const all = requestedLevels.get(session);
    if (all?.levels.delete(connection)) forwardLogLevel(session, all);
  }
};

const forwardLogLevel = (session: McpSession, all: RequestedLogLevels): void => {
  const level = mostVerboseLevel(all.levels.values());
  if (level === undefined || level === all.sentLevel) return;
  all.sentLevel = level;
  // Messages are filtered here anyway.
  session.request({ method: "logging/setLevel", params: { level } }).catch(() => {
    all.sentLevel = undefined;
  });
};
