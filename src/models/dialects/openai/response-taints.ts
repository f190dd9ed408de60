import { foreignFieldsOf } from "../calls/read-untyped-fields.ts";
import { readField, toItems } from "../model-reply.ts";
import type { OfferedTool } from "../offered-tool.ts";
import { sourceName, untrustedSourceNames } from "../untrusted-sources.ts";
import { toResponseItem } from "./response-item.ts";

const ownItems: ReadonlySet<unknown> = new Set(["message", "reasoning", "image_generation_call"]);
const ownParts: ReadonlySet<unknown> = new Set([
  "output_text",
  "refusal",
  "summary_text",
  "reasoning_text",
  "text",
]);

/** Tool search returns only offered definitions, so it is not a source of untrusted content. */
export const responseSources = (item: unknown, tools: readonly OfferedTool[]): readonly string[] => {
  const { type, name } = foreignFieldsOf(item);
  const call = toResponseItem(foreignFieldsOf(item));
  if (call !== undefined) return call.providerExecuted ? [sourceName(name)] : [];
  if (isOwnSearch(item, tools)) return [];
  if (!ownItems.has(type)) return [sourceName(type)];
  const parts = [...toItems(readField(item, "content")), ...toItems(readField(item, "summary"))];
  return parts.flatMap((part) => {
    const { type: kind } = foreignFieldsOf(part);
    return ownParts.has(kind) ? untrustedSourceNames(part) : [sourceName(kind)];
  });
};

const isOwnSearch = (item: unknown, tools: readonly OfferedTool[]): boolean => {
  const { type, tools: found } = foreignFieldsOf(item);
  if (type !== "tool_search_call" && type !== "tool_search_output") return false;
  if (!tools.some(({ deferred }) => deferred === true)) return false;
  const names = new Set(tools.map(({ wireName }) => wireName));
  return toItems(found).every((one) => names.has(String(foreignFieldsOf(one).name)));
};
