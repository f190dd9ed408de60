import { isObject } from "../../../base/json/is-object.ts";

/** Checks only the structure, because services often deviate from their documents. */
export const relaxSchema = (made: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const {
    type,
    title,
    properties,
    items,
    prefixItems,
    allOf,
    oneOf,
    anyOf,
    additionalProperties,
    contentMediaType,
  } = made;
  const kinds = [type].flat().filter((kind) => kind !== undefined);
  const wide = kinds.map((kind) => (kind === "integer" ? "number" : kind));
  const choices = [oneOf, anyOf].filter(Array.isArray).map((each) => ({ anyOf: each }));
  const more = [...(Array.isArray(allOf) ? allOf : []), ...(choices.length > 1 ? choices : [])];
  return {
    ...(kinds.length === 0 ? {} : { type: [...new Set([...wide, "null"])] }),
    ...(title === undefined ? {} : { title }),
    ...(properties === undefined ? {} : { properties }),
    ...(items === undefined ? {} : { items }),
    ...(prefixItems === undefined ? {} : { prefixItems }),
    ...(isObject(additionalProperties) ? { additionalProperties } : {}),
    ...(more.length === 0 ? {} : { allOf: more }),
    ...(choices.length === 1 ? choices[0] : {}),
    ...(contentMediaType === undefined ? {} : { contentMediaType }),
  };
};
