import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  type RequestOptions,
} from "@modelcontextprotocol/client";
import type { JsonObject } from "../../../../json/is-object.ts";
import type { McpCaller, SessionRequest } from "../../../../words/mcp.ts";
import { capabilitiesOf } from "../connect/capabilities.ts";
import { paramHeaders } from "../param-headers.ts";
import type { ServerConnection } from "../server-connection.ts";
import type { RequestContext } from "../session-failure.ts";
import { stretch } from "./time-limit.ts";

/** What belongs to one connection alone, though a request that is passed on may carry that of another. */
const ownKeys = [
  PROTOCOL_VERSION_META_KEY,
  CLIENT_INFO_META_KEY,
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
  "progressToken",
];

const cleanMeta = (meta: JsonObject | undefined): JsonObject | undefined => {
  if (meta === undefined || !ownKeys.some((key) => Object.hasOwn(meta, key))) return meta;
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !ownKeys.includes(key)));
};

/** In the new era each request says for whom it is made. */
const ownMeta = (caller: McpCaller | undefined): JsonObject | undefined => {
  const capabilities = capabilitiesOf(caller);
  const level = caller?.logLevel;
  if (capabilities === undefined && level === undefined) return undefined;
  return {
    ...(capabilities === undefined ? {} : { [CLIENT_CAPABILITIES_META_KEY]: capabilities }),
    ...(level === undefined ? {} : { [LOG_LEVEL_META_KEY]: level }),
  };
};

/** The parameters as this connection sends them. */
export const paramsOf = (
  connection: ServerConnection,
  { params, caller }: SessionRequest,
): JsonObject | undefined => {
  const own = connection.isModern ? ownMeta(caller) : undefined;
  const given = params?._meta as JsonObject | undefined;
  const meta = cleanMeta(given);
  if (own === undefined && meta === given) return params;
  return { ...params, _meta: { ...meta, ...own } };
};

export const optionsOf = (
  connection: ServerConnection,
  request: SessionRequest,
  asked: RequestContext,
): RequestOptions => {
  const { caller, onProgress, signal, params } = request;
  const timeout = asked.timeoutMs as number;
  const options: RequestOptions = { timeout, allowInputRequired: true };
  if (signal !== undefined) options.signal = signal;
  if (onProgress !== undefined || caller?.progressed !== undefined) {
    options.onprogress = (update) => {
      onProgress?.(update);
      caller?.progressed?.(update);
    };
    options.resetTimeoutOnProgress = true;
    // The last extension is one length long.
    options.maxTotalTimeout = timeout * (stretch - 1);
  }
  if (connection.tools.size > 0 && request.method === "tools/call") {
    const known = connection.tools.get(params?.name as string);
    if (known !== undefined && known.headers.length > 0) {
      options.headers = paramHeaders(known.headers, params?.arguments);
    }
  }
  return options;
};
