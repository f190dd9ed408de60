import { isObject } from "../../base/json/is-object.ts";
import { sourceMembers, sourceName } from "../dialects/untrusted-sources.ts";

const ownParts: ReadonlySet<unknown> = new Set(["text", "reasoning", "file", "reasoning-file"]);

/** A part of what a model said, with what tells where its content is from. */
export interface SourcedPart {
  readonly type?: unknown;
  readonly toolName?: unknown;
  readonly providerExecuted?: unknown;
  readonly providerMetadata?: unknown;
}

/**
 * Sources of untrusted content in a part: tools that the provider ran, sources, citations, and kinds of parts that are not
 * known.
 */
export const partSources = (part: SourcedPart): readonly string[] => {
  const { type, toolName, providerExecuted } = part;
  if (ownParts.has(type)) return metadataSources(part);
  if (type === "tool-call") {
    return providerExecuted === true ? [sourceName(toolName)] : metadataSources(part);
  }
  return [sourceName(type === "tool-result" || type === "tool-approval-request" ? (toolName ?? type) : type)];
};

/** Providers report grounding and citations in metadata, each under its own name. */
export const metadataSources = ({
  providerMetadata,
}: Pick<SourcedPart, "providerMetadata">): readonly string[] =>
  isObject(providerMetadata) ? Object.values(providerMetadata).flatMap(sourceMembers) : [];
