import { copyJson } from "../base/json/copy-json.ts";
import { freezeJson } from "../base/json/freeze-json.ts";
import { isRecord } from "../base/schema/is-record.ts";
import type { ToolMeta } from "../types/spec.ts";

/** As in MCP, but the prefix is mandatory. */
const metaKeyPattern = /^[a-z0-9](?:[\w.-]*[a-z0-9])?\/[a-z0-9](?:[\w.-]*[a-z0-9])?$/i;

/** Part of every MCP tool list. */
const metaLimits = { maxLength: 16_384, maxDepth: 16 };

export const readMeta = (given: unknown): ToolMeta | undefined => {
  if (!isRecord(given) || !Object.keys(given).every((each) => metaKeyPattern.test(each))) return undefined;
  const copy = copyJson(given, metaLimits);
  return copy.ok ? (freezeJson(copy.value) as ToolMeta) : undefined;
};
