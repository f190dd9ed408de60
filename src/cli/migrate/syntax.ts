import type { Renames } from "./renames-0.3.ts";

export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

export const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === "object" && value !== null && typeof (value as SyntaxNode).type === "string";

export const nodeAt = (node: SyntaxNode, field: string): SyntaxNode | undefined => {
  const value = node[field];
  return isNode(value) ? value : undefined;
};

export const nodesAt = (node: SyntaxNode, field: string): readonly SyntaxNode[] => {
  const value = node[field];
  return Array.isArray(value) ? value.filter(isNode) : [];
};

export const childrenOf = (node: SyntaxNode): readonly SyntaxNode[] =>
  Object.values(node).flatMap((value) => {
    if (isNode(value)) return [value];
    return Array.isArray(value) ? value.filter(isNode) : [];
  });

export const identifierName = (node: SyntaxNode | undefined): string | undefined =>
  node?.type === "Identifier" || node?.type === "JSXIdentifier" ? String(node.name) : undefined;

export const stringOf = (node: SyntaxNode | undefined): string | undefined => {
  if (node?.type === "Literal") return typeof node.value === "string" ? node.value : undefined;
  if (node?.type !== "TemplateLiteral" || nodesAt(node, "expressions").length > 0) return undefined;
  const [quasi] = nodesAt(node, "quasis");
  return quasi && templateText(quasi);
};

/** Undefined for an invalid escape, which tagged templates may contain. */
export const templateText = (quasi: SyntaxNode): string | undefined =>
  (quasi.value as { readonly cooked: string | null }).cooked ?? undefined;

export const keyName = (node: SyntaxNode, field: string): string | undefined => {
  const key = nodeAt(node, field);
  if (node.computed === true) return undefined;
  return identifierName(key) ?? stringOf(key);
};

const wrappers = ["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression", "TSTypeAssertion"];

export const isTypeWrapper = (node: SyntaxNode | undefined): boolean =>
  node !== undefined && wrappers.includes(node.type);

export const unwrapped = (node: SyntaxNode): SyntaxNode => {
  let inner = node;
  while (isTypeWrapper(inner)) inner = nodeAt(inner, "expression")!;
  return inner;
};

export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A place that was not changed and has to be checked by hand. */
export interface Note {
  readonly line: number;
  readonly message: string;
}

export interface Migration {
  readonly text: string;
  readonly edits: readonly Edit[];
  readonly notes: readonly Note[];
}

export const applyEdits = (text: string, edits: readonly Edit[]): string => {
  let [result, at] = ["", 0];
  for (const { start, end, text: inserted } of [...edits].sort((left, right) => left.start - right.start)) {
    result += text.slice(at, start) + inserted;
    at = end;
  }
  return result + text.slice(at);
};

export const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length;

export const sortedNotes = (notes: readonly Note[]): readonly Note[] => {
  const seen = new Map(notes.map((note) => [`${note.line} ${note.message}`, note]));
  return [...seen.values()].sort((left, right) => left.line - right.line);
};

/** Accepts the old and the new path. */
export const entryPointOf = (renames: Renames, path: string): string | undefined => {
  const renamed = renamedPath(renames, path) ?? path;
  return renamed === "haft" || renamed.startsWith("haft/") ? renamed : undefined;
};

export const renamedPath = (renames: Renames, path: string): string | undefined => {
  for (const [from, to] of Object.entries(renames.entryPoints)) {
    if (path === from) return to;
    if (from.endsWith("/") && path.startsWith(from)) return to + path.slice(from.length);
  }
  return undefined;
};

export const renamedExport = (renames: Renames, entry: string, name: string): string | undefined => {
  const { values, types } = renames.exports[entry] ?? {};
  for (const names of [values, types])
    if (names !== undefined && Object.hasOwn(names, name)) return names[name];
  return undefined;
};
