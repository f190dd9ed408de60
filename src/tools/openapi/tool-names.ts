import { hashText } from "../../base/json/hash.ts";
import { checkToolName, confusableKey } from "../tool-name.ts";
import type { OpenApiOperation } from "./operation.ts";

const maxToolNameLength = 64;

/** Gives every operation a name that models can write and nobody mistakes for another's. */
export const toolNames = (prefix: string) => {
  const taken = new Set<string>();
  /** Where counting goes on for a name that came before, so that a thousand equal ids are not counted from the start each. */
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

/** The document's own name for it, or method and path: `get_pets_petId`. */
const baseName = (id: string, { method, path }: OpenApiOperation): string =>
  sanitizeName(id) || sanitizeName(`${method.toLowerCase()}_${path.replace(/[{}]/g, "")}`);

/** Two underscores in a row separate a namespace from a tool where models see them. */
const sanitizeName = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9_-]+/g, "_")
    .replace(/_{2,}/g, "_")
    .replace(/^[_-]+|[_-]+$/g, "");

/** A long name keeps its beginning, and a hash of the whole tells it from others that begin alike. */
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
