import type { JsonSchema } from "../../src/types/json.ts";

const taken =
  "$defs $ref additionalProperties anyOf const description enum exclusiveMaximum exclusiveMinimum format items maximum maxItems minimum minItems multipleOf pattern properties required title type".split(
    " ",
  );

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What the provider's documented rules for strict schemas reject in a schema. */
export const strictProblems = (root: JsonSchema): readonly string[] => {
  const problems: string[] = [];
  const visit = (schema: unknown, pointer: string): void => {
    if (!isObject(schema)) {
      problems.push(`${pointer}: is not an object`);
      return;
    }
    for (const keyword of Object.keys(schema)) {
      if (!taken.includes(keyword)) problems.push(`${pointer}: ${keyword} is not taken`);
    }
    if ("$ref" in schema && Object.keys(schema).length > 1) problems.push(`${pointer}: $ref is not alone`);
    if (!("$ref" in schema) && !("type" in schema) && !("anyOf" in schema))
      problems.push(`${pointer}: no type`);
    const types = [schema.type].flat();
    if (types.includes("object")) {
      const names = Object.keys((schema.properties ?? {}) as JsonSchema);
      if (schema.additionalProperties !== false) problems.push(`${pointer}: is open`);
      if (JSON.stringify(schema.required) !== JSON.stringify(names))
        problems.push(`${pointer}: not all required`);
    }
    if (types.includes("array")) visit(schema.items, `${pointer}/items`);
    for (const keyword of ["properties", "$defs"]) {
      const named = schema[keyword];
      if (!isObject(named)) continue;
      for (const [name, property] of Object.entries(named)) visit(property, `${pointer}/${keyword}/${name}`);
    }
    if (Array.isArray(schema.anyOf)) {
      for (const [index, branch] of schema.anyOf.entries()) visit(branch, `${pointer}/anyOf/${index}`);
    }
  };
  if (root.type !== "object" || "anyOf" in root) problems.push("the root is not an object");
  visit(root, "");
  return problems;
};
