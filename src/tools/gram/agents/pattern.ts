import type { Element, Item, Position, Subject } from "../document.ts";

export interface LabeledPattern {
  readonly subject: Subject;
  readonly elements: readonly Element[];
  readonly at: Position | undefined;
}

export const patternOf = (item: Item | Element): LabeledPattern | undefined => {
  switch (item.kind) {
    case "bracket":
      return { subject: item.subject, elements: item.elements, at: item.subject.identity?.at ?? item.at };
    case "annotated":
      return { subject: item.subject, elements: [item.target], at: item.subject.identity?.at ?? item.at };
    case "path": {
      const [node, second] = item.nodes;
      if (node === undefined || second !== undefined) return undefined;
      return { subject: node.subject, elements: [], at: node.subject.identity?.at ?? node.at };
    }
    default:
      return undefined;
  }
};

export const isLabeled = ({ subject }: LabeledPattern, label: string): boolean =>
  subject.labels.some(({ name }) => name.toLowerCase() === label);

/** Descends into brackets that are neither agents nor tools. */
export function* patternsWithin(items: readonly (Item | Element)[]): Generator<Item | Element> {
  for (const item of items) {
    yield item;
    const pattern = patternOf(item);
    if (pattern !== undefined && !isLabeled(pattern, "agent") && !isLabeled(pattern, "tool")) {
      yield* patternsWithin(pattern.elements);
    }
  }
}

/** `sayHello` or `(sayHello)`. */
export const referencedName = (element: Element): string | undefined => {
  if (element.kind === "reference") return element.identity.name;
  const subject = patternOf(element)?.subject;
  const isBare = subject?.labels.length === 0 && subject.properties.length === 0;
  return isBare && element.kind === "path" ? subject.identity?.name : undefined;
};
