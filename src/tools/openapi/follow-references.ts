import { isObject, type JsonObject } from "../../base/json/is-object.ts";
import { toPointer } from "../../base/json/to-pointer.ts";

export type ReferenceResult =
  | { readonly value: unknown; readonly pointer: string }
  | { readonly problem: string };

const maxReferenceChain = 32;

export const refOf = (value: unknown): string | undefined =>
  isObject(value) && typeof value.$ref === "string" ? value.$ref : undefined;

/** External references are never fetched. */
export const followReferences = (root: JsonObject, value: unknown, pointer: string): ReferenceResult => {
  let found: { readonly value: unknown; readonly pointer: string } = { value, pointer };
  for (let step = 0; step < maxReferenceChain; step++) {
    const reference = refOf(found.value);
    if (reference === undefined) return found;
    const next = resolvePointer(root, reference);
    if ("problem" in next) return next;
    found = next;
  }
  return { problem: `the reference at ${pointer} is part of a cycle of references` };
};

export const resolvePointer = (root: JsonObject, reference: string): ReferenceResult => {
  const shown = JSON.stringify(reference.slice(0, 200));
  if (!reference.startsWith("#")) {
    return {
      problem: `the reference ${shown} points outside the document, and other documents are not fetched`,
    };
  }
  const path = pointerSteps(reference);
  if (path === undefined) return { problem: `the reference ${shown} is not a JSON pointer` };
  let value: unknown = root;
  for (const key of path) {
    const has = typeof value === "object" && value !== null && Object.hasOwn(value, key);
    if (!has) return { problem: `the reference ${shown} points to nothing` };
    value = (value as Record<string, unknown>)[key];
  }
  return { value, pointer: toPointer(path) };
};

const pointerSteps = (reference: string): readonly string[] | undefined => {
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
