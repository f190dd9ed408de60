import { isObject } from "../../../base/json/json-value.ts";
import { readJson } from "../../../base/json/read-json.ts";
import { sanitizeUntrustedText } from "../../../mcp/client/transport/sanitize-foreign-text.ts";
import type { McpTool } from "../../../models/dialects/mcp/to-mcp.ts";

interface HeaderDeclaration {
  readonly path: readonly string[];
  readonly header: string;
}

const declarationsByTool = new WeakMap<McpTool, readonly HeaderDeclaration[]>();
const toolsByName = new WeakMap<readonly McpTool[], ReadonlyMap<string, McpTool>>();

const headerNamePattern = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/u;
const maxSchemaDepth = 16;
const collectDeclarations = (schema: unknown, path: readonly string[], into: HeaderDeclaration[]): void => {
  if (!isObject(schema) || path.length > maxSchemaDepth) return;
  const header = schema["x-mcp-header"];
  if (path.length > 0 && typeof header === "string" && headerNamePattern.test(header))
    into.push({ path, header });
  if (!isObject(schema.properties)) return;
  for (const [name, property] of Object.entries(schema.properties)) {
    collectDeclarations(property, [...path, name], into);
  }
};

const declarationsOf = (tools: readonly McpTool[], name: unknown): readonly HeaderDeclaration[] => {
  let named = toolsByName.get(tools);
  if (named === undefined) {
    named = new Map(tools.map((tool) => [tool.name, tool]));
    toolsByName.set(tools, named);
  }
  const tool = typeof name === "string" ? named.get(name) : undefined;
  if (tool === undefined) return [];
  let found = declarationsByTool.get(tool);
  if (found === undefined) {
    const all: HeaderDeclaration[] = [];
    collectDeclarations(tool.inputSchema, [], all);
    found = all;
    declarationsByTool.set(tool, found);
  }
  return found;
};

/** Arguments repeated as headers must match the body, because proxies route and filter by the headers. */
export const paramHeaderProblem = (
  tools: readonly McpTool[],
  params: unknown,
  headers: Headers,
): { readonly header: string; readonly body: string } | undefined => {
  if (!isObject(params)) return undefined;
  const declarations = declarationsOf(tools, params.name);
  if (declarations.length === 0) return undefined;
  const given = typeof params.arguments === "string" ? readJson(params.arguments) : undefined;
  if (given?.ok === false) {
    // Arguments that are repaired later cannot be compared now.
    return { header: `Mcp-Param-${declarations[0]!.header}`, body: "/arguments: they are not strict JSON" };
  }
  const members = given === undefined ? params.arguments : given.value;
  for (const { path, header } of declarations) {
    const value = path.reduce<unknown>((node, key) => (isObject(node) ? node[key] : undefined), members);
    if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") continue;
    const name = `Mcp-Param-${header}`;
    const problem = headerMismatchReason(headers.get(name), value);
    if (problem !== undefined)
      return { header: name, body: `/arguments/${sanitizeUntrustedText(path.join("/"))}: ${problem}` };
  }
  return undefined;
};

const headerMismatchReason = (
  header: string | null,
  value: string | number | boolean,
): string | undefined => {
  if (header === null) return "the header is missing";
  const sent = decodeHeader(header);
  if (sent === undefined) return "the header is not valid Base64 of UTF-8";
  const isSame =
    typeof value === "number" && /^-?\d+(?:\.\d+)?$/u.test(sent)
      ? Number(sent) === value
      : sent === String(value);
  return isSame ? undefined : "the header has another value";
};

const encodedHeaderPattern = /^=\?base64\?(.*)\?=$/su;
const base64Pattern = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u;

const decodeHeader = (header: string): string | undefined => {
  const inner = encodedHeaderPattern.exec(header)?.[1];
  if (inner === undefined) return header;
  if (!base64Pattern.test(inner)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(inner, "base64"));
  } catch {
    return undefined;
  }
};
