import { isObject, type JsonObject } from "../../json/is-object.ts";
import type { McpSession } from "../../words/mcp.ts";
import type { GatewayState } from "../gateway-state.ts";

export type ListKind = "prompts" | "resources" | "resourceTemplates";
const methods = {
  prompts: { method: "prompts/list", capability: "prompts" },
  resources: { method: "resources/list", capability: "resources" },
  resourceTemplates: { method: "resources/templates/list", capability: "resources" },
} as const;

const mostPages = 100;
const mostItems = 10_000;
/** What a server lists is asked for again after this, unless it says when it changes. */
const unwatchedMs = 5_000;
const watchedMs = 300_000;

interface CachedList {
  readonly until: number;
  readonly items: Promise<readonly JsonObject[]>;
}

const kept = new WeakMap<McpSession, Map<ListKind, CachedList>>();

const none: Promise<readonly JsonObject[]> = Promise.resolve(Object.freeze([]));

/** All that one server lists. It is asked once for many clients, and again when it says that something changed. */
export const listOf = (
  gateway: GatewayState,
  session: McpSession,
  kind: ListKind,
): Promise<readonly JsonObject[]> => {
  const capability = session.capabilities[methods[kind].capability];
  if (capability === undefined) return none;
  const lists = keptOf(session);
  const now = Date.now();
  const before = lists.get(kind);
  if (before !== undefined && before.until > now) return before.items;
  const isWatched = (capability as { readonly listChanged?: unknown } | null)?.listChanged === true;
  const items = allPages(session, kind, gateway.listTimeoutMs);
  const list: CachedList = { until: now + (isWatched ? watchedMs : unwatchedMs), items };
  lists.set(kind, list);
  // A list that could not be had is no list.
  items.catch(() => {
    if (lists.get(kind) === list) lists.delete(kind);
  });
  return items;
};

const keptOf = (session: McpSession): Map<ListKind, CachedList> => {
  const before = kept.get(session);
  if (before !== undefined) return before;
  const lists = new Map<ListKind, CachedList>();
  kept.set(session, lists);
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

const allPages = async (
  session: McpSession,
  kind: ListKind,
  timeoutMs: number,
): Promise<readonly JsonObject[]> => {
  const items: JsonObject[] = [];
  let cursor: unknown;
  for (let page = 0; page < mostPages; page++) {
    const params = cursor === undefined ? {} : { params: { cursor } };
    const result = await session.request({ method: methods[kind].method, ...params, timeoutMs });
    const found = result[kind];
    if (Array.isArray(found)) for (const item of found) if (isObject(item)) items.push(item);
    const next = result.nextCursor;
    if (typeof next !== "string" || next === cursor || items.length >= mostItems) break;
    cursor = next;
  }
  return Object.freeze(items.slice(0, mostItems));
};
