import { canonicalJson } from "../../base/json/canonical-json.ts";
import { hashText } from "../../base/json/hash.ts";
import type { RemoteTool } from "../../types/mcp.ts";
import { appMetaOf } from "../client/to-tool/mcp-app.ts";
import type { Launch, LockedDefinition, LockedTool } from "./lock.ts";

/**
 * What is reviewed of a tool. Icons, `execution` and the rest of `_meta` differ by the era of the protocol that was agreed
 * on, so they are not reviewed, and the gateway passes none of them on. An app is reviewed: it is code.
 */
export const definitionOf = (name: string, tool: RemoteTool): LockedDefinition =>
  toLockedDefinition(name, tool, appMetaOf(tool));

/** The same of a tool that is in a lock. */
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

/** The hash of a definition at one server; the part that all its tools share is written once. */
export const definitionHasher = (id: string, launch: Launch): DefinitionHash => {
  const head = `{"server":${canonicalJson({ id, launch })},"tool":`;
  // The page of an app is read when it is asked for, long after the tools are judged.
  return ({ uiHash: _, ...definition }) => `sha256:${hashText(`${head}${canonicalJson(definition)}}`)}`;
};

/** Without its name, to find a tool again under another one. */
export const namelessText = (definition: LockedDefinition): string =>
  canonicalJson({ ...definition, name: "" });
