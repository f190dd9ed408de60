import { isSchema, type RewriteStep } from "./rewrite-schema.ts";

/** Providers take only objects as properties: `true` and `false` are spelled as the objects that mean the same. */
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
