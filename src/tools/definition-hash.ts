import { hashJson } from "../base/json/hash.ts";
import type { ToolSpec } from "../types/spec.ts";

const hashCache = new WeakMap<ToolSpec, string>();

/** What a tool promises, in one hash. An approval, a lock or a tape made under another promise counts for nothing. */
export const definitionHash = (spec: ToolSpec): string => {
  let hash = hashCache.get(spec);
  if (hash === undefined) {
    hash = hashJson(spec);
    hashCache.set(spec, hash);
  }
  return hash;
};
