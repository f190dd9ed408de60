import { isObject, type JsonObject } from "../../../base/json/is-object.ts";
import type { RemoteTool } from "../../../types/mcp.ts";

/** The extension under which clients and servers agree on MCP Apps. */
export const uiExtension = "io.modelcontextprotocol/ui";

/** What a client that shows apps says it can show. */
export const uiMimeType = "text/html;profile=mcp-app";

const flatUiKey = "ui/resourceUri";

type WithMeta = Pick<RemoteTool, "_meta">;

/**
 * What a tool says of its app: `_meta.ui`, and the older spelling of its resource. The rest of `_meta` differs by the
 * era of the protocol and is nobody's promise.
 */
export const appMetaOf = ({ _meta }: WithMeta): JsonObject | undefined => {
  if (!isObject(_meta)) return undefined;
  const ui = isObject(_meta.ui) ? _meta.ui : undefined;
  const flat = _meta[flatUiKey];
  if (typeof flat !== "string" || ui?.resourceUri !== undefined) return ui;
  return { ...ui, resourceUri: flat };
};

/** The members of `_meta` that are about the app, in both spellings. */
export const pickAppMeta = (meta: RemoteTool["_meta"] = {}): JsonObject =>
  Object.fromEntries(Object.entries(meta).filter(([key]) => key === "ui" || key === flatUiKey));

/** The address of the app's page, where the tool has one. */
export const appResourceOf = (tool: WithMeta): string | undefined => {
  const uri = appMetaOf(tool)?.resourceUri;
  return typeof uri === "string" ? uri : undefined;
};

/** A tool for the app alone is called by the page that shows it, and no model is told of it. */
export const isVisibleToModels = (tool: WithMeta): boolean => {
  const visibility = appMetaOf(tool)?.visibility;
  return !Array.isArray(visibility) || visibility.includes("model");
};

/** A tool for models alone is not called by the page of an app. */
export const isVisibleToApps = (tool: WithMeta): boolean => {
  const visibility = appMetaOf(tool)?.visibility;
  return !Array.isArray(visibility) || visibility.includes("app");
};

/** The same `_meta` with another address of the page, or without any app. Both spellings say the same afterwards. */
export const withAppMeta = (meta: JsonObject, ui: JsonObject | undefined): JsonObject => {
  const { ui: _, [flatUiKey]: flat, ...rest } = meta;
  if (ui === undefined) return rest;
  return {
    ...rest,
    ui,
    ...(flat === undefined || ui.resourceUri === undefined ? {} : { [flatUiKey]: ui.resourceUri }),
  };
};
