import { type ServerContext, TRACEPARENT_META_KEY } from "@modelcontextprotocol/server";
import { readTraceparentFields } from "../../../base/http/trace-headers.ts";
import { isObject, type JsonObject } from "../../../base/json/json-value.ts";
import { uiExtension } from "../../../mcp/client/to-tool/tool-link.ts";
import type { IncomingTrace } from "../../../types/call.ts";
import type { InputRequests } from "../../../types/mcp.ts";
import type { ClientConnection } from "../client-connection.ts";
import type { GatewayCallParameters } from "./run-gateway-call.ts";
/** Older protocols have no modes: a bare declaration means forms. */
export const canElicit = (capabilities: JsonObject, mode: "form" | "url"): boolean => {
  const { elicitation } = capabilities;
  if (!isObject(elicitation)) return false;
  if (elicitation[mode] !== undefined) return true;
  return mode === "form" && elicitation.url === undefined;
};

const missingCapability = (
  { method, params }: InputRequests[string],
  capabilities: JsonObject,
): JsonObject | undefined => {
  const asked = isObject(params) ? params : {};
  switch (method) {
    case "elicitation/create": {
      const mode = asked.mode === "url" ? "url" : "form";
      return canElicit(capabilities, mode) ? undefined : { elicitation: { [mode]: {} } };
    }
    case "sampling/createMessage": {
      const { sampling } = capabilities;
      if (asked.tools === undefined && asked.toolChoice === undefined) {
        return isObject(sampling) ? undefined : { sampling: {} };
      }
      return isObject(sampling) && sampling.tools !== undefined ? undefined : { sampling: { tools: {} } };
    }
    case "roots/list":
      return isObject(capabilities.roots) ? undefined : { roots: {} };
    default:
      return {};
  }
};

export const findUnsupportedRequest = (
  requests: InputRequests,
  capabilities: JsonObject,
): { readonly method: string; readonly missing: JsonObject } | undefined => {
  for (const request of Object.values(requests)) {
    const missing = missingCapability(request, capabilities);
    if (missing !== undefined) return { method: request.method, missing };
  }
  return undefined;
};

export const tasksExtension = "io.modelcontextprotocol/tasks";

export const supportsApps = ({ extensions }: JsonObject): boolean =>
  isObject(extensions) && isObject(extensions[uiExtension]);

export const supportsTasks = ({ extensions }: JsonObject): boolean =>
  isObject(extensions) && isObject(extensions[tasksExtension]);

const maxMetaLength = 512;

export const requestMetaOf = (
  { conversation, loaded }: ClientConnection,
  { mcpReq, http }: ServerContext,
): Pick<GatewayCallParameters, "conversation" | "correlationId" | "idempotencyKey" | "trace" | "loaded"> => {
  const meta = mcpReq._meta as JsonObject | undefined;
  const headers = http?.req?.headers;
  const trace = traceOf(meta, (name) => headers?.get(name) ?? undefined);
  const correlationId = trace?.message ?? trace?.transport;
  const idempotencyKey = boundedText(meta?.["haft/idempotencyKey"]);
  return {
    ...(conversation === undefined ? {} : { conversation }),
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(trace === undefined ? {} : { trace }),
    ...(loaded === undefined ? {} : { loaded }),
  };
};

const traceOf = (
  meta: JsonObject | undefined,
  header: (name: string) => string | undefined,
): IncomingTrace | undefined => {
  const message = validTraceparent(meta?.[TRACEPARENT_META_KEY]);
  const transport = validTraceparent(header("traceparent"));
  if (message === undefined && transport === undefined) return undefined;
  return {
    message,
    messageState: boundedText(meta?.tracestate),
    transport,
    transportState: boundedText(header("tracestate")),
  };
};

/** The ledger stores this client text. */
const validTraceparent = (value: unknown): string | undefined => {
  const text = boundedText(value);
  return text === undefined || readTraceparentFields(text) === undefined ? undefined : text;
};

const boundedText = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" && value.length <= maxMetaLength ? value : undefined;
