import { isObject } from "../../../json/is-object.ts";
import type { RemoteTool } from "../../../words/mcp.ts";
import { readParamHeaders } from "./param-headers.ts";
import { askServer } from "./request/ask-server.ts";
import { neverMs } from "./request/time-limit.ts";
import type { ServerConnection } from "./server-connection.ts";
import {
  cancelled,
  gone,
  type RequestContext,
  timedOut,
  toSessionError,
  unfitting,
} from "./session-failure.ts";

const mostPages = 1_000;
const mostTools = 10_000;
const isTool = (value: unknown): value is RemoteTool =>
  isObject(value) && typeof value.name === "string" && isObject(value.inputSchema);

/** Keeps what calling the tool depends on. False where it must not be used at all. */
const learn = (connection: ServerConnection, tool: RemoteTool): boolean => {
  const isHttp = connection.wire.kind !== "stdio";
  const headers = connection.isModern && isHttp ? readParamHeaders(tool.inputSchema) : [];
  if (headers === undefined) {
    connection.wire.onTrouble?.(`offers a tool whose x-mcp-header marks break the rules; it was left out`);
    return false;
  }
  const needsTask = !connection.isModern && tool.execution?.taskSupport === "required";
  if (headers.length > 0 || needsTask) connection.tools.set(tool.name, { headers, needsTask });
  return true;
};

export interface ToolList {
  readonly tools: readonly RemoteTool[];
  readonly ttlMs?: number;
}

const readPages = async (connection: ServerConnection, asked: RequestContext): Promise<ToolList> => {
  const tools: RemoteTool[] = [];
  const seen = new Set<unknown>();
  let cursor: unknown;
  let ttlMs: number | undefined;
  let unread = 0;
  // For all pages together: one that comes just in time each time would go on for ever.
  const until = Date.now() + (asked.timeoutMs as number);
  for (let page = 0; page < mostPages; page++) {
    const leftMs = until - Date.now();
    if (leftMs <= 0) throw timedOut(asked, true);
    const result = await askServer(
      connection.client,
      cursor === undefined ? { method: "tools/list" } : { method: "tools/list", params: { cursor } },
      {
        timeout: leftMs,
        allowInputRequired: true,
        ...(asked.signal === undefined ? {} : { signal: asked.signal }),
      },
    );
    if (!Array.isArray(result.tools)) throw unfitting(asked, "a list without tools");
    if (page === 0 && typeof result.ttlMs === "number" && result.ttlMs >= 0) ttlMs = result.ttlMs;
    for (const tool of result.tools) {
      if (!isTool(tool)) unread++;
      else if (tools.length < mostTools) tools.push(tool);
      else throw unfitting(asked, `more than ${mostTools} tools`);
    }
    cursor = result.nextCursor;
    if (typeof cursor !== "string" || seen.has(cursor)) break;
    if (page + 1 === mostPages) throw unfitting(asked, `more than ${mostPages} pages of tools`);
    seen.add(cursor);
  }
  if (unread > 0)
    connection.wire.onTrouble?.(`offers ${unread} tools without a name or a schema; they were left out`);
  connection.tools.clear();
  return {
    tools: tools.filter((tool) => learn(connection, tool)),
    ...(ttlMs === undefined ? {} : { ttlMs }),
  };
};

/** Every page. A cursor that comes again ends it, so no server can keep us turning pages. */
export const listTools = async (connection: ServerConnection, signal?: AbortSignal): Promise<ToolList> => {
  const asked: RequestContext = {
    id: connection.id,
    method: "tools/list",
    wire: connection.wire,
    signal,
    timeoutMs: Math.min(connection.callTimeoutMs, neverMs),
    mask: connection.mask,
  };
  if (connection.wire.fault !== undefined) throw gone(asked, connection.wire.fault, false);
  if (signal?.aborted === true) throw cancelled(asked, false);
  if (connection.client.getServerCapabilities()?.tools === undefined) return { tools: [] };
  try {
    return await readPages(connection, asked);
  } catch (error) {
    throw toSessionError(error, asked);
  }
};
