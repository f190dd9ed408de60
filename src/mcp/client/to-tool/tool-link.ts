import type { JsonObject } from "../../../base/json/json-value.ts";
import type { McpCaller, McpSessionRequest } from "../../../types/mcp.ts";
import type { Principal } from "../../../types/principal.ts";
import type { Handler, ToolLayer } from "../../../types/tool.ts";
import type { McpMediaLimits } from "../content/media-blocks.ts";
import type { FileTruncator } from "../content/truncate-to-file.ts";

export interface ToolQuarantine {
  readonly reason: string;
  /** False if the name or schema is unusable. */
  readonly isApprovable: boolean;
}

/** Read at each call, because a definition outlives connections. */
export interface ToolLink {
  /** Rejects with a ToolError; `ran: false` if nothing was sent. */
  readonly request: (request: McpSessionRequest, principal: Principal) => Promise<JsonObject>;
  readonly isUp: () => boolean;
  readonly quarantine: () => ToolQuarantine | undefined;
  readonly callTimeoutMs: number;
  readonly truncator?: FileTruncator | undefined;
  readonly media?: McpMediaLimits | undefined;
  readonly checkPage?: (uri: string, result: JsonObject) => string | undefined;
  /** Answers input requests in calls that did not arrive over MCP. */
  readonly requestInput?: McpCaller["ask"] | undefined;
}

/** Hides the tool while its server is disconnected. */
export const connectionLayer = (isConnected: () => boolean): ToolLayer =>
  Object.assign((next: Handler) => next, { label: "mcp", isAvailable: isConnected });
