import type { McpTool } from "../../dialects/mcp/to-mcp.ts";
import { isObject } from "../../json/is-object.ts";
import { readJson } from "../../json/read-json.ts";
import { foreignWords } from "../../mcp/client/transport/foreign-words.ts";

interface Declaration {
  readonly path: readonly string[];
  readonly header: string;
}

const declared = new WeakMap<McpTool, readonly Declaration[]>();
const byName = new WeakMap<readonly McpTool[], ReadonlyMap<string, McpTool>>();

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/u;
const deepest = 16;
const declarationsIn = (schema: unknown, path: readonly string[], into: Declaration[]): void => {
  if (!isObject(schema) || path.length > deepest) return;
  const header = schema["x-mcp-header"];
  if (path.length > 0 && typeof header === "string" && token.test(header)) into.push({ path, header });
  if (!isObject(schema.properties)) return;
  for (const [name, property] of Object.entries(schema.properties)) {
    declarationsIn(property, [...path, name], into);
  }
};

const declarationsOf = (tools: readonly McpTool[], name: unknown): readonly Declaration[] => {
  let named = byName.get(tools);
  if (named === undefined) {
    named = new Map(tools.map((tool) => [tool.name, tool]));
    byName.set(tools, named);
  }
  const tool = typeof name === "string" ? named.get(name) : undefined;
  if (tool === undefined) return [];
  let found = declared.get(tool);
  if (found === undefined) {
    const all: Declaration[] = [];
    declarationsIn(tool.inputSchema, [], all);
    found = all;
    declared.set(tool, found);
  }
  return found;
};

/**
 * Arguments that a tool wants repeated as headers, so that proxies can route by them, must be the same in both
 * places; else a proxy would let through what it should not. What is wrong, or nothing.
 */
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
    // Nobody compares what nobody can read, and arguments that are repaired later must not have passed by here.
    return { header: `Mcp-Param-${declarations[0]!.header}`, body: "/arguments: they are not strict JSON" };
  }
  const members = given === undefined ? params.arguments : given.value;
  for (const { path, header } of declarations) {
    const value = path.reduce<unknown>((node, key) => (isObject(node) ? node[key] : undefined), members);
    if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") continue;
    const name = `Mcp-Param-${header}`;
    const problem = mismatch(headers.get(name), value);
    if (problem !== undefined)
      return { header: name, body: `/arguments/${foreignWords(path.join("/"))}: ${problem}` };
  }
  return undefined;
};

const mismatch = (header: string | null, value: string | number | boolean): string | undefined => {
  if (header === null) return "the header is missing";
  const sent = decoded(header);
  if (sent === undefined) return "the header is not valid Base64 of UTF-8";
  const isSame =
    typeof value === "number" && /^-?\d+(?:\.\d+)?$/u.test(sent)
      ? Number(sent) === value
      : sent === String(value);
  return isSame ? undefined : "the header says something else";
};

const encoded = /^=\?base64\?(.*)\?=$/su;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u;

const decoded = (header: string): string | undefined => {
  const inner = encoded.exec(header)?.[1];
  if (inner === undefined) return header;
  if (!base64.test(inner)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(inner, "base64"));
  } catch {
    return undefined;
  }
};
