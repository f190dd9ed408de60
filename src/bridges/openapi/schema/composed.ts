import { isObject, type JsonObject } from "../../../json/is-object.ts";
import { resolve } from "../reference.ts";

const deepest = 12;

/** A schema with its reference followed; nothing where it leads nowhere. */
export const followed = (root: JsonObject, schema: unknown): JsonObject | undefined => {
  const found = resolve(root, schema, "");
  return "value" in found && isObject(found.value) ? found.value : undefined;
};

/** The schema itself and everything it is composed of by `allOf`, references followed. */
export const partsOf = (root: JsonObject, schema: unknown, depth = 0): readonly JsonObject[] => {
  const found = followed(root, schema);
  if (found === undefined || depth > deepest) return [];
  const parts = Array.isArray(found.allOf) ? found.allOf.slice(0, 100) : [];
  return [found, ...parts.flatMap((part) => partsOf(root, part, depth + 1))].slice(0, 500);
};

/** Properties that one side does not see: `readOnly` ones are not sent, `writeOnly` ones do not come back. */
export const hiddenIn = (
  root: JsonObject,
  schema: unknown,
  keyword: "readOnly" | "writeOnly",
): ReadonlySet<string> => {
  const hidden = new Set<string>();
  for (const { properties } of partsOf(root, schema)) {
    for (const [name, property] of Object.entries(isObject(properties) ? properties : {})) {
      const isHidden =
        isObject(property) && (property[keyword] === true || followed(root, property)?.[keyword] === true);
      if (isHidden) hidden.add(name);
    }
  }
  return hidden;
};

/** All that a composed object has, for forms: their fields are written one by one. */
export const fieldsOf = (
  root: JsonObject,
  schema: unknown,
): { readonly properties: Readonly<Record<string, unknown>>; readonly required: readonly string[] } => {
  const parts = partsOf(root, schema);
  const properties = parts.flatMap(({ properties: own }) => Object.entries(isObject(own) ? own : {}));
  const required = parts.flatMap(({ required: own }) => (Array.isArray(own) ? own : []));
  return {
    properties: Object.fromEntries(properties.filter(([name]) => name !== "__proto__")),
    required: [...new Set(required.filter((name) => typeof name === "string"))],
  };
};

/** Whether a form has nothing but fields: a choice between forms cannot be flattened. */
export const isFlat = (root: JsonObject, schema: unknown): boolean =>
  partsOf(root, schema).every((part) => !Array.isArray(part.oneOf) && !Array.isArray(part.anyOf));
