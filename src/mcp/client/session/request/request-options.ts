import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  type RequestOptions,
} from "@modelcontextprotocol/client";
import type { JsonObject } from "../../../../base/json/is-object.ts";
import type { McpCaller, McpSessionRequest } from "../../../../types/mcp.ts";
import { capabilitiesOfCaller } from "../connect/client-capabilities.ts";
import { paramHeadersOf } from "../param-headers.ts";
import type { ServerConnection } from "../server-connection.ts";
import type { McpRequestInfo } from "../session-errors.ts";
import { maxExtensionFactor } from "./request-time-limit.ts";

/** Must not be forwarded from one connection to another. */
const connectionMetaKeys = [
  PROTOCOL_VERSION_META_KEY,
  CLIENT_INFO_META_KEY,
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
  "progressToken",
];

const withoutConnectionMeta = (meta: JsonObject | undefined): JsonObject | undefined => {
  if (meta === undefined || !connectionMetaKeys.some((key) => Object.hasOwn(meta, key))) return meta;
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !connectionMetaKeys.includes(key)));
};

const callerMeta = (caller: McpCaller | undefined): JsonObject | undefined => {
  const capabilities = capabilitiesOfCaller(caller);
  const level = caller?.logLevel;
  if (capabilities === undefined && level === undefined) return undefined;
  return {
    ...(capabilities === undefined ? {} : { [CLIENT_CAPABILITIES_META_KEY]: capabilities }),
    ...(level === undefined ? {} : { [LOG_LEVEL_META_KEY]: level }),
  };
};

export const requestParams = (
  connection: ServerConnection,
  { params, caller }: McpSessionRequest,
): JsonObject | undefined => {
  const own = connection.isModern ? callerMeta(caller) : undefined;
  const given = params?._meta as JsonObject | undefined;
  const meta = withoutConnectionMeta(given);
  if (own === undefined && meta === given) return params;
  return { ...params, _meta: { ...meta, ...own } };
};

export const sdkRequestOptions = (
  connection: ServerConnection,
  request: McpSessionRequest,
  info: McpRequestInfo,
): RequestOptions => {
  const { caller, onProgress, signal, params } = request;
  const timeout = info.timeoutMs as number;
  const options: RequestOptions = { timeout, allowInputRequired: true };
  if (signal !== undefined) options.signal = signal;
  if (onProgress !== undefined || caller?.progressed !== undefined) {
    options.onprogress = (update) => {
      onProgress?.(update);
      caller?.progressed?.(update);
    };
    options.resetTimeoutOnProgress = true;
    // The last extension lasts one full timeout.
    options.maxTotalTimeout = timeout * (maxExtensionFactor - 1);
  }
  if (connection.tools.size > 0 && request.method === "tools/call") {
    const known = connection.tools.get(params?.name as string);
    if (known !== undefined && known.headers.length > 0) {
      options.headers = paramHeadersOf(known.headers, params?.arguments);
    }
  }
  return options;
};
