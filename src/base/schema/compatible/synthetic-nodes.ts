import type { JsonType, PlainKeywords, PlainNode } from "../plain/plain-schema.ts";
import type { ValueKind } from "./value-kind.ts";

/** Each synthetic node is created once, so that the prover recognizes it. */
const nodeOfKind = (kind: ValueKind): PlainKeywords => {
  if (kind === "fraction") return { type: ["number"], not: { type: ["integer"] } };
  return { type: [kind satisfies JsonType] };
};

const nodesByKind: Readonly<Record<ValueKind, PlainKeywords>> = {
  array: nodeOfKind("array"),
  boolean: nodeOfKind("boolean"),
  fraction: nodeOfKind("fraction"),
  integer: nodeOfKind("integer"),
  null: nodeOfKind("null"),
  object: nodeOfKind("object"),
  string: nodeOfKind("string"),
};

export const onlyKind = (kind: ValueKind): PlainKeywords => nodesByKind[kind];

const negations = new WeakMap<PlainKeywords, PlainKeywords>();

export const negated = (node: PlainNode): PlainNode => {
  if (typeof node === "boolean") return !node;
  const made = negations.get(node) ?? { not: node };
  negations.set(node, made);
  return made;
};

type ChoiceKeyword = "anyOf" | "oneOf" | "if" | "not";

const reducedNodes = new WeakMap<PlainKeywords, Map<ChoiceKeyword, PlainKeywords>>();

/** Also removes `unevaluated…`, because what the choice evaluated is no longer known. */
export const withoutChoiceKeyword = (node: PlainKeywords, choice: ChoiceKeyword): PlainKeywords => {
  const known = reducedNodes.get(node) ?? new Map<ChoiceKeyword, PlainKeywords>();
  reducedNodes.set(node, known);
  const { [choice]: _, unevaluatedItems: __, unevaluatedProperties: ___, ...rest } = node;
  const made = known.get(choice) ?? rest;
  known.set(choice, made);
  return made;
};

export interface SyntheticNodes {
  readonly required: (key: string) => PlainKeywords;
  readonly member: (key: string, value: unknown) => PlainKeywords;
  readonly anyOf: (owner: PlainKeywords, label: string, nodes: readonly PlainNode[]) => PlainKeywords;
}

export const syntheticNodes = (): SyntheticNodes => {
  const byText = new Map<string, PlainKeywords>();
  const byOwner = new WeakMap<PlainKeywords, Map<string, PlainKeywords>>();
  const once = (key: string, made: PlainKeywords): PlainKeywords => {
    const known = byText.get(key) ?? made;
    byText.set(key, known);
    return known;
  };
  return {
    required: (key) => once(`required ${key}`, { required: [key] }),
    member: (key, value) =>
      once(`member ${JSON.stringify([key, value])}`, {
        properties: Object.fromEntries([[key, { values: [value] }]]),
      }),
    anyOf: (owner, label, nodes) => {
      const ofOwner = byOwner.get(owner) ?? new Map<string, PlainKeywords>();
      byOwner.set(owner, ofOwner);
      const known = ofOwner.get(label) ?? { anyOf: nodes };
      ofOwner.set(label, known);
      return known;
    },
  };
};
