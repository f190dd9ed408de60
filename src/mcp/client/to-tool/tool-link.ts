import { isObject, type JsonObject } from "../../../base/json/json-value.ts";
import type { McpCaller, McpSessionRequest, RemoteTool } from "../../../types/mcp.ts";
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

export const uiExtension = "io.modelcontextprotocol/ui";

export const uiMimeType = "text/html;profile=mcp-app";

const flatUiKey = "ui/resourceUri";

type WithMeta = Pick<RemoteTool, "_meta">;

/** Reads both spellings. The rest of `_meta` depends on the protocol era. */
export const appMetaOf = ({ _meta }: WithMeta): JsonObject | undefined => {
  if (!isObject(_meta)) return undefined;
  const ui = isObject(_meta.ui) ? _meta.ui : undefined;
  const flat = _meta[flatUiKey];
  if (typeof flat !== "string" || ui?.resourceUri !== undefined) return ui;
  return { ...ui, resourceUri: flat };
};

export const pickAppMeta = (meta: RemoteTool["_meta"] = {}): JsonObject =>
  Object.fromEntries(Object.entries(meta).filter(([key]) => key === "ui" || key === flatUiKey));

export const appResourceOf = (tool: WithMeta): string | undefined => {
  const uri = appMetaOf(tool)?.resourceUri;
  return typeof uri === "string" ? uri : undefined;
};

export const isVisibleToModels = (tool: WithMeta): boolean => {
  const visibility = appMetaOf(tool)?.visibility;
  return !Array.isArray(visibility) || visibility.includes("model");
};

export const isVisibleToApps = (tool: WithMeta): boolean => {
  const visibility = appMetaOf(tool)?.visibility;
  return !Array.isArray(visibility) || visibility.includes("app");
};

export const withAppMeta = (meta: JsonObject, ui: JsonObject | undefined): JsonObject => {
  const { ui: _, [flatUiKey]: flat, ...rest } = meta;
  if (ui === undefined) return rest;
  return {
    ...rest,
    ui,
    ...(flat === undefined || ui.resourceUri === undefined ? {} : { [flatUiKey]: ui.resourceUri }),
  };
};
