import { isObject, type JsonObject } from "../../json/is-object.ts";
import { toPointer } from "../../json/pointer.ts";

/** What a reference leads to, with the place it was found at; or why it leads nowhere. */
export type Resolved = { readonly value: unknown; readonly pointer: string } | { readonly problem: string };

const longestChain = 32;

export const referenceOf = (value: unknown): string | undefined =>
  isObject(value) && typeof value.$ref === "string" ? value.$ref : undefined;

/** Follows `$ref` to `$ref` inside of the document. What lies outside of it is never fetched. */
export const resolve = (root: JsonObject, value: unknown, pointer: string): Resolved => {
  let found: { readonly value: unknown; readonly pointer: string } = { value, pointer };
  for (let step = 0; step < longestChain; step++) {
    const reference = referenceOf(found.value);
    if (reference === undefined) return found;
    const next = lookUp(root, reference);
    if ("problem" in next) return next;
    found = next;
  }
  return { problem: `the reference at ${pointer} leads from one reference to the next without an end` };
};

/** What one local reference points at. */
export const lookUp = (root: JsonObject, reference: string): Resolved => {
  const shown = JSON.stringify(reference.slice(0, 200));
  if (!reference.startsWith("#")) {
    return { problem: `the reference ${shown} leads out of the document, and nothing is fetched` };
  }
  const path = stepsOf(reference);
  if (path === undefined) return { problem: `the reference ${shown} is no JSON pointer` };
  let value: unknown = root;
  for (const key of path) {
    const has = typeof value === "object" && value !== null && Object.hasOwn(value, key);
    if (!has) return { problem: `the reference ${shown} points at nothing` };
    value = (value as Record<string, unknown>)[key];
  }
  return { value, pointer: toPointer(path) };
};

const stepsOf = (reference: string): readonly string[] | undefined => {
  const text = reference.slice(1);
  if (text === "") return [];
  if (!text.startsWith("/")) return undefined;
  try {
    return text
      .slice(1)
      .split("/")
      .map((step) => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~"));
  } catch {
    return undefined;
  }
};
