import type { McpFetch } from "../../src/server/gateway/mcp-fetch.ts";
import type { Principal } from "../../src/types/principal.ts";
import { alicePrincipal } from "./gateway-clients.ts";

type Members = Readonly<Record<string, unknown>>;

export interface ModernReply {
  readonly status: number;
  readonly result?: Members & {
    readonly requestState?: string;
    readonly taskId?: string;
    readonly inputRequests?: Readonly<Record<string, { readonly method: string; readonly params: unknown }>>;
  };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface ModernRequestOptions {
  readonly principal?: Principal;
  readonly capabilities?: Members;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

let lastId = 0;

/** One request of the new era as it is on the wire, with the raw answer. */
export const postModern = async (
  http: McpFetch,
  method: string,
  params: Members,
  options: ModernRequestOptions = {},
): Promise<ModernReply> => {
  const { principal = alicePrincipal, capabilities = {}, headers = {}, signal } = options;
  const name = params.name ?? params.uri ?? params.taskId;
  const request = new Request("http://127.0.0.1/mcp", {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": method,
      ...(typeof name === "string" ? { "Mcp-Name": name } : {}),
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: ++lastId,
      method,
      params: {
        ...params,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": capabilities,
          ...(params._meta as Members | undefined),
        },
      },
    }),
    ...(signal === undefined ? {} : { signal }),
  });
  const response = await http.fetch(request, { principal });
  const text = await response.text();
  const json = text.startsWith("event:") ? (text.trim().split("data: ").at(-1) ?? "{}") : text || "{}";
  const { result, error } = JSON.parse(json) as Omit<ModernReply, "status">;
  return {
    status: response.status,
    ...(result === undefined ? {} : { result }),
    ...(error === undefined ? {} : { error }),
  };
};
