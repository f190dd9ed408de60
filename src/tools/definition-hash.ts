import { hashJson } from "../base/json/hash.ts";
import type { ToolSpec } from "../types/spec.ts";

const hashCache = new WeakMap<ToolSpec, string>();

/** Approvals, locks and recordings of another definition are invalid. */
export const definitionHash = (spec: ToolSpec): string => {
  let hash = hashCache.get(spec);
  if (hash === undefined) {
    hash = hashJson(spec);
    hashCache.set(spec, hash);
  }
  return hash;
};
