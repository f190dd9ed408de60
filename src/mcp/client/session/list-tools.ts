import { isObject } from "../../../json/is-object.ts";
import type { ListedTools, RefusedTool, RemoteTool } from "../../../words/mcp.ts";
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

/** What a server lists, as a tool or as what is against it; a tool that says nothing of its arguments takes none. */
const readTool = (value: unknown): RemoteTool | RefusedTool => {
  if (!isObject(value) || typeof value.name !== "string") {
    return { name: nameOf(value), reason: "it has no name" };
  }
  const { name, inputSchema = noParameters } = value;
  if (inputSchema === null) return { ...value, name, inputSchema: noParameters };
  if (!isObject(inputSchema)) return { name, reason: "its input schema is not an object" };
  return { ...value, name, inputSchema } as RemoteTool;
};

const noParameters = Object.freeze({ type: "object", properties: Object.freeze({}) });

const isRefused = (tool: RemoteTool | RefusedTool): tool is RefusedTool => !("inputSchema" in tool);

/** Enough to find it in the server's own list. */
const nameOf = (value: unknown): string => {
  const { title, description } = (isObject(value) ? value : {}) as Partial<RemoteTool>;
  const said = [title, description].find((each) => typeof each === "string");
  return said === undefined ? "(no name)" : `(no name) ${said.slice(0, 60)}`;
};

/** Keeps what calling the tool depends on. Answers with what is against it, where it must not be used at all. */
const learn = (connection: ServerConnection, tool: RemoteTool): RefusedTool | undefined => {
  const isHttp = connection.wire.kind !== "stdio";
  const headers = connection.isModern && isHttp ? readParamHeaders(tool.inputSchema) : [];
  if (headers === undefined) return { name: tool.name, reason: "its x-mcp-header marks break the rules" };
  const needsTask = !connection.isModern && tool.execution?.taskSupport === "required";
  if (headers.length > 0 || needsTask) connection.tools.set(tool.name, { headers, needsTask });
  return undefined;
};

const readPages = async (connection: ServerConnection, asked: RequestContext): Promise<ListedTools> => {
  const tools: RemoteTool[] = [];
  const refused: RefusedTool[] = [];
  const seen = new Set<unknown>();
  let cursor: unknown;
  let ttlMs: number | undefined;
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
    for (const listed of result.tools) {
      if (tools.length + refused.length >= mostTools) throw unfitting(asked, `more than ${mostTools} tools`);
      const tool = readTool(listed);
      if (isRefused(tool)) refused.push(tool);
      else tools.push(tool);
    }
    cursor = result.nextCursor;
    if (typeof cursor !== "string" || seen.has(cursor)) break;
    if (page + 1 === mostPages) throw unfitting(asked, `more than ${mostPages} pages of tools`);
    seen.add(cursor);
  }
  connection.tools.clear();
  const usable = tools.filter((tool) => {
    const problem = learn(connection, tool);
    if (problem !== undefined) refused.push(problem);
    return problem === undefined;
  });
  return {
    tools: usable,
    ...(refused.length === 0 ? {} : { refused }),
    ...(ttlMs === undefined ? {} : { ttlMs }),
  };
};

/** Every page. A cursor that comes again ends it, so no server can keep us turning pages. */
export const listTools = async (connection: ServerConnection, signal?: AbortSignal): Promise<ListedTools> => {
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
