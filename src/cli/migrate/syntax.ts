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
