import { copyJson } from "../json/copy-json.ts";
import { freezeJson } from "../json/freeze-json.ts";
import { isRecord } from "../schema/record.ts";
import type { ToolMeta } from "../words/spec.ts";

/** As MCP writes the keys of `_meta`, but never without a prefix: a bare name is somebody else's tomorrow. */
const key = /^[a-z0-9](?:[\w.-]*[a-z0-9])?\/[a-z0-9](?:[\w.-]*[a-z0-9])?$/i;

/** It goes into every list of tools that an MCP client asks for. */
const limits = { maxLength: 16_384, maxDepth: 16 };

/** A frozen copy, or nothing if it is no metadata. */
export const readMeta = (given: unknown): ToolMeta | undefined => {
  if (!isRecord(given) || !Object.keys(given).every((each) => key.test(each))) return undefined;
  const copy = copyJson(given, limits);
  return copy.ok ? (freezeJson(copy.value) as ToolMeta) : undefined;
};
