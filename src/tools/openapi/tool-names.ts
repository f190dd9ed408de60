import { hashText } from "../../base/json/hash.ts";
import { checkToolName, confusableKey } from "../tool-name.ts";
import type { OpenApiOperation } from "./operation.ts";

const maxToolNameLength = 64;

/** Names are unique and not confusable. */
export const toolNames = (prefix: string) => {
  const taken = new Set<string>();
  /** Equal ids must not cost quadratic time. */
  const counts = new Map<string, number>();
  return (operation: OpenApiOperation): string => {
    const wanted = shortenName(prefix + baseName(operation.id ?? "", operation));
    const key = confusableKey(wanted);
    let count = counts.get(key) ?? 2;
    let name = wanted;
    while (taken.has(confusableKey(name)) || !isAllowed(name)) {
      const ending = isAllowed(name) ? `_${count++}` : "_operation";
      name = wanted.slice(0, maxToolNameLength - ending.length) + ending;
    }
    counts.set(key, count);
    taken.add(confusableKey(name));
    return name;
  };
};

const baseName = (id: string, { method, path }: OpenApiOperation): string =>
  sanitizeName(id) || sanitizeName(`${method.toLowerCase()}_${path.replace(/[{}]/g, "")}`);

/** Double underscores separate namespaces. */
const sanitizeName = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9_-]+/g, "_")
    .replace(/_{2,}/g, "_")
    .replace(/^[_-]+|[_-]+$/g, "");

/** A hash keeps long names distinct. */
const shortenName = (name: string): string =>
  name.length <= maxToolNameLength
    ? name
    : `${name.slice(0, maxToolNameLength - 9).replace(/_+$/, "")}_${hashText(name).slice(0, 8)}`;

const isAllowed = (name: string): boolean => {
  try {
    checkToolName(name);
    return true;
  } catch {
    return false;
  }
};
