import { isSchema, type RewriteStep } from "./rewrite-schema.ts";

/** Providers do not accept boolean schemas as properties. */
export const plainProperties: RewriteStep = (schema) => {
  const { properties } = schema;
  if (!isSchema(properties)) return schema;
  let copy: Record<string, unknown> | undefined;
  for (const name in properties) {
    if (typeof properties[name] !== "boolean") continue;
    copy ??= { ...properties };
    copy[name] = properties[name] ? {} : { not: {} };
  }
  return copy === undefined ? schema : { ...schema, properties: copy };
};
