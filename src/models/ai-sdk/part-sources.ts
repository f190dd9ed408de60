import { isObject } from "../../base/json/json-value.ts";
import { sourceName, untrustedSourceNames } from "../dialects/model-reply.ts";

const ownParts: ReadonlySet<unknown> = new Set(["text", "reasoning", "file", "reasoning-file"]);

export interface SourcedPart {
  readonly type?: unknown;
  readonly toolName?: unknown;
  readonly providerExecuted?: unknown;
  readonly providerMetadata?: unknown;
}

/** Tools that the provider ran, citations and unknown part types. */
export const partSources = (part: SourcedPart): readonly string[] => {
  const { type, toolName, providerExecuted } = part;
  if (ownParts.has(type)) return metadataSources(part);
  if (type === "tool-call") {
    return providerExecuted === true ? [sourceName(toolName)] : metadataSources(part);
  }
  return [sourceName(type === "tool-result" || type === "tool-approval-request" ? (toolName ?? type) : type)];
};

/** Grounding and citations are in the metadata, under a different name per provider. */
export const metadataSources = ({
  providerMetadata,
}: Pick<SourcedPart, "providerMetadata">): readonly string[] =>
  isObject(providerMetadata) ? Object.values(providerMetadata).flatMap(untrustedSourceNames) : [];
