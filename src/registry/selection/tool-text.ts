import type { ToolSpec } from "../../types/tool.ts";
import { camelCaseNames, termsOf } from "./terms.ts";

export interface ToolText {
  readonly name: readonly string[];
  readonly description: readonly string[];
  readonly first: number;
  /** From parameters, enum values, tags and namespaces. */
  readonly otherTerms: readonly string[];
}

const maxTerms = {
  description: 4_000,
  first: 30,
  parameters: 200,
  parameter: 600,
  depth: 4,
  values: 50,
  value: 80,
  terms: 600,
} as const;

export const toolText = (spec: ToolSpec): ToolText => {
  const { space, own } = splitName(spec.name);
  const description = String(spec.description ?? "").slice(0, maxTerms.description);
  const otherTerms: string[] = [...camelCaseNames(description), ...camelCaseNames(own)];
  const tags = Array.isArray(spec.tags) ? spec.tags.slice(0, maxTerms.values) : [];
  for (const text of [space, ...tags]) otherTerms.push(...termsOf(String(text).slice(0, maxTerms.value)));
  readParameters(spec.input, otherTerms);
  const sentence = firstSentence(description);
  const first = termsOf(sentence);
  return {
    name: termsOf(own),
    description: [...first, ...termsOf(description.slice(sentence.length))],
    first: Math.min(maxTerms.first, first.length),
    otherTerms: otherTerms.slice(0, maxTerms.terms),
  };
};

/** The part before the last `/` or `__` is a namespace. */
const splitName = (name: string): { readonly space: string; readonly own: string } => {
  const cut = Math.max(name.lastIndexOf("/"), name.lastIndexOf("__"));
  const own = cut < 0 ? name : name.slice(cut).replace(/^[/_]+/, "");
  return own === "" ? { space: "", own: name } : { space: cut < 0 ? "" : name.slice(0, cut), own };
};

/** Includes leading whitespace. */
const firstSentence = (text: string): string => {
  const start = text.length - text.trimStart().length;
  const end = text.slice(start).search(/[.!?]\s|\n\s*\n/);
  return end < 0 ? text : text.slice(0, start + end);
};

/** Breadth first, so that the outermost names of a huge schema are read. */
const readParameters = (input: unknown, terms: string[]): void => {
  let level: readonly unknown[] = [input];
  let left: number = maxTerms.parameters;
  for (let depth = 0; depth < maxTerms.depth && level.length > 0; depth++) {
    const next: unknown[] = [];
    for (const schema of level) {
      const properties = recordOf(recordOf(schema)?.properties);
      if (properties === undefined) continue;
      for (const name of Object.keys(properties)) {
        if (left-- <= 0 || terms.length > maxTerms.terms) return;
        const parameter = recordOf(properties[name]);
        terms.push(...termsOf(name.slice(0, maxTerms.value)));
        if (parameter === undefined) continue;
        if (typeof parameter.description === "string")
          terms.push(...termsOf(parameter.description.slice(0, maxTerms.parameter)));
        readValues(parameter.enum, terms);
        next.push(parameter, parameter.items);
      }
    }
    level = next;
  }
};

const readValues = (values: unknown, terms: string[]): void => {
  if (!Array.isArray(values)) return;
  for (const value of values.slice(0, maxTerms.values)) {
    if (typeof value === "string") terms.push(...termsOf(value.slice(0, maxTerms.value)));
  }
};

const recordOf = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
