import { copyJson } from "../base/json/copy-json.ts";
import { freezeJson } from "../base/json/freeze-json.ts";
import { isRecord } from "../base/schema/is-record.ts";
import type { ToolMeta } from "../types/spec.ts";

/** As MCP writes the keys of `_meta`, but never without a prefix: a bare name is somebody else's tomorrow. */
const metaKeyPattern = /^[a-z0-9](?:[\w.-]*[a-z0-9])?\/[a-z0-9](?:[\w.-]*[a-z0-9])?$/i;

/** It goes into every list of tools that an MCP client asks for. */
const metaLimits = { maxLength: 16_384, maxDepth: 16 };

/** A frozen copy, or nothing if it is no metadata. */
export const readMeta = (given: unknown): ToolMeta | undefined => {
  if (!isRecord(given) || !Object.keys(given).every((each) => metaKeyPattern.test(each))) return undefined;
  const copy = copyJson(given, metaLimits);
  return copy.ok ? (freezeJson(copy.value) as ToolMeta) : undefined;
};
