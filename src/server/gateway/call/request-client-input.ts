import { randomUUID } from "node:crypto";
import { ProtocolError, type ServerContext, type StandardSchemaV1 } from "@modelcontextprotocol/server";
import { sanitizeUntrustedText } from "../../../mcp/client/transport/sanitize-foreign-text.ts";
import { MCPConnectionError } from "../../../types/errors.ts";
import type { InputRequests, McpCaller } from "../../../types/mcp.ts";

/** The requesting server validates the response. */
const anyObjectSchema: StandardSchemaV1<unknown, Record<string, unknown>> = {
  "~standard": {
    version: 1,
    vendor: "haft",
    validate: (value) =>
      typeof value === "object" && value !== null
        ? { value: value as Record<string, unknown> }
        : { issues: [{ message: "is not an object" }] },
  },
};

/** Only connections of the legacy protocol support server requests. */
export const requestClientInput =
  (context: ServerContext, timeoutMs: number): NonNullable<McpCaller["ask"]> =>
  async (requests, signal) => {
    const options = { signal, timeout: timeoutMs, resetTimeoutOnProgress: true };
    const sendRequest = async (key: string): Promise<readonly [string, unknown]> => {
      const { method, params } = withElicitationId(requests[key]!);
      const request =
        params === undefined ? { method } : { method, params: params as Record<string, unknown> };
      return [key, await context.mcpReq.send(request, anyObjectSchema, options)];
    };
    try {
      return Object.fromEntries(await Promise.all(Object.keys(requests).map(sendRequest)));
    } catch (error) {
      throw clientResponseError(error);
    }
  };

/** Required by the legacy protocol. */
const withElicitationId = (request: InputRequests[string]): InputRequests[string] => {
  const params = request.params as Readonly<Record<string, unknown>> | undefined;
  if (request.method !== "elicitation/create" || params?.mode !== "url") return request;
  return params.elicitationId === undefined
    ? { ...request, params: { ...params, elicitationId: randomUUID() } }
    : request;
};

const clientResponseError = (error: unknown): MCPConnectionError => {
  const message = `The client did not answer: ${sanitizeUntrustedText(error instanceof Error ? error.message : String(error))}`;
  const cause =
    error instanceof ProtocolError
      ? { code: error.code, message: error.message, data: error.data }
      : undefined;
  return new MCPConnectionError("mcp_protocol", message, cause === undefined ? {} : { cause });
};
