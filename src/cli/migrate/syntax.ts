/** A node of the syntax tree that `oxc-parser` returns. The migration reads only a few of its fields. */
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

/** The text of a string literal, or of a template without expressions. */
export const stringOf = (node: SyntaxNode | undefined): string | undefined => {
  if (node?.type === "Literal") return typeof node.value === "string" ? node.value : undefined;
  if (node?.type !== "TemplateLiteral" || nodesAt(node, "expressions").length > 0) return undefined;
  const [quasi] = nodesAt(node, "quasis");
  return quasi && templateText(quasi);
};

/** The text of a part of a template; undefined if it has an invalid escape, as tagged templates may. */
export const templateText = (quasi: SyntaxNode): string | undefined =>
  (quasi.value as { readonly cooked: string | null }).cooked ?? undefined;

/** The name of a property, an export or a member that is written out; undefined for computed ones. */
export const keyName = (node: SyntaxNode, field: string): string | undefined => {
  const key = nodeAt(node, field);
  if (node.computed === true) return undefined;
  return identifierName(key) ?? stringOf(key);
};

const wrappers = ["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression", "TSTypeAssertion"];

export const isTypeWrapper = (node: SyntaxNode | undefined): boolean =>
  node !== undefined && wrappers.includes(node.type);

/** The expression inside of `as`, `satisfies` and `!`. */
export const unwrapped = (node: SyntaxNode): SyntaxNode => {
  let inner = node;
  while (isTypeWrapper(inner)) inner = nodeAt(inner, "expression")!;
  return inner;
};
