import { isObject } from "../../../base/json/is-object.ts";
import type { JsonSchema } from "../../../types/json.ts";
import type { Registration } from "../../../types/tool.ts";
import type { ToolSnippets } from "../schemas/tools.ts";

export const toToolSnippets = ({ key, wireName }: Registration, input: unknown): ToolSnippets => ({
  code: `await haft.call(${JSON.stringify(key)}, ${JSON.stringify(input, null, 2) ?? "undefined"});`,
  commandLine: `haft call ${shellQuoted(key)} ${shellQuoted(JSON.stringify(input) ?? "")}`,
  mcp: { method: "tools/call", params: { name: wireName, arguments: input } },
});

const shellQuoted = (word: string): string =>
  /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

const maxExampleDepth = 4;

/** Arguments with the required properties and the examples of the schema. */
export const exampleInputOf = (schema: JsonSchema | boolean | undefined, depth = 0): unknown => {
  if (!isObject(schema) || depth > maxExampleDepth) return {};
  const { examples, enum: words, type, properties, required, items } = schema;
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  if (Array.isArray(words) && words.length > 0) return words[0];
  switch (Array.isArray(type) ? type[0] : type) {
    case "string":
      return "";
    case "number":
    case "integer":
      return typeof schema.minimum === "number" ? schema.minimum : 0;
    case "boolean":
      return false;
    case "null":
      return null;
    case "array":
      return typeof schema.minItems === "number" && schema.minItems > 0
        ? [exampleInputOf(items as JsonSchema, depth + 1)]
        : [];
    default: {
      const names = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
      const members = isObject(properties) ? properties : {};
      return Object.fromEntries(
        names.map((name) => [name, exampleInputOf(members[name] as JsonSchema, depth + 1)]),
      );
    }
  }
};
