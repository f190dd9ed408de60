import { isObject, type JsonObject } from "../../../base/json/json-value.ts";
import type { RemoteTool } from "../../../types/mcp.ts";

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
