import { canonicalJson } from "../../json/canonical-json.ts";
import { hashText } from "../../json/hash.ts";
import type { RemoteTool } from "../../words/mcp.ts";
import type { Launch, LockedDefinition, LockedTool } from "./locked.ts";

/**
 * What counts of a tool. Icons, `execution` and `_meta` reach neither a model nor a check of ours, and differ by the
 * era of the protocol that was agreed on, so they are no part of what was reviewed.
 */
export const definitionOf = (name: string, tool: RemoteTool | LockedTool): LockedDefinition => {
  const { title, description, inputSchema, outputSchema, annotations } = tool;
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(annotations === undefined ? {} : { annotations }),
  };
};

export type DefinitionHash = (definition: LockedDefinition) => string;

/** The hash of a definition at one server; the part that all its tools share is written once. */
export const hashAt = (id: string, launch: Launch): DefinitionHash => {
  const head = `{"server":${canonicalJson({ id, launch })},"tool":`;
  return (definition) => `sha256:${hashText(`${head}${canonicalJson(definition)}}`)}`;
};

/** Without its name, to find a tool again under another one. */
export const namelessText = (definition: LockedDefinition): string =>
  canonicalJson({ ...definition, name: "" });
