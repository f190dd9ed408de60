export const inputKinds = ["text", "number", "decimal", "flag", "list"] as const;
export type InputKind = (typeof inputKinds)[number];

/** May return more kinds than necessary. */
export const inputKindsReadBy = (policies: readonly unknown[]): ReadonlySet<InputKind> => {
  const attributes = new Set<string>();
  for (const policy of policies) collectAttributes(policy, attributes, false);
  return new Set(inputKinds.filter((kind) => attributes.has(allKinds) || attributes.has(kind)));
};

const allKinds = "*";

interface AttributeAccess {
  readonly left: unknown;
  readonly attr: string | readonly string[];
}

const isAccess = (value: unknown): value is AttributeAccess =>
  typeof value === "object" && value !== null && "left" in value && "attr" in value;

/** `context` or `context.input` without an attribute may be compared as a whole, which reads all kinds. */
const collectAttributes = (node: unknown, attributes: Set<string>, isAccessed: boolean): void => {
  if (typeof node !== "object" || node === null) return;
  for (const [operator, child] of Object.entries(node)) {
    if ((operator === "." || operator === "has") && isAccess(child)) {
      const names = [child.attr].flat();
      for (const name of names) attributes.add(name);
      if (names.at(-1) === "input" && !isAccessed) attributes.add(allKinds);
      collectAttributes(child.left, attributes, true);
    } else if (operator === "Var" && child === "context" && !isAccessed) attributes.add(allKinds);
    else collectAttributes(child, attributes, false);
  }
};
