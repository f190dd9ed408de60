/** A received message. */
export interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly cursor?: string;
    readonly arguments?: unknown;
    readonly protocolVersion?: string;
    readonly _meta?: { readonly progressToken?: number | string };
  };
}

export type Era = "legacy" | "modern";

export const write = (text: string): void => void process.stdout.write(text);
export const send = (message: unknown): void => write(`${JSON.stringify(message)}\n`);
export const notify = (method: string, params: unknown = {}): void =>
  send({ jsonrpc: "2.0", method, params });

const capabilities = { tools: { listChanged: true } };
const info = { name: "garbage", version: "1.0.0" };
const cached = { ttlMs: 0, cacheScope: "private" };
const anything = { type: "object" } as const;

export const echoTool = { name: "echo", description: "Returns its input.", inputSchema: anything };

/** The correct reply, or undefined for messages without one. */
export const honest = ({ id, method, params }: Message, era: Era): unknown => {
  if (id === undefined) return undefined;
  const result = (value: object) => ({
    jsonrpc: "2.0",
    id,
    result: era === "modern" ? { resultType: "complete", ...value } : value,
  });
  const unknown = { jsonrpc: "2.0", id, error: { code: -32_601, message: "Method not found" } };
  switch (method) {
    case "server/discover": {
      if (era === "legacy") return unknown;
      const _meta = { "io.modelcontextprotocol/serverInfo": info };
      return result({ supportedVersions: ["2026-07-28"], capabilities, ...cached, _meta });
    }
    case "initialize":
      if (era === "modern") return unknown;
      return result({ protocolVersion: params?.protocolVersion, capabilities, serverInfo: info });
    case "subscriptions/listen": {
      const _meta = { "io.modelcontextprotocol/subscriptionId": String(id) };
      const reported = { notifications: { toolsListChanged: true }, _meta };
      return { jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params: reported };
    }
    case "ping":
      return result({});
    case "tools/list":
      return result({ tools: [echoTool], ...(era === "modern" ? cached : {}) });
    case "tools/call":
      return result({ content: [{ type: "text", text: JSON.stringify(params?.arguments) }] });
    default:
      return unknown;
  }
};
