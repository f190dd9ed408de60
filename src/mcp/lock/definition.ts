import { canonicalJson } from "../../base/json/canonical-json.ts";
import { hashText } from "../../base/json/hash.ts";
import type { RemoteTool } from "../../types/mcp.ts";
import { appMetaOf } from "../client/to-tool/mcp-app.ts";
import type { Launch, LockedDefinition, LockedTool } from "./lock.ts";

/**
 * Icons, `execution` and other `_meta` depend on the protocol era; they are not reviewed, and the gateway
 * drops them.
 */
export const definitionOf = (name: string, tool: RemoteTool): LockedDefinition =>
  toLockedDefinition(name, tool, appMetaOf(tool));

export const lockedDefinitionOf = (name: string, tool: LockedTool): LockedDefinition => {
  const { ui, uiHash } = tool;
  const definition = toLockedDefinition(name, tool, ui);
  return uiHash === undefined ? definition : { ...definition, uiHash };
};

const toLockedDefinition = (
  name: string,
  tool: RemoteTool | LockedTool,
  ui: LockedDefinition["ui"],
): LockedDefinition => {
  const { title, description, inputSchema, outputSchema, annotations } = tool;
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(ui === undefined ? {} : { ui }),
  };
};

export type DefinitionHash = (definition: LockedDefinition) => string;

export const definitionHasher = (id: string, launch: Launch): DefinitionHash => {
  const head = `{"server":${canonicalJson({ id, launch })},"tool":`;
  // The page is checked later.
  return ({ uiHash: _, ...definition }) => `sha256:${hashText(`${head}${canonicalJson(definition)}}`)}`;
};

/** For finding renamed tools. */
export const namelessText = (definition: LockedDefinition): string =>
  canonicalJson({ ...definition, name: "" });
