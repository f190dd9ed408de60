import { hashJson } from "../json/hash.ts";
import type { ToolSpec } from "../words/spec.ts";

const known = new WeakMap<ToolSpec, string>();

/** What a tool promises, in one hash. An approval, a lock or a tape made under another promise counts for nothing. */
export const definitionHash = (spec: ToolSpec): string => {
  let hash = known.get(spec);
  if (hash === undefined) {
    hash = hashJson(spec);
    known.set(spec, hash);
  }
  return hash;
};
