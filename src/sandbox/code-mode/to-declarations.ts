import { headOf } from "../../base/text/cut-text.ts";
import type { JsonSchema } from "../../types/json.ts";
import type { Registration } from "../../types/tool.ts";

/** Deeper or further parts become `unknown`. */
const maxTypeDepth = 6;
const maxTypeParts = 300;
/** There may be many long foreign schemas. */
const maxDeclarationsLength = 256 * 1024;
const maxCommentLength = 400;

/** May be less strict than the schemas, which validate the arguments. */
export const toDeclarations = (functions: ReadonlyMap<string, Registration>): string => {
  const root: FunctionFolder = { functions: [], folders: new Map() };
  let written = 0;
  for (const [path, { tool }] of functions) {
    const segments = path.split(".");
    const name = segments.pop()!;
    const { description, input, output } = tool.spec;
    const answer = output === undefined ? "unknown" : typeOf(output, rootOf(output), 0);
    const takes = isEmpty(input)
      ? ""
      : `input${hasRequired(input) ? "" : "?"}: ${typeOf(input, rootOf(input), 0)}`;
    const text = `${comment(description)}${name}(${takes}): Promise<${answer}>;`;
    written += text.length;
    folderOf(root, segments).functions.push(
      written > maxDeclarationsLength ? `${name}(input?: unknown): Promise<unknown>;` : text,
    );
  }
  return `declare const tools: {\n${linesOf(root, 1)}\n};`;
};

interface FunctionFolder {
  readonly functions: string[];
  readonly folders: Map<string, FunctionFolder>;
}

const folderOf = (root: FunctionFolder, path: readonly string[]): FunctionFolder => {
  let folder = root;
  for (const segment of path) {
    let next = folder.folders.get(segment);
    if (next === undefined) {
      next = { functions: [], folders: new Map() };
      folder.folders.set(segment, next);
    }
    folder = next;
  }
  return folder;
};

const linesOf = ({ functions, folders }: FunctionFolder, depth: number): string => {
  const indent = "  ".repeat(depth);
  const own = functions.map((text) => text.replaceAll(/^/gm, indent));
  const below = [...folders].map(
    ([name, folder]) => `${indent}${name}: {\n${linesOf(folder, depth + 1)}\n${indent}};`,
  );
  return [...own, ...below].join("\n");
};

/** Untrusted text must not end its comment. */
const comment = (text: string | undefined): string => {
  const line = (text ?? "").replaceAll(/\s+/g, " ").replaceAll("*/", "* /").trim();
  const plain = headOf(line, maxCommentLength);
  return plain === "" ? "" : `/** ${plain} */\n`;
};

/** With the number of parts that may still be written. */
interface TypeRoot {
  readonly schema: JsonSchema | boolean;
  parts: number;
}

const rootOf = (schema: JsonSchema | boolean): TypeRoot => ({ schema, parts: maxTypeParts });

const typeOf = (schema: JsonSchema | boolean, root: TypeRoot, depth: number): string => {
  if (typeof schema === "boolean") return schema ? "unknown" : "never";
  root.parts -= 1;
  if (depth > maxTypeDepth || root.parts < 0) return "unknown";
  const { $ref, const: only, enum: values, anyOf, oneOf, allOf, type } = schema as SchemaNode;
  const below = (each: JsonSchema | boolean) => typeOf(each, root, depth + 1);
  if ($ref !== undefined) return refType($ref, root, depth);
  if (only !== undefined) return JSON.stringify(only);
  if (values !== undefined) return union(values.map((each) => JSON.stringify(each)));
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) return union(choices.map(below));
  if (allOf !== undefined && type === undefined) return allOf.map(below).join(" & ") || "unknown";
  if (Array.isArray(type)) {
    return union(
      type.map((each) => typeOf({ ...(schema as object), type: each } as JsonSchema, root, depth)),
    );
  }
  if (type === "array") return arrayType(schema as SchemaNode, below);
  if (type === "object" || (schema as SchemaNode).properties !== undefined)
    return objectType(schema as SchemaNode, below);
  return plainTypes[String(type)] ?? "unknown";
};

const plainTypes: Readonly<Record<string, string>> = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  null: "null",
};

interface SchemaNode {
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly type?: string | readonly string[];
  readonly items?: JsonSchema | boolean;
  readonly prefixItems?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly description?: string;
}

type ToChildType = (schema: JsonSchema | boolean) => string;

const union = (types: readonly string[]): string =>
  types.length === 0 ? "never" : [...new Set(types)].slice(0, 50).join(" | ");

const arrayType = ({ prefixItems, items }: SchemaNode, below: ToChildType): string => {
  if (prefixItems !== undefined) return `[${prefixItems.map(below).join(", ")}]`;
  const each = items === undefined ? "unknown" : below(items);
  return /[|&]/.test(each) ? `(${each})[]` : `${each}[]`;
};

const objectType = (
  { properties = {}, required = [], additionalProperties }: SchemaNode,
  below: ToChildType,
): string => {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return `${key}${required.includes(name) ? "" : "?"}: ${below(schema)}`;
  });
  if (fields.length > 0) return `{ ${fields.join("; ")} }`;
  const others = typeof additionalProperties === "object" ? below(additionalProperties) : "unknown";
  return additionalProperties === false ? "{}" : `Record<string, ${others}>`;
};

/** Only references within the schema. */
const refType = (ref: string, root: TypeRoot, depth: number): string => {
  if (!ref.startsWith("#/") && ref !== "#") return "unknown";
  let found: unknown = root.schema;
  for (const segment of ref.split("/").slice(1)) {
    const name = decodeURIComponent(segment).replaceAll("~1", "/").replaceAll("~0", "~");
    found =
      typeof found === "object" && found !== null && Object.hasOwn(found, name)
        ? (found as Record<string, unknown>)[name]
        : undefined;
  }
  const isSchema = typeof found === "boolean" || (typeof found === "object" && found !== null);
  return isSchema ? typeOf(found as JsonSchema, root, depth + 1) : "unknown";
};

const isEmpty = (schema: JsonSchema | undefined): boolean =>
  schema === undefined ||
  (Object.keys((schema as SchemaNode).properties ?? {}).length === 0 &&
    (schema as SchemaNode).additionalProperties === false);

const hasRequired = (schema: JsonSchema): boolean => ((schema as SchemaNode).required ?? []).length > 0;
