import { isObject } from "../../../base/json/json-value.ts";
import type { RefusedTool, RemoteTool, ToolListing } from "../../../types/mcp.ts";
import { readParamHeaders } from "./param-headers.ts";
import { callServer, maxTimeoutMs } from "./request/request-deadline.ts";
import type { ServerConnection } from "./server-connection.ts";
import {
  connectionLostError,
  type McpRequestInfo,
  protocolViolationError,
  requestCancelledError,
  requestTimeoutError,
  toSessionError,
} from "./session-errors.ts";

const maxToolPages = 1_000;
const maxListedTools = 10_000;

/** A tool without an input schema takes no arguments. */
const readListedTool = (value: unknown): RemoteTool | RefusedTool => {
  if (!isObject(value) || typeof value.name !== "string") {
    return { name: rejectedToolName(value), reason: "it has no name" };
  }
  const { name, inputSchema = emptyInputSchema } = value;
  if (inputSchema === null) return { ...value, name, inputSchema: emptyInputSchema };
  if (!isObject(inputSchema)) return { name, reason: "its input schema is not an object" };
  return { ...value, name, inputSchema } as RemoteTool;
};

const emptyInputSchema = Object.freeze({ type: "object", properties: Object.freeze({}) });

const isRejectedTool = (tool: RemoteTool | RefusedTool): tool is RefusedTool => !("inputSchema" in tool);

const rejectedToolName = (value: unknown): string => {
  const { title, description } = (isObject(value) ? value : {}) as Partial<RemoteTool>;
  const said = [title, description].find((each) => typeof each === "string");
  return said === undefined ? "(no name)" : `(no name) ${said.slice(0, 60)}`;
};

/** Returns the reason if the tool must not be used. */
const recordToolNeeds = (connection: ServerConnection, tool: RemoteTool): RefusedTool | undefined => {
  const isHttp = connection.wire.kind !== "stdio";
  const headers = connection.isModern && isHttp ? readParamHeaders(tool.inputSchema) : [];
  if (headers === undefined) return { name: tool.name, reason: "its x-mcp-header annotations are invalid" };
  const needsTask = !connection.isModern && tool.execution?.taskSupport === "required";
  if (headers.length > 0 || needsTask) connection.tools.set(tool.name, { headers, needsTask });
  return undefined;
};

const readToolPages = async (connection: ServerConnection, info: McpRequestInfo): Promise<ToolListing> => {
  const tools: RemoteTool[] = [];
  const refused: RefusedTool[] = [];
  const seen = new Set<unknown>();
  let cursor: unknown;
  let ttlMs: number | undefined;
  // One deadline for all pages.
  const until = Date.now() + (info.timeoutMs as number);
  for (let page = 0; page < maxToolPages; page++) {
    const leftMs = until - Date.now();
    if (leftMs <= 0) throw requestTimeoutError(info, true);
    const result = await callServer(
      connection.client,
      cursor === undefined ? { method: "tools/list" } : { method: "tools/list", params: { cursor } },
      {
        timeout: leftMs,
        allowInputRequired: true,
        ...(info.signal === undefined ? {} : { signal: info.signal }),
      },
    );
    if (!Array.isArray(result.tools)) throw protocolViolationError(info, "a list without tools");
    if (page === 0 && typeof result.ttlMs === "number" && result.ttlMs >= 0) ttlMs = result.ttlMs;
    for (const listed of result.tools) {
      if (tools.length + refused.length >= maxListedTools)
        throw protocolViolationError(info, `more than ${maxListedTools} tools`);
      const tool = readListedTool(listed);
      if (isRejectedTool(tool)) refused.push(tool);
      else tools.push(tool);
    }
    cursor = result.nextCursor;
    if (typeof cursor !== "string" || seen.has(cursor)) break;
    if (page + 1 === maxToolPages)
      throw protocolViolationError(info, `more than ${maxToolPages} pages of tools`);
    seen.add(cursor);
  }
  connection.tools.clear();
  const usable = tools.filter((tool) => {
    const problem = recordToolNeeds(connection, tool);
    if (problem !== undefined) refused.push(problem);
    return problem === undefined;
  });
  return {
    tools: usable,
    ...(refused.length === 0 ? {} : { refused }),
    ...(ttlMs === undefined ? {} : { ttlMs }),
  };
};

/** A repeated cursor ends the list, so that a server cannot cause endless paging. */
export const listRemoteTools = async (
  connection: ServerConnection,
  signal?: AbortSignal,
): Promise<ToolListing> => {
  const info: McpRequestInfo = {
    id: connection.id,
    method: "tools/list",
    wire: connection.wire,
    signal,
    timeoutMs: Math.min(connection.callTimeoutMs, maxTimeoutMs),
    mask: connection.mask,
  };
  if (connection.wire.fault !== undefined) throw connectionLostError(info, connection.wire.fault, false);
  if (signal?.aborted === true) throw requestCancelledError(info, false);
  if (connection.client.getServerCapabilities()?.tools === undefined) return { tools: [] };
  try {
    return await readToolPages(connection, info);
  } catch (error) {
    throw toSessionError(error, info);
  }
};
