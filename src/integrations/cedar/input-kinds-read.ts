/** The kinds of arguments that Cedar can look at. */
export const inputKinds = ["text", "number", "decimal", "flag", "list"] as const;
export type InputKind = (typeof inputKinds)[number];

/** Which arguments policies look at, from their JSON form. Too many rather than too few. */
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

/** A context, or its `input`, of which no attribute is taken may be compared as a whole. */
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
